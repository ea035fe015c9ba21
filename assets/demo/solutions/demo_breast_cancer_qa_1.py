from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/measurements.csv").merge(pd.read_csv("../input/diagnosis.csv"), on="sample")
answer = str(((table["mean radius"] > 15) & (table["diagnosis"] == "benign")).sum())
Path("answer.txt").write_text(answer, encoding="utf-8")
