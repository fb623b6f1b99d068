"""ReliefF by hand, by brute force, and as other implementations have it."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine

from altsets.errors import InputError
from altsets.measures import relief
from altsets.measures.workers import map_in_order, n_threads

FIXTURES = Path(__file__).parents[1] / "fixtures"


def by_definition(X, y, k, *, discrete, amounts=False, classic=False, first=False):
    """ReliefF as the documentation describes it, row by row, with fractions of ties or the first ones."""
    n_rows, n_columns = X.shape
    mixed = discrete.any() and not discrete.all()
    spans = np.where(discrete, 1.0, np.ptp(X, axis=0))
    limits = np.where(discrete, np.inf, np.std(X, axis=0) if mixed and not classic else np.inf)
    result = np.zeros(n_columns)
    for i in range(n_rows):
        apart = np.abs(X - X[i])
        distance = (apart / spans)[:, ~discrete].sum(axis=1)
        if discrete.any():
            distance = distance + (apart[:, discrete] > 0).mean(axis=1) * (
                discrete.sum() if classic else n_columns
            )
        distance = distance.round(12)
        differences = np.where(discrete, apart > 0, np.where(apart > limits, 1.0, apart / spans))
        labels = (np.abs(y - y[i]) >= np.std(y, ddof=1)).astype(int) if amounts else y
        own = 0 if amounts else y[i]
        means, counts = {}, {}
        for label in np.unique(labels):
            rows = [j for j in range(n_rows) if labels[j] == label and j != i]
            if not rows:
                continue
            rows.sort(key=lambda j: (distance[j], j))
            counts[label] = min(k, len(rows))
            last = distance[rows[counts[label] - 1]]
            closer = [j for j in rows if distance[j] < last]
            tied = [j for j in rows if distance[j] == last]
            if first:
                tied = tied[: counts[label] - len(closer)]
            part = differences[closer].sum(axis=0)
            part = part + differences[tied].mean(axis=0) * (counts[label] - len(closer))
            means[label] = part / counts[label]
        misses = sum(counts[label] for label in counts if label != own)
        for label, mean in means.items():
            if label == own:
                result -= mean
            elif classic:
                result += mean * np.mean(y == label) / (1 - np.mean(y == own))
            else:
                n_others = 1 if amounts else len(np.unique(y)) - 1
                result += mean * (counts[label] / misses) ** 2 * n_others
    return result / n_rows


def table(seed, n_rows=40, kinds="cccdd", n_classes=2):
    """Continuous (c) and discrete (d) columns, classes that depend on the first and the last."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [rng.normal(size=n_rows) if kind == "c" else rng.integers(0, 4, n_rows) * 0.5 for kind in kinds]
    )
    signal = X[:, 0] + X[:, -1] + 0.3 * rng.normal(size=n_rows)
    y = np.searchsorted(np.quantile(signal, np.arange(1, n_classes) / n_classes), signal)
    return X, y, np.array([kind == "d" for kind in kinds])


# --- By hand ---
def test_four_rows_by_hand():
    # Row 0 differs from its hit (row 1) by 0.2 and from its miss (row 2) by 0.8; and so on.
    X = [[0.0], [2.0], [8.0], [10.0]]
    expected = ((0.8 - 0.2) + (0.6 - 0.2) + (0.6 - 0.2) + (0.8 - 0.2)) / 4
    assert relief(X, ["a", "a", "b", "b"], n_neighbors=1, discrete=False) == pytest.approx([expected])


def test_interaction_counts_where_single_columns_say_nothing():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(300, 4))
    scores = relief(X, X[:, 0] ^ X[:, 1])
    assert scores[:2].min() > 0.3
    assert scores[2:].max() < 0


def test_amounts_by_hand():
    # The standard deviation of the target is 5.2: rows 0 and 1 are hits of each other, so are rows 2 and 3.
    X = [[0.0], [1.0], [3.0], [4.0]]
    y = [0.5, 1.5, 10.0, 11.0]
    expected = ((3 / 4 - 1 / 4) + (2 / 4 - 1 / 4)) * 2 / 4
    assert relief(X, y, n_neighbors=1, discrete=False) == pytest.approx([expected])


# --- By brute force ---
@pytest.mark.parametrize("kinds", ["cccc", "dddd", "ccdd", "c", "d"])
@pytest.mark.parametrize(("n_classes", "k"), [(2, 1), (2, 7), (3, 4), (5, 50)])
@pytest.mark.parametrize("variant", ["rebate", "classic"])
def test_classes_follow_the_definition(kinds, n_classes, k, variant):
    X, y, discrete = table(n_classes + k, kinds=kinds, n_classes=n_classes)
    expected = by_definition(X, y, k, discrete=discrete, classic=variant == "classic")
    assert np.abs(expected).max() > 0.01
    assert relief(X, y, n_neighbors=k, variant=variant) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kinds", ["cccc", "dddd", "ccdd"])
