"""Figures of SciPy and scikit-learn for pruning.test.ts and cost-model.test.ts.

Run: python pruning.fixture.py > pruning.fixture.json
"""

import json

import numpy as np
from scipy import stats
from sklearn.linear_model import Ridge

random = np.random.default_rng(4)

def standing(differences, prior, folds):
    n, left, weight = len(differences), folds - len(differences), 3
    own = np.var(differences, ddof=1) if n > 1 else 0.0
    freedom = weight + n - 1
    variance = (weight * prior + (n - 1) * own) / freedom
    scale = left / folds * np.sqrt(variance * (1 / n + 1 / left))
    return stats.t(freedom, loc=np.mean(differences), scale=scale).cdf(0)


standings = []
for n in (1, 2, 3, 4):
    for _ in range(4):
        differences = random.normal(0.02, 0.05, n)
        prior = float(random.uniform(0.0005, 0.004))
        standings.append(
            {
                "differences": differences.tolist(),
                "prior": prior,
                "folds": 5,
                "chance": standing(differences, prior, 5),
            }
        )

inputs = random.uniform(size=(14, 3))
seconds = np.exp(0.3 + inputs @ [2.0, -0.5, 1.0] + random.normal(0, 0.1, 14))
asked = random.uniform(size=(5, 3))
ridge = Ridge(alpha=0.1, solver="cholesky").fit(inputs, np.log(seconds))
cost = {
    "inputs": inputs.tolist(),
    "seconds": seconds.tolist(),
    "asked": asked.tolist(),
    "expected": np.exp(ridge.predict(asked)).tolist(),
}

print(json.dumps({"standings": standings, "cost": cost}))
