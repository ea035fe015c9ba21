from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/anes96.csv")
groups = pd.cut(table["age"], [17, 30, 45, 60, 200], labels=["18-30", "31-45", "46-60", "> 60"])
answer = table["TVnews"].groupby(groups, observed=True).mean().idxmax()
Path("answer.txt").write_text(answer, encoding="utf-8")
