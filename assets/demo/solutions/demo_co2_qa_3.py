from pathlib import Path

import numpy as np
import pandas as pd

table = pd.read_csv("../input/co2.csv", parse_dates=["date"], date_format="%Y%m%d")
annual = table.groupby(table["date"].dt.year)["co2"].mean().loc[1960:2000]
slope, _ = np.polyfit(annual.index - 1980, annual, 1)
answer = f"{slope:.3f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
