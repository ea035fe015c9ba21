from pathlib import Path

import pandas as pd
from sklearn.feature_selection import f_classif

book = pd.read_excel("../input/wine.xlsx", sheet_name=None)
table = book["samples"].merge(book["chemistry"], on="sample").drop(columns="sample")
cultivar = table.pop("cultivar")
statistic, _ = f_classif(table, cultivar)
answer = table.columns[statistic.argmax()]
Path("answer.txt").write_text(answer, encoding="utf-8")
