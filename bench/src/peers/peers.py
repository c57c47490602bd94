"""Gradient boosting of other libraries, driven by JSON lines over stdin and stdout.

Commands, one JSON object a line; every answer is one JSON object a line:

    {"command": "hello"}                     -> {"libraries": {name: version}, "missing": {name: why}}
    {"command": "load", "path", "train_rows", "test_rows", "categories", "task", "classes"} -> {}
    {"command": "fit", "library", "settings", "threads", "parameters", "seed", "out"}
                                             -> {"bin_s", "train_s", "predict_s"}
    {"command": "tune", "seconds", "threads", "seed", "out"} -> {"trials", "seconds"}
    {"command": "autogluon", "seconds", "threads", "seed", "out"} -> {"trials", "seconds"}

The data file holds little-endian f64: each feature's column (training rows, then test rows), then
the target. `categories` has the number of categories of each feature, 0 for numeric ones, whose
cells then are codes; NaN is missing. Predictions are written to `out` as f64, rows x outputs.
`settings` is null for a library's own defaults, or {rounds, learning_rate, leaves, min_data, l2};
`parameters` are a library's own, beside or in place of those. Fits run in one thread where `threads` says nothing else. `interpret` (InterpretML's explainable boosting machine) is fitted where it is asked
for, and not among the libraries of `hello`: it takes a minute where those take a second. So are `realmlp` and `tabm`
(network_peers.py). `tune` is LightGBM under Optuna (tuned_lightgbm.py), `autogluon`
its `best` preset (searched_autogluon.py).
"""

import json
import os
import sys
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
warnings.filterwarnings("ignore")

data = {}


def versions():
    found, missing = {}, {}
    for label, module in [
        ("lightgbm", "lightgbm"),
        ("xgboost", "xgboost"),
        ("catboost", "catboost"),
        ("hist_gradient_boosting", "sklearn"),
    ]:
        try:
            found[label] = __import__(module).__version__
        except ImportError as error:
            missing[label] = str(error)
    return {"libraries": found, "missing": missing}


def load(request):
    import numpy as np

    rows = request["train_rows"] + request["test_rows"]
    raw = np.fromfile(request["path"], dtype="<f8").reshape(-1, rows)
    cut = request["train_rows"]
    data.clear()
    data.update(
        request,
        train=np.ascontiguousarray(raw[:-1, :cut].T),
        test=np.ascontiguousarray(raw[:-1, cut:].T),
        target=raw[-1, :cut].copy(),
        categorical=[f for f, count in enumerate(request["categories"]) if count],
    )
    return {}


def lightgbm(settings, threads, own, seed):
    import lightgbm as lgb

    parameters = {
        "objective": {"regression": "regression", "binclass": "binary", "multiclass": "multiclass"}[
            data["task"]
        ],
        "num_threads": threads,
        "verbosity": -1,
        "seed": seed,
    }
    if data["task"] == "multiclass":
        parameters["num_class"] = data["classes"]
    rounds = 100
    if settings:
        rounds = settings["rounds"]
        parameters.update(
            learning_rate=settings["learning_rate"],
            num_leaves=settings["leaves"],
            min_data_in_leaf=settings["min_data"],
            lambda_l2=settings["l2"],
            max_bin=255,
        )
        # Its faster way on a few dozen dense columns; it says so itself.
        if not own:
            parameters["force_row_wise"] = True
    parameters.update(own)
    start = time.perf_counter()
    dataset = lgb.Dataset(
        data["train"],
        data["target"],
        categorical_feature=data["categorical"],
        params=parameters,
        free_raw_data=False,
    ).construct()
    binned = time.perf_counter()
    model = lgb.train(parameters, dataset, rounds)
    trained = time.perf_counter()
    predictions = model.predict(data["test"], num_threads=threads)
    return predictions, binned - start, trained - binned, time.perf_counter() - trained


def xgboost(settings, threads, own, seed):
    import numpy as np
    import xgboost as xgb

    parameters = {
        "objective": {
            "regression": "reg:squarederror",
            "binclass": "binary:logistic",
            "multiclass": "multi:softprob",
        }[data["task"]],
        "nthread": threads,
        "verbosity": 0,
        "seed": seed,
        "tree_method": "hist",
    }
    if data["task"] == "multiclass":
        parameters["num_class"] = data["classes"]
    rounds = 100
    if settings:
        rounds = settings["rounds"]
        parameters.update(
            eta=settings["learning_rate"],
            grow_policy="lossguide",
            max_leaves=settings["leaves"],
            max_depth=0,
            min_child_weight=1e-3,
            max_bin=255,
            **{"lambda": settings["l2"]},
        )
    parameters.update(own)
    # The bins are made before training, so both must be told how many.
    max_bin = parameters.setdefault("max_bin", 256)
    types = ["c" if count else "float" for count in data["categories"]]

    def matrix(x, y=None):
        return xgb.QuantileDMatrix(
            x, y, feature_types=types, enable_categorical=True, nthread=threads, max_bin=max_bin
        )

    start = time.perf_counter()
    training = matrix(data["train"], data["target"])
    binned = time.perf_counter()
    model = xgb.train(parameters, training, rounds)
    trained = time.perf_counter()
    test = xgb.DMatrix(
        data["test"], feature_types=types, enable_categorical=True, nthread=threads
    )
    predictions = model.predict(test)
    return np.asarray(predictions), binned - start, trained - binned, time.perf_counter() - trained


