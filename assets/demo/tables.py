"""The suite's input files, made from tables that installed packages ship.

Each maker writes the files of one dataset into an empty folder. A value is never changed; what a maker does to the
shape (columns dropped or named, a table split into two, a separator) is said in its docstring and in README.md.
"""

from __future__ import annotations

import importlib
import io
import json
import re
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import plotly
import statsmodels.datasets
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_linnerud, load_wine

PLOTLY = Path(plotly.__file__).parent / "package_data" / "datasets"
STATSMODELS = Path(statsmodels.datasets.__file__).parent
NO_CLOCK = (1980, 1, 1, 0, 0, 0)  # the oldest moment a zip archive can name


def as_text(path: Path, **reading: object) -> pd.DataFrame:
    """A table of a package, every value kept as the text it has there."""
    return pd.read_csv(path, dtype=str, keep_default_na=False, **reading)


def of_plotly(name: str) -> pd.DataFrame:
    return as_text(PLOTLY / f"{name}.csv.gz")


def of_statsmodels(name: str, **reading: object) -> pd.DataFrame:
    return as_text(STATSMODELS / name / f"{name}.csv", **reading)


def write_csv(table: pd.DataFrame, path: Path, **writing: object) -> None:
    table.to_csv(path, index=False, **({"lineterminator": "\n"} | writing))


def gapminder(folder: Path) -> None:
    """`gapminder.csv`: one row a country and year. `countries.csv`: numeric code and centroid of each country."""
    table = of_plotly("gapminder")
    of_country = ["iso_num", "centroid_lon", "centroid_lat"]
    write_csv(table.drop(columns=of_country), folder / "gapminder.csv")
    countries = table[["country", "iso_alpha", *of_country]].drop_duplicates("country")
    write_csv(countries, folder / "countries.csv")


def tips(folder: Path) -> None:
    """`tips.tsv`: one row a restaurant bill, tab-separated."""
    write_csv(of_plotly("tips"), folder / "tips.tsv", sep="\t")


def election(folder: Path) -> None:
    """`election.csv`: one row a district of the 2013 Montréal mayoral election, in ISO 8859-1 and semicolons."""
    write_csv(of_plotly("election"), folder / "election.csv", sep=";", encoding="latin-1")


def stocks(folder: Path) -> None:
    """`stocks.csv`: one row a week, prices relative to the first week."""
    write_csv(of_plotly("stocks"), folder / "stocks.csv")


def breast_cancer(folder: Path) -> None:
    """`measurements.csv` and `diagnosis.csv`: the features and the class of each sample, joined by `sample`."""
    data = load_breast_cancer(as_frame=True)
    sample = pd.RangeIndex(1, len(data.data) + 1, name="sample")
    write_csv(data.data.set_axis(sample).reset_index(), folder / "measurements.csv")
    diagnosis = [data.target_names[code] for code in data.target]
    write_csv(pd.DataFrame({"sample": sample, "diagnosis": diagnosis}), folder / "diagnosis.csv")


def wine(folder: Path) -> None:
    """`wine.xlsx`: sheet `samples` has the cultivar (1-3) of each sample, sheet `chemistry` its measurements."""
    data = load_wine(as_frame=True)
    sample = pd.RangeIndex(1, len(data.data) + 1, name="sample")
    written = io.BytesIO()
    with pd.ExcelWriter(written, engine="openpyxl") as book:
        pd.DataFrame({"sample": sample, "cultivar": data.target + 1}).to_excel(book, sheet_name="samples", index=False)
        data.data.set_axis(sample).reset_index().to_excel(book, sheet_name="chemistry", index=False)
    (folder / "wine.xlsx").write_bytes(without_clock(written))


def without_clock(workbook: io.BytesIO) -> bytes:
    """The same workbook without the moment it was written, so that two builds are the same bytes."""
    written = io.BytesIO()
    with zipfile.ZipFile(workbook) as source, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "docProps/core.xml":
                content = re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", b"1980-01-01T00:00:00Z", content)
            entry = zipfile.ZipInfo(name, NO_CLOCK)
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, content)
    return written.getvalue()


def iris(folder: Path) -> None:
    """`iris.csv`: one row a flower, the species by name."""
    data = load_iris(as_frame=True)
    species = [data.target_names[code] for code in data.target]
    write_csv(data.data.assign(species=species), folder / "iris.csv")


def diabetes(folder: Path) -> None:
    """`diabetes.csv`: one row a patient, unscaled, separated by `|`; `progression` is the outcome a year later."""
    data = load_diabetes(as_frame=True, scaled=False)
    write_csv(data.data.assign(progression=data.target), folder / "diabetes.csv", sep="|")


