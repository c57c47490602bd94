"""LightGBM and shap beside the engine's predictions, driven by JSON lines over stdin and stdout.

    {"command": "train", "path", "rows", "columns", "held_out"} -> {"lightgbm", "shap"}
    {"command": "predict", "rows", "threads", "times"}          -> {"ms": the median}
    {"command": "contributions", "rows", "library"}             -> {"ms"}

The file holds little-endian f64: each column (rows to learn from, then those held out), then the
label. 500 trees of 63 leaves are learned. `library` is lightgbm or shap, whose own C++ is asked.
"""

import json
import os
import statistics
import sys
import time
import warnings

# Threads that wait must not spin where others have work.
os.environ["OMP_WAIT_POLICY"] = "passive"

import lightgbm as lgb
import numpy as np

warnings.filterwarnings("ignore")
try:
    import shap
except ImportError:
    shap = None

state = {}


def train(request):
    rows, columns, held_out = request["rows"], request["columns"], request["held_out"]
    numbers = np.fromfile(request["path"]).reshape(columns + 1, rows + held_out)
    x = np.ascontiguousarray(numbers[:columns].T)
    settings = {
        "objective": "binary",
        "num_leaves": 63,
        "learning_rate": 0.05,
        "min_data_in_leaf": 20,
        "num_threads": 1,
        "verbosity": -1,
    }
    state["model"] = lgb.train(settings, lgb.Dataset(x[:rows], numbers[columns, :rows]), 500)
    state["rows"] = x[rows:]
    return {"lightgbm": lgb.__version__, "shap": shap.__version__ if shap else None}


def predict(request):
    rows = state["rows"][: request["rows"]]
    taken = []
    for _ in range(request["times"]):
        begun = time.perf_counter()
        state["model"].predict(rows, num_threads=request["threads"])
        taken.append((time.perf_counter() - begun) * 1000)
    return {"ms": statistics.median(taken)}


def contributions(request):
    rows = state["rows"][: request["rows"]]
    if request["library"] == "shap" and "explainer" not in state:
        state["explainer"] = shap.TreeExplainer(state["model"])
        # Else it would ask LightGBM.
        state["explainer"].model.model_type = "internal"
    begun = time.perf_counter()
    if request["library"] == "shap":
        state["explainer"].shap_values(rows, check_additivity=False)
    else:
        state["model"].predict(rows, pred_contrib=True, num_threads=1)
    return {"ms": (time.perf_counter() - begun) * 1000}


for line in sys.stdin:
    request = json.loads(line)
    answer = {"train": train, "predict": predict, "contributions": contributions}[request["command"]](request)
    print(json.dumps(answer), flush=True)
