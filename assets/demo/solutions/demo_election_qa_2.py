from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/election.csv", sep=";", encoding="latin-1")
answer = str(((table["winner"] == "Joly") & (table["result"] == "plurality")).sum())
Path("answer.txt").write_text(answer, encoding="utf-8")
