from pathlib import Path

import pandas as pd
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split

table = pd.read_csv("../input/diabetes.csv", sep="|")
progression = table.pop("progression")
x_train, x_test, y_train, y_test = train_test_split(table, progression, test_size=0.25, random_state=42)
answer = f"{LinearRegression().fit(x_train, y_train).score(x_test, y_test):.3f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
