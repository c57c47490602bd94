"""Optuna's multivariate TPE on the functions of sampler-quality.ts; best values as JSON."""

import json
import math
import sys

import numpy as np
import optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)
trials, seeds = int(sys.argv[1]), int(sys.argv[2])

ALPHA = np.array([1, 1.2, 3, 3.2])
A = np.array([[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14],
              [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]])
P = np.array([[0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
              [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
              [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.665],
              [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381]])


def cube(t, n, low, high):
    return np.array([t.suggest_float(f"x{i}", low, high) for i in range(n)])


def sphere(t):
    return float(((cube(t, 5, -5, 5) - 1) ** 2).sum())


def branin(t):
    x, y = t.suggest_float("x0", -5, 10), t.suggest_float("x1", 0, 15)
    return ((y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6) ** 2
            + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10 - 0.39788735772973816)


def hartmann(t):
    x = cube(t, 6, 0, 1)
    return float(3.32236801141551 - (ALPHA * np.exp(-(A * (x - P) ** 2).sum(axis=1))).sum())


def rosenbrock(t):
    x = cube(t, 4, -2, 2)
    return float((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum())


def mixed(t):
    rate = t.suggest_float("rate", 1e-5, 1, log=True)
    units = t.suggest_int("units", 1, 512, log=True)
    layers = t.suggest_int("layers", 1, 8)
    kind = t.suggest_categorical("kind", ["a", "b", "c"])
    value = math.log10(rate / 3e-3) ** 2 + math.log2(units / 64) ** 2 / 4 + (layers - 3) ** 2 / 8
    if kind == "a":
        return value + 0.5 + 2 * abs(t.suggest_float("alpha", 0, 1) - 0.3)
    if kind == "b":
        return (value + 3 * abs(t.suggest_float("beta", 0, 1) - 0.8)
                + ((t.suggest_int("depth", 1, 20) - 12) / 8) ** 2)
    return value + 1


functions = {"sphere (5)": sphere, "branin (2)": branin, "hartmann (6)": hartmann,
             "rosenbrock (4)": rosenbrock, "mixed conditional (7)": mixed}
out = {}
for name, function in functions.items():
    out[name] = []
    for seed in range(seeds):
        sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True, group=True)
        study = optuna.create_study(sampler=sampler)
        study.optimize(function, n_trials=trials)
        out[name].append(study.best_value)
json.dump(out, sys.stdout)
