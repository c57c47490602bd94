"""Fits of other libraries on a device: one JSON request on stdin, one JSON answer on stdout.

    {"path", "rows", "device": "cuda" | "cpu", "rounds", "leaves", "epochs", "batch", "large": {"leaves", "rounds"}}
        -> {"fits": [{"library", "version", "seconds", "round_seconds"}], "missing": {library: why}}

The file holds little-endian f64: each feature's column, then the target, of 0 and 1. Seconds are of training
alone, in a second fit: the first one loads what the device runs. Those of a round are what a long fit of large trees takes
longer than a short one, or null of what grows no trees by leaves. A library that is not there, or has no such
device, is missing.
"""

import json
import os
import sys
import time
import warnings

warnings.filterwarnings("ignore")


def lightgbm(x, y, request):
    import lightgbm as lgb

    parameters = {
        "objective": "binary",
        "device_type": request["device"],
        "max_bin": 255,
        "verbosity": -1,
    }
    data = lgb.Dataset(x, y, params=parameters).construct()
    return lgb.__version__, lambda leaves, rounds: lgb.train(
        {**parameters, "num_leaves": leaves}, data, rounds
    )


def xgboost(x, y, request):
    import xgboost as xgb

    parameters = {
        "objective": "binary:logistic",
        "device": request["device"],
        "tree_method": "hist",
        "grow_policy": "lossguide",
        "max_depth": 0,
        "max_bin": 256,
        "verbosity": 0,
    }
    data = xgb.QuantileDMatrix(x, y, max_bin=256)
    if request["device"] == "cuda":
        # Without one it would go on with the CPU, and say so at most.
        if not xgb.build_info().get("USE_CUDA"):
            raise RuntimeError("it is built without CUDA")
        require_cuda()
    return xgb.__version__, lambda leaves, rounds: xgb.train(
        {**parameters, "max_leaves": leaves}, data, rounds
    )


def catboost(x, y, request):
    import catboost as cb
    from catboost.utils import get_gpu_device_count

    if request["device"] == "cuda" and get_gpu_device_count() == 0:
        raise RuntimeError("it finds no device")
    data = cb.Pool(x, y)
    parameters = {
        "loss_function": "Logloss",
        "task_type": "GPU" if request["device"] == "cuda" else "CPU",
        "iterations": request["rounds"],
        "depth": 6,
        "border_count": 254,
        "verbose": False,
        "allow_writing_files": False,
    }
    return cb.__version__, lambda *_: cb.CatBoost(parameters).fit(data)


def pytorch(x, y, request):
    """Eager, three layers of 128, AdamW, without TF32: what `mlp` does in a step."""
    import torch

    device = torch.device(request["device"])
    if request["device"] == "cuda":
        require_cuda()
        torch.backends.cuda.matmul.allow_tf32 = False
    rows = torch.tensor(x, dtype=torch.float32, device=device)
    target = torch.tensor(y, dtype=torch.float32, device=device)[:, None]

    def fit(*_):
        torch.manual_seed(0)
        layers, width = [], rows.shape[1]
        for _ in range(3):
            layers += [torch.nn.Linear(width, 128), torch.nn.SELU(), torch.nn.Dropout(0.15)]
            width = 128
        network = torch.nn.Sequential(*layers, torch.nn.Linear(width, 1)).to(device)
        optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3)
        loss_of = torch.nn.BCEWithLogitsLoss()
        for _ in range(request["epochs"]):
            order = torch.randperm(len(rows), device=device)
            for batch in order.split(request["batch"]):
                optimizer.zero_grad()
                loss_of(network(rows[batch]), target[batch]).backward()
                optimizer.step()
        if request["device"] == "cuda":
            torch.cuda.synchronize()

    return torch.__version__, fit


def require_cuda():
    """Asked of the driver: no library need be there for it."""
    import ctypes

    driver = ctypes.CDLL("libcuda.so.1")
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0 or count.value == 0:
        raise RuntimeError("the CUDA driver finds no device")


def seconds_of(fit, leaves, rounds):
    start = time.perf_counter()
    fit(leaves, rounds)
    return time.perf_counter() - start


def round_seconds(fit, large):
    leaves, (few, many) = large["leaves"], large["rounds"]
    fit(leaves, few)
    return (seconds_of(fit, leaves, many) - seconds_of(fit, leaves, few)) / (many - few)


BY_LEAVES = {"lightgbm", "xgboost"}
LIBRARIES = {"lightgbm": lightgbm, "xgboost": xgboost, "catboost": catboost, "pytorch": pytorch}


def main():
    # Libraries may print; only the answer may go to stdout.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    request = json.loads(sys.stdin.read())
    fits, missing = [], {}
    try:
        import numpy as np
    except ImportError as error:
        answers.write(json.dumps({"fits": [], "missing": dict.fromkeys(LIBRARIES, str(error))}))
        return
    raw = np.fromfile(request["path"], dtype="<f8").reshape(-1, request["rows"])
    x, y = np.ascontiguousarray(raw[:-1].T), raw[-1].copy()
    for library, prepare in LIBRARIES.items():
        try:
            version, fit = prepare(x, y, request)
            own = request["leaves"], request["rounds"]
            fit(*own)
            answer = {"library": library, "version": version, "seconds": seconds_of(fit, *own)}
            answer["round_seconds"] = round_seconds(fit, request["large"]) if library in BY_LEAVES else None
            fits.append(answer)
        except Exception as error:
            missing[library] = f"{type(error).__name__}: {error}".splitlines()[0]
    answers.write(json.dumps({"fits": fits, "missing": missing}))


if __name__ == "__main__":
    main()
