import sqlite3
from pathlib import Path

import pandas as pd

database = sqlite3.connect("../input/travel.sqlite")
query = """
    SELECT hinc FROM travellers JOIN offers USING (individual) JOIN modes USING (mode)
    WHERE choice = 1 AND name = 'air'
"""
answer = f"{pd.read_sql(query, database)['hinc'].mean():.2f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
