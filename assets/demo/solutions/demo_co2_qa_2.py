from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/co2.csv", parse_dates=["date"], date_format="%Y%m%d")
first = table.loc[table["co2"] >= 350, "date"].min()
answer = f"{first:%Y-%m-%d}"
Path("answer.txt").write_text(answer, encoding="utf-8")
