"""Networks of pytabkit, on PyTorch's CPU kernels: RealMLP and TabM, for `peers.py`.

Both stop by a fifth of the training rows, as their defaults say. Losses of classes are log-losses: by those
they choose their epochs, and RealMLP is without smoothed labels, as its authors advise for that metric.
"""

import time


def _cells(data, x):
    import pandas as pd

    table = pd.DataFrame(x, columns=[f"x{f}" for f in range(x.shape[1])])
    for f in data["categorical"]:
        table[f"x{f}"] = pd.Categorical(table[f"x{f}"].map(lambda c: None if c != c else str(int(c))))
    return table


def fit_network(kind, data, settings, threads, own, seed):
    import numpy as np
    import pytabkit
    import torch

    if settings:
        raise ValueError(f"{kind} is told its settings as parameters of its own")
    regression = data["task"] == "regression"
    name = {"realmlp": "RealMLP_TD", "tabm": "TabM_D"}[kind]
    options = {"device": "cpu", "random_state": seed, "n_threads": threads, "verbosity": 0}
    if not regression:
        options["val_metric_name"] = "cross_entropy"
        if kind == "realmlp":
            options["use_ls"] = False
    options.update(own)
    torch.set_num_threads(threads)
    model = getattr(pytabkit, name + ("_Regressor" if regression else "_Classifier"))(**options)
    names = [f"x{f}" for f in data["categorical"]]
    train, test = _cells(data, data["train"]), _cells(data, data["test"])
    target = data["target"] if regression else data["target"].astype(int)
    start = time.perf_counter()
    model.fit(train, target, cat_col_names=names)
    trained = time.perf_counter()
    if regression:
        predictions = model.predict(test)
    else:
        # Classes that the training rows lack have no column.
        said = model.predict_proba(test)
        predictions = np.full((len(test), data["classes"]), 1e-9)
        predictions[:, model.classes_] = said
        if data["task"] == "binclass":
            predictions = predictions[:, 1]
    return predictions, 0.0, trained - start, time.perf_counter() - trained
