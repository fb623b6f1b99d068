"""Forbidden features and those that stand in for them: ruled out where asked for, else named."""

from __future__ import annotations

import json
import pickle
import shlex

import numpy as np
import pytest
from sklearn.base import clone

import altsets
from altsets import SelectAlternatives, quality
from altsets.cli.options import as_option
from altsets.constraints import Forbid, Require
from altsets.constraints.similarity import MEASURES, PROXY_MEASURES
from altsets.errors import InputError
from altsets.measures import pairwise, symmetrical_uncertainty
from altsets.measures.pairs import pairs_of
from altsets.problem import Problem
from altsets.selector.notes import Background, notes_on
from altsets.tables.conversion import features_of
from altsets.wording import spelled

pd = pytest.importorskip("pandas")


def people(seed=0, n=300):
    """Sex as text, a title that nearly decides it, a height that mostly does, and others."""
    rng = np.random.default_rng(seed)
    sex = rng.integers(0, 2, n)
    y = (sex + rng.normal(size=n) > 0.5).astype(int)
    title = np.where(rng.random(n) < 0.98, np.where(sex, "Mr", "Ms"), "Dr")
    frame = pd.DataFrame(
        {
            "sex": np.where(sex, "m", "f"),
            "title": title,
            "height": 160 + 16 * sex + 4 * rng.normal(size=n),
            "income": rng.normal(size=n) + y,
            "age": rng.normal(size=n) + 0.5 * y,
            "code": 1.0 - sex,
        }
    )
    return frame, y


