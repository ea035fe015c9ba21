from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/iris.csv")
mean = table.loc[table["species"] == "virginica", "petal length (cm)"].mean()
answer = f"{mean:.3f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
