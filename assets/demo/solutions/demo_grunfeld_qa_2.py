from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/grunfeld.csv").pivot(index="firm", columns="year", values="invest")
answer = ", ".join(sorted(table.index[table[1954] > 4 * table[1935]]))
Path("answer.txt").write_text(answer, encoding="utf-8")
