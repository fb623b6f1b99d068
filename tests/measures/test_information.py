"""Mutual information against closed forms, scikit-learn, and itself on the same data in another form."""

from __future__ import annotations

import signal
import threading
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from portions import mostly_slow
from scipy.special import digamma
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

from altsets.errors import InputError
from altsets.measures import mutual_info, pairwise, symmetrical_uncertainty
from altsets.measures.information.columns import bin_column
from altsets.measures.workers import n_threads


def of_pair(x, y, **options):
    """The information of two continuous columns."""
    options = {"discrete": False, **options}
    return float(pairwise(np.column_stack([x, y]), **options)[0, 1])


def of_table(p):
    """The information in a table of probabilities."""
    independent = p.sum(axis=1, keepdims=True) * p.sum(axis=0, keepdims=True)
    seen = p > 0
    return float((p[seen] * np.log(p[seen] / independent[seen])).sum())


def counted(x, y):
    _, x = np.unique(x, return_inverse=True)
    _, y = np.unique(y, return_inverse=True)
    table = np.zeros((x.max() + 1, y.max() + 1))
    np.add.at(table, (x, y), 1 / len(x))
    return of_table(table)


def normal_pair(rng, rho, n):
    x = rng.normal(size=n)
    return x, rho * x + np.sqrt(1 - rho**2) * rng.normal(size=n)


def mixed_columns(rng, n=200):
    """Continuous, rounded, of few values, with many zeros, in steps of a tenth, skewed."""
    x = rng.normal(size=n)
    return np.column_stack(
        [
            x,
            (x + rng.normal(size=n)).round(),
            rng.integers(0, 3, n),
            np.where(rng.random(n) < 0.6, 0.0, rng.normal(size=n)),
            rng.integers(0, 40, n) / 10,
            np.exp(2 * x + rng.normal(size=n)),
        ]
    )


# --- Closed forms ---
@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6, 0.9, 0.99])
def test_normal_variables(rho):
    rng = np.random.default_rng(0)
    exact = -0.5 * np.log(1 - rho**2)
    found = [of_pair(*normal_pair(rng, rho, 1000)) for _ in range(10)]
    assert np.mean(found) == pytest.approx(exact, abs=0.02)


def rounded_normal_information(rho, step):
    centres = np.arange(-np.ceil(6 / step), np.ceil(6 / step) + 1) * step
    grid = (centres[:, None] + step * (np.arange(9) - 4) / 9).ravel()
    x, y = np.meshgrid(grid, grid, indexing="ij")
    dense = np.exp(-(x**2 - 2 * rho * x * y + y**2) / (2 * (1 - rho**2)))
    n = len(centres)
    table = dense.reshape(n, 9, n, 9).sum(axis=(1, 3))
    return of_table(table / table.sum())


@pytest.mark.parametrize("rho", [0.0, 0.9])
@pytest.mark.parametrize("step", [0.05, 0.3, 1.0])
def test_rounded_normal_variables(rho, step):
    rng = np.random.default_rng(1)
    found = []
    for _ in range(10):
        x, y = normal_pair(rng, rho, 500)
        found.append(of_pair(np.round(x / step) * step, np.round(y / step) * step))
    assert np.mean(found) == pytest.approx(rounded_normal_information(rho, step), abs=0.035)


@pytest.mark.parametrize("n", [400, 4000])
def test_a_table_of_full_cells_is_nearly_the_count(n):
    rng = np.random.default_rng(4)
    x = rng.integers(0, 4, n)
    y = np.where(rng.random(n) < 0.5, x, rng.integers(0, 4, n))
    plain = counted(x, y)
    # psi(c) = log(c) - 1 / (2 c): the usual correction of the bias of counts, here that of 16 cells, 4 + 4 values.
    assert of_pair(x, y) == pytest.approx(plain + (4 + 4 - 16 - 1) / (2 * n), abs=2 / n)
    assert of_pair(x, y, discrete=True) == pytest.approx(plain, abs=1e-12)


