from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/macrodata.csv")
worst = table.loc[table["unemp"].idxmax()]
answer = f"{worst['year']:.0f}Q{worst['quarter']:.0f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
