"""Write a folder source with exactly the dataset's counts, or any multiple of them.

    python -m tests.synthetic_source FOLDER [--multiple 93] [--files]

A multiple has that many times the tasks over the same 471 Kaggle datasets, each copy drawn anew with the same counts
of tiers and reward modes. The same arguments always write the same rows.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

COLUMNS = pa.schema(
    [(name, pa.string()) for name in ("task_id", "source_row_id", "question", "answer", "reward_mode")]
    + [("atol", pa.float64()), ("rtol", pa.float64()), ("difficulty_level", pa.int64())]
    + [(name, pa.string()) for name in ("difficulty_tier", "kaggle_dataset", "hf_bucket", "bucket_prefix")]
    + [("files", pa.list_(pa.string())), ("instruction", pa.string()), ("package_tier", pa.int64())]
)
DATASETS = 471
TIERS = {
    "train": {"easy": 1433, "medium": 2845, "hard": 722},
    "test": {"easy": 33, "medium": 118, "hard": 99},
    "eval": {"easy": 16, "medium": 74, "hard": 54},
}
MODES = {
    "train": {"numeric": 2906, "exact_short": 1409, "list": 367, "flexible": 152, "exact_bool": 127, "list_csv": 39},
    "test": {"numeric": 144, "exact_short": 77, "list": 16, "flexible": 6, "exact_bool": 6, "list_csv": 1},
    "eval": {"numeric": 83, "exact_short": 56, "exact_bool": 5},
}
DISTINCT_QUESTIONS = {"train": 4907, "test": 250, "eval": 144}
LEVELS = {"easy": (1, 1, 2), "medium": (2, 3, 3), "hard": (4, 4, 3)}
PACKAGES = (0,) * 14 + (1,) * 5 + (2, 3)

SUBJECTS = ["sales", "churn", "housing", "flights", "weather", "crime", "salary", "tweets", "loans", "wine", "movies"]
PLACES = ["india", "brazil", "usa", "europe", "kenya", "japan", "chile", "berlin", "nyc", "london", "lagos", "seoul"]
COLUMN_NAMES = ["age", "price", "income", "rating", "distance", "duration", "score", "votes", "balance", "weight"]
GROUPS = ["city", "gender", "month", "category", "brand", "region", "education", "season", "country", "species"]
MEASURES = ["mean", "median", "total", "maximum", "standard deviation of the", "Pearson correlation with rating of the"]
LABELS = [">50K", "> 2 Years", ">40hrs", "28x28x1", "Size(sqf)", "São Paulo", "Not Applicable", "2017-03-01", "Class 1"]
NUMBERS = ["-0.86", "0.008148", "1,234", "99.9", "12%", "$5", "1e-9", "0"]
PROMPT = """You are a data analyst. The input files are in /home/user/input (no subfolders):
{files}

{question}

