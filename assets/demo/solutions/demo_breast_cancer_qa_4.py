from pathlib import Path

import pandas as pd
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

table = pd.read_csv("../input/measurements.csv").drop(columns="sample")
explained = PCA().fit(StandardScaler().fit_transform(table)).explained_variance_ratio_.cumsum()
answer = str((explained < 0.95).sum() + 1)
Path("answer.txt").write_text(answer, encoding="utf-8")
