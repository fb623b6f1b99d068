"""The scripts of the four tutorials, on small tables: each ends with a decision."""

from __future__ import annotations

import re

import pytest
from jobs import JOBS, printed

pytestmark = pytest.mark.slow

#: What each job must say, whatever the numbers are.
SAID = {
    "committee_paper": (
        r"passport is close to the forbidden origin \(symmetrical uncertainty 0\.\d+\)",
        r"better than always saying 'repays'",
        r"constraints: forbid sex, origin and features that predict them",
        r"Predicting sex from sets 0 to 2: 0\.\d\d, 0\.\d\d, 0\.\d\d; a guess has 0\.50",
        r"=== Decision ===\n\nSet 1 instead of set 0: [a-z-]+\.\nSet 2 instead of set 0: [a-z-]+\.",
        r"status: optimal",
        r"600 rows, 13 columns, sha256 [0-9a-f]{16}",
    ),
    "gene_panels": (
        r"panel 2: .*optimal",
        r"Each of 3 sets is proven optimal",
        r"baseline +0\.000",
        r"counting similar features as the same",
        r"=== Decision ===\n\nPanels that predict better than the baseline: [\d, ]+\.\nPanel 1 instead",
    ),
    "second_churn_model": (
        r"Positive class: leaves\.",
        r"recall: .*always saying 'stays'",
        r"Set 1 as a backup: [a-z-]+ \(recall 0\.\d+ against 0\.\d+\)\.\n(Deploy|Do not deploy) set",
        r"The second model of the pair needs [^,\n]+(, [^,\n]+){4}\.",
    ),
    "sensors_over_time": (
        r"set 1: .*\n  sensors: .*, price \d+ of 70",
        r"5 folds in time order on 800 rows",
        r"=== Decision ===\n\nThe second set is [a-z-]+ \(0\.\d+ against 0\.\d+, baseline 0\.000\)\.\nBuy",
        r"baseline +0\.000",
    ),
}


@pytest.mark.parametrize("script", JOBS, ids=lambda script: script.stem)
def test_a_job_ends_with_a_decision(script):
    text = printed(script, "--small")
    for pattern in SAID[script.stem]:
        assert re.search(pattern, text), f"{pattern} is not in:\n{text}"
    if script.stem == "sensors_over_time":
        first, second = (set(names.split(", ")) for names in re.findall(r"sensors: (.*), price", text))
        assert not first & second


@pytest.mark.parametrize("script", JOBS, ids=lambda script: script.stem)
def test_the_tutorial_shows_a_real_run(script):
    shown = script.with_suffix(".txt").read_text(encoding="utf-8")
    for pattern in SAID[script.stem]:
        pattern = pattern.replace("600 rows", "5,000 rows").replace("800 rows", "6,000 rows")
        assert re.search(pattern, shown), f"{pattern} is not in {script.stem}.txt"
