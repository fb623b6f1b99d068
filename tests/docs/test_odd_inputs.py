"""Malformed and unusual inputs: a right answer or one clear sentence, and the page that says which."""

from __future__ import annotations

import re
from pathlib import Path

import odd_evaluations
import odd_files
import odd_frontiers
import odd_inputs
import odd_plots
import odd_selectors
import pytest

from altsets import SelectAlternatives
from altsets.errors import InputError

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "unusual_inputs.md"


@pytest.mark.slow
@pytest.mark.parametrize("case", odd_inputs.CASES, ids=lambda case: case.what)
def test_a_right_answer_or_one_sentence(case):
    found, told = odd_inputs.outcome(case)
    assert len(told) <= 1, told
    if case.first is None:
        assert isinstance(found, InputError), found
        assert re.fullmatch(r"[^\n]{20,400}[.?]", str(found)), str(found)
    else:
        assert isinstance(found, SelectAlternatives), found
        assert case.first in ((), found.alternatives_[0].names)


@pytest.mark.parametrize("case", odd_evaluations.CASES, ids=lambda case: case.what)
@pytest.mark.slow
def test_an_evaluation_that_does_not_mislead(case):
    assert case.words in odd_evaluations.said(case)


@pytest.mark.parametrize("case", odd_plots.CASES, ids=lambda case: case.what)
def test_a_plot_that_can_be_read_or_one_sentence(case):
    text = odd_plots.said(case)
    assert case.words in text
    assert re.fullmatch(r"\*\*(Refused\*\*: [^\n]{20,300}\.|Plot\*\* of [^\n]+)", text), text


@pytest.mark.parametrize("use", odd_selectors.USES, ids=lambda use: use.what)
def test_a_fitted_selector_does_what_fit_fixed(use):
    assert use.words in odd_selectors.said(use)


@pytest.mark.parametrize("case", odd_frontiers.CASES, ids=lambda case: case.what)
@pytest.mark.slow
def test_a_frontier_or_one_line(case):
    code, out, err = odd_frontiers.answer(case)
    assert case.words in odd_frontiers.said(case)
    assert not {"\x1b", "\x07"} & {*out, *err}
    assert err.count("\n") <= 1
    if "Refused" in case.words:
        assert (code, out) == (2, "")
        assert re.fullmatch(r"Error: [^\n]{20,400}[^.]\.\n", err), err
    else:
        assert code == 0


@pytest.mark.parametrize("case", odd_files.FILES, ids=lambda case: case.what)
def test_a_right_answer_or_one_line(case):
    code, out, err = odd_files.outcome(case)
    # What was left out and what was read as missing are told apart.
    assert err.count("\n") <= (1 if case.first is None else 2)
    if case.first is None:
        assert (code, out) == (2, "")
        assert re.fullmatch(r"Error: [^\n]{20,400}[^.]\.\n", err), err
    else:
        assert code == 0, err
        assert odd_files.sets_in(out)[0] == case.first


def rows_of(page):
    # Times differ from run to run.
    return [re.sub(r"\d+\.\d ms|\d+\.\d s", "some ms", line) for line in page.splitlines()]


@pytest.mark.slow
def test_the_page_says_what_happens():
    written = rows_of(PAGE.read_text(encoding="utf-8"))
    assert len(odd_inputs.CASES) >= 40
    assert written == rows_of(odd_inputs.page()), (
        "run: python tests/helpers/odd_inputs.py > docs/howto/unusual_inputs.md"
    )
