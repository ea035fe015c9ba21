from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/measurements.csv").merge(pd.read_csv("../input/diagnosis.csv"), on="sample")
means = table.groupby("diagnosis")["mean area"].mean()
answer = f"{means['malignant'] - means['benign']:.1f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
