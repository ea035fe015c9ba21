from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/co2.csv")
answer = str(table["co2"].isna().sum())
Path("answer.txt").write_text(answer, encoding="utf-8")
