"""Figures of forecast metrics by utilsforecast, for forecasts.test.ts.

pip install utilsforecast numpy pandas; python forecasts.fixture.py > forecasts.fixture.json
"""

import json

import numpy as np
import pandas as pd
import utilsforecast
from utilsforecast.losses import mase, nd, rmsse, smape

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
mean = lambda table: float(table["model"].mean())
print(
    json.dumps(
        {
            "utilsforecast": utilsforecast.__version__,
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
            "wape_by_series": [float(v) for v in nd(frame, models=["model"])["model"]],
        },
        indent=1,
    )
)
