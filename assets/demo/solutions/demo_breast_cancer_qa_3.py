from pathlib import Path

import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

table = pd.read_csv("../input/measurements.csv").merge(pd.read_csv("../input/diagnosis.csv"), on="sample")
diagnosis = table.pop("diagnosis")
model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
folds = StratifiedKFold(n_splits=5, shuffle=True, random_state=0)
scores = cross_val_score(model, table.drop(columns="sample"), diagnosis, cv=folds)
answer = f"{scores.mean():.3f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
