"""Figures of SciPy for student-t.test.ts.

Run: python student-t.fixture.py > student-t.fixture.json
"""

import json

from scipy import stats

shares = [
    {"t": value, "freedom": freedom, "p": stats.t.cdf(value, freedom)}
    for freedom in (1, 2, 3, 4, 5, 6, 12, 13, 40)
    for value in (-30.0, -3.5, -1.0, -0.2, 0.0, 0.7, 2.5, 11.0)
]
quantiles = [
    {"p": p, "freedom": freedom, "t": stats.t.ppf(p, freedom)}
    for freedom in (1, 2, 3, 4, 7, 40, 301)
    for p in (0.005, 0.05, 0.4, 0.5, 0.75, 0.975, 0.995)
]

print(json.dumps({"shares": shares, "quantiles": quantiles}))
