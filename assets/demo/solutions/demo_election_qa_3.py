from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/election.csv", sep=";", encoding="latin-1")
share = table["Bergeron"] / table["total"]
answer = ", ".join(table.loc[share.nlargest(3).index, "district"])
Path("answer.txt").write_text(answer, encoding="utf-8")
