from pathlib import Path

import numpy as np
import pandas as pd

table = pd.read_csv("../input/gapminder.csv")
latest = table[table["year"] == 2007]
correlation = np.log10(latest["gdpPercap"]).corr(latest["lifeExp"])
answer = f"{correlation:.3f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
