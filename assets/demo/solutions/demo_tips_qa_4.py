from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/tips.tsv", sep="\t")
edges = [0, 10, 20, 30, float("inf")]
bins = pd.cut(table["total_bill"], edges, right=False, labels=["< 10", "10-20", "20-30", ">= 30"])
answer = (table["tip"] / table["total_bill"]).groupby(bins, observed=True).mean().idxmax()
Path("answer.txt").write_text(answer, encoding="utf-8")
