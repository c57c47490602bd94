"""LightGBM in a bare loop: one thread, no service around it.

Trains 500 trees of 63 leaves on 20,000 rows of 30 made columns, and prints one JSON object:
{"version", "one_p50", "one_p99", "thousand", "hundred_thousand"}, times in milliseconds.
"""

import json
import time

import lightgbm as lgb
import numpy as np

random = np.random.default_rng(7)
x = random.random((20_000, 30))
y = 10 * np.sin(6 * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + x[:, 3] * x[:, 4] + random.random(20_000)
model = lgb.train(
    {"objective": "regression", "num_leaves": 63, "verbosity": -1, "num_threads": 2},
    lgb.Dataset(x, y),
    500,
)


def milliseconds(rows, times, threads):
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        model.predict(rows, num_threads=threads)
        taken.append((time.perf_counter() - begun) * 1000)
    return sorted(taken)


one = milliseconds(x[:1], 2000, 1)
print(
    json.dumps(
        {
            "version": lgb.__version__,
            "one_p50": one[1000],
            "one_p99": one[1980],
            "thousand": milliseconds(x[:1000], 20, 2)[10],
            "hundred_thousand": milliseconds(random.random((100_000, 30)), 3, 2)[1],
        }
    )
)
