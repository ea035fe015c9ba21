import sqlite3
from pathlib import Path

import pandas as pd

database = sqlite3.connect("../input/travel.sqlite")
offers = pd.read_sql("SELECT name, invt FROM offers JOIN modes USING (mode)", database)
means = offers.groupby("name")["invt"].mean().sort_values(ascending=False)
answer = ", ".join(means.index)
Path("answer.txt").write_text(answer, encoding="utf-8")
