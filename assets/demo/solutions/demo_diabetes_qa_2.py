from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/diabetes.csv", sep="|")
serum = table[["s1", "s2", "s3", "s4", "s5", "s6"]]
answer = serum.corrwith(table["progression"]).abs().idxmax()
Path("answer.txt").write_text(answer, encoding="utf-8")