def test_information_of_a_column_and_a_line_through_it():
    rng = np.random.default_rng(5)
    x = rng.normal(size=300)
    exact = digamma(300) - digamma(4)
    for other in (x, 3 * x + 1, -x / 7, x * 1e150):
        assert of_pair(x, other) == pytest.approx(exact, abs=1e-12)
    assert of_pair(x, x) == pytest.approx(mutual_info_regression(x[:, None], x, random_state=0)[0])


def test_bins_near_the_closed_form():
    x, y = normal_pair(np.random.default_rng(6), 0.8, 20_000)
    assert of_pair(x, y, method="bins") == pytest.approx(-0.5 * np.log(1 - 0.64), abs=0.05)
    assert of_pair(x, y, method="bins", n_bins=4) == pytest.approx(
        counted(bin_column(x, 4), bin_column(y, 4))
    )
    # Any growing function of a column has the same bins.
    assert of_pair(np.exp(x), y**3, method="bins") == of_pair(x, y, method="bins")


def test_bins_are_of_equal_frequency_and_keep_ties_together():
    rng = np.random.default_rng(7)
    assert np.unique(bin_column(rng.normal(size=1000), 8), return_counts=True)[1].tolist() == [125] * 8
    x = rng.integers(0, 30, 500).astype(float)
    assert len(set(zip(x, bin_column(x, 5), strict=True))) == len(set(x))
    for share in (0.5, 0.1, 0.01, 0.99):
        assert len(np.unique(bin_column((rng.random(300) < share).astype(float), 2))) == 2


# --- scikit-learn ---
@pytest.mark.parametrize("k", [1, 6])
def test_without_ties_the_values_are_those_of_scikit_learn(k):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(300, 5)) @ rng.normal(size=(5, 5))
    X[:, 2] = np.exp(X[:, 2])
    y = X[:, 0] + rng.normal(size=300)
    classes = np.digitize(y, [-1, 0, 3])
    ours = mutual_info(X, y, discrete=False, n_neighbors=k)
    assert ours == pytest.approx(mutual_info_regression(X, y, n_neighbors=k, random_state=0), abs=1e-6)
    ours = mutual_info(X, classes, discrete=False, n_neighbors=k)
    assert ours == pytest.approx(mutual_info_classif(X, classes, n_neighbors=k, random_state=0), abs=1e-6)
    rows = [mutual_info_regression(X, column, n_neighbors=k, random_state=0) for column in X.T]
    assert pairwise(X, discrete=False, n_neighbors=k) == pytest.approx(np.array(rows), abs=1e-6)


@pytest.mark.parametrize("seed", mostly_slow(range(3), 1))
@pytest.mark.parametrize("some_discrete", [False, True])
def test_parity_with_scikit_learn(seed, some_discrete):
    rng = np.random.default_rng(seed)
    X = mixed_columns(rng, n=int(rng.integers(30, 400)))
    mask = np.array([False, True, True, False, False, False]) & some_discrete
    codes = X.copy()
    for index in np.flatnonzero(mask):
        codes[:, index] = np.unique(X[:, index], return_inverse=True)[1]
    options = {"discrete": mask, "method": "sklearn", "random_state": seed}
    theirs = {"discrete_features": mask, "random_state": seed}
    y = X[:, 0] + X[:, 2]
    amounts = mutual_info(X, y, task="regression", **options)
    assert amounts == pytest.approx(mutual_info_regression(codes, y, **theirs), abs=1e-6)
    classes = rng.integers(0, 4, len(X)) + X[:, 2]
    labels = mutual_info(X, classes, task="classification", **options)
    assert labels == pytest.approx(mutual_info_classif(codes, classes.astype(int), **theirs), abs=1e-6)
    rows = [
        mutual_info_classif(codes, column.astype(int), **theirs)
        if mask[index]
        else mutual_info_regression(codes, column, **theirs)
        for index, column in enumerate(codes.T)
    ]
    assert pairwise(X, **options) == pytest.approx(np.array(rows), abs=1e-6)


