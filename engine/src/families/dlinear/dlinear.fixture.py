"""Figures of dlinear.test.ts: windows by pandas, maps by scikit-learn's Ridge.

    python dlinear.fixture.py > dlinear.fixture.json

Needs numpy, pandas and scikit-learn.
"""

import json

import numpy as np
import pandas as pd
from sklearn.linear_model import Ridge

PENALTY = 1e-2
HORIZON = 3


def window(values, end, lookback, trend, unit):
    past = pd.Series((values[end - lookback : end] - values[end - 1]) / unit)
    if trend == 1:
        return np.append(past, 1.0)
    before = (trend - 1) // 2
    padded = np.pad(past, (before, trend - 1 - before), mode="edge")
    average = pd.Series(padded).rolling(trend).mean().dropna().to_numpy()
    return np.concatenate([past - average, average, [1.0]])


def forecast(values, lookback, trend):
    unit = np.abs(np.diff(values)).mean()
    ends = range(lookback, len(values) - HORIZON + 1)
    x = np.array([window(values, end, lookback, trend, unit) for end in ends])
    y = np.array([(values[end : end + HORIZON] - values[end - 1]) / unit for end in ends])
    alpha = PENALTY * np.trace(x.T @ x) / x.shape[1]
    model = Ridge(alpha=alpha, fit_intercept=False).fit(x, y)
    last = window(values, len(values), lookback, trend, unit)
    return values[-1] + unit * model.predict([last])[0]


random = np.random.default_rng(7)
steps = np.arange(90)
values = 20 + 0.2 * steps + 4 * np.sin(steps / 3) + random.normal(size=90)
cases = [
    {"lookback": lookback, "trend": trend, "forecast": forecast(values, lookback, trend).tolist()}
    for lookback, trend in [(6, 1), (12, 5), (12, 4), (3, 7)]
]
print(json.dumps({"penalty": PENALTY, "values": values.tolist(), "cases": cases}, indent=1))
