"""Figures of SciPy and Optuna for the tests of this folder.

Run: python -W ignore tpe.fixture.py > tpe.fixture.json
"""

import functools
import json
import math
import sys

import numpy as np

# Optuna sorts unstably, so equal observations would get their bandwidths in an arbitrary order.
np.argsort = functools.partial(np.argsort, kind="stable")

import optuna
import scipy
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers._tpe.parzen_estimator import _ParzenEstimator, _ParzenEstimatorParameters
from optuna.samplers._tpe.sampler import default_gamma, default_weights
from scipy import special, stats

rng = np.random.default_rng(11)

xs = [0, 1e-300, 1e-9, 0.1, 0.5, 0.84, 0.85, 1.2, 1.3, 2, 2.8, 2.9, 4, 6, 10, 20, 26]
xs = xs + [-x for x in xs[1:]]
ps = [1e-300, 1e-100, 1e-20, 1e-9, 1e-3, 0.02, 0.07, 0.2, 0.42, 0.5, 0.6, 0.92, 0.93, 0.999, 1 - 1e-9]
normal = {
    "erfc": [[x, float(special.erfc(x))] for x in xs],
    "cumulative": [[x, float(special.ndtr(x))] for x in [v * 1.4 for v in xs]],
    "inverseCumulative": [[p, float(special.ndtri(p))] for p in ps],
}

intervals = [(-1, 1), (-0.01, 0.02), (0, 3), (-3, 0), (2, 2.5), (-9, -8), (8, 9), (-40, 40), (0, 50),
             (-0.001, 0.001), (5, 5.03), (-8.01, -8), (-30, -29), (-100, 0.5), (20, 30)]
truncated = []
for a, b in intervals:
    truncated.append({
        "low": a, "high": b,
        "logMass": float(stats._continuous_distns._log_gauss_mass(np.float64(a), np.float64(b))),
        "quantiles": [[q, float(stats.truncnorm.ppf(q, a, b))] for q in (0.01, 0.3, 0.5, 0.9, 0.999)],
    })

weights = {str(n): [float(v) for v in default_weights(n)] for n in (1, 10, 24, 25, 26, 27, 40, 100)}
gamma = [[n, default_gamma(n)] for n in (0, 1, 9, 10, 11, 99, 100, 101, 249, 250, 251, 5000)]

parameters = _ParzenEstimatorParameters(1.0, True, False, default_weights, True)


def spec(d):
    if isinstance(d, CategoricalDistribution):
        return {"type": "categorical", "choices": list(d.choices)}
    out = {"type": "int" if isinstance(d, IntDistribution) else "float", "low": d.low, "high": d.high}
    if d.log:
        out["log"] = True
    if d.step is not None and not d.log:
        out["step"] = d.step
    return out


def draw(d, spread):
    if isinstance(d, CategoricalDistribution):
        return int(rng.integers(len(d.choices)))
    low, high = (math.log(d.low), math.log(d.high)) if d.log else (d.low, d.high)
    v = low + (high - low) * (0.4 + spread * (rng.random() - 0.4))
    v = math.exp(v) if d.log else v
    if d.step is not None:
        v = d.low + round((v - d.low) / d.step) * d.step
    v = min(d.high, max(d.low, v))
    return int(v) if isinstance(d, IntDistribution) else float(v)


spaces = {
    "continuous": {"x": FloatDistribution(-5, 10), "y": FloatDistribution(0, 1)},
    "log": {"x": FloatDistribution(1e-5, 1, log=True)},
    "stepped": {"x": FloatDistribution(0, 1, step=0.125)},
    "integer": {"x": IntDistribution(1, 64), "y": IntDistribution(0, 9000)},
    "log integer": {"x": IntDistribution(1, 200, log=True)},
    "even integers": {"x": IntDistribution(2, 20, step=2)},
    "categorical": {"x": CategoricalDistribution(["a", "b", "c"])},
    "all kinds": {
        "a": FloatDistribution(0, 1), "b": FloatDistribution(1e-3, 100, log=True),
        "c": IntDistribution(1, 64), "d": IntDistribution(2, 200, log=True),
        "e": FloatDistribution(-1, 1, step=0.25), "f": CategoricalDistribution([True, False]),
        "g": CategoricalDistribution([1, "two", None, 4.5]),
    },
}
estimators = []
for name, space in spaces.items():
    for n, spread in ((0, 1), (1, 1), (2, 1), (7, 1), (30, 0.6), (150, 0.3)):
        observed = {k: np.array([draw(d, spread) for _ in range(n)]) for k, d in space.items()}
        asked = {k: np.array([draw(d, 1) for _ in range(6)]) for k, d in space.items()}
        pe = _ParzenEstimator(observed, space, parameters)
        extents = 0.0  # Optuna's densities are per unit of the (log) value, ours per unit of extent
        deviations = {}
        for k, d in space.items():
            if isinstance(d, CategoricalDistribution):
                continue
            half = (d.step or 0) / 2
            low, high = d.low - half, d.high + half
            extent = math.log(high) - math.log(low) if d.log else high - low
            if d.step is None:
                extents += math.log(extent)
            dist = pe._mixture_distribution.distributions[list(space).index(k)]
            deviations[k] = [float(s) / extent for s in dist.sigma]
        value = lambda d, v: d.choices[int(v)] if isinstance(d, CategoricalDistribution) else v.item()
        estimators.append({
            "name": f"{name}, {n} observations",
            "space": {k: spec(d) for k, d in space.items()},
            "observed": [{k: value(d, observed[k][i]) for k, d in space.items()} for i in range(n)],
            "asked": [{k: value(d, asked[k][i]) for k, d in space.items()} for i in range(6)],
            "weights": [float(w) for w in pe._mixture_distribution.weights],
            "deviations": deviations,
            "logDensity": [float(v) + extents for v in pe.log_pdf(asked)],
        })

digits = lambda o: (
    float(f"{o:.14g}") if isinstance(o, float) else
    {k: digits(v) for k, v in o.items()} if isinstance(o, dict) else
    [digits(v) for v in o] if isinstance(o, list) else o)
json.dump({"scipy": scipy.__version__, "optuna": optuna.__version__, **digits({
    "normal": normal, "truncated": truncated, "weights": weights, "gamma": gamma,
    "estimators": estimators})}, sys.stdout, separators=(",", ":"))
