from pathlib import Path

import numpy as np
import pandas as pd

table = pd.read_csv("../input/grunfeld.csv")
columns = ["invest", "value", "capital"]
within = table[columns] - table.groupby("firm")[columns].transform("mean")
coefficients, *_ = np.linalg.lstsq(within[["value", "capital"]], within["invest"])
answer = f"{coefficients[0]:.4f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
