from pathlib import Path

import pandas as pd

chemistry = pd.read_excel("../input/wine.xlsx", sheet_name="chemistry")
correlation = chemistry["malic_acid"].corr(chemistry["hue"])
answer = f"{correlation:.2f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
