"""Decisions of Optuna's pruners on trials of random curves, for `pruners.test.ts`.

Run: python -W ignore pruners.fixture.py > pruners.fixture.json

Successive halving is of every step: where one report passes several rungs, Optuna does not count a trial that is
given up at the first of them at the others.
"""

import json

import numpy as np
import optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)
rng = np.random.default_rng(5)

PRUNERS = [
    ({"kind": "median"}, lambda: optuna.pruners.MedianPruner()),
    ({"kind": "median", "startupTrials": 1, "warmupSteps": 3}, lambda: optuna.pruners.MedianPruner(1, 3)),
    ({"kind": "successive_halving"}, lambda: optuna.pruners.SuccessiveHalvingPruner(min_resource=1)),
    (
        {"kind": "successive_halving", "minResource": 2, "reductionFactor": 3},
        lambda: optuna.pruners.SuccessiveHalvingPruner(min_resource=2, reduction_factor=3),
    ),
]

studies = []
for options, pruner in PRUNERS:
    for direction in ("minimize", "maximize"):
        study = optuna.create_study(direction=direction, pruner=pruner())
        trials = []
        for _ in range(25):
            trial = study.ask()
            some = sorted(int(step) for step in rng.choice(np.arange(0, 30), 8, replace=False))
            steps = some if options["kind"] == "median" else list(range(1, 21))
            level = round(float(rng.normal()), 1)
            reports, pruned = [], None
            for step in steps:
                value = round(level - 0.05 * step + 0.3 * float(rng.normal()), 1)
                reports.append([step, value])
                trial.report(value, step)
                if trial.should_prune():
                    pruned = step
                    break
            if pruned is None:
                study.tell(trial, reports[-1][1])
            else:
                study.tell(trial, state=optuna.trial.TrialState.PRUNED)
            trials.append({"reports": reports, "pruned": pruned})
        studies.append({"pruner": options, "direction": direction, "trials": trials})

print(json.dumps({"optuna": optuna.__version__, "studies": studies}))
