from pathlib import Path

import numpy as np
import pandas as pd
from statsmodels.tsa.stattools import adfuller

table = pd.read_csv("../input/macrodata.csv")
test = adfuller(np.log(table["realgdp"]), maxlag=4, regression="ct", autolag=None, result_object=True)
answer = f"{test.statistic:.3f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
