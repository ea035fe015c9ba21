from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/stocks.csv", index_col="date", parse_dates=True)
answer = f"{table['NFLX'].idxmax():%Y-%m-%d}"
Path("answer.txt").write_text(answer, encoding="utf-8")
