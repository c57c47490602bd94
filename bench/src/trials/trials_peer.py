"""LightGBM under Optuna: a number of trials, each over given folds, on two cores.

One JSON object on stdin: {"path", "rows", "columns", "folds": path, "space", "trials", "rounds",
"patience", "form": "processes" | "threads", "workers", "datasets": "kept" | "anew", "pruning",
"parameters", "seed"}. The data file holds little-endian f64: each column, then the target; the folds' file
u8, the fold in which each row is validated. One JSON object on stdout: {"seconds", "cpu", "loss", "trials",
"pruned", "folds", "rounds", "optuna", "lightgbm"}.

`processes`: as many processes as workers, LightGBM of one thread each, one study in a journal file;
`threads`: one process, LightGBM of as many threads. Of datasets that are kept each process bins a fold
once, for all of its trials; else each fit bins its rows, as in Optuna's examples. Seconds count from
when all processes have loaded their libraries and the data until the last has ended.
"""

import json
import multiprocessing
import os
import sys
import tempfile
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.pop(name, None)
warnings.filterwarnings("ignore")

def suggest(trial, space):
    values = {}
    for name, kind in space.items():
        if kind["type"] == "categorical":
            values[name] = trial.suggest_categorical(name, kind["choices"])
        elif kind["type"] == "int":
            values[name] = trial.suggest_int(name, kind["low"], kind["high"], log=kind.get("log", False))
        else:
            values[name] = trial.suggest_float(name, kind["low"], kind["high"], log=kind.get("log", False))
    return values


def load(request):
    import numpy as np

    raw = np.fromfile(request["path"], dtype="<f8").reshape(-1, request["rows"])
    table = np.ascontiguousarray(raw[:-1].T)
    fold_of = np.fromfile(request["folds"], dtype="u1")
    return table, raw[-1].copy(), fold_of


def work(request, seed, threads, storage, ready, go, ended):
    import lightgbm as lgb
    import numpy as np
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    table, target, fold_of = load(request)
    count = int(fold_of.max()) + 1
    fixed = {
        "objective": "binary",
        "metric": "binary_logloss",
        "num_threads": threads,
        "verbosity": -1,
        "seed": seed,
        "feature_pre_filter": False,
        # Its faster way on a few dozen dense columns; to find that out it takes time in each fit.
        "force_row_wise": True,
        **request["parameters"],
    }
    kept = {}

    def datasets(fold):
        if request["datasets"] == "kept" and fold in kept:
            return kept[fold]
        train, valid = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        part = lgb.Dataset(table[train], target[train], params=fixed, free_raw_data=False)
        held = part.create_valid(table[valid], target[valid])
        kept[fold] = (part, held)
        return kept[fold]

    done = {"rounds": 0, "folds": 0}

    def counted(_):
        # Of a model that was stopped LightGBM keeps, and counts, the rounds up to its best alone.
        done["rounds"] += 1

    def objective(trial):
        parameters = {**fixed, "bagging_freq": 1, **suggest(trial, request["space"])}
        losses = []
        for fold in range(count):
            part, held = datasets(fold)
            model = lgb.train(
                parameters,
                part,
                request["rounds"],
                valid_sets=[held],
                callbacks=[counted, lgb.early_stopping(request["patience"], verbose=False)],
            )
            done["folds"] += 1
            losses.append(model.best_score["valid_0"]["binary_logloss"])
            if request["pruning"]:
                trial.report(float(np.mean(losses)), fold)
                if fold + 1 < count and trial.should_prune():
                    raise optuna.TrialPruned
        return float(np.mean(losses))

    pruner = optuna.pruners.MedianPruner() if request["pruning"] else optuna.pruners.NopPruner()
    sampler = optuna.samplers.TPESampler(seed=seed, constant_liar=storage is not None)
    shared = {"sampler": sampler, "pruner": pruner, "study_name": "trials", "load_if_exists": True}
    opened = None
    if storage is not None:
        journal = optuna.storages.journal
        opened = optuna.storages.JournalStorage(journal.JournalFileBackend(storage))
    ready.release()
    go.wait()
    used = time.process_time()
    study = optuna.create_study(storage=opened, **shared)
    states = optuna.trial.TrialState
    stop = optuna.study.MaxTrialsCallback(
        request["trials"], states=(states.COMPLETE, states.PRUNED, states.RUNNING)
    )
    if opened is None:
        study.optimize(objective, n_trials=request["trials"])
    elif len(study.get_trials(deepcopy=False)) < request["trials"]:
        study.optimize(objective, callbacks=[stop])
    trials = study.get_trials(deepcopy=False)
    ended.put(
        {
            **done,
            "cpu": time.process_time() - used,
            "loss": study.best_value,
            "trials": len(trials),
            "pruned": sum(trial.state == states.PRUNED for trial in trials),
            "optuna": optuna.__version__,
            "lightgbm": lgb.__version__,
        }
    )


def main():
    request = json.load(sys.stdin)
    workers = request["workers"] if request["form"] == "processes" else 1
    threads = 1 if request["form"] == "processes" else request["workers"]
    context = multiprocessing.get_context("spawn")
    ready, go, ended = context.Semaphore(0), context.Event(), context.Queue()
    with tempfile.TemporaryDirectory() as folder:
        storage = os.path.join(folder, "journal.log") if workers > 1 else None
        processes = [
            context.Process(
                target=work,
                args=(request, request["seed"] + place, threads, storage, ready, go, ended),
            )
            for place in range(workers)
        ]
        for process in processes:
            process.start()
        for _ in processes:
            ready.acquire()
        begun = time.perf_counter()
        go.set()
        answers = [ended.get() for _ in processes]
        seconds = time.perf_counter() - begun
        for process in processes:
            process.join()
    best = min(answers, key=lambda answer: answer["loss"])
    most = max(answers, key=lambda answer: answer["trials"])
    sums = {name: sum(answer[name] for answer in answers) for name in ("rounds", "folds", "cpu")}
    print(json.dumps({**best, **sums, "trials": most["trials"], "pruned": most["pruned"], "seconds": seconds}))


if __name__ == "__main__":
    main()
