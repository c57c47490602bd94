"""statsforecast's models, asked through standard input and output, a line of JSON each.

{"command": "hello"} → {"statsforecast": version}
{"command": "forecast", "model": name, "season": m, "horizon": h, "series": [[…], …]}
    → {"forecasts": [[…], …], "seconds": CPU seconds, "refused": count}

A series that a model refuses is forecast by the seasonal naive method, as `StatsForecast` does with
`fallback_model`.
"""

import json
import os
import sys
import time
import warnings

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["NIXTLA_ID_AS_COL"] = "1"

import numpy as np
import statsforecast
from statsforecast import models

warnings.filterwarnings("ignore")

MODELS = {
    "AutoETS": lambda m: models.AutoETS(season_length=m),
    "AutoARIMA": lambda m: models.AutoARIMA(season_length=m),
    "DynamicOptimizedTheta": lambda m: models.DynamicOptimizedTheta(season_length=m),
    "OptimizedTheta": lambda m: models.OptimizedTheta(season_length=m),
    "Theta": lambda m: models.Theta(season_length=m),
    "SeasonalNaive": lambda m: models.SeasonalNaive(season_length=m),
    "CrostonClassic": lambda m: models.CrostonClassic(),
    "CrostonSBA": lambda m: models.CrostonSBA(),
    "TSB": lambda m: models.TSB(alpha_d=0.2, alpha_p=0.2),
    "ADIDA": lambda m: models.ADIDA(),
    "IMAPA": lambda m: models.IMAPA(),
    "MSTL": lambda m: models.MSTL(season_length=m),
    "AutoCES": lambda m: models.AutoCES(season_length=m),
}


def forecast(name, season, horizon, y):
    try:
        mean = MODELS[name](season).forecast(y=y, h=horizon)["mean"]
        if np.all(np.isfinite(mean)):
            return mean, 0
    except Exception:
        pass
    return models.SeasonalNaive(season_length=season).forecast(y=y, h=horizon)["mean"], 1


for line in sys.stdin:
    request = json.loads(line)
    if request["command"] == "hello":
        answer = {"statsforecast": statsforecast.__version__}
    else:
        forecasts, refused = [], 0
        start = time.process_time()
        for values in request["series"]:
            mean, failed = forecast(
                request["model"], request["season"], request["horizon"], np.array(values, dtype=float)
            )
            forecasts.append([float(value) for value in mean])
            refused += failed
        answer = {"forecasts": forecasts, "seconds": time.process_time() - start, "refused": refused}
    print(json.dumps(answer), flush=True)
