from pathlib import Path

import pandas as pd

table = pd.read_csv("../input/exercise.csv").merge(pd.read_csv("../input/physiological.csv"), on="man")
answer = f"{table.loc[table['Waist'] > 36, 'Chins'].mean():.2f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
