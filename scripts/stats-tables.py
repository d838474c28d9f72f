#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes tools/stats/testdata/*.tsv, the tables that the tests of tools/stats
compare with.  They come from scipy, from statsmodels and from the definitions
spelled out, never from the algorithms under test.

    apt-get install python3-scipy python3-statsmodels
    scripts/stats-tables.py             # then look at git diff: empty

Made with scipy 1.10.1, statsmodels 0.13.5, numpy 1.24.2.

Intervals are found by bisection on the p value of the shifted sample."""

import itertools
import pathlib

import numpy as np
from scipy import stats
from statsmodels.stats.multitest import multipletests

ALPHA = 0.05
FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tools/stats/testdata"
rng = np.random.default_rng(20241130)


def write(name, columns, rows):
    """One row a line, tab between columns, blank between values of a sample."""
    def text(cell):
        if isinstance(cell, str):
            return cell
        return " ".join(repr(float(v)) for v in np.atleast_1d(cell))

    with open(FOLDER / name, "w", encoding="ascii") as out:
        out.write("# SPDX-License-Identifier: GPL-2.0-or-later\n")
        out.write("# By scripts/stats-tables.py.\n")
        out.write("# " + "\t".join(columns) + "\n")
        for row in rows:
            out.write("\t".join(text(cell) for cell in row) + "\n")


def bisect(p_of_shift, centre, outside):
    """The last shift from centre (kept) to outside (rejected) that is kept."""
    if p_of_shift(outside) > ALPHA:
        return np.copysign(np.inf, outside - centre)
    for _ in range(60):
        middle = (centre + outside) / 2
        if p_of_shift(middle) > ALPHA:
            centre = middle
        else:
            outside = middle
    return centre


def walsh_median(d):
    pairs = itertools.combinations_with_replacement(d, 2)
    return np.median([(a + b) / 2 for a, b in pairs])


def sign_flip_rows():
    samples = {
        "one": [0.3],
        "two": [0.1, 0.4],
        "five_same_sign": [0.1, 0.2, 0.3, 0.4, 0.5],
        "six_same_sign": [0.11, 0.25, 0.32, 0.47, 0.5, 0.61],
        "six_negative": [-0.11, -0.25, -0.32, -0.47, -0.5, -0.61],
        "six_constant": [0.2] * 6,
        "six_zero": [0.0] * 6,
        "eight_tenths": [0.1, 0.2, 0.3, -0.1, 0.2, 0.3, 0.4, 0.1],
        "ten_with_zeros": [0.0, 0.0, 0.1, 0.1, -0.1, 0.2, 0.3, 0.0, 0.3, 0.1],
        "ten_outlier": [0.1, 0.12, 0.11, 0.09, 0.13, 0.1, 0.08, 0.12, 0.1, -2],
        "sum_is_zero": [0.1, -0.1, 0.2, -0.2, 0.3, -0.3, 0.4, -0.4],
    }
    for n in (6, 7, 8, 9, 10, 12, 14, 16):
        samples[f"normal_{n}"] = rng.normal(0.6, 1, n)
        samples[f"rounded_{n}"] = np.round(rng.normal(0.3, 0.5, n), 1)
        samples[f"cauchy_{n}"] = rng.standard_cauchy(n)
    for name, sample in samples.items():
        d = np.array(sample)
        n = len(d)
        p = 1.0
        if n > 1:
            p = stats.permutation_test(
                (d,), np.mean, permutation_type="samples", vectorized=True,
                n_resamples=np.inf).pvalue
        low = high = np.nan
        if n <= 12:
            signs = np.array(list(itertools.product((-1, 1), repeat=n)))

            def p_of_shift(theta):
                sums = np.abs(signs @ (d - theta))
                return np.mean(sums >= np.abs(np.sum(d - theta)) - 1e-11)

            reach = 10 * np.max(np.abs(d)) + 1
            low = bisect(p_of_shift, np.mean(d), -reach)
            high = bisect(p_of_shift, np.mean(d), reach)
        yield name, d, p, low, high, walsh_median(d)


def sampled_flip_rows():
    """Whole thousandths: then the distribution of the sum is a convolution and
    p is exact for any n."""
    for n, mean in ((21, 0), (24, 0.4), (40, 0.3), (64, 0.25), (65, 0.2),
                    (150, 0.15)):
        d = np.round(rng.normal(mean, 1, n) * 1000).astype(int)

        def p_of_shift(theta):
            e = np.abs(d - int(round(theta)))
            share = np.ones(1)
            for v in e:  # sum of sign * v, counted from -sum(e) in steps of 2 v
                share = (np.concatenate([share, np.zeros(v)]) +
                         np.concatenate([np.zeros(v), share])) / 2
            sums = 2 * np.arange(len(share)) - e.sum()
            observed = abs((d - int(round(theta))).sum())
            return share[np.abs(sums) >= observed].sum()

        low = bisect(p_of_shift, np.mean(d), -3000)
        high = bisect(p_of_shift, np.mean(d), 3000)
        yield (f"normal_{n}", d / 1000, p_of_shift(0), low / 1000, high / 1000,
               walsh_median(d / 1000))


def mann_whitney_rows():
    def row(name, method, x, y):
        x, y = np.array(x, float), np.array(y, float)
        low = high = np.nan
        if method == "permutation":
            ranks = stats.rankdata(np.concatenate([x, y]))
            p = stats.permutation_test(
                (ranks[:len(x)], ranks[len(x):]),
                lambda a, b, axis: np.sum(b, axis=axis), vectorized=True,
                n_resamples=np.inf).pvalue
        else:
            def p_of_shift(theta):
                return stats.mannwhitneyu(x, y - theta, method=method).pvalue

            p = p_of_shift(0)
            if len(np.unique(np.concatenate([x, y]))) == len(x) + len(y):
                # Not halfway on a difference, where x and y - theta tie.
                centre = np.median(y[:, None] - x) + 1e-9
                reach = 10 * (np.ptp(np.concatenate([x, y])) + 1)
                low = bisect(p_of_shift, centre, -reach)
                high = bisect(p_of_shift, centre, reach)
        return name, method, x, y, p, low, high, np.median(y[:, None] - x)

    yield row("one_one", "exact", [1], [2])
    yield row("essay", "exact", [10, 11, 13], [12, 14, 15])
    yield row("apart_3_3", "exact", [1, 2, 3], [4, 5, 6])
    yield row("apart_4_4", "exact", [1, 2, 3, 4], [5, 6, 7, 8])
    yield row("apart_1_39", "exact", [0.5], np.arange(1, 40))
    yield row("constant", "permutation", [2] * 6, [2] * 6)
    yield row("two_constants", "permutation", [2] * 6, [3] * 6)
    yield row("few_values", "permutation", [1, 1, 1, 2, 2], [1, 2, 2, 3, 3, 3])
    for m, n in ((2, 5), (3, 7), (5, 5), (6, 6), (6, 9), (10, 10), (12, 4),
                 (20, 20), (25, 25), (5, 100)):
        yield row(f"normal_{m}_{n}", "exact", rng.normal(0, 1, m),
                  rng.normal(0.8, 1, n))
    for m, n in ((3, 4), (4, 4), (5, 5), (6, 6), (8, 8), (7, 5), (4, 10)):
        yield row(f"rounded_{m}_{n}", "permutation",
                  np.round(rng.normal(0, 1, m)), np.round(rng.normal(1, 1, n)))
    for m, n in ((26, 26), (30, 40), (100, 80), (20, 200)):
        yield row(f"normal_{m}_{n}", "asymptotic", rng.normal(0, 1, m),
                  rng.normal(0.3, 1, n))
        yield row(f"rounded_{m}_{n}", "asymptotic",
                  np.round(rng.normal(0, 1, m)),
                  np.round(rng.normal(0.5, 1, n)))


def summary_rows():
    samples = [[3], [1, 2], [5, 1, 3], [1, 1, 1, 1], [4, 1, 3, 2],
               [1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16]]
    samples += [rng.normal(1000, 50, n) for n in (5, 6, 31, 100)]
    for x in samples:
        deviation = np.std(x, ddof=1) if len(x) > 1 else 0
        yield (np.array(x, float), np.median(x), np.min(x), np.max(x),
               np.mean(x), deviation)


def holm_rows():
    families = [[0.04], [0.03125, 0.03125], [0.03125] * 3, [0.01, 0.02, 0.03],
                [0.9, 0.001, 0.5, 0.02, 0.02], [1, 1, 0.5], [0.06, 0, 0.04]]
    families += [rng.uniform(0, 0.2, n) for n in (4, 10, 22)]
    for p in families:
        yield np.array(p, float), multipletests(p, method="holm")[1]


def trend_rows():
    def row(name, method, sample):
        v = np.array(sample, float)
        order = np.arange(len(v))
        if method != "permutation":
            result = stats.kendalltau(order, v, method=method)
            return name, method, v, result.statistic, result.pvalue

        def s_of(w):
            return sum(np.sign(w[j] - w[i]) for i in range(len(w))
                       for j in range(i + 1, len(w)))

        seen = abs(s_of(v))
        orders = [abs(s_of(w)) >= seen for w in itertools.permutations(v)]
        return (name, method, v, stats.kendalltau(order, v).statistic,
                np.mean(orders))

    yield row("two", "exact", [1, 2])
    yield row("falling_6", "exact", [6, 5, 4, 3, 2, 1])
    yield row("no_trend_4", "exact", [2, 4, 1, 3])
    for n in (5, 6, 7, 10, 14, 18):
        slope = 1.5 / n * np.arange(n)
        yield row(f"normal_{n}", "exact", rng.normal(0, 1, n) + slope)
    yield row("two_values", "permutation", [1, 1, 1, 2, 2, 2])
    yield row("one_differs", "permutation", [1, 1, 1, 1, 1, 2])
    for n in (5, 6, 7):
        yield row(f"rounded_{n}", "permutation", np.round(rng.normal(0, 1, n)))
    for n in (19, 40, 100):
        slope = 1.5 / n * np.arange(n)
        yield row(f"normal_{n}", "asymptotic", rng.normal(0, 1, n) + slope)
        yield row(f"rounded_{n}", "asymptotic",
                  np.round(rng.normal(0, 1, n) + slope))


write("sign_flip.tsv", ("case", "d", "p", "low", "high", "hodges_lehmann"),
      sign_flip_rows())
write("sign_flip_sampled.tsv",
      ("case", "d", "p", "low", "high", "hodges_lehmann"), sampled_flip_rows())
write("mann_whitney.tsv",
      ("case", "method", "x", "y", "p", "low", "high", "hodges_lehmann"),
      mann_whitney_rows())
write("summary.tsv", ("x", "median", "low", "high", "mean", "deviation"),
      summary_rows())
write("holm.tsv", ("p", "corrected"), holm_rows())
write("trend.tsv", ("case", "method", "values", "tau", "p"), trend_rows())
