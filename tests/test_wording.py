"""Phrases agree with their numbers, and long lists and values are cut off."""

from __future__ import annotations

import math

import pytest

from altsets import wording


def test_words_are_joined_into_one_phrase() -> None:
    assert [wording.join_words(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
    assert wording.join_words(["a", "b", "c"], "or") == "a, b or c"


def test_long_lists_say_how_many_are_left() -> None:
    assert wording.list_some(["a", "b", "c"], 3) == "a, b, c"
    assert wording.list_some(["a", "b", "c"], 3, last="and") == "a, b and c"
    assert wording.list_some(["a", "b", "c"], 2) == "a, b and 1 more"
    assert wording.list_some(["a", "b", "c"], 2, last="and", hide_one=False) == "a, b and c"
    assert wording.list_some(list("abcdefghi"), 2, hide_one=False) == "a, b and 7 more"


def test_nouns_and_verbs_agree_with_counts() -> None:
    assert [wording.counted(count, "row") for count in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]
    assert wording.counted(2, "copy", "copies") == "2 copies"
    assert [wording.plural(count, "is", "are") for count in (1, 2)] == ["is", "are"]


def test_ranges_collapse_where_both_ends_read_the_same() -> None:
    assert wording.span([3]) == wording.span([3, 3]) == "3"
    assert wording.span([2, 3, 5]) == "2 to 5"
    assert wording.span([0.25, 0.31], ".0%") == "25% to 31%"


@pytest.mark.parametrize(
    ("share", "said"), [(0.0, "0 %"), (0.0001, "<1 %"), (0.934, "93 %"), (0.999, ">99 %"), (1.0, "100 %")]
)
def test_only_all_and_nothing_are_called_so(share: float, said: str) -> None:
    assert wording.percent(share) == said


def test_a_share_with_decimals() -> None:
    shares = (0.0, 0.0004, 0.949, 0.9996, 1.0)
    said = ["0 %", "<0.1 %", "94.9 %", ">99.9 %", "100 %"]
    assert [wording.percent(share, decimals=1) for share in shares] == said


def test_numbers_have_as_many_digits_as_people_read() -> None:
    assert [wording.large_count(count) for count in (67_108_864, 3 * 10**20)] == ["67,108,864", "3e+20"]
    scores = (-0.0042, 1234.5678, 0.0000123, 0.0, -0.0, math.nan)
    assert list(map(wording.score, scores)) == ["-0.004", "1.23e+03", "1.23e-05", "0.000", "0.000", "-"]


@pytest.mark.parametrize(("numbers", "digits", "said"), [
    ([20.6, 31.25], 6, ["20.60", "31.25"]), ([20.6], 6, ["20.6"]), ([100.0, 2.5], 2, ["100", "2.5"]),
    ([0.91612, 0.9, None], 3, ["0.916", "0.900", ""]),
    ([123456.0, 12.25], 4, ["123456", "12.25"]),
    ([0.00001, 0.0], 3, ["1.00e-05", "0"]),
])  # fmt: skip
def test_numbers_below_each_other_have_no_zeros_that_none_needs(numbers, digits, said) -> None:
    assert wording.aligned(numbers, digits) == said


def test_long_values_and_names_are_cut_off() -> None:
    assert wording.shorten("x" * 40) == "'" + "x" * 36 + "..."
    assert wording.shorten([1, 2]) == "[1, 2]"
    assert wording.quote("x" * 41) == "'" + "x" * 37 + "...'"
    assert wording.quote("age") == "'age'"


def test_clauses_become_sentences() -> None:
    assert wording.sentence("no set exists") == wording.sentence("no set exists.") == "No set exists."
    assert wording.paragraph("One.", "", "Two.") == "One. Two."


def test_names_are_suggested_whatever_their_case() -> None:
    known = ["Glucose", "BMI", 3]
    said = [wording.suggestion(given, known, "choose.") for given in ("glucos", "bmi", "xyz", 3)]
    assert said == ["did you mean 'Glucose'?", "did you mean 'BMI'?", "choose.", "choose."]
