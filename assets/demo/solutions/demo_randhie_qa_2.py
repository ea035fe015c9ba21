from pathlib import Path

import pandas as pd

table = pd.read_parquet("../input/randhie.parquet")
visits = table["mdvis"]
answer = f"{visits.var() / visits.mean():.2f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
