from pathlib import Path

import pandas as pd

table = pd.read_json("../input/elnino.json").set_index("YEAR")
answer = ", ".join(table.std().nlargest(3).index)
Path("answer.txt").write_text(answer, encoding="utf-8")
