import json
from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/anes96.csv")
labels = json.loads(Path("../input/codebook.json").read_text())["income"]
answer = labels[str(table["income"].value_counts().idxmax())]
Path("answer.txt").write_text(answer, encoding="utf-8")
