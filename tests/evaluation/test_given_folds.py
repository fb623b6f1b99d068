"""Folds that a user brings: rows on both sides, twice, or not at all."""

import numpy as np
import pytest

import altsets
from altsets.errors import InputError

X = np.random.default_rng(1).normal(size=(12, 3))
Y = [0, 1] * 6
EVEN, ODD = [*list(range(0, 12, 2)), 1], list(range(3, 12, 2))
GOOD = (EVEN, ODD)

WRONG = {
    "test rows among training rows": ([GOOD, (EVEN, [*ODD, 0])], "fold 1 .*1 of its 6 test rows among"),
    "all rows twice": ([(range(12), range(12))], "fold 0 .*12 of its 12"),
    "masks": ([(np.ones(12, dtype=bool), np.ones(12, dtype=bool))], "fold 0 .*12 of its 12"),
    "no test rows": ([GOOD, (EVEN, [])], "fold 1 .*no test rows"),
    "no training rows": ([GOOD, GOOD, ([], ODD)], "fold 2 .*no training rows"),
    "a row too far": ([GOOD, (EVEN, [3, 12])], "fold 1 .*row 12, but .*0 to 11"),
    "a row before the first": ([GOOD, (EVEN, [3, -1])], "fold 1 .*row -1"),
    "a row twice": ([GOOD, (EVEN, [3, 5, 3])], "fold 1 .*row 3 twice"),
    "halves of rows": ([GOOD, (EVEN, [3.5])], "fold 1 .*by number"),
    "no pair": ([GOOD, (EVEN,)], "does not split these rows"),
    "a short mask": ([(EVEN, np.ones(5, dtype=bool))], "fold 0 .*by number"),
    "no folds": ([], "at least one"),
}


class Leaky:
    def split(self, X, y=None, groups=None):
        yield np.arange(8), np.arange(6, 12)

    def get_n_splits(self, X=None, y=None, groups=None):
        return 1


@pytest.mark.parametrize(("cv", "message"), WRONG.values(), ids=WRONG)
def test_wrong_folds_are_refused_by_number(cv, message):
    with pytest.raises(InputError, match=message) as caught:
        altsets.evaluate([[0]], X, Y, cv=cv)
    assert "\n" not in str(caught.value)


def test_a_splitter_that_leaks(refused):
    with refused(InputError):
        altsets.evaluate([[0]], X, Y, cv=Leaky())


def test_good_folds_by_number_and_by_mask_are_the_same():
    by_mask = tuple(np.isin(np.arange(12), rows) for rows in GOOD)
    assert altsets.evaluate([[0]], X, Y, cv=[GOOD]).folds == altsets.evaluate([[0]], X, Y, cv=[by_mask]).folds


def test_rows_without_weight_leave_their_folds(refused):
    weights = np.ones(12)
    weights[ODD] = 0
    with refused(InputError):
        altsets.evaluate([[0]], X, Y, cv=[GOOD], sample_weight=weights)