def any_table(seed):
    """Numbers, few values, text and holes."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 120))
    base = rng.normal(size=n)
    frame = pd.DataFrame({f"n{j}": base * rng.random() + rng.normal(size=n) * rng.random() for j in range(4)})
    frame["few"] = rng.integers(0, 3, n)
    frame["two"] = np.where(base > 0, "yes", "no")
    frame["none"] = 1.0
    frame.loc[rng.random(n) < 0.2, "n1"] = np.nan
    frame.loc[rng.random(n) < 0.2, "n3"] = np.nan
    return frame


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("seed", range(6))
def test_some_rows_of_all_pairs(seed, measure):
    frame = any_table(seed)
    if measure == "symmetrical_uncertainty":
        frame["town"] = np.arange(len(frame)) % 5
        frame["town"] = frame["town"].map("town {}".format)
    rng = np.random.default_rng(seed)
    whole = rng.integers(0, 3, len(frame))
    for weights in (None, whole, *([] if measure == "spearman" else [rng.random(len(frame))])):
        expected = np.asarray(pairwise(frame, measure, sample_weight=weights, warn=False))
        for of in ([2], [1, 4], [5, 0, 3], [6]):
            found = pairs_of(frame, of, measure, sample_weight=weights)
            assert found == pytest.approx(expected[of], abs=1e-12)


def test_the_uncertainty_coefficient_asks_for_one_side_alone():
    rng = np.random.default_rng(0)
    eight = rng.integers(0, 8, 800).astype(float)
    X = np.column_stack([eight >= 4, eight, rng.integers(0, 2, 800)])
    found = pairs_of(X, [0, 1], "uncertainty_coefficient")
    assert found[0, 1] == pytest.approx(1.0)
    # Of three bits, one is told.
    assert found[1, 0] == pytest.approx(1 / 3, abs=0.01)
    assert found[0, 2] < 0.01
    # The information is the same one that symmetrical uncertainty divides by both entropies.
    symmetric = pairs_of(X, [0], "symmetrical_uncertainty")
    assert 2 / (1 / found[0, 1] + 1 / found[1, 0]) == pytest.approx(symmetric[0, 1])


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("measure", MEASURES)
def test_proxies_are_those_that_all_pairs_tell(seed, measure):
    frame = any_table(seed)
    rng = np.random.default_rng(seed)
    limit = float(rng.choice([1e-12, 0.1, 0.3, 0.6, 1.0]))
    given = rng.choice(frame.columns, int(rng.integers(1, 3)), replace=False).tolist()
    matrix = np.asarray(pairwise(frame, measure, warn=False))
    alike = {
        name: max(matrix[frame.columns.get_loc(one), place] for one in given)
        for place, name in enumerate(frame.columns)
        if name not in given
    }
    expected = {name for name, value in alike.items() if value >= limit - 1e-9 and value > 0}
    rule = Forbid(given, limit, measure).computed(frame)
    names = list(frame.columns)
    assert {names[index] for index in rule.features} == expected | set(given)
    assert {names[one.feature]: pytest.approx(one.similarity) for one in rule.ruled_out} == {
        name: alike[name] for name in expected
    }
    assert all(names[one.other] in given for one in rule.ruled_out)

    # The search is the one that names them all.
    scores = quality.Additive(rng.random(len(names)), feature_names=names)
    asked = {"n_features": 1, "n_alternatives": 1, "tau": 0.5}
    named = Forbid(sorted(expected | set(given)))
    if len(expected) + len(given) < len(names) - 1:
        found = altsets.find(scores, **asked, constraints=rule)
        assert found.sets == altsets.find(scores, **asked, constraints=named).sets
        problem = Problem.create(len(names), feature_names=names, **asked, constraints=[rule])
        assert problem.forbidden == set(rule.features)


def test_text_of_several_labels_beside_correlations():
    frame, _ = people()
    rule = Forbid("sex", 0.8, "spearman").computed(frame)
    names = list(frame.columns)
    assert {names[one.feature] for one in rule.ruled_out} == {"title", "height", "code"}
    title = next(one for one in rule.ruled_out if names[one.feature] == "title")
    shares = symmetrical_uncertainty(frame[["title"]], frame["sex"])
    assert title.similarity == pytest.approx(shares[0])
    # What is forbidden may be such a text itself.
    towns = Forbid("title", 0.8, "pearson").computed(frame)
    assert {names[one.feature] for one in towns.ruled_out} == {"sex", "code"}


def test_many_columns_are_compared_with_one_alone():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3000))
    X[:, 7] = X[:, 5]
    for measure in PROXY_MEASURES:
        rule = Forbid(5, 0.8, measure).computed(X)
        assert rule.features == (5, 7)


def test_words_and_numbers(snapshot):
    frame, _ = people()
    rule = Forbid("sex", proxies=0.8)
    assert rule.is_named
    assert repr(rule) == snapshot
    assert rule.describe([]) == snapshot
    known = rule.computed(frame)
    assert known.computed(frame) is known
    names = list(frame.columns)
    assert known.describe(names) == snapshot
    assert known.resolve(names).as_dict() == {
        "kind": "forbid",
        "features": [0, 1, 5],
        "proxies": 0.8,
        "measure": "symmetrical_uncertainty",
        "ruled_out": [
            {"feature": 5, "other": 0, "similarity": 1.0},
            {"feature": 1, "other": 0, "similarity": pytest.approx(known.ruled_out[1].similarity)},
        ],
    }
    assert Forbid(0).resolve(names).as_dict() == {"kind": "forbid", "features": [0]}
    assert pickle.loads(pickle.dumps(known)) == known != rule
    many = Forbid(0, 0.5).computed(np.repeat(np.arange(40.0)[:, None], 9, axis=1))
    assert many.describe([f"g{j}" for j in range(9)]) == snapshot
    assert Forbid(["age", "income"], 0.99).computed(frame).describe(names) == snapshot


@pytest.mark.parametrize("proxies", [0, -0.1, 1.01, float("nan"), "0.8", True, [0.8]])
def test_limits_that_are_refused(proxies, refused):
    with refused(InputError):
        Forbid("sex", proxies=proxies)


@pytest.mark.parametrize("measure", ["mutual_info", "kendall", None, ["pearson"]])
def test_measures_that_are_refused(measure, refused):
    with refused(InputError):
        Forbid("sex", proxies=0.8, measure=measure)


def test_without_a_table_or_with_another_one(refused):
    scores = quality.Additive([3, 2, 1], feature_names=["sex", "title", "age"])
    rule = Forbid("sex", proxies=0.8)
    message = r"^Forbid\(\.\.\., proxies=0.8\) has no table to look for such features in; give .*\.computed\(X\), or"
    for search in (altsets.find, altsets.near_best):
        with pytest.raises(InputError, match=message):
            search(scores, n_features=1, constraints=rule)
    frame, y = people()
    with refused(InputError):
        altsets.find(scores, n_features=1, n_alternatives=0, constraints=rule.computed(frame))
    with refused(InputError):
        Forbid("sax", proxies=0.8).computed(frame)
    # A name that is wrong is refused before anything is computed.
    with refused(InputError):
        SelectAlternatives(lambda X, y: 1 / 0, constraints=[Forbid("sax", proxies=0.8)]).fit(frame, y)


def test_the_selector_and_its_note(snapshot):
    frame, y = people()
    asked = {"n_features": 2, "n_alternatives": 1, "tau": 0.5}
    plain = SelectAlternatives("mutual_info", constraints=[Forbid("sex")], **asked).fit(frame, y)
    chosen = {name for names in plain.result_.named_sets for name in names}
    assert chosen & {"title", "code"}
    assert "sex" not in chosen
    assert "the forbidden sex" in plain.note_ or "~ sex" in plain.note_
    assert plain.note_ == snapshot
    rule = Forbid("sex", proxies=0.8)
    selector = SelectAlternatives("mutual_info", constraints=[rule], **asked).fit(frame, y)
    explicit = SelectAlternatives("mutual_info", constraints=[Forbid(["sex", "title", "code"])], **asked)
    assert selector.result_.sets == explicit.fit(frame, y).result_.sets
    assert selector.result_.notes[1] == snapshot
    # Another measure still sees what this one has left in.
    assert selector.note_ == snapshot
    # A selector keeps what it was given.
    assert selector.get_params()["constraints"] == [rule]
    again = altsets.Result.from_json(selector.result_.to_json())
    assert again.parameters["constraints"] == selector.result_.parameters["constraints"]


def test_what_the_note_says(snapshot):
    frame = people()[0][["sex", "height", "income", "age"]]
    table = features_of(frame)

    def note(rules, sets):
        scores = quality.Additive([1.0, 1.0, 1.0, 1.0], feature_names=list(frame.columns))
        needed = [Require(list(sets))]
        result = altsets.find(scores, n_features=len(sets), n_alternatives=0, constraints=[*rules, *needed])
        return " ".join(line for lines in notes_on(result, Background(table)).values() for line in lines)

    assert note([], ["income"]) == ""
    assert note([Forbid("sex")], ["income", "age"]) == ""
    assert note([Forbid("age")], ["sex", "income"]) == ""
    with spelled(as_option):
        said = note([Forbid("sex")], ["height"])
    assert said == snapshot
    limit = float(said.split("--proxies ")[1].split(":")[0])
    assert Forbid("sex", limit, "uncertainty_coefficient").computed(frame).features == (0, 1)
    nothing = Forbid("sex", 0.99, "uncertainty_coefficient").computed(frame)
    assert note([nothing], ["income"]) == snapshot


def test_each_fold_looks_at_its_own_training_rows():
    frame, y = people(n=240)
    rng = np.random.default_rng(1)
    # A copy of what is forbidden in the first half, and nothing in the second one.
    half = np.arange(240) < 120
    frame = frame.drop(columns=["title", "code", "height"])
    frame["copy"] = np.where(half, frame["sex"] == "m", rng.integers(0, 2, 240)).astype(float)
    folds = [(np.flatnonzero(half), np.flatnonzero(~half)), (np.flatnonzero(~half), np.flatnonzero(half))]
    selector = SelectAlternatives(
        "mutual_info", n_features=2, n_alternatives=0, constraints=[Forbid("sex", proxies=0.8)]
    )
    judged = altsets.evaluate(selector, frame, y, cv=folds, n_jobs=1)
    fitted = [clone(selector).fit(frame.iloc[train], y[train]).result_ for train, _ in folds]
    ruled_out = [len(result.parameters["constraints"][0]["ruled_out"]) for result in fitted]
    assert ruled_out == [1, 0]
    assert [fold.sets for fold in judged.folds] == [tuple(result.sets) for result in fitted]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    frame, y = people()
    path = tmp_path_factory.mktemp("people") / "people.csv"
    frame.assign(y=y).to_csv(path, index=False)
    return path


def test_on_the_command_line(run, file, snapshot):
    asked = ("find", file, "--target", "y", "-k", 2, "-a", 1, "--forbid", "sex")
    code, out, err = run(*asked)
    assert (code, err) == (0, "")
    assert " ".join(out.split()) == snapshot
    code, out, err = run(*asked, "--proxies", "0.8", "--json")
    document = json.loads(out)
    (rule,) = document["parameters"]["constraints"]
    assert (rule["features"], rule["proxies"], rule["measure"]) == ([0, 1, 5], 0.8, "symmetrical_uncertainty")
    assert [one["feature"] for one in rule["ruled_out"]] == [5, 1]
    assert document["notes"][1] == snapshot
    explicit = json.loads(run(*asked[:-1], "sex,title,code", "--json")[1])
    assert [one["features"] for one in document["sets"]] == [one["features"] for one in explicit["sets"]]
    code, out, _ = run(*asked, "--forbid", "age", "--proxies", "0.8:spearman", "--json")
    rules = json.loads(out)["parameters"]["constraints"]
    assert [(rule["measure"], len(rule["ruled_out"])) for rule in rules] == [("spearman", 3), ("spearman", 0)]


def test_a_clash_names_what_was_ruled_out(run, file, snapshot):
    asked = ("find", file, *shlex.split("--target y -k 2 --forbid sex --proxies 0.8 --require title"))
    code, out, err = run(*asked)
    assert (code, out) == (1, "")
    assert err == snapshot


@pytest.mark.parametrize(("options", "message"), [
    (("--proxies", "0.8"), "--proxies 0.8 goes with --forbid; add it, or leave out --proxies."),
    (("--forbid", "sex", "--proxies", "2"), "Error: --proxies 2 must be a number above 0 and at most 1"),
    (("--forbid", "sex", "--proxies", "high"), "--proxies 'high': 'high' is not a number."),
    (("--forbid", "sex", "--proxies", "0.8:"), "--proxies '0.8:' must have the form LIMIT or LIMIT:MEASURE"),
    (("--forbid", "sex", "--proxies", "0.8:mi"), "--proxies 0.8:mi: the measure 'mi' is unknown; choose one of"),
])  # fmt: skip
def test_options_that_are_refused(run, file, options, message):
    code, out, err = run("find", file, "--target", "y", "-k", 1, *options)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())


def test_saved_scores_need_the_table(run, file, tmp_path, snapshot):
    scores = tmp_path / "scores.json"
    assert run("find", file, "--target", "y", "-k", 1, "-a", 0, "--save-scores", scores)[0] == 0
    asked = ("-k", 1, "-a", 0, "--forbid", "sex", "--proxies", "0.8")
    code, _, err = run("find", "--scores", scores, *asked)
    assert code == 2
    assert " ".join(err.split()) == snapshot
    assert run("find", file, "--target", "y", "--scores", scores, *asked)[0] == 0
