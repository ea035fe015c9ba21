from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/diabetes.csv", sep="|")
medians = table.groupby(table["bmi"] >= 30)["progression"].median()
answer = f"{medians[True] - medians[False]:g}"
Path("answer.txt").write_text(answer, encoding="utf-8")
