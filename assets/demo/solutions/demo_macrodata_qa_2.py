from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/macrodata.csv").set_index(["year", "quarter"])
growth = table.loc[(2007, 4), "realgdp"] / table.loc[(2000, 1), "realgdp"] - 1
answer = f"{growth * 100:.2f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
