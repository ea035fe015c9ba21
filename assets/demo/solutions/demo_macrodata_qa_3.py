from pathlib import Path

import pandas as pd
from scipy.stats import ttest_ind

table = pd.read_csv("../input/macrodata.csv")
high = table["unemp"] > 6
p_value = ttest_ind(table.loc[high, "tbilrate"], table.loc[~high, "tbilrate"], equal_var=False).pvalue
answer = f"{p_value:.6f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
