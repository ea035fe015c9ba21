from pathlib import Path

import pandas as pd
from statsmodels.multivariate.cancorr import CanCorr

exercise = pd.read_csv("../input/exercise.csv", index_col="man")
physiological = pd.read_csv("../input/physiological.csv", index_col="man").loc[exercise.index]
correlations = CanCorr(exercise.to_numpy(), physiological.to_numpy()).cancorr
answer = f"{correlations[0]:.3f}"
Path("answer.txt").write_text(answer, encoding="utf-8")