@pytest.mark.slow
def test_parity_in_small_classes():
    rng = np.random.default_rng(20)
    X = mixed_columns(rng)
    y = rng.integers(0, 60, 200)
    ours = mutual_info(X, y, task="classification", discrete=False, method="sklearn")
    assert ours == pytest.approx(mutual_info_classif(X, y, random_state=25), abs=1e-6)
    X[:, 0] = y
    mask = np.arange(X.shape[1]) == 0
    rows = pairwise(X, discrete=mask, method="sklearn")
    for index, column in enumerate(X.T):
        estimate = mutual_info_classif if mask[index] else mutual_info_regression
        theirs = estimate(
            X, column.astype(int) if mask[index] else column, discrete_features=mask, random_state=25
        )
        assert rows[index] == pytest.approx(theirs, abs=1e-6)


def test_only_the_jitter_depends_on_the_seed():
    X = mixed_columns(np.random.default_rng(9))
    jittered = [pairwise(X, discrete=False, method="sklearn", random_state=seed) for seed in (1, 2)]
    assert np.abs(jittered[0] - jittered[1]).max() > 0.01
    ours = [pairwise(X, discrete=False, random_state=seed) for seed in (1, 2)]
    assert (ours[0] == ours[1]).all()
    # The mean over seeds is what the treatment of ties is after.
    mean = np.mean([pairwise(X, discrete=False, method="sklearn", random_state=s) for s in range(20)], axis=0)
    apart = ~np.eye(6, dtype=bool)
    assert np.abs(ours[0] - (mean + mean.T) / 2)[apart].max() < 0.04


# --- The same data in another form ---
def brute_force(x, y, k=3):
    """The formulas of the module, word for word, on a matrix of all distances."""
    n = len(x)
    dx, dy = (np.abs(np.subtract.outer(c, c)) / np.std(c) for c in (x, y))
    d = np.maximum(dx, dy)
    np.fill_diagonal(d, np.inf)
    terms = []
    for i in range(n):
        r = np.sort(d[i])[k - 1]
        low, high = r - 1e-9, r + 1e-9
        others = np.arange(n) != i
        inside = [int((c[i] < low)[others].sum()) for c in (dx, dy)]
        within = [int((c[i] <= high)[others].sum()) for c in (dx, dy)]
        ball = d[i] <= high
        if low <= 0:
            terms.append(digamma(ball.sum() + 1) - sum(digamma(m + 1) for m in within))
            continue
        border = ball & (d[i] >= low)
        sides = [border & (c[i] >= low) for c in (dx, dy)]
        corners = (sides[0] & sides[1]).sum()
        b, q = border.sum(), k - (ball & ~border).sum()
        total = digamma(k)
        for m, all_within, side in zip(inside, within, sides, strict=True):
            share = (side.sum() * (q - 1) + corners / 2) / b + (all_within - m - side.sum()) * q / (b + 1)
            whole, part = int(m + share), m + share - int(m + share)
            total -= (1 - part) * digamma(whole + 1) + part * digamma(whole + 2)
        terms.append(total)
    return max(0.0, digamma(n) + np.mean(terms))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("k", [1, 3, 4])
def test_the_kernel_follows_the_formulas(seed, k):
    rng = np.random.default_rng(seed)
    X = mixed_columns(rng, n=int(rng.integers(10, 150)))
    found = pairwise(X, discrete=False, n_neighbors=k)
    for i, j in [(0, 1), (1, 2), (1, 4), (3, 4), (3, 5), (4, 4), (0, 5)]:
        assert found[i, j] == pytest.approx(brute_force(X[:, i], X[:, j], k), abs=1e-5), (i, j)


