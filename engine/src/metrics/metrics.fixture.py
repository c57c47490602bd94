"""Figures of scikit-learn for metrics.test.ts. Run: python metrics.fixture.py > metrics.fixture.json"""

import json
import sys
import warnings

import numpy as np
import sklearn
from sklearn import metrics as m

warnings.filterwarnings("ignore")
rng = np.random.default_rng(7)
cases = []


def numbers(a):
    return None if a is None else [float(v) for v in np.ravel(a)]


def case(name, task, y, p, w, scores, levels=None):
    outputs = p.shape[1] if p.ndim == 2 else 1
    cases.append(
        {
            "name": name,
            "task": task,
            "outputs": outputs,
            "target": numbers(y),
            "predictions": numbers(p),
            "weights": numbers(w),
            "scores": {k: float(v) for k, v in scores.items()},
            **({"quantiles": levels} if levels else {}),
        }
    )


def regression(name, y, p, w=None):
    s = dict(sample_weight=w)
    scores = {
        "rmse": m.root_mean_squared_error(y, p, **s),
        "mae": m.mean_absolute_error(y, p, **s),
        "mape": m.mean_absolute_percentage_error(y, p, **s),
        "median_absolute_error": m.median_absolute_error(y, p, **s),
    }
    if np.ptp(y) > 0:  # else undefined here; scikit-learn makes it 0 or 1
        scores["r2"] = m.r2_score(y, p, **s)
    if (y >= 0).all() and (p >= 0).all():
        scores["rmsle"] = m.root_mean_squared_log_error(y, p, **s)
    case(name, "regression", y, p, w, scores)


def binclass(name, y, p, w=None):
    s = dict(sample_weight=w)
    label = (p > 0.5).astype(int)
    case(name, "binclass", y, p, w, {
        "log_loss": m.log_loss(y, p, labels=[0, 1], **s),
        "roc_auc": m.roc_auc_score(y, p, **s),
        "average_precision": m.average_precision_score(y, p, **s),
        "accuracy": m.accuracy_score(y, label, **s),
        "balanced_accuracy": m.balanced_accuracy_score(y, label, **s),
        "f1": m.f1_score(y, label, **s),
        "f1_macro": m.f1_score(y, label, average="macro", **s),
        "brier": m.brier_score_loss(y, p, **s),
        "mcc": m.matthews_corrcoef(y, label, **s),
    })


def multiclass(name, y, p, w=None):
    s = dict(sample_weight=w)
    k = p.shape[1]
    labels = list(range(k))
    label = p.argmax(axis=1)
    scores = {
        "log_loss": m.log_loss(y, p, labels=labels, **s),
        "accuracy": m.accuracy_score(y, label, **s),
        "balanced_accuracy": m.balanced_accuracy_score(y, label, **s),
        "f1_macro": m.f1_score(y, label, average="macro", **s),
        "brier": m.brier_score_loss(y, p, labels=labels, **s),
        "mcc": m.matthews_corrcoef(y, label, **s),
    }
    present = [c for c in labels if (y == c).any()]
    scores["roc_auc"] = np.mean([m.roc_auc_score(y == c, p[:, c], **s) for c in present])
    scores["average_precision"] = np.mean(
        [m.average_precision_score(y == c, p[:, c], **s) for c in present]
    )
    if len(present) == k:
        direct = m.roc_auc_score(y, p, multi_class="ovr", average="macro", labels=labels, **s)
        assert abs(direct - scores["roc_auc"]) < 1e-12
    case(name, "multiclass", y, p, w, scores)


n = 60
weights = np.round(rng.gamma(1.0, 1.0, n), 3)
weights[:5] = 0.0
y = np.round(rng.normal(10, 4, n), 2)
regression("plain", y, np.round(y + rng.normal(0, 2, n), 2))
regression("weighted", y, np.round(y + rng.normal(0, 2, n), 2), weights)
regression("odd count", y[:31], np.round(y[:31] + rng.normal(0, 2, 31), 2))
regression("zeros in the target", np.array([0, 0, 1, 2, 3.0]), np.array([0.5, 0, 1, 1, 4.0]))
regression("large offset", y + 1e8, y + 1e8 + rng.normal(0, 1e-2, n))
regression("weights reach one half exactly", np.array([0, 0, 0, 0.0]), np.array([1, 2, 3, 4.0]),
           np.array([1, 1, 1, 1.0]))
regression("positive", np.abs(y), np.abs(np.round(y + rng.normal(0, 2, n), 2)))

b = (rng.random(n) < 0.4).astype(int)
p = np.clip(np.round(0.3 * b + rng.random(n) * 0.7, 3), 0, 1)
binclass("plain", b, p)
binclass("weighted", b, p, weights)
binclass("ties", b, np.round(p, 1), weights)
extreme = p.copy()
extreme[:10] = [0, 1, 0, 1, 1e-17, 1 - 1e-16, 1e-300, 1, 0, 0.5]
binclass("extreme probabilities", b, extreme)
binclass("constant prediction", b, np.full(n, 0.5))
binclass("never positive", b, np.full(n, 0.1) + np.arange(n) / 1000)

k = 4
c = rng.integers(0, k, n)
logits = rng.normal(0, 1, (n, k)) + 1.2 * np.eye(k)[c]
q = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
multiclass("plain", c, q)
multiclass("weighted", c, q, weights)
multiclass("missing class", np.where(c == 3, 0, c), q, weights)
tied = np.round(q * 4) / 4
tied[:, 0] += 1 - tied.sum(axis=1)
tied = np.clip(tied, 0, None)
tied /= tied.sum(axis=1, keepdims=True)
multiclass("ties and zeros", c, tied)

# Quantiles, drawn last, so that the cases above stay as they are.
def quantiles(name, y, p, levels, w=None):
    within = (y >= p[:, 0]) & (y <= p[:, -1])
    nominal = levels[-1] - levels[0]
    case(name, "quantile_regression", y, p, w, {
        "pinball": np.mean([
            m.mean_pinball_loss(y, p[:, k], alpha=level, sample_weight=w)
            for k, level in enumerate(levels)
        ]),
        "coverage_error": abs(np.average(within, weights=w) - nominal),
    }, levels)


y = np.round(rng.normal(10, 3, 60), 2)
p = np.sort(np.round(y[:, None] + rng.normal(0, 3, (60, 3)), 2), axis=1)
quantiles("plain", y, p, [0.1, 0.5, 0.9])
quantiles("weighted", y, p, [0.1, 0.5, 0.9], np.round(rng.uniform(0, 2, 60), 2))
quantiles("outer alone", y, p[:, [0, 2]], [0.05, 0.75])

json.dump({"scikit_learn": sklearn.__version__, "cases": cases}, sys.stdout, separators=(",", ":"))
