from pathlib import Path

import pandas as pd
import statsmodels.formula.api as smf

# `size` is an attribute of every pandas table, so it is quoted
table = pd.read_csv("../input/tips.tsv", sep="\t")
fit = smf.ols("tip ~ total_bill + Q('size')", table).fit()
answer = f"{fit.params.iloc[2]:.3f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
