"""Optuna's default sampler, asked and told through standard input and output, a line of JSON each.

{"command": "start", "space": …, "order": […], "seed": n, "objectives": n} → {"optuna": version}
{"command": "ask"} → {"parameters": …}
{"command": "tell", "losses": […] or null} → {}
"""

import json
import sys
import warnings

import optuna

warnings.filterwarnings("ignore")
optuna.logging.set_verbosity(optuna.logging.ERROR)
study = space = order = trial = None


def suggest(name, parameter):
    if parameter["type"] == "categorical":
        return trial.suggest_categorical(name, parameter["choices"])
    kind = trial.suggest_int if parameter["type"] == "int" else trial.suggest_float
    options = {"log": parameter.get("log", False)}
    if parameter.get("step") is not None:
        options["step"] = parameter["step"]
    return kind(name, parameter["low"], parameter["high"], **options)


def ask():
    values = {}
    for name in order:
        when = space[name].get("when")
        if when is None or (when["parameter"] in values and values[when["parameter"]] in when["values"]):
            values[name] = suggest(name, space[name])
    return values


for line in sys.stdin:
    request = json.loads(line)
    answer = {}
    if request["command"] == "start":
        space, order = request["space"], request["order"]
        sampler = optuna.samplers.TPESampler(seed=request["seed"])
        study = optuna.create_study(sampler=sampler, directions=["minimize"] * request["objectives"])
        answer = {"optuna": optuna.__version__}
    elif request["command"] == "ask":
        trial = study.ask()
        answer = {"parameters": ask()}
    elif request["losses"] is None:
        study.tell(trial, state=optuna.trial.TrialState.FAIL)
    else:
        study.tell(trial, request["losses"])
    print(json.dumps(answer), flush=True)
