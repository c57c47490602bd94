"""LightGBM tuned by Optuna's default sampler (TPE) within a number of seconds.

Five folds (stratified for classes), early stopping on the fold; the space is that of Optuna's own
examples for LightGBM, with the learning rate. A trial that is worse than the best one so far after
two folds is cut short by Optuna's median pruner. The predictions are the mean of the best trial's
fold models, which is what the folds allow without another fit; where the time ends within the first
trial, of the folds that it finished.
"""

import time

ROUNDS = 2000
PATIENCE = 50
FOLDS = 5


class _OutOfTime(Exception):
    pass


def tune(data, seconds, threads, seed):
    import lightgbm as lgb
    import numpy as np
    import optuna
    from sklearn.model_selection import KFold, StratifiedKFold

    # What is imported is not what is compared.
    started = time.perf_counter()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    task = data["task"]
    fixed = {
        "objective": {"regression": "regression", "binclass": "binary", "multiclass": "multiclass"}[task],
        "metric": {"regression": "rmse", "binclass": "binary_logloss", "multiclass": "multi_logloss"}[task],
        "num_threads": threads,
        "verbosity": -1,
        "seed": seed,
    }
    if task == "multiclass":
        fixed["num_class"] = data["classes"]
    splitter = KFold if task == "regression" else StratifiedKFold
    splits = list(
        splitter(FOLDS, shuffle=True, random_state=seed).split(data["train"], data["target"])
    )
    best = {"loss": np.inf, "predictions": None, "trials": 0}

    def check_time(_):
        if time.perf_counter() - started > seconds:
            raise _OutOfTime

    def objective(trial):
        parameters = {
            **fixed,
            "learning_rate": trial.suggest_float("learning_rate", 0.01, 0.3, log=True),
            "num_leaves": trial.suggest_int("num_leaves", 4, 256, log=True),
            "min_child_samples": trial.suggest_int("min_child_samples", 2, 100, log=True),
            "lambda_l1": trial.suggest_float("lambda_l1", 1e-8, 10.0, log=True),
            "lambda_l2": trial.suggest_float("lambda_l2", 1e-8, 10.0, log=True),
            "feature_fraction": trial.suggest_float("feature_fraction", 0.4, 1.0),
            "bagging_fraction": trial.suggest_float("bagging_fraction", 0.4, 1.0),
            "bagging_freq": trial.suggest_int("bagging_freq", 0, 7),
        }
        losses, predictions = [], []
        for fold, (train, valid) in enumerate(splits):
            part = lgb.Dataset(
                data["train"][train],
                data["target"][train],
                categorical_feature=data["categorical"],
                params=fixed,
            )
            held = part.create_valid(data["train"][valid], data["target"][valid])
            model = lgb.train(
                parameters,
                part,
                ROUNDS,
                valid_sets=[held],
                callbacks=[lgb.early_stopping(PATIENCE, verbose=False), check_time],
            )
            losses.append(next(iter(model.best_score["valid_0"].values())))
            predictions.append(model.predict(data["test"], num_threads=threads))
            if best["trials"] == 0:
                best["predictions"] = np.mean(predictions, axis=0)
            trial.report(float(np.mean(losses)), fold)
            if fold >= 1 and trial.should_prune():
                raise optuna.TrialPruned
        loss = float(np.mean(losses))
        best["trials"] += 1
        if loss < best["loss"]:
            best.update(loss=loss, predictions=np.mean(predictions, axis=0))
        return loss

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    while time.perf_counter() - started < seconds:
        trial = study.ask()
        try:
            study.tell(trial, objective(trial))
        except optuna.TrialPruned:
            study.tell(trial, state=optuna.trial.TrialState.PRUNED)
        except _OutOfTime:
            break
    if best["predictions"] is None:
        raise RuntimeError(f"no fold was learnt within {seconds} s")
    return best["predictions"], best["trials"], time.perf_counter() - started
