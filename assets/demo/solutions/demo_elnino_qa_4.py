from pathlib import Path

import pandas as pd

table = pd.read_json("../input/elnino.json").set_index("YEAR")
means = table.mean()
answer = f"{means.max() - means.min():.2f} °C"
Path("answer.txt").write_text(answer, encoding="utf-8")
