from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/gapminder.csv")
medians = table[table["year"] == 2007].groupby("continent")["lifeExp"].median()
answer = medians.idxmax()
Path("answer.txt").write_text(answer, encoding="utf-8")
