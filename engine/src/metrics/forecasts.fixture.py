"""Figures of forecast metrics by utilsforecast and gluonts, for forecasts.test.ts.

pip install utilsforecast gluonts numpy pandas; python forecasts.fixture.py > forecasts.fixture.json
"""

import json

import gluonts
import numpy as np
import pandas as pd
import utilsforecast
from gluonts.evaluation.metrics import msis as gluonts_msis
from utilsforecast.losses import coverage, mase, nd, rmsse, scaled_crps, smape, winkler_score

rng = np.random.default_rng(7)
SEASON, HISTORY, HORIZON = 4, 24, 6
series = []
for name in ("a", "b", "c"):
    level = rng.uniform(5, 50)
    y = level + np.cumsum(rng.normal(0, 1, HISTORY + HORIZON)) + 3 * np.sin(np.arange(HISTORY + HORIZON))
    series.append((name, y[:HISTORY], y[HISTORY:], y[HISTORY:] + rng.normal(0, 2, HORIZON)))

train = pd.concat(
    pd.DataFrame({"unique_id": n, "ds": np.arange(HISTORY), "y": h}) for n, h, _, _ in series
)
frame = pd.concat(
    pd.DataFrame({"unique_id": n, "ds": HISTORY + np.arange(HORIZON), "y": y, "model": f})
    for n, _, y, f in series
)

# Quantiles of their own around each forecast; the outermost are the interval that holds 80 %.
LEVELS = np.array([0.1, 0.5, 0.9])
QUANTILES = ["model-lo-80", "model-mid", "model-hi-80"]
spread = rng.uniform(0.2, 4, (len(frame), len(LEVELS))) * np.array([-1, 0.1, 1])
for k, name in enumerate(QUANTILES):
    frame[name] = frame["model"].to_numpy() + spread[:, k]
pooled = frame.assign(unique_id="all")
crps = lambda table: [
    float(v) for v in scaled_crps(table, models={"model": QUANTILES}, quantiles=LEVELS)["model"]
]
seasonal_error = {n: float(np.mean(np.abs(h[SEASON:] - h[:-SEASON]))) for n, h, _, _ in series}
scaled_intervals = [
    float(
        gluonts_msis(
            part["y"].to_numpy(),
            part["model-lo-80"].to_numpy(),
            part["model-hi-80"].to_numpy(),
            seasonal_error[name],
            0.2,
        )
    )
    for name, part in frame.groupby("unique_id")
]
winkler = [float(v) for v in winkler_score(frame, models=["model"], level=80)["model"]]
mean = lambda table: float(table["model"].mean())
print(
    json.dumps(
        {
            "utilsforecast": utilsforecast.__version__,
            "gluonts": gluonts.__version__,
            "season": SEASON,
            "series": [
                {"history": list(h), "truth": list(y), "forecast": list(f)} for _, h, y, f in series
            ],
            "scores": {
                "mase": mean(mase(frame, models=["model"], seasonality=SEASON, train_df=train)),
                "rmsse": mean(rmsse(frame, models=["model"], seasonality=SEASON, train_df=train)),
                # As a share of the sum; ours is of the mean, in per cent.
                "smape": 200 * mean(smape(frame, models=["model"])),
            },
            "intervals": {
                "levels": LEVELS.tolist(),
                "coverage_asked": 0.8,
                "quantiles": frame[QUANTILES].to_numpy().tolist(),
                "wql": crps(pooled)[0],
                "wql_by_series": crps(frame),
                "coverage": mean(coverage(pooled, models=["model"], level=80)),
                "coverage_by_series": [
                    float(v) for v in coverage(frame, models=["model"], level=80)["model"]
                ],
                "msis_by_series": scaled_intervals,
                # The same by another library: its Winkler score over the seasonal error.
                "winkler_over_scale_by_series": [
                    w / seasonal_error[n] for w, (n, _, _, _) in zip(winkler, series)
                ],
            },
            "wape_by_series": [float(v) for v in nd(frame, models=["model"])["model"]],
        },
        indent=1,
    )
)
