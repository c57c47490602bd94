"""Makes mutual-information-figures.json: what scikit-learn says of random and of extreme columns."""

import json
import pathlib
import random

from sklearn import __version__
from sklearn.metrics import adjusted_mutual_info_score

random.seed(7)
columns = [
    ([0, 0, 1, 1], [1, 1, 0, 0]),
    ([0, 0, 0, 0], [0, 1, 2, 3]),
    ([0, 0, 0, 0], [0, 0, 0, 0]),
    ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0]),
    ([0, 1, 2, 3, 4, 0], [0, 1, 2, 3, 4, 1]),
]
for size in (6, 12, 40, 125):
    for values in (2, 3, 8, size):
        left = [random.randrange(values) for _ in range(size)]
        noisy = [v if random.random() < 0.8 else random.randrange(values) for v in left]
        columns.append((left, noisy))
        columns.append((left, [random.randrange(values) for _ in range(size)]))
cases = [
    {"a": a, "b": b, "adjusted": adjusted_mutual_info_score(a, b)}
    for a, b in columns
]
out = pathlib.Path(__file__).with_suffix(".json")
out.write_text(json.dumps({"scikit_learn": __version__, "cases": cases}) + "\n")
