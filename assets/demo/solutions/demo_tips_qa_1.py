from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/tips.tsv", sep="\t")
answer = table["day"].value_counts().idxmax()
Path("answer.txt").write_text(answer, encoding="utf-8")