def catboost(settings, threads, own, seed):
    import catboost as cb
    import numpy as np
    import pandas as pd

    regression = data["task"] == "regression"
    options = {"thread_count": threads, "verbose": False, "random_seed": seed, "allow_writing_files": False}
    if settings:
        options.update(
            iterations=settings["rounds"],
            learning_rate=settings["learning_rate"],
            depth=max(1, min(10, int(np.log2(settings["leaves"])))),
            l2_leaf_reg=settings["l2"],
            border_count=254,
        )
    options.update(own)
    categorical = data["categorical"]

    def frame(x):
        if not categorical:
            return x
        table = pd.DataFrame(x)
        for f in categorical:
            table[f] = table[f].fillna(-1).astype(int).astype(str)
        return table

    train, test = frame(data["train"]), frame(data["test"])
    start = time.perf_counter()
    pool = cb.Pool(train, data["target"], cat_features=categorical, thread_count=threads)
    binned = time.perf_counter()
    model = (cb.CatBoostRegressor if regression else cb.CatBoostClassifier)(**options)
    model.fit(pool)
    trained = time.perf_counter()
    if regression:
        predictions = model.predict(test, thread_count=threads)
    else:
        predictions = model.predict_proba(test, thread_count=threads)
        if data["task"] == "binclass":
            predictions = predictions[:, 1]
    return predictions, binned - start, trained - binned, time.perf_counter() - trained


def hist_gradient_boosting(settings, threads, own, seed):
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from threadpoolctl import threadpool_limits

    regression = data["task"] == "regression"
    # It takes at most 255 categories; features with more are read as numbers.
    categorical = [f for f in data["categorical"] if data["categories"][f] <= 255]
    options = {"random_state": seed, "categorical_features": categorical or None}
    if settings:
        options.update(
            max_iter=settings["rounds"],
            learning_rate=settings["learning_rate"],
            max_leaf_nodes=settings["leaves"],
            min_samples_leaf=settings["min_data"],
            l2_regularization=settings["l2"],
            max_bins=255,
            early_stopping=False,
        )
    options.update(own)
    with threadpool_limits(threads):
        start = time.perf_counter()
        kind = HistGradientBoostingRegressor if regression else HistGradientBoostingClassifier
        model = kind(**options).fit(data["train"], data["target"])
        trained = time.perf_counter()
        if regression:
            predictions = model.predict(data["test"])
        else:
            predictions = model.predict_proba(data["test"])
            if data["task"] == "binclass":
                predictions = predictions[:, 1]
        return predictions, 0.0, trained - start, time.perf_counter() - trained


def interpret(settings, threads, own, seed):
    import numpy as np
    from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

    if settings:
        raise ValueError("interpret is compared by its own defaults only")
    regression = data["task"] == "regression"
    kind = ExplainableBoostingRegressor if regression else ExplainableBoostingClassifier
    types = ["nominal" if count else "continuous" for count in data["categories"]]

    def cells(x):
        table = x.astype(object)
        for f in data["categorical"]:
            table[:, f] = [None if c != c else str(int(c)) for c in x[:, f]]
        return table if data["categorical"] else x

    start = time.perf_counter()
    model = kind(random_state=seed, n_jobs=threads, feature_types=types, **own)
    model.fit(cells(data["train"]), data["target"])
    trained = time.perf_counter()
    test = cells(data["test"])
    if regression:
        predictions = model.predict(test)
    else:
        # Classes that the training rows lack have no column.
        said = model.predict_proba(test)
        predictions = np.full((len(test), data["classes"]), 1e-9)
        predictions[:, model.classes_.astype(float).astype(int)] = said
        if data["task"] == "binclass":
            predictions = predictions[:, 1]
    return predictions, 0.0, trained - start, time.perf_counter() - trained


def realmlp(settings, threads, own, seed):
    from network_peers import fit_network

    return fit_network("realmlp", data, settings, threads, own, seed)


def tabm(settings, threads, own, seed):
    from network_peers import fit_network

    return fit_network("tabm", data, settings, threads, own, seed)


def fit(request):
    import numpy as np

    library = {
        "lightgbm": lightgbm,
        "xgboost": xgboost,
        "catboost": catboost,
        "hist_gradient_boosting": hist_gradient_boosting,
        "interpret": interpret,
        "realmlp": realmlp,
        "tabm": tabm,
    }[request["library"]]
    predictions, bin_s, train_s, predict_s = library(
        request["settings"],
        request.get("threads", 1),
        request.get("parameters", {}),
        request["seed"],
    )
    np.asarray(predictions, dtype="<f8").ravel().tofile(request["out"])
    return {"bin_s": bin_s, "train_s": train_s, "predict_s": predict_s}


def tune_lightgbm(request):
    import numpy as np
    from tuned_lightgbm import tune

    predictions, trials, seconds = tune(
        data, request["seconds"], request["threads"], request["seed"]
    )
    np.asarray(predictions, dtype="<f8").ravel().tofile(request["out"])
    return {"trials": trials, "seconds": seconds}


def search_autogluon(request):
    import subprocess

    import numpy as np

    path = request["out"] + ".npz"
    kept = ("train", "test", "target", "categorical", "task", "classes")
    np.savez(path, **{name: data[name] for name in kept})
    # It decides on threads by itself, from what is set when its libraries are loaded.
    own = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "searched_autogluon.py")
    arguments = [path, request["out"], request["seconds"], request["threads"], request["seed"]]
    done = subprocess.run(
        [sys.executable, script, *map(str, arguments)], env=own, capture_output=True, text=True
    )
    os.remove(path)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return json.loads(done.stdout)


def main():
    # Libraries may print; only answers may go to stdout.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    commands = {"hello": lambda _: versions(), "load": load, "fit": fit, "tune": tune_lightgbm}
    commands["autogluon"] = search_autogluon
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = commands[request["command"]](request)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