@pytest.mark.parametrize("k", [1, 5, 100])
def test_amounts_follow_the_definition(kinds, k):
    X, y, discrete = table(k, kinds=kinds, n_classes=30)
    y = y * 1.25
    expected = by_definition(X, y, k, discrete=discrete, amounts=True)
    assert relief(X, y, task="regression", n_neighbors=k) == pytest.approx(expected, abs=1e-12)


def rrelieff(X, y, k, discrete):
    """RReliefF by its formula: probabilities of differing among neighbours, with fractions of ties."""
    n_rows = len(X)
    spans = np.where(discrete, 1.0, np.ptp(X, axis=0))
    targets, differing, both = 0.0, 0.0, 0.0
    for i in range(n_rows):
        differences = np.where(discrete, X[i] != X, np.abs(X - X[i]) / spans)
        distance = differences.sum(axis=1).round(12)
        distance[i] = np.inf
        last = np.sort(distance)[min(k, n_rows - 1) - 1]
        weights = np.where(distance < last, 1.0, 0.0)
        weights[distance == last] = (min(k, n_rows - 1) - weights.sum()) / np.sum(distance == last)
        weights /= weights.sum()
        apart = np.abs(y - y[i]) / np.ptp(y)
        targets += weights @ apart
        differing += weights @ differences
        both += (weights * apart) @ differences
    return both / targets - (differing - both) / (n_rows - targets)


@pytest.mark.parametrize("kinds", ["cccc", "dddd", "ccdd"])
@pytest.mark.parametrize("k", [1, 6, 100])
def test_classic_amounts_follow_the_formula(kinds, k):
    X, y, discrete = table(k, kinds=kinds, n_classes=30)
    expected = rrelieff(X, y, k, discrete)
    assert np.abs(expected).max() > 0.01
    for scale in (1.25, 5e306):
        found = relief(X, y * scale, task="regression", n_neighbors=k, variant="classic")
        assert found == pytest.approx(expected, abs=1e-12)


def test_classic_amounts_without_any_difference_among_neighbours():
    X = [[0.0], [0.1], [5.0], [5.1]]
    found = relief(X, [0, 0, 1, 1], task="regression", n_neighbors=1, variant="classic", discrete=False)
    # Nobody's neighbour differs in the target; they differ by a 51st of the range.
    assert found == pytest.approx([-1 / 51])
    always = relief(X, [0, 1, 0, 1], task="regression", n_neighbors=1, variant="classic", discrete=False)
    assert always == pytest.approx([1 / 51])


# --- Other implementations: see fixtures/README.md ---
def cases():
    frozen = json.loads((FIXTURES / "skrebate.json").read_text(encoding="utf-8"))
    wine, classes = load_wine(return_X_y=True)
    columns = json.loads((FIXTURES / "wine.json").read_text(encoding="utf-8"))["columns"]
    binned = np.array([list(map(int, column)) for column in columns]).T
    amounts, target = load_diabetes(return_X_y=True)
    levels = np.array([list(map(int, row)) for row in frozen["untied_levels"]])
    return frozen, {
        "wine": (wine, classes, 10),
        "wine_two_classes": (wine[classes < 2], classes[classes < 2], 25),
        "wine_mixed": (np.where(np.arange(13) < 6, binned, wine), classes, 10),
        "diabetes": (amounts, target, 10),
        "diabetes_continuous": (np.delete(amounts, 1, axis=1), target, 40),
        "levels": (levels, np.arange(12) % 2, 3),
    }


@pytest.mark.parametrize("ties", ["share", "sort"])
@pytest.mark.parametrize("name", list(cases()[1]))
def test_skrebate_agrees(name, ties):
    frozen, tables = cases()
    X, y, k = tables[name]
    assert relief(X, y, n_neighbors=k, ties=ties) == pytest.approx(np.array(frozen[name]), abs=1e-9)


# --- What must not matter ---
def test_shared_ties_are_the_mean_over_all_ways_to_decide():
    X, y, discrete = table(5, n_rows=12, kinds="ddd")
    rng = np.random.default_rng(2)
    parts = []
    for _ in range(200):
        order = rng.permutation(len(y))
        parts.append(by_definition(X[order], y[order], 3, discrete=discrete, first=True))
    assert np.std(parts, axis=0).max() > 0.01
    assert relief(X, y, n_neighbors=3) == pytest.approx(np.mean(parts, axis=0), abs=0.01)


def test_units_of_columns_and_of_amounts_do_not_matter():
    X, y, _ = table(6, kinds="cccd", n_classes=3)
    scaled = X * [1e300, 1e-300, -2.0, 7.0] + [0.0, 0.0, 1e3, 5.0]
    assert relief(scaled, y) == pytest.approx(relief(X, y), abs=1e-9)
    huge = X / np.abs(X).max(axis=0) * 1.7e308
    assert relief(huge[:, :3], y, discrete=False) == pytest.approx(relief(X[:, :3], y, discrete=False))
    target = X[:, 0] + X[:, 1]
    assert relief(X, target * 1e307) == pytest.approx(relief(X, target))


def test_names_of_classes_and_levels_do_not_matter():
    X, y, _ = table(7, kinds="ddd", n_classes=3)
    assert relief(3.5 - X, np.array(["z", "a", "k"])[y]) == pytest.approx(relief(X, y))


