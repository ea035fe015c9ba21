from pathlib import Path

import pandas as pd
from scipy.stats import pearsonr

table = pd.read_csv("../input/statecrime.csv", index_col="state").drop("District of Columbia")
answer = f"{pearsonr(table['murder'], table['single']).pvalue:.2e}"
Path("answer.txt").write_text(answer, encoding="utf-8")
