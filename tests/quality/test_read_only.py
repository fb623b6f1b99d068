"""Arrays that nobody may write into stay so in every copy."""

import copy
import pickle

import joblib
import numpy as np
import pytest

from altsets import quality

PAIRS = [[0, 0.5, 0.25], [0.5, 0, 0.125], [0.25, 0.125, 0]]
QUALITIES = [
    quality.Additive([3, 2, 1]),
    quality.MRMR([3, 2, 1], PAIRS),
    quality.CFS([3, 2, 1], PAIRS),
    quality.FCBF([0.3, 0.2, 0.1], PAIRS),
]


def by_joblib(value, tmp_path):
    joblib.dump(value, tmp_path / "value")
    return joblib.load(tmp_path / "value")


def by_memory_map(value, tmp_path):
    joblib.dump(value, tmp_path / "value")
    return joblib.load(tmp_path / "value", mmap_mode="r+")


COPIES = {
    "pickle": lambda value, _: pickle.loads(pickle.dumps(value)),
    "old pickle": lambda value, _: pickle.loads(pickle.dumps(value, protocol=0)),
    "deepcopy": lambda value, _: copy.deepcopy(value),
    "copy": lambda value, _: copy.copy(value),
    "joblib": by_joblib,
    "memory map": by_memory_map,
}


def arrays_of(value):
    return {name: array for name, array in vars(value).items() if isinstance(array, np.ndarray)}


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("value", QUALITIES, ids=lambda value: type(value).__name__)
def test_arrays_stay_read_only(value, copied, tmp_path):
    for before in (value, value.form(2)):
        after = copied(before, tmp_path)
        assert arrays_of(before), "nothing to look at"
        assert vars(after).keys() == vars(before).keys()
        for name, array in arrays_of(before).items():
            assert np.array_equal(arrays_of(after)[name], array)
            assert not array.flags.writeable
            assert not arrays_of(after)[name].flags.writeable
    assert copied(value, tmp_path).evaluate((0, 2)) == value.evaluate((0, 2))


def test_arrays_of_a_quality_of_ones_own_stay_as_they_are():
    mine = quality.Additive([1, 2])
    mine.scratch = np.zeros(2)
    again = pickle.loads(pickle.dumps(mine))
    again.scratch[0] = 1
    assert not again.scores.flags.writeable
