from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/statecrime.csv")
answer = f"{table['hs_grad'].corr(table['poverty']):.2f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
