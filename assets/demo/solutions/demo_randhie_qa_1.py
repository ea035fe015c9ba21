from pathlib import Path

import pandas as pd

table = pd.read_parquet("../input/randhie.parquet")
answer = f"{(table['mdvis'] == 0).mean() * 100:.1f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