def linnerud(folder: Path) -> None:
    """`exercise.csv` and `physiological.csv`: two tables of the same twenty men, joined by `man`."""
    data = load_linnerud(as_frame=True)
    man = pd.RangeIndex(1, len(data.data) + 1, name="man")
    for name, table in (("exercise", data.data), ("physiological", data.target)):
        write_csv(table.astype(int).set_axis(man).reset_index(), folder / f"{name}.csv")


def modechoice(folder: Path) -> None:
    """`travel.sqlite`: the table in three: `travellers`, `modes` and the `offers` of each mode to each traveller."""
    table = of_statsmodels("modechoice", sep=";").astype(int)
    modes = pd.DataFrame({"mode": [1, 2, 3, 4], "name": ["air", "train", "bus", "car"]})
    travellers = table[["individual", "hinc", "psize"]].drop_duplicates()
    offers = table[["individual", "mode", "choice", "ttme", "invc", "invt", "gc"]]
    database = sqlite3.connect(folder / "travel.sqlite")
    for name, rows in (("travellers", travellers), ("modes", modes), ("offers", offers)):
        rows.to_sql(name, database, index=False)
    database.close()


def randhie(folder: Path) -> None:
    """`randhie.parquet`: one row a person and year."""
    table = of_statsmodels("randhie")
    counts = ["mdvis", "idp", "hlthg", "hlthf", "hlthp"]
    table = table.astype({name: "int16" if name in counts else "float64" for name in table})
    table.to_parquet(folder / "randhie.parquet", index=False, compression="zstd")


def anes96(folder: Path) -> None:
    """`anes96.csv` (CRLF line ends): one row a respondent. `codebook.json`: what the codes of a column mean."""
    table = of_statsmodels("anes96", sep="\t", quotechar="'")
    write_csv(table, folder / "anes96.csv", lineterminator="\r\n")
    note = importlib.import_module("statsmodels.datasets.anes96.data").NOTE
    codes = {name: code_labels(note, name) for name in ("PID", "educ", "income", "vote")}
    written = json.dumps(codes, indent=1, ensure_ascii=False)
    (folder / "codebook.json").write_text(written + "\n", encoding="utf-8")


def code_labels(note: str, column: str) -> dict[str, str]:
    """The lines `code - label` which stand below a column's name in the package's description of the table."""
    _, _, below = note.partition(f"{column} - ")
    labels = {}
    for line in below.splitlines()[1:]:
        coded = re.fullmatch(r"\s*(\d+)\s+- (.+)", line)
        if not coded:
            break
        labels[coded[1]] = coded[2].strip()
    return labels


def grunfeld(folder: Path) -> None:
    """`grunfeld.csv`: one row a firm and year."""
    write_csv(of_statsmodels("grunfeld"), folder / "grunfeld.csv")


def macrodata(folder: Path) -> None:
    """`quarterly/macrodata.csv`: one row a quarter, in a folder of its own."""
    (folder / "quarterly").mkdir()
    write_csv(of_statsmodels("macrodata"), folder / "quarterly" / "macrodata.csv")


def co2(folder: Path) -> None:
    """`co2.csv`: one row a week, the date as YYYYMMDD, some weeks without a value."""
    write_csv(of_statsmodels("co2"), folder / "co2.csv")


def statecrime(folder: Path) -> None:
    """`statecrime.csv`: one row a state, and the District of Columbia."""
    write_csv(of_statsmodels("statecrime"), folder / "statecrime.csv")


def elnino(folder: Path) -> None:
    """`elnino.json`: an array with one object a year, one number a month."""
    table = of_statsmodels("elnino").astype(float).astype({"YEAR": int})
    rows = ",\n".join(json.dumps(row) for row in table.to_dict("records"))
    (folder / "elnino.json").write_text(f"[\n{rows}\n]\n", encoding="utf-8")


# In the order the suite lists them. A dataset's owner is the package that ships its table.
DATASETS: dict[str, Callable[[Path], None]] = {
    "plotly/gapminder": gapminder,
    "plotly/tips": tips,
    "scikit-learn/iris": iris,
    "statsmodels/co2": co2,
    "plotly/election": election,
    "scikit-learn/wine": wine,
    "statsmodels/modechoice": modechoice,
    "plotly/stocks": stocks,
    "scikit-learn/breast-cancer": breast_cancer,
    "statsmodels/anes96": anes96,
    "scikit-learn/linnerud": linnerud,
    "statsmodels/statecrime": statecrime,
    "scikit-learn/diabetes": diabetes,
    "statsmodels/macrodata": macrodata,
    "statsmodels/randhie": randhie,
    "statsmodels/grunfeld": grunfeld,
    "statsmodels/elnino": elnino,
}
