from pathlib import Path

import pandas as pd

samples = pd.read_excel("../input/wine.xlsx", sheet_name="samples")
counts = samples["cultivar"].value_counts().sort_index()
answer = ", ".join(str(count) for count in counts)
Path("answer.txt").write_text(answer, encoding="utf-8")
