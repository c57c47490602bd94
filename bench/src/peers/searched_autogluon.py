"""AutoGluon's `best` preset within a number of seconds, in a process of its own.

    python searched_autogluon.py DATA OUT SECONDS THREADS SEED

DATA is an .npz with train, test, target, categorical, task and classes; OUT takes the predictions of the
test rows as f64, rows x outputs. Writes {"trials", "seconds"} to stdout: models fitted, and the time of
fitting, imports left out. Dynamic stacking is off: it fits everything twice to judge one choice.
"""

import json
import os
import sys
import tempfile
import time
import warnings

warnings.filterwarnings("ignore")


def main():
    path, out, seconds, threads, seed = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import numpy as np
    import pandas as pd
    from autogluon.tabular import TabularPredictor

    data = np.load(path)
    task, classes = str(data["task"]), int(data["classes"])
    np.random.seed(int(seed))

    def frame(rows):
        table = pd.DataFrame(rows, columns=[f"x{i}" for i in range(rows.shape[1])])
        for column in data["categorical"]:
            table[f"x{column}"] = table[f"x{column}"].map(lambda code: None if np.isnan(code) else f"c{int(code)}").astype("category")
        return table

    train = frame(data["train"])
    train["y"] = data["target"] if task == "regression" else data["target"].astype(int)
    with tempfile.TemporaryDirectory() as folder:
        predictor = TabularPredictor(
            label="y",
            path=folder,
            problem_type={"regression": "regression", "binclass": "binary", "multiclass": "multiclass"}[task],
            eval_metric="root_mean_squared_error" if task == "regression" else "log_loss",
            verbosity=0,
        )
        started = time.perf_counter()
        predictor.fit(
            train,
            presets="best",
            time_limit=float(seconds),
            num_cpus=int(threads),
            num_gpus=0,
            dynamic_stacking=False,
        )
        taken = time.perf_counter() - started
        test = frame(data["test"])
        if task == "regression":
            predictions = predictor.predict(test).to_numpy()
        else:
            said = predictor.predict_proba(test)
            predictions = said[1].to_numpy() if task == "binclass" else said.reindex(columns=range(classes), fill_value=0).to_numpy()
        np.asarray(predictions, dtype="<f8").ravel().tofile(out)
        trials = len(predictor.model_names())
    answers.write(json.dumps({"trials": trials, "seconds": taken}) + "\n")


if __name__ == "__main__":
    main()