@pytest.mark.parametrize("method", ["neighbors", "bins"])
@pytest.mark.parametrize("discrete", ["auto", False])
def test_order_of_rows_and_columns_and_threads_change_no_bit(method, discrete):
    rng = np.random.default_rng(10)
    X = mixed_columns(rng, n=300)
    options = {"method": method, "discrete": discrete}
    found = pairwise(X, n_jobs=1, **options)
    assert (found == found.T).all()
    columns = rng.permutation(6)
    assert (pairwise(X[:, columns], n_jobs=3, **options) == found[np.ix_(columns, columns)]).all()
    assert (pairwise(X[rng.permutation(300)], **options) == found).all()
    y = X[:, 0] + X[:, 4]
    with_target = mutual_info(X, y, task="regression", n_jobs=1, **options)
    rows = rng.permutation(300)
    again = mutual_info(X[rows][:, columns], y[rows], task="regression", n_jobs=2, **options)
    assert (again == with_target[columns]).all()


@pytest.mark.parametrize("discrete", ["auto", False])
def test_units_do_not_matter(discrete):
    rng = np.random.default_rng(11)
    X = mixed_columns(rng, n=300)
    found = pairwise(X, discrete=discrete)
    powers = 2.0 ** np.array([3, -40, 0, 10, -500, 200])
    assert (pairwise(X * powers, discrete=discrete) == found).all()
    for scale in (3.0, 1 / 7, 1e-200, 1e250, -1.0):
        assert pairwise(X * scale, discrete=discrete) == pytest.approx(found, abs=1e-9)
    # scikit-learn's jitter would be a tenth of the standard deviation.
    far = np.column_stack([X[:, 0] * 1e-6 + 1000, X[:, 5]])
    assert pairwise(far, discrete=discrete)[0, 1] == pytest.approx(found[0, 5], abs=1e-3)
    whole = X[:, [1, 2]]
    assert (pairwise(whole + 1024, discrete=discrete) == pairwise(whole, discrete=discrete)).all()


small = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=40)


@settings(max_examples=30, deadline=None)
@given(small, st.integers(1, 4), st.booleans())
def test_any_small_table_of_whole_numbers(rows, k, strict):
    X = np.array(rows, dtype=float)
    method = "sklearn" if strict else "neighbors"
    found = pairwise(X, warn=False, discrete=False, n_neighbors=k, method=method)
    assert np.isfinite(found).all()
    assert (found >= 0).all()
    constant = X.min(axis=0) == X.max(axis=0)
    assert not found[constant].any()
    assert not found[:, constant].any()
    if not strict and not constant.any() and len(X) > k:
        assert found[0, 1] == pytest.approx(brute_force(*X.T, k), abs=1e-5)


def test_constant_columns_and_targets_of_all_kinds():
    rng = np.random.default_rng(12)
    X = np.column_stack([np.full(60, 0.1), rng.normal(size=60), np.zeros(60)])
    for method in ("neighbors", "bins", "sklearn"):
        for y in (rng.normal(size=60), rng.integers(0, 2, 60)):
            for discrete in ("auto", False, True):
                scores = mutual_info(X, y, method=method, discrete=discrete)
                assert scores[0] == scores[2] == 0.0
                assert np.isfinite(scores).all()


def test_classes_of_one_row_are_left_out():
    rng = np.random.default_rng(13)
    x = rng.normal(size=100)
    y = rng.integers(0, 2, 100)
    alone = np.append(y, [2, 3, 4])
    longer = np.append(x, [0.1, -0.2, 5.0])
    expected = mutual_info_classif(longer[:, None], alone, random_state=0)
    assert mutual_info(longer[:, None], alone, discrete=False) == pytest.approx(expected, abs=1e-6)