pandas, numpy, matplotlib, seaborn, scipy, scikit-learn, statsmodels, tabulate, sqlite3 and plotly are installed.
Answer with one clean value: a bare number without commas or units, a short label, yes or no, or a comma-separated
list; "Not Applicable" if there is none. Write it to /workdir/answer.txt.{hint}"""


@dataclass(frozen=True)
class Dataset:
    owner: str
    slug: str
    files: tuple[str, ...]
    package_tier: int


def datasets() -> list[Dataset]:
    draw = random.Random(471)
    made = []
    for number in range(DATASETS):
        slug = f"{draw.choice(SUBJECTS)}-{draw.choice(PLACES)}-{number}"
        kind = draw.choices(["csv", "xlsx", "sqlite", "json", "txt", "CSV"], [80, 8, 3, 3, 4, 2])[0]
        names = [f"{slug.split('-')[0]}_{part}.{kind}" for part in range(draw.choice((1, 1, 1, 2, 3, 19)))]
        if draw.random() < 0.1:
            names.append("readme.md")
        made.append(Dataset(f"owner{number % 211}", slug, tuple(names), draw.choice(PACKAGES)))
    return made


def spread(counts: dict[str, int], draw: random.Random) -> list[str]:
    values = [value for value, times in counts.items() for _ in range(times)]
    draw.shuffle(values)
    return values


def gold(mode: str, draw: random.Random) -> str:
    if mode == "exact_bool":
        return draw.choice(("Yes", "No", "True"))
    if mode in {"list", "list_csv"}:
        return ", ".join(draw.sample(LABELS[:6], 3))
    if mode == "exact_short":
        return draw.choice(LABELS)
    return draw.choice(NUMBERS) if draw.random() < 0.2 else f"{draw.gauss(50, 40):.3f}"


def rows(split: str, copy: int, sets: list[Dataset]) -> list[dict[str, object]]:
    """The split's rows of one copy, as drawn for that copy."""
    draw = random.Random(f"{split} {copy}")
    tiers, modes = spread(TIERS[split], draw), spread(MODES[split], draw)
    made: list[dict[str, object]] = []
    for number, (tier, mode) in enumerate(zip(tiers, modes, strict=True)):
        chosen = sets[number] if split == "train" and number < DATASETS else draw.choice(sets)
        notebook = f"{copy:03d}{list(TIERS).index(split)}{number // 3:05d}"
        measure, column, group = draw.choice(MEASURES), draw.choice(COLUMN_NAMES), draw.choice(GROUPS)
        question = (
            f"In the {chosen.slug.replace('-', ' ')} data, what is the {measure} {column} of the {group} with the most "
            f"rows, among rows whose {draw.choice(COLUMN_NAMES)} is above {notebook}.{number % 3}?"
        )
        if number >= DISTINCT_QUESTIONS[split]:
            question = str(made[number - DISTINCT_QUESTIONS[split]]["question"])
        files = list(chosen.files)
        if number % 37 == 0:
            files = []
        elif number % 53 == 0:
            files.append(files[0])
        hint = f"\nAnswer as: {mode}" if number % 12 == 0 else ""
        made.append(
            {
                "task_id": f"{notebook[:4]}_{notebook[4:7]}_{notebook}_qa_{number % 3 + 1}",
                "source_row_id": f"{notebook[:4]}/{notebook[4:7]}/{notebook}.ipynb_qa_{number % 3 + 1}",
                "question": question,
                "answer": gold(mode, draw),
                "reward_mode": mode,
                "atol": 1e-3,
                "rtol": 1e-3,
                "difficulty_level": 5 if split != "train" and number % 90 == 0 else draw.choice(LEVELS[tier]),
                "difficulty_tier": tier,
                "kaggle_dataset": f"{chosen.owner}/{chosen.slug}",
                "hf_bucket": "AdithyaSK/jupyter-agent-kaggle-all",
                "bucket_prefix": f"{chosen.owner}__{chosen.slug}",
                "files": files,
                "instruction": PROMPT.format(files="\n".join(files), question=question, hint=hint),
                "package_tier": chosen.package_tier,
            }
        )
    return made


def write_source(folder: Path, multiple: int = 1, files: bool = False) -> None:
    """Write `data/{split}-00000-of-00001.parquet` into `folder`, and with `files` a small table for each CSV named."""
    sets = datasets()
    (folder / "data").mkdir(parents=True, exist_ok=True)
    for split in TIERS:
        with pq.ParquetWriter(folder / "data" / f"{split}-00000-of-00001.parquet", COLUMNS) as writer:
            for copy in range(multiple):
                writer.write_table(pa.Table.from_pylist(rows(split, copy, sets), COLUMNS))
    if files:
        for each in sets:
            write_tables(folder / "files" / f"{each.owner}__{each.slug}", each)


def write_tables(folder: Path, dataset: Dataset) -> None:
    draw = random.Random(dataset.slug)
    folder.mkdir(parents=True, exist_ok=True)
    for name in dataset.files:
        if name.lower().endswith(".csv"):
            lines = ["id,city,age,income"]
            lines += [
                f"{row},{draw.choice(PLACES)},{draw.randint(18, 90)},{draw.gauss(40, 9):.2f}" for row in range(40)
            ]
            (folder / name).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--multiple", type=int, default=1)
    arguments.add_argument("--files", action="store_true")
    given = arguments.parse_args()
    write_source(given.folder, given.multiple, given.files)
