"""Writes mlp.fixture.json: the mean scores of five scikit-learn networks on the tables of
../forest/forest-families.fixture.json, whose first rows they learn from.

    python mlp.fixture.py     # scikit-learn 1.9.1
"""

import json
import pathlib
import warnings

import numpy as np
from sklearn.metrics import accuracy_score, log_loss
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

warnings.filterwarnings("ignore")
here = pathlib.Path(__file__).parent
found = {}
for case in json.loads((here / "../forest/forest-families.fixture.json").read_text()):
    train, classes = case["train"], case["classes"]
    x, y = np.array(case["columns"], dtype=float).T, np.array(case["target"])
    rows = []
    for seed in range(5):
        kind = MLPClassifier if classes else MLPRegressor
        network = kind(hidden_layer_sizes=(128, 128, 128), max_iter=300, early_stopping=True, random_state=seed)
        scale = y[:train].std() if not classes else 1
        fitted = make_pipeline(StandardScaler(), network).fit(x[:train], y[:train] / scale)
        if classes:
            p = fitted.predict_proba(x[train:])
            rows.append([accuracy_score(y[train:], p.argmax(1)), log_loss(y[train:], p)])
        else:
            error = scale * fitted.predict(x[train:]) - y[train:]
            rows.append([float(np.sqrt(np.mean(error**2)))])
    names = ["accuracy", "log_loss"] if classes else ["rmse"]
    found[case["task"]] = dict(zip(names, np.mean(rows, axis=0).round(5).tolist()))
(here / "mlp.fixture.json").write_text(json.dumps(found, indent=2) + "\n")
