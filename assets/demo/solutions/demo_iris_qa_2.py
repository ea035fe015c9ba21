from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/iris.csv")
length = table.groupby("species")["petal length (cm)"]
answer = "yes" if length.max()["setosa"] < length.min()["versicolor"] else "no"
Path("answer.txt").write_text(answer, encoding="utf-8")
