from pathlib import Path

import numpy as np
import pandas as pd

table = pd.read_csv("../input/gapminder.csv").merge(pd.read_csv("../input/countries.csv"), on="country")
tropics = table[(table["year"] == 2007) & table["centroid_lat"].between(-23.5, 23.5)]
mean = np.average(tropics["lifeExp"], weights=tropics["pop"])
answer = f"{mean:.2f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
