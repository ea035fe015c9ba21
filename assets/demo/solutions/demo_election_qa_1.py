from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/election.csv", sep=";", encoding="latin-1")
answer = table.loc[table["total"].idxmax(), "district"]
Path("answer.txt").write_text(answer, encoding="utf-8")
