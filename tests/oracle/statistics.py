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
from scipy import optimize, stats

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


def series():
    """In order of time: rising, falling, in no order, tied, long."""
    random = np.random.default_rng(20251121)
    yield "rising_6", [1.0, 2.0, 3.5, 4.0, 5.0, 9.0]
    yield "falling_9", (10 - np.arange(9) + random.normal(0, 1.5, 9)).tolist()
    for n in (3, 7, 9, 12, 27, 59, 60, 61, 200):
        yield f"noise_{n}", random.normal(1, 0.05, n).tolist()
    yield "drift_27", (1 + np.arange(27) / 300 + random.normal(0, 0.03, 27)).tolist()
    yield "ties_12", [1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 2.0, 4.0, 4.0, 5.0, 5.0, 1.0]


def trends():
    """Kendall's tau against time and the Theil-Sen slope."""
    for name, values in series():
        n, steps = len(values), np.arange(len(values))
        tied = len(set(values)) < n
        if n <= 60 and not tied:
            p = stats.kendalltau(steps, values, method="exact").pvalue
        else:
            # scipy's approximation has no correction for continuity: its parts, put together.
            tau = stats.kendalltau(steps, values, method="asymptotic")
            counts = np.unique(values, return_counts=True)[1]
            pairs = n * (n - 1) / 2
            score = tau.statistic * np.sqrt(pairs * (pairs - np.sum(counts * (counts - 1) / 2)))
            variance = (n * (n - 1) * (2 * n + 5)
                        - np.sum(counts * (counts - 1) * (2 * counts + 5))) / 18
            assert np.isclose(tau.pvalue, 2 * stats.norm.sf(abs(score) / np.sqrt(variance)), rtol=0.02)
            p = 2 * stats.norm.sf(max(abs(score) - 1, 0) / np.sqrt(variance))
        yield {"name": name, "samples": list(values), "p_value": float(min(p, 1)),
               "slope": float(stats.theilslopes(values, steps).slope)}


def nearest_unimodal(values):
    """The dip by its definition, as linear programmes: for each place of the mode, the least bound
    on the distance to a function that is convex before the mode and concave behind it."""
    x = np.sort(np.asarray(values, dtype=float))
    n = len(x)
    heads, feet = np.arange(1, n + 1) / n, np.arange(n) / n
    best = 1.0
    for mode in range(n):
        # Unknown: the function at each value, at the mode from both sides; the bound.
        left = list(range(mode + 1))
        right = list(range(mode + 1, n + 1))
        bound = n + 1
        rows, limits = [], []

        def at_most(terms, limit):
            row = np.zeros(n + 2)
            for place, factor in terms:
                row[place] += factor
            rows.append(row)
            limits.append(limit)

        def near(place, height):
            at_most([(place, 1), (bound, -1)], height)
            at_most([(place, -1), (bound, -1)], -height)

        for i in range(n):
            place = i if i <= mode else i + 1
            near(place, feet[i])
            near(place if i != mode else mode + 1, heads[i])
        at_most([(mode, 1), (mode + 1, -1)], 0)
        for places, values_x, bend in ((left, x[:mode + 1], 1), (right, x[mode:], -1)):
            for a, b in zip(places, places[1:]):
                at_most([(a, 1), (b, -1)], 0)
            for k in range(len(places) - 2):
                before, after = np.diff(values_x[k:k + 3])
                at_most([(places[k], -bend / before), (places[k + 1], bend / before + bend / after),
                         (places[k + 2], -bend / after)], 0)
        cost = np.zeros(n + 2)
        cost[bound] = 1
        found = optimize.linprog(cost, A_ub=np.array(rows), b_ub=limits, bounds=[(0, 1)] * (n + 2),
                                 method="highs")
        if found.status == 0:
            best = min(best, found.x[bound])
    return float(best)


def dips():
    random = np.random.default_rng(20251122)
    yield "two", [1.0, 2.0]
    yield "even_5", [1.0, 2.0, 3.0, 4.0, 5.0]
    yield "pairs_8", [0.0, 0.1, 0.2, 0.3, 9.0, 9.1, 9.2, 9.3]
    for n in (3, 4, 6, 9, 12, 17, 27):
        yield f"uniform_{n}", random.random(n).tolist()
        yield f"normal_{n}", random.normal(0, 1, n).tolist()
        humps = random.normal(0, 1, n) + np.where(random.random(n) < 0.5, 0, 8)
        yield f"humps_{n}", humps.tolist()


def main():
    expected = {
        "written_by": "tests/oracle/statistics.py",
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "summaries": list(summaries()),
        "bootstrap": bootstraps(),
        "trends": list(trends()),
        "dips": [{"name": name, "samples": values, "dip": nearest_unimodal(values)}
                 for name, values in dips()],
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
    for key in ("summaries", "trends", "dips", "order_statistics"):
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
