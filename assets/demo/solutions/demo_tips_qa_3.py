from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/tips.tsv", sep="\t")
means = table.groupby("day")["total_bill"].mean()
answer = ", ".join(f"{means[day]:.2f}" for day in ("Thur", "Fri", "Sat", "Sun"))
Path("answer.txt").write_text(answer, encoding="utf-8")
