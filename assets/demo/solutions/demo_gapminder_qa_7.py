from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/gapminder.csv")
means = table.pivot_table(index="year", columns="continent", values="lifeExp", aggfunc="mean")
answer = "yes" if (means.diff().iloc[1:] > 0).all(axis=None) else "no"
Path("answer.txt").write_text(answer, encoding="utf-8")
