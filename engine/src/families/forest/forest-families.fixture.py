"""Writes forest-families.fixture.json: three small tables of binned columns, each with the mean
score of five scikit-learn forests of either kind on rows 600 and later.

    python forest-families.fixture.py     # scikit-learn 1.9.1
"""

import json
import pathlib

import numpy as np
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.metrics import accuracy_score, log_loss

TRAIN, ROWS = 600, 1000


def table(seed, classes):
    random = np.random.default_rng(seed)
    x = random.integers(0, 40, (ROWS, 8))
    u = x / 39
    # Friedman's first function: five of eight columns matter.
    y = 10 * np.sin(np.pi * u[:, 0] * u[:, 1]) + 20 * (u[:, 2] - 0.5) ** 2 + 10 * u[:, 3] + 5 * u[:, 4]
    y = y + random.normal(size=ROWS)
    if classes:
        y = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))
    return x, y.round(3)


def scores(model, x, y, classes):
    rows = []
    for seed in range(5):
        fitted = model(n_estimators=200, random_state=seed).fit(x[:TRAIN], y[:TRAIN])
        if classes:
            p = fitted.predict_proba(x[TRAIN:])
            rows.append([accuracy_score(y[TRAIN:], p.argmax(1)), log_loss(y[TRAIN:], p)])
        else:
            rows.append([float(np.sqrt(np.mean((fitted.predict(x[TRAIN:]) - y[TRAIN:]) ** 2)))])
    mean = np.mean(rows, axis=0)
    return {"accuracy": mean[0], "log_loss": mean[1]} if classes else {"rmse": mean[0]}


if __name__ == "__main__":
    cases = []
    for task, seed, classes in [("regression", 1, 0), ("binclass", 2, 2), ("multiclass", 3, 4)]:
        x, y = table(seed, classes)
        forest, extra = (
            (RandomForestClassifier, ExtraTreesClassifier)
            if classes
            else (RandomForestRegressor, ExtraTreesRegressor)
        )
        cases.append(
            {
                "task": task,
                "classes": classes,
                "train": TRAIN,
                "columns": x.T.tolist(),
                "target": y.tolist(),
                "random_forest": scores(forest, x, y, classes),
                "extra_trees": scores(extra, x, y, classes),
            }
        )
    out = pathlib.Path(__file__).with_suffix(".json")
    out.write_text(json.dumps(cases, separators=(",", ":")) + "\n")
