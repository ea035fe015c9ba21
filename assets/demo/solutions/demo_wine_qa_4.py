from pathlib import Path

import pandas as pd
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

book = pd.read_excel("../input/wine.xlsx", sheet_name=None)
table = book["samples"].merge(book["chemistry"], on="sample").drop(columns="sample")
cultivar = table.pop("cultivar")
clusters = KMeans(n_clusters=3, n_init=20, random_state=0).fit_predict(StandardScaler().fit_transform(table))
answer = f"{adjusted_rand_score(cultivar, clusters):.3f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
