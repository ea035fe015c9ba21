from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/grunfeld.csv")
answer = str(table.loc[(table["firm"] == "IBM") & (table["capital"] > 100), "year"].min())
Path("answer.txt").write_text(answer, encoding="utf-8")
