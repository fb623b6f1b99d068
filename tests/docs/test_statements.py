"""Statements in the documents that can be checked: numbers in prose, names in tables, what a report contains."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from inspect import signature

import numpy as np
import pytest
from documents import DOCS, FENCED, GUIDE, ROOT
from jobs import JOBS
from sklearn.datasets import load_breast_cancer, load_wine

import altsets
from altsets import measures, quality

TUTORIALS = {
    "churn": "second_churn_model",
    "committee": "committee_paper",
    "genes": "gene_panels",
    "sensors": "sensors_over_time",
}


def read(name):
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def prose_of(text):
    return FENCED.sub("", text)


@pytest.mark.parametrize("tutorial", TUTORIALS)
def test_numbers_that_a_tutorial_quotes_were_printed(tutorial):
    (script,) = (script for script in JOBS if script.stem == TUTORIALS[tutorial])
    printed = script.with_suffix(".txt").read_text(encoding="utf-8") + script.read_text(encoding="utf-8")
    decision = read(f"tutorials/{tutorial}").partition("## The decision")[2]
    quoted = re.findall(r"\d+\.\d\d+", decision)
    assert quoted
    assert [number for number in quoted if number not in printed] == []


@pytest.mark.parametrize("tutorial", TUTORIALS)
def test_a_tutorial_ends_with_a_decision(tutorial):
    decision = read(f"tutorials/{tutorial}").partition("## The decision\n\n")[2]
    assert decision.startswith("**")


def test_numbers_in_prose_were_printed_on_the_page():
    """Three decimals or a decimal per cent are quoted from output, or from a table of results."""
    strange = {}
    for page in GUIDE:
        text = page.read_text(encoding="utf-8")
        if page.parent.name in ("tutorials", "reproduction") or page.name == "changelog.md":
            continue
        shown = "".join(match[2] for match in FENCED.finditer(text))
        lines = [line for line in prose_of(text).splitlines() if not line.startswith("|")]
        tables = "".join(line for line in prose_of(text).splitlines() if line.startswith("|"))
        quoted = set(re.findall(r"\b\d\.\d{3,6}\b|\b\d+\.\d %", "\n".join(lines)))
        if missing := {number for number in quoted if number not in shown + tables}:
            strange[page.relative_to(DOCS).as_posix()] = missing
    assert strange == {}


def test_all_plots_are_on_their_page():
    text = read("howto/plots")
    assert [name for name in altsets.plots.__all__ if f"plots.{name}" not in text] == []


def test_the_readme_names_the_extras_of_what_it_shows():
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert "Excel needs the extra `excel`" in text
    assert "`altsets explore table.csv --target COLUMN` (extra `app`)" in text
    assert "pip install '.[tables,plots,report]'" in text


def test_measures_in_tables_are_functions():
    table = read("explain/qualities").partition("| Measure |")[2].partition("\n\n")[0]
    names = set(re.findall(r"`(\w+)`", "\n".join(line.split("|")[1] for line in table.splitlines()[2:])))
    assert len(names) >= 7
    for name in names:
        assert callable(getattr(measures, name)), name
        assert name in measures.MEASURES


def packages_of(extra, extras):
    """The packages that an extra adds, those of other extras in it included."""
    found = set()
    for one in extras[extra]:
        name, _, inner = re.split(r">=", one)[0].partition("[")
        found |= (
            {package for part in inner.strip("]").split(",") for package in packages_of(part, extras)}
            if name == "altsets"
            else {name.lower()}
        )
    return found


def test_extras_are_those_of_the_package():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    named = set(re.findall(r"^\| `(\w+)` \|", read("start/install"), flags=re.MULTILINE))
    assert named == set(extras) - {"bench", "dev", "docs", "test"}
    for extra, added in re.findall(r"^\| `(\w+)` \|.*\| (.*) \|$", read("start/install"), flags=re.MULTILINE):
        added = re.sub(r"those of `(\w+)`", lambda match: ", ".join(packages_of(match[1], extras)), added)
        said = {name.strip().lower() for name in added.split(",")}
        assert said == packages_of(extra, extras) - {"distributed"}, extra
    for page in GUIDE:
        named = re.findall(r"install '\.\[([\w,]+)\]'", page.read_text(encoding="utf-8"))
        assert {extra for group in named for extra in group.split(",")} <= set(extras), page


@pytest.mark.slow
def test_importing_altsets_is_enough_for_the_reference():
    """In a fresh process: a module that another test has imported would be found anyway."""
    overview = (
        (DOCS / "reference" / "index.rst").read_text(encoding="utf-8").partition("The paper's study")[0]
    )
    module, lines = "altsets", []
    for line in overview.splitlines():
        if current := re.match(r"\.\. currentmodule:: (\S+)", line):
            module = current[1]
        elif re.fullmatch(r"   [A-Za-z_]+(\.[A-Za-z_]+)*", line):
            name = f"{module}.{line.strip()}"
            owner = name.rpartition(".")[0]
            needs_import = owner not in {"altsets", *(f"altsets.{one}" for one in altsets.__all__)}
            lines += [f"import {owner}"] * needs_import + [name]
    assert len(lines) > 90
    # Those that need an import come last, as importing one module may make others known.
    code = "\n".join(
        ["import altsets", *sorted(lines, key=lambda line: "import" in line or line.count(".") > 2)]
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# --- Easy, hard and impossible requests ---------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(20))
def test_requests_that_meet_the_condition_have_sets(seed):
    rng = np.random.default_rng(seed)
    k, a, tau = int(rng.integers(1, 6)), int(rng.integers(1, 5)), float(rng.uniform(0.05, 1))
    scores = rng.random(k + a * math.ceil(tau * k))
    asked = {"n_features": k, "n_alternatives": a, "tau": tau}
    found = altsets.find(quality.Additive(scores), search="simultaneous", **asked)
    assert len(found.sets) == a + 1
    disjoint = altsets.find(quality.Additive(rng.random((a + 1) * k - 1)), **{**asked, "tau": 1})
    assert len(disjoint.sets) <= a
    enough = quality.Additive(rng.random(max(k, a * k + math.ceil(tau * k))))
    assert len(altsets.find(enough, **asked).sets) == a + 1


def test_the_minimum_and_larger_sets_take_more_work_than_the_sum():
    """In steps of the search, over several tables: single ones can be exceptions."""

    def steps(**options):
        total = 0
        for seed in range(4):
            rng = np.random.default_rng(seed)
            pairs = rng.random((24, 24))
            mrmr = quality.MRMR(rng.random(24), (pairs + pairs.T) / 2)
            asked = {"n_features": 4, "n_alternatives": 2, "tau": 0.5, "search": "simultaneous", **options}
            total += altsets.find(mrmr, **asked).steps
        return total

    assert steps(aggregation="min") > steps()
    assert steps(n_alternatives=4) > steps() > steps(n_features=3)
    assert steps() > steps(tau=0.25)


def test_predictions_are_in_a_report_only_if_they_were_measured(tmp_path):
    assert "with `--evaluate`" in read("howto/reports")
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = altsets.SelectAlternatives("f", n_features=2, n_alternatives=1, tau=1).fit(X, y)
    selector.report(tmp_path / "without.html")
    evaluation = altsets.evaluate(selector, X, y, cv=3)
    selector.report(tmp_path / "with.html", evaluation=evaluation)
    title = "How well the sets predict"
    assert title not in (tmp_path / "without.html").read_text(encoding="utf-8")
    assert title in (tmp_path / "with.html").read_text(encoding="utf-8")


def test_a_sequential_search_can_run_out_before_a_simultaneous_one():
    """What explain/proof says about requests for which counting alone does not decide."""
    scores = altsets.quality.Additive([25.0, 19.0, 15.0, 8.0, 9.0, 2.0, 3.0, 1.0, 6.0])
    one_by_one = altsets.find(scores, 3, 11, tau=2, dissimilarity="absolute")
    together = altsets.find(scores, 3, 11, tau=2, dissimilarity="absolute", search="simultaneous")
    assert len(one_by_one.sets) < len(together.sets) == 12


def test_the_example_of_too_many_sets_is_ruled_out_by_counting():
    assert "n_features=2, n_alternatives=6, tau=1" in read("explain/proof")
    assert load_wine().data.shape[1] < 7 * 2
    assert "may fit in more" not in read("explain/proof")


def test_matching_is_one_to_one():
    """Several features of a set may be similar to one of another set, as explain/truly_different notes."""
    assert "Matching is one to one." in read("explain/truly_different")
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    alike = altsets.dissimilarity.Matched.from_data(X, "spearman", threshold=0.9)
    relevance = altsets.quality.Additive.from_data(X, y)
    result = altsets.find(relevance, n_features=5, n_alternatives=1, tau=0.5, dissimilarity=alike)
    first, second = map(list, result.sets)
    similar = X.corr("spearman").abs().to_numpy()[np.ix_(second, first)].max(axis=1) >= 0.9
    matched = len(set(first) & set(second)) + len(result.matches)
    assert matched <= 2 < similar.sum()


def test_the_table_of_votes_has_435_members():
    for page in GUIDE:
        assert "435 votes" not in page.read_text(encoding="utf-8"), page


def test_pages_name_each_other_and_not_their_order():
    """Pages move; "the page before" is then another one."""
    for page in GUIDE:
        assert not re.search(
            r"\bpage (before|after)\b|\b(previous|next) page\b", page.read_text(encoding="utf-8")
        ), page


#: Phrases that a reader has to translate, and what to say instead.
TRANSLATED = {
    r"\bnobody\b": "name who, or use the passive",
    r"\bwhoever\b": "one, users, readers",
    r"\bamounts?\b": "numeric",
    r"\btruth values?\b": "booleans",
    r"\bpictures?\b": "plots, images",
    r"\bjudg(?:e|es|ed|ing)\b": "score, evaluate",
    r"\bis asked of\b": "is out of range, is requested",
    r"\bto be had\b": "available",
    r"\bbend\b": "elbow",
    r"\blooks? through\b": "treats near-copies as one feature",
}


@pytest.mark.parametrize("phrase", TRANSLATED)
def test_words_are_idiomatic(phrase):
    for page in GUIDE:
        if page.name in ("changelog.md", "unusual_inputs.md"):
            continue
        prose = prose_of(page.read_text(encoding="utf-8"))
        found = re.search(phrase, prose, flags=re.IGNORECASE)
        assert not found, f"{page.relative_to(ROOT)}: {prose[: found.end()][-80:]} ({TRANSLATED[phrase]})"


def test_defaults_in_tables_are_those_of_the_package():
    defaults = {name: one.default for name, one in signature(altsets.SelectAlternatives).parameters.items()}
    assert defaults["tau"] is None
    assert defaults["n_features"] is None
    defaults["n_features"] = altsets.Request().n_features
    assert altsets.problem.Problem.create(30, n_features=10).max_overlap == 5, "tau=0.5 is the default"
    for page in ("decide/how_different", "cheatsheet"):
        rows = [line for line in read(page).splitlines() if line.startswith("|")]
        for name in ("n_features", "n_alternatives", "quality", "search", "aggregation"):
            for row in rows:
                cells = [cell.strip() for cell in row.strip("|").split("|")]
                if len(cells) >= 3 and re.match(rf"`{name}`", cells[-3]):
                    assert cells[-1].strip("`") in (str(defaults[name]), f'"{defaults[name]}"'), row


def test_options_that_pages_name_exist():
    known = set(re.findall(r"--[a-z][a-z-]+", read("reference/command_line").partition("## All options")[2]))
    assert len(known) > 40
    others = {"--help", "--help-all", "--version", "--small"}
    for page in GUIDE:
        named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page.read_text(encoding="utf-8")))
        assert named - known - others == set(), page


def test_options_of_the_explorer_are_those_of_find_without_those_named():
    """Not counted are those about what is printed, saved and tested: the page has buttons for these."""
    helps = read("reference/command_line").partition("## All options")[2].split("$ altsets ")
    panels = {}
    for text in helps[1:]:
        panels[text.split()[0]] = re.split(r"^([A-Z][\w ]+):$", text, flags=re.MULTILINE)[1:]
    options = {
        command: {
            option
            for title, body in zip(parts[::2], parts[1::2], strict=True)
            if title not in ("Output", "Prediction", "Losses", "Other")
            for option in re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", body, flags=re.MULTILINE)
        }
        for command, parts in panels.items()
    }
    answers = {"--evaluate", "--report", "--json", "--save-scores"}
    said = read("howto/explorer").partition("of `altsets find`, without")[2].partition(". The page")[0]
    assert options["find"] - options["explore"] - answers == set(re.findall("--[a-z-]+", said))


@pytest.mark.parametrize(
    "module", ["altsets", "quality", "constraints", "measures", "plots", "dissimilarity"]
)
def test_names_that_pages_mention_exist(module):
    place = altsets if module == "altsets" else getattr(altsets, module)
    for page in GUIDE:
        if page.name == "changelog.md":
            continue
        prose = prose_of(page.read_text(encoding="utf-8"))
        inline = " ".join(re.findall(r"`([^`\n]+)`", prose))
        for name in re.findall(rf"(?<![\w./-]){module}\.([A-Za-z_]\w*)", inline):
            exists = hasattr(place, name) or find_spec(f"{place.__name__}.{name}") is not None
            assert exists, f"{page.relative_to(ROOT)}: {module}.{name}"


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *GUIDE]


def test_the_fuzz_is_as_long_as_pages_say():
    (length,) = re.findall(
        r"fuzz\.py --problems (\d+)\n(?=\n)", (ROOT / "Makefile").read_text(encoding="utf-8")
    )[:1]
    said = [
        number.replace(",", "")
        for page in (*PAGES, ROOT / "Makefile")
        for number in re.findall(
            r"(\d{2,3},000) (?:random|fuzz\w*) problems", page.read_text(encoding="utf-8")
        )
    ]
    assert said
    assert set(said) == {length}


def test_the_example_of_the_readme_is_decided_and_what_is_said_of_other_scores_is_true():
    """The README opens with "all good and truly different": its own example must not be flagged or unstable."""
    opening = " ".join((ROOT / "README.md").read_text(encoding="utf-8").partition("## When")[0].split())
    assert "all good and truly different" in opening
    assert "Caution" not in opening
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    different = altsets.dissimilarity.Matched("spearman", threshold=0.7)
    asked = {"n_features": 4, "n_alternatives": 1, "tau": 0.75, "dissimilarity": different}
    selector = altsets.SelectAlternatives("f", **asked)
    scoring = ["roc_auc", "matthews_corrcoef"]
    evaluation = altsets.evaluate(selector, X, y, estimator="linear", scoring=scoring)
    assert evaluation.decisions[0].answer == "yes"
    assert evaluation.decisions[0].cautions == ()
    assert min(one.index for one in evaluation.stability()) > 0.9
    by_auc, by_matthews = evaluation.comparisons
    assert (by_auc.conclusion, by_matthews.conclusion) == ("equivalent", "undecided")
    low, high = by_matthews.low, by_matthews.high
    assert (
        f"is undecided: {by_matthews.difference:.3f}, with an interval of [{low:.3f}, {high:.3f}]" in opening
    )


def test_no_page_promises_a_proof_for_every_search():
    """Some searches run out of time: the study has proofs for most sets, not for all."""
    for page in PAGES:
        text = " ".join(page.read_text(encoding="utf-8").split())
        assert not re.search(r"(every|each|all) exact search(es)? (keeps?|has|have|ends?)", text), page
        assert not re.search(r"\balways (proves|proven|optimal)\b", text), page


def test_shares_of_sets_in_prose_are_those_that_were_printed():
    """A share is said of the set that has it, and not of all sets if a later one has less."""
    for page in PAGES:
        assert not re.search(r"still reach \d+ %", prose_of(page.read_text(encoding="utf-8"))), page
    text = read("start/first_sets").partition("## ")[2].partition("\n## ")[0]
    printed = {
        number: float(value)
        for number, value in re.findall(r"^set (\d): quality (\d+)", text, flags=re.MULTILINE)
    }
    said = dict(re.findall(r"Set (\d) has (\d+) %", prose_of(text)))
    assert said == {
        number: f"{100 * value / printed['0']:.0f}" for number, value in printed.items() if number != "0"
    }


def test_a_compiler_is_never_said_to_be_required():
    for page in (ROOT / "README.md", *GUIDE):
        text = " ".join(page.read_text(encoding="utf-8").split())
        assert not re.search(r"(needs?|requires?) a C compiler|compiler is (needed|required)\b", text), page
    assert "recommended, not required" in read("start/install")
