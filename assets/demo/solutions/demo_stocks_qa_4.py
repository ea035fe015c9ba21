from pathlib import Path

import numpy as np
import pandas as pd

table = pd.read_csv("../input/stocks.csv", index_col="date", parse_dates=True)
returns = np.log(table["FB"]).diff().dropna()
answer = f"{returns.std() * np.sqrt(52) * 100:.2f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
