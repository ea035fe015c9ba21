from pathlib import Path

import numpy as np
import pandas as pd
import statsmodels.formula.api as smf

table = pd.read_csv("../input/anes96.csv")
fit = smf.logit("vote ~ PID + age + educ", table).fit(disp=False)
answer = f"{np.exp(fit.params['PID']):.2f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
