from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/tips.tsv", sep="\t")
share = (table["smoker"] == "Yes").mean()
answer = f"{share:.1%}"
Path("answer.txt").write_text(answer, encoding="utf-8")
