from itertools import combinations
from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/stocks.csv", index_col="date", parse_dates=True)
correlation = table.pct_change().corr()
pair = max(combinations(table.columns, 2), key=lambda names: correlation.loc[names])
answer = ", ".join(pair)
Path("answer.txt").write_text(answer, encoding="utf-8")
