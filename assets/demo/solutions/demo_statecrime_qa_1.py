from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/statecrime.csv", index_col="state")
answer = table["murder"].drop("District of Columbia").idxmax()
Path("answer.txt").write_text(answer, encoding="utf-8")
