"""Docstrings of public callables are complete."""

from __future__ import annotations

import docstrings
import pytest


def test_no_docstring_has_gaps():
    assert docstrings.all_gaps() == {}


def test_what_is_public_is_found():
    names = {name for name, _ in docstrings.public_callables()}
    assert {
        "altsets.find",
        "altsets.SelectAlternatives",
        "altsets.measures.f",
        "altsets.errors.InputError",
        "altsets.results.Comparison",
        "altsets_study.reproduce",
    } <= names
    methods = {name for name, *_ in docstrings.public_methods()}
    assert {
        "altsets.Result.to_frame",
        "altsets.SelectAlternatives.fit",
        "altsets.quality.MRMR.from_data",
        "altsets.constraints.Constraint.holds",
    } <= methods
    assert not [name for name in methods if name.rpartition(".")[2].startswith("_")]


HALF, THIRD = 1 / 2, 1 / 3


def complete(table, *, tau=0.5, name="dice") -> int:
    """Count the rows of a table.

    Parameters
    ----------
    table : sequence
        Rows.
    tau : float, default=0.5
        Not used.
    name : {"dice", "jaccard"}, default="dice"
        Not used.

    Returns
    -------
    int
        How many rows there are.

    Raises
    ------
    TypeError
        If it is no sequence.

    See Also
    --------
    find : Searches.
    measures.f, altsets.quality.Additive : Scores.
    sklearn.feature_selection.RFE : Another one.

    Examples
    --------
    >>> complete([1, 2])
    2
    """
    return len(table)


def gaps_after(old, new, function=complete):
    """The gaps of a function whose docstring has another text in one place."""

    def copy(table, *, tau=0.5, name="dice") -> int: ...

    assert old in function.__doc__
    copy.__doc__ = function.__doc__.replace(old, new)
    copy.__annotations__ = {"return": "int"}
    return docstrings.gaps_of_callable("copy", copy)


def test_a_complete_docstring_has_no_gaps():
    assert docstrings.gaps_of_callable("complete", complete) == []
    assert gaps_after("default=0.5", "default=HALF") == []


@pytest.mark.parametrize(("old", "new", "gap"), [
    ("of a table.\n", "of a\n    table.\n", "summary: one sentence on the first line"),
    ("    table : sequence\n        Rows.\n", "", "Parameters: table"),
    ("table : sequence", "table", "Parameters: table has no type"),
    ("table : sequence", "rows : sequence", "Parameters: rows does not exist"),
    ("float, default=0.5", "float", "default: tau"),
    ("float, default=0.5", "float, optional", "default: tau"),
    ("float, default=0.5", "float, default=0.7", "default: tau"),
    ("float, default=0.5", "float, default=THIRD", "default: tau"),
    ("sequence\n", "sequence, default=None\n", "default: table"),
    ("Returns\n    -------", "Gives\n    -----", "order: unknown section Gives"),
    ("Raises\n    ------", "Examples\n    --------", "order"),
    ("See Also\n    --------", "Notes\n    -----", "See Also"),
    ("    find : Searches", "    finder : Searches", "See Also: finder does not exist"),
    ("quality.Additive", "quality.Nonsense", "See Also: altsets.quality.Nonsense does not exist"),
    (">>> complete([1, 2])\n    2", "It counts.", "Examples"),
])  # fmt: skip
def test_every_gap_is_found(old, new, gap):
    assert gap in gaps_after(old, new)


def test_a_function_without_sections_lacks_them_all():
    def bare(self, table, *, tau=0.5):
        """Count the rows."""

    assert docstrings.gaps_of_callable("bare", bare) == ["Parameters", "See Also", "Examples"]
    assert docstrings.gaps_of_method(bare) == ["Parameters"]
    assert docstrings.gaps_of_method(bare, is_override=True) == []
    assert docstrings.gaps_of_method(bare, notes="Each method takes ``tau``.") == []


def test_one_sentence_is_enough_for_a_method_with_one_parameter():
    def count(self, table):
        """Count the rows of a table."""

    def bare(self):
        pass

    assert docstrings.gaps_of_method(count) == []
    assert docstrings.gaps_of_method(bare) == ["summary: one sentence on the first line"]
    assert docstrings.gaps_of_method(bare, is_override=True) == []


def test_attributes_describe_what_a_record_is_made_of():
    class Record:
        """A record.

        Attributes
        ----------
        sets : list
            The sets.
        """

        def __init__(self, sets, bound): ...

    assert docstrings.gaps_of_callable("Record", Record) == ["Parameters: bound", "See Also", "Examples"]
