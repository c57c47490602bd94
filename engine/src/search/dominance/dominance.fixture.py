"""Ranks, hypervolumes, contributions and subsets by Optuna, for the tests of this folder.

Run: python -W ignore dominance.fixture.py > dominance.fixture.json
"""

import json
import sys

import numpy as np
import optuna
from optuna._hypervolume import compute_hypervolume
from optuna._hypervolume.hssp import _solve_hssp
from optuna.study._multi_objective import _fast_non_domination_rank

rng = np.random.default_rng(5)


def cloud(kind, n, m):
    points = rng.random((n, m))
    if kind == "sphere":  # nothing dominates anything
        points = 1 - np.abs(rng.normal(size=(n, m)))
        points = 1 - (1 - points) / np.linalg.norm(1 - points, axis=1, keepdims=True)
    if kind == "grid":  # many ties
        points = np.floor(points * 4) / 4
    if kind == "shifted":
        points = points * np.array([1, 1e3, 1e-3, 7, 2][:m]) - np.array([0, 500, 3, 7, 1][:m])
    return np.round(points, 6)


cases = []
for kind, n, m in [
    ("uniform", 1, 2), ("uniform", 40, 2), ("sphere", 30, 2), ("grid", 40, 2), ("shifted", 40, 2),
    ("uniform", 60, 3), ("sphere", 30, 3), ("grid", 60, 3), ("shifted", 60, 3),
    ("uniform", 40, 4), ("sphere", 20, 4), ("grid", 40, 4), ("sphere", 14, 5), ("shifted", 30, 5),
]:
    points = cloud(kind, n, m)
    low, high = points.min(axis=0), points.max(axis=0)
    reference = np.round(high - 0.05 * (high - low) if kind == "uniform" and n > 1 else high + 0.1 * (high - low + 1e-3), 6)
    inside = points[(points < reference).all(axis=1)]
    ranks = _fast_non_domination_rank(points)
    whole = compute_hypervolume(inside, reference) if len(inside) else 0.0
    front = np.unique(points[ranks == 0], axis=0)
    front = front[(front < reference).all(axis=1)]
    of_front = compute_hypervolume(front, reference) if len(front) else 0.0
    size = max(1, len(front) // 3)
    cases.append({
        "name": f"{n} points, {kind}, {m} objectives",
        "points": points.tolist(),
        "reference": reference.tolist(),
        "ranks": ranks.tolist(),
        "hypervolume": float(whole),
        "front": front.tolist(),
        "contributions": [
            float(of_front - (compute_hypervolume(np.delete(front, i, axis=0), reference) if len(front) > 1 else 0))
            for i in range(len(front))
        ],
        "subset": sorted(int(i) for i in _solve_hssp(front, np.arange(len(front)), size, reference)),
    })

json.dump({"optuna": optuna.__version__, "cases": cases}, sys.stdout, separators=(",", ":"))
