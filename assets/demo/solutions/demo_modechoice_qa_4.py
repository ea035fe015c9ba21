import sqlite3
from pathlib import Path

import pandas as pd
from statsmodels.discrete.conditional_models import ConditionalLogit

database = sqlite3.connect("../input/travel.sqlite")
offers = pd.read_sql("SELECT * FROM offers", database)
fit = ConditionalLogit(offers["choice"], offers[["gc", "ttme"]], groups=offers["individual"]).fit(disp=False)
answer = f"{fit.params['ttme']:.4f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