def test_threads_do_not_matter_to_the_last_bit():
    X, y, _ = table(8, n_rows=400, n_classes=3)
    first = relief(X, y, n_jobs=1)
    for n_jobs in (2, 3, None, -1):
        assert relief(X, y, n_jobs=n_jobs).tolist() == first.tolist()


def test_a_constant_column_scores_nothing_however_it_is_taken():
    X, y, _ = table(9, kinds="ccc")
    X[:, 1] = 3.25
    for discrete in ("auto", True, False):
        assert relief(X, y, discrete=discrete)[1] == 0.0
        assert relief(X, X[:, 0], discrete=discrete, variant="classic")[1] == 0.0


def test_what_is_discrete_can_be_said():
    X, y, discrete = table(10, kinds="cdcd")
    assert relief(X, y, discrete=discrete).tolist() == relief(X, y).tolist()
    assert relief(X, y, discrete=False).tolist() == relief(X, y, discrete_threshold=1).tolist()
    assert relief(X, y, discrete=True).tolist() == relief(X, y, discrete_threshold=40).tolist()
    assert relief(X, y, discrete=True).tolist() != relief(X, y, discrete=False).tolist()


def test_categories_are_discrete_whatever_is_said(mixed):
    frame, classes, amounts = mixed
    table = frame[["town", "sex"]].assign(n=np.arange(len(frame)))
    codes = table.assign(
        town=frame["town"].astype("category").cat.codes, sex=(frame["sex"] == "m").astype(int)
    )
    for y in (classes, amounts):
        expected = relief(codes, y, discrete=[True, True, False])
        for discrete in ("auto", False, [False, True, False]):
            assert relief(table, y, discrete=discrete).tolist() == expected.tolist()


def test_missing_values_are_refused(mixed, refused):
    frame, classes, _ = mixed
    with refused(InputError):
        relief(frame, classes)


def test_some_rows_stand_for_all():
    X, y, _ = table(11, n_rows=600, kinds="ccc")
    everything = relief(X, y)
    assert relief(X, y, n_samples=600).tolist() == everything.tolist()
    part = relief(X, y, n_samples=300)
    assert part == pytest.approx(everything, abs=0.03)
    assert part.tolist() == relief(X, y, n_samples=300).tolist()
    assert part.tolist() != relief(X, y, n_samples=300, random_state=1).tolist()


def test_a_class_of_one_row_has_no_hits():
    assert relief([[0.0], [1.0], [1.0]], ["a", "b", "b"], n_neighbors=1).tolist() == [1.0]


@pytest.mark.parametrize(("options", "message"), [
    ({"n_neighbors": 0}, "n_neighbors=0 is too small; it must be at least 1"),
    ({"n_neighbors": 2.5}, "n_neighbors=2.5 is not a whole number"),
    ({"n_samples": -1}, "n_samples=-1 is too small"),
    ({"discrete": "maybe"}, "discrete must be 'auto'.*got 'maybe'"),
    ({"discrete": [True]}, "5 bools"),
    ({"discrete_threshold": None}, "discrete_threshold=None"),
    ({"variant": "new"}, "variant='new' is unknown; choose one of 'rebate', 'classic'"),
    ({"ties": "coin"}, "ties='coin' is unknown; choose one of 'share', 'sort'"),
    ({"n_jobs": 0}, "n_jobs=0 must be a whole number"),
    ({"n_jobs": 1.5}, "n_jobs=1.5 must be a whole number"),
    ({"task": "ranking"}, "task='ranking' is unknown"),
])  # fmt: skip
def test_options_that_are_refused(options, message):
    X, y, _ = table(0)
    with pytest.raises(InputError, match=message):
        relief(X, y, **options)


# --- Progress and stopping ---
def test_progress_goes_from_nothing_to_all_in_the_calling_thread():
    X, y, _ = table(12, n_rows=300)
    told = []
    relief(X, y, callback=lambda share: told.append((share, threading.get_ident())))
    shares = [share for share, _ in told]
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert shares == sorted(shares)
    assert {ident for _, ident in told} == {threading.get_ident()}


@pytest.mark.parametrize("kind", [KeyboardInterrupt, RuntimeError])
def test_what_progress_raises_ends_the_work(kind):
    X, y, _ = table(13, n_rows=4_000, kinds="c" * 20)

    def stop(share):
        if share > 0:
            raise kind("enough")

    before = threading.active_count()
    with pytest.raises(kind, match="enough"):
        relief(X, y, callback=stop)
    assert threading.active_count() == before


def test_chunks_come_in_order_and_errors_come_through():
    started, results = [], []

    def work(chunk):
        started.append(chunk)
        if chunk == 5:
            raise ZeroDivisionError
        time.sleep(0.05 * (chunk > 8))
        return chunk

    with pytest.raises(ZeroDivisionError):
        results.extend(map_in_order(work, 1000, n_jobs=2))
    assert len(started) < 1000
    assert list(map_in_order(lambda chunk: None, 3, n_jobs=2)) == [None] * 3
    assert n_threads(None) == n_threads(-1) >= 1
