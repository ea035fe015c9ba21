from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/gapminder.csv")
richest = table[table["year"] == 2007].nlargest(5, "gdpPercap")
answer = ", ".join(richest["country"])
Path("answer.txt").write_text(answer, encoding="utf-8")
