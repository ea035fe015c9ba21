from pathlib import Path

import pandas as pd
import statsmodels.api as sm

table = pd.read_parquet("../input/randhie.parquet").astype(float)
visits = table.pop("mdvis")
fit = sm.GLM(visits, sm.add_constant(table), family=sm.families.Poisson()).fit()
answer = f"{fit.params['lncoins']:.4f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
