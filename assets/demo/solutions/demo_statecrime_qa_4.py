from pathlib import Path

import pandas as pd
import statsmodels.formula.api as smf

table = pd.read_csv("../input/statecrime.csv")
fit = smf.ols("murder ~ urban + poverty + hs_grad + single", table).fit()
distance, _ = fit.get_influence().cooks_distance
answer = str((distance > 4 / len(table)).sum())
Path("answer.txt").write_text(answer, encoding="utf-8")
