from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/election.csv", sep=";", encoding="latin-1")
won = table[table["winner"] == "Coderre"]
answer = "yes" if (won["Bergeron"] + won["Joly"] > won["Coderre"]).mean() > 0.5 else "no"
Path("answer.txt").write_text(answer, encoding="utf-8")
