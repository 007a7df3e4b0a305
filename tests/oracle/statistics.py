#!/usr/bin/python3
"""Writes tests/unit/analysis/statistics_expected.json: what numpy and scipy say.

Run with Debian's python3-numpy and python3-scipy:

    /usr/bin/python3 tests/oracle/statistics.py > tests/unit/analysis/statistics_expected.json

The bootstrap's expected values are found by going through every resample of tiny samples, which is
another way than the program's. Nothing here is drawn at run time from anything but a fixed seed.
"""

import itertools
import json
import sys

import numpy as np
import scipy
from scipy import stats

QUANTILES = [0.0, 0.025, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0]


def samples():
    random = np.random.default_rng(20251101)
    yield "one", [0.25]
    yield "two", [2.0, 1.0]
    yield "ties", [3.0, 1.0, 3.0, 3.0, 2.0, 2.0]
    for n in (3, 4, 5, 6, 7, 8, 9, 10, 17, 27):
        yield f"lognormal_{n}", random.lognormal(-6, 0.05, n).tolist()
    yield "spiky_30", np.where(random.random(30) < 0.1, 5, 1) * random.lognormal(-3, 0.02, 30)
    yield "wide_200", random.lognormal(0, 8, 200).tolist()
    yield "normal_1001", random.normal(100, 3, 1001).tolist()


def median_interval(values, confidence):
    """The narrowest symmetric pair of order statistics, by scipy's binomial distribution."""
    x = np.sort(values)
    n = len(x)
    if n < 2:
        return None
    best = None
    for d in range(1, n // 2 + 1):
        coverage = stats.binom.cdf(n - d, n, 0.5) - stats.binom.cdf(d - 1, n, 0.5)
        if d == 1 or coverage >= confidence:
            best = [float(x[d - 1]), float(x[n - d]), float(coverage)]
    return best


def summaries():
    for name, values in samples():
        a = np.asarray(values, dtype=float)
        n = len(a)
        yield {
            "name": name,
            "samples": a.tolist(),
            "mean": float(np.mean(a)),
            "sample_sd": float(np.std(a, ddof=1)) if n > 1 else None,
            "population_sd": float(np.std(a)),
            "median": float(np.median(a)),
            "mad": float(stats.median_abs_deviation(a)),
            "geometric_mean": float(stats.gmean(a)),
            "minimum": float(a.min()),
            "maximum": float(a.max()),
            "quantiles": [[q, float(np.quantile(a, q))] for q in QUANTILES],
            "median_interval_95": median_interval(a, 0.95),
            "median_interval_80": median_interval(a, 0.80),
        }


def all_medians(values):
    """The median of every one of the n^n resamples, as value -> probability."""
    counts = {}
    for resample in itertools.product(values, repeat=len(values)):
        m = float(np.median(resample)) if len(resample) % 2 else midpoint(sorted(resample))
        counts[m] = counts.get(m, 0) + 1
    total = len(values) ** len(values)
    return sorted((value, count / total) for value, count in counts.items())


def midpoint(ordered):
    half = len(ordered) // 2
    return (ordered[half - 1] + ordered[half]) / 2


def weighted_quantile(points, level):
    """The smallest value whose cumulated probability reaches the level."""
    total = 0.0
    for value, probability in points:
        total += probability
        if total >= level:
            return value
    return points[-1][0]


def ratio_interval(numerator, denominator, confidence):
    points = sorted((a / b, p * q) for (a, p), (b, q) in itertools.product(numerator, denominator))
    tail = (1 - confidence) / 2
    return [weighted_quantile(points, tail), weighted_quantile(points, 1 - tail)]


def bootstraps():
    tiny = {
        "1": [1.5],
        "2": [1.0, 1.25],
        "3": [0.9, 1.0, 1.3],
        "4": [2.0, 2.2, 1.9, 2.9],
        "4_ties": [2.0, 2.0, 1.0, 3.0],
        "5": [7.0, 6.5, 6.0, 8.25, 7.125],
        "6": [0.11, 0.13, 0.12, 0.19, 0.14, 0.1],
    }
    medians = {name: all_medians(values) for name, values in tiny.items()}
    intervals = []
    for a, b in itertools.product(tiny, repeat=2):
        if a == "1" and b == "1":
            continue
        for confidence in (0.95, 0.8):
            low, high = ratio_interval(medians[a], medians[b], confidence)
            intervals.append({"numerator": a, "denominator": b, "confidence": confidence,
                              "low": low, "high": high})
    return {"samples": tiny, "medians": medians, "intervals": intervals}


def order_statistics():
    """P(bootstrap median = k-th sample) for odd n, by scipy's binomial distribution."""
    for n in (7, 9, 27, 63, 65, 101, 999):
        k = np.arange(1, n + 1)
        at_most = stats.binom.sf(n // 2, n, k / n)
        yield {"n": n, "probabilities": np.diff(np.concatenate([[0.0], at_most])).tolist()}


def main():
    expected = {
        "written_by": "tests/oracle/statistics.py",
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "summaries": list(summaries()),
        "bootstrap": bootstraps(),
        "order_statistics": [
            {"n": item["n"],
             "probabilities": [[i, p] for i, p in enumerate(item["probabilities"]) if p > 1e-9]}
            for item in order_statistics()
        ],
    }
    # One object a line: readable, and a change of one value is a change of one line.
    out = ["{"]
    for key in ("written_by", "numpy", "scipy"):
        out.append(f"{json.dumps(key)}: {json.dumps(expected[key])},")
    for key in ("summaries", "order_statistics"):
        rows = ",\n".join(json.dumps(row) for row in expected[key])
        out.append(f'"{key}": [\n{rows}\n],')
    bootstrap = expected["bootstrap"]
    rows = ",\n".join(json.dumps(row) for row in bootstrap["intervals"])
    out.append('"bootstrap": {')
    out.append(f'"samples": {json.dumps(bootstrap["samples"])},')
    medians = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in bootstrap["medians"].items())
    out.append(f'"medians": {{\n{medians}\n}},')
    out.append(f'"intervals": [\n{rows}\n]')
    out.append("}\n}")
    sys.stdout.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
