from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/gapminder.csv").sort_values(["country", "year"])
change = table.groupby("country")["lifeExp"].diff()
answer = table.loc[change.idxmin(), "country"]
Path("answer.txt").write_text(answer, encoding="utf-8")