# --- Symmetrical uncertainty ---
def test_symmetrical_uncertainty_is_a_share_of_the_entropies():
    rng = np.random.default_rng(14)
    X = rng.integers(0, 3, size=(200, 3)).astype(float)
    X[:, 1] = np.where(rng.random(200) < 0.7, X[:, 0], X[:, 1])
    y = X[:, 0] * 2
    expected = [2 * counted(c, y) / (counted(c, c) + counted(y, y)) for c in X.T]
    assert symmetrical_uncertainty(X, y) == pytest.approx(expected)
    assert symmetrical_uncertainty(X, y)[0] == 1.0
    found = pairwise(X, "symmetrical_uncertainty")
    assert found[0] == pytest.approx(expected)
    assert (found == found.T).all()
    assert found.diagonal().tolist() == [1.0] * 3
    X[:, 2] = 5
    assert symmetrical_uncertainty(X, y)[2] == 0
    assert not pairwise(X, "symmetrical_uncertainty", warn=False)[2].any()


# --- Work ---
def test_memory_does_not_grow_with_pairs_times_rows():
    X = np.random.default_rng(15).normal(size=(400, 120))
    pairwise(X[:, :3])
    tracemalloc.start()
    pairwise(X, method="bins")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The pairs times rows, in single bytes, would be twice as many.
    assert peak < 400 * 120 * 120 / 4


def test_progress_rises_to_one():
    shares = []
    X = np.random.default_rng(16).normal(size=(300, 40))
    found = pairwise(X, callback=shares.append)
    assert shares == sorted(shares)
    assert shares[0] >= 0
    assert shares[-1] == 1.0
    assert (found == pairwise(X)).all()


class Enough(Exception):
    pass


def big_table():
    # A pair takes a second: the end comes in the middle of it.
    return np.random.default_rng(17).normal(size=(400_000, 10))


@pytest.mark.slow
def test_what_progress_raises_ends_the_work():
    X = big_table()
    threads = threading.active_count()
    shares = []

    def later(share):
        shares.append(share)
        if len(shares) > 2:
            raise Enough

    with pytest.raises(Enough):
        mutual_info(X, X[:, 0] + X[:, 1], task="regression", callback=later)
    assert shares[-1] < 1
    assert threading.active_count() == threads


@pytest.mark.slow
def test_ctrl_c_ends_the_work():
    X = big_table()
    threads = threading.active_count()
    shares = []

    def interrupt(share):
        shares.append(share)
        if len(shares) == 1:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        mutual_info(X, X[:, 0], task="regression", callback=interrupt)
    assert shares[-1] < 1
    assert threading.active_count() == threads


def test_an_error_in_a_thread_is_raised(monkeypatch):
    from altsets._kernels import neighbours

    class Broken:
        def __init__(self, *_):
            raise Enough

    monkeypatch.setattr(neighbours, "Pairs", Broken)
    with pytest.raises(Enough):
        pairwise(np.eye(5))


# --- Refusals ---
@pytest.mark.parametrize(("options", "message"), [
    ({"method": "knn"}, r"method='knn' is unknown; choose one of 'neighbors', 'bins', 'sklearn'"),
    ({"n_neighbors": 0}, "n_neighbors=0 is too small; it must be at least 1"),
    ({"n_neighbors": 2.5}, "n_neighbors=2.5"),
    ({"n_bins": 1}, "n_bins=1 is too small; it must be at least 2"),
    ({"n_jobs": 0}, "n_jobs=0 must be a whole number other than 0, or None"),
    ({"n_jobs": "all"}, "n_jobs='all'"),
])  # fmt: skip
def test_options_that_are_refused(options, message):
    X = np.random.default_rng(18).normal(size=(30, 2))
    with pytest.raises(InputError, match=message):
        pairwise(X, **options)
    with pytest.raises(InputError, match=message):
        mutual_info(X, X[:, 0], **options)


def test_numbers_of_threads(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert [n_threads(n) for n in (None, -1, -2, -20, 1, 5)] == [8, 8, 7, 1, 1, 5]
