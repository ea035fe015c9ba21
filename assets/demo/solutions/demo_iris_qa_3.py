from pathlib import Path

import pandas as pd
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import LeaveOneOut, cross_val_predict

table = pd.read_csv("../input/iris.csv")
species = table.pop("species")
predicted = cross_val_predict(LinearDiscriminantAnalysis(), table, species, cv=LeaveOneOut())
answer = str((predicted != species).sum())
Path("answer.txt").write_text(answer, encoding="utf-8")
