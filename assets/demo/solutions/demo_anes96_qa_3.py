from pathlib import Path

import pandas as pd
from scipy.stats import chi2_contingency

table = pd.read_csv("../input/anes96.csv")
test = chi2_contingency(pd.crosstab(table["educ"], table["vote"]))
answer = "yes" if test.pvalue < 0.05 else "no"
Path("answer.txt").write_text(answer, encoding="utf-8")
