"""aeon on sequences of one length, asked by aeon-process.ts: one JSON object a line, each answered."""

import json
import sys
import time

import numpy as np


def answer(request):
    command = request["command"]
    if command == "hello":
        import aeon

        return {"aeon": aeon.__version__}
    from aeon.transformations.collection.convolution_based import MiniRocket, MultiRocket

    if command == "load":
        counts = request["train"], request["test"]
        shape = -1, request["channels"], request["steps"]
        values = np.fromfile(request["path"])
        size = sum(counts) * shape[1] * shape[2]
        cases, target = values[:size].reshape(shape).astype(np.float32), values[size:]
        state["train"], state["test"] = cases[: counts[0]], cases[counts[0] :]
        state["y"], state["asked"] = target[: counts[0]], target[counts[0] :]
        state["classes"] = request["classes"]
        return {}
    kind = {"minirocket": MiniRocket, "multirocket": MultiRocket}[request["transform"]]
    if command == "time":
        fitted = state.get("fitted")
        if fitted is None:
            fitted = state["fitted"] = kind(random_state=0, n_jobs=1).fit(state["train"])
            fitted.transform(state["test"])
        begun = time.process_time()
        fitted.transform(state["test"])
        return {"seconds": time.process_time() - begun}
    if command == "score":
        from sklearn.linear_model import RidgeClassifierCV, RidgeCV
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        lambdas = np.logspace(-3, 3, 10)
        head = RidgeClassifierCV(lambdas) if state["classes"] else RidgeCV(lambdas)
        transform = kind(random_state=request["seed"], n_jobs=1)
        model = make_pipeline(transform, StandardScaler(with_mean=False), head)
        model.fit(state["train"], state["y"])
        return {"predictions": model.predict(state["test"]).tolist()}
    raise ValueError(f"There is no command {command}.")


state = {}
for line in sys.stdin:
    try:
        reply = answer(json.loads(line))
    except Exception as error:
        reply = {"error": f"{type(error).__name__}: {error}"}
    if json.loads(line)["command"] == "load":
        state.pop("fitted", None)
    print(json.dumps(reply), flush=True)
