from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/stocks.csv", index_col="date", parse_dates=True)
drawdown = 1 - table["AMZN"] / table["AMZN"].cummax()
answer = f"{drawdown.max() * 100:.2f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
