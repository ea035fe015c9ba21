from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/statecrime.csv", index_col="state")
answer = str(table["murder"].get("Puerto Rico", "Not Applicable"))
Path("answer.txt").write_text(answer, encoding="utf-8")
