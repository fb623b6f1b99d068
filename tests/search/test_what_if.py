"""what_if: the best set after each loss, against brute force; what is claimed, shown, written and read."""

import itertools
import json
import math
import shlex

import numpy as np
import pandas as pd
import pytest
from words import about

import altsets
from altsets import constraints, quality
from altsets.constraints import AboveNoise
from altsets.dissimilarity import Grouped, Matched
from altsets.errors import InputError
from altsets.search import what_if as module

NAMES = ["S1_mean", "S1_max", "S2_mean", "S2_max", "S3_mean", "age"]
SENSORS = Grouped({"S1_*": "left", "S2_*": "right", "S3_mean": "top"})


def scores():
    return quality.Additive([6, 5, 4, 3, 2, 1], feature_names=NAMES)


def found(**options):
    return altsets.find(scores(), **{"n_features": 2, "n_alternatives": 1, "tau": 1} | options)


def brute_force(scored, problem, lost):
    """The best quality of any set without some features; None if there is none."""
    others = [index for index in range(scored.n_features_in) if index not in lost]
    values = [
        scored.evaluate(chosen)
        for size in problem.sizes
        for chosen in itertools.combinations(others, size)
        if all(rule.holds(chosen) for rule in problem.constraints)
        and all(problem.compatible(chosen, given) for given in problem.existing)
    ]
    values = [value for value in values if value > -math.inf]
    return max(values, default=None)


def random_quality(kind, rng, n=8):
    relevance = rng.integers(-3, 10, n) / 4 if kind == "additive" else rng.random(n)
    pairs = rng.random((n, n))
    # Features of FCBF exclude each other where they depend more on each other than on the target.
    pairs = (pairs + pairs.T) / (20 if kind == "fcbf" else 2)
    if kind == "additive":
        return quality.Additive(relevance)
    if kind == "black box":
        return quality.BlackBox(lambda chosen: float(sum(relevance[list(chosen)]) ** 2), n_features_in=n)
    return {"mrmr": quality.MRMR, "fcbf": quality.FCBF, "cfs": quality.CFS}[kind](relevance, pairs)


@pytest.mark.parametrize("kind", ["additive", "mrmr", "fcbf", "cfs", "black box"])
@pytest.mark.parametrize("seed", range(4))
def test_the_best_set_after_each_loss_by_brute_force(kind, seed):
    rng = np.random.default_rng(seed)
    scored = random_quality(kind, rng)
    rules = [
        constraints.Budget(rng.integers(0, 4, 8).tolist(), 7),
        constraints.AtMost(2, rng.choice(8, 4, replace=False).tolist()),
        constraints.Size(2, 4),
        constraints.Forbid(int(rng.integers(8))),
    ][: int(rng.integers(0, 5))]
    existing = [rng.choice(8, 3, replace=False).tolist()] if seed % 2 else []
    search = "simultaneous" if seed % 3 == 0 and kind != "black box" else "sequential"
    result = altsets.find(
        scored, n_features=3, n_alternatives=1, tau=0.5, search=search, constraints=rules, existing=existing
    )
    assert result.sets
    groups = {f"group {number}": rng.choice(8, 2, replace=False).tolist() for number in range(3)}
    losses = altsets.what_if(scored, result, range(8), feature_groups=groups)
    assert [loss.features for loss in losses.losses[:8]] == [(index,) for index in range(8)]
    problem = result.request.bind(scored.feature_names)
    for loss in losses.losses:
        best = brute_force(scored, problem, loss.features)
        if best is None:
            assert loss.status == "infeasible"
            assert loss.set is None
            assert loss.bound == -math.inf
        else:
            assert loss.status == "optimal"
            assert loss.quality == pytest.approx(best, abs=1e-9)
            assert loss.bound == pytest.approx(best, abs=1e-9)
            assert not set(loss.set) & set(loss.features)
            assert scored.evaluate(loss.set) == loss.quality
        unaffected = [n for n, chosen in enumerate(result.sets) if not set(chosen) & set(loss.features)]
        assert list(loss.intact) == unaffected


def test_by_default_the_features_of_set_0_fail():
    losses = altsets.what_if(scores(), found())
    assert [loss.name for loss in losses.losses] == ["S1_mean", "S1_max"]
    assert [loss.set for loss in losses.losses] == [(1, 2), (0, 2)]
    assert [loss.intact for loss in losses.losses] == [(1,), (1,)]
    everything = altsets.what_if(scores(), found(), "all").losses
    assert [loss.name for loss in everything] == ["S1_mean", "S1_max", "S2_mean", "S2_max"]
    assert everything[2].set == (0, 1), "set 0 is not affected"


def test_by_default_the_groups_of_set_0_fail_where_sets_differ_by_groups(snapshot):
    result = found(dissimilarity=SENSORS, constraints=[constraints.Require("age")])
    losses = altsets.what_if(scores(), result)
    assert [(loss.name, loss.features) for loss in losses.losses] == [("left", (0, 1)), ("age", (5,))]
    assert losses.losses[0].set == (2, 5)
    assert losses.losses[1].status == "infeasible"
    assert losses.losses[1].reason == snapshot


@pytest.mark.parametrize(
    "groups",
    [{"left": ["S1_*"], "top": "S3_mean"}, ["left", "top"], Grouped({0: "left", 1: "left", 4: "top"})],
)
def test_groups_by_mapping_name_and_grouped(groups):
    losses = altsets.what_if(scores(), found(dissimilarity=SENSORS), feature_groups=groups)
    assert [(loss.name, loss.features, loss.set) for loss in losses.losses] == [
        ("left", (0, 1), (2, 3)),
        ("top", (4,), (0, 1)),
    ]
    assert losses.losses[0].named_features == ("S1_mean", "S1_max")


def test_features_by_pattern_index_and_name():
    losses = altsets.what_if(scores(), found(), ["S2_*", 0, "age", "S2_max"])
    assert [loss.name for loss in losses.losses] == ["S2_mean", "S2_max", "S1_mean", "age"]
    assert [loss.name for loss in altsets.what_if(scores(), found(), "S2_*").losses] == ["S2_mean", "S2_max"]


@pytest.mark.parametrize(("options", "message"), [
    ({"features": ["agee"]}, "what_if names 'agee', which is not a feature; did you mean 'age'?"),
    ({"features": []}, "what_if was given nothing that could be lost"),
    ({"feature_groups": ["nothing"]}, "there is no group 'nothing'; the answer has no groups."),
    ({"feature_groups": {"left": ["T*"]}}, "the group 'left': the pattern 'T\\*' matches none of 6 features"),
    ({"time_limit": -1}, "time_limit=-1 must be a positive number of seconds"),
])  # fmt: skip
def test_bad_losses_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        altsets.what_if(scores(), found(), **options)


def test_other_qualities_and_answers_without_sets_are_refused(refused):
    with refused(InputError):
        altsets.what_if(quality.Additive([1, 2, 3, 4, 5, 6]), found())
    with refused(InputError):
        altsets.what_if(quality.Additive([6]), found())
    nothing = found(constraints=[constraints.Require(0), constraints.Forbid(0)])
    with refused(InputError):
        altsets.what_if(scores(), nothing)
    with refused(InputError):
        altsets.what_if(scores(), found(dissimilarity=SENSORS), feature_groups=["x"])


def test_what_is_proven_is_not_searched_again(monkeypatch):
    searched = []

    def counted(scored, problem, run, engine="auto", scaling=None):
        answer = solve(scored, problem, run, engine, scaling)
        searched.append(answer.proof)
        return answer

    solve = module.solve
    monkeypatch.setattr(module, "solve", counted)
    result = altsets.find(scores(), n_features=2, n_alternatives=0)
    altsets.what_if(scores(), result, ["age", "S1_mean"], feature_groups={"both": ["S1_mean", "age"]})
    # Set 0 does not have age; and the best set without S1_mean does not have it either.
    assert [proof == module.STILL_BEST for proof in searched] == [True, False, True]


def test_a_set_that_is_not_proven_is_not_called_the_best(clock, snapshot):
    rng = np.random.default_rng(0)
    n = 300
    pairs = rng.random((n, n))
    scored = quality.MRMR(rng.random(n), (pairs + pairs.T) / 2)
    result = altsets.find(scored, n_features=12, n_alternatives=1, tau=0.5, time_limit=clock.limit(50))
    losses = altsets.what_if(scored, result, time_limit=clock.limit(60))
    assert losses.stop_reason == "time_limit"
    assert len(losses.losses) == 12
    for loss in losses.losses:
        assert loss.status == "feasible"
        assert loss.bound >= loss.quality
        # Never worse than the sets that are there already.
        assert loss.quality >= max((result.qualities[number] for number in loss.intact), default=-math.inf)
    assert about(losses.explain(), "better") == snapshot
    assert str(losses.verdict) == snapshot


def test_words_frames_and_documents(snapshot):
    price = constraints.Budget({"S1_mean": 5, "S2_mean": 1, "S1_max": 2}, 8)
    result = found(n_alternatives=0, constraints=[price, constraints.Require("S1_max")])
    losses = altsets.what_if(scores(), result)
    assert repr(losses) == snapshot
    assert losses.explain().splitlines() == snapshot
    assert str(losses.verdict).splitlines() == snapshot
    frame = losses.to_frame()
    assert frame.index.tolist() == ["S1_mean", "S1_max"]
    assert frame["change"].tolist()[0] == -2
    assert frame["cost"].tolist()[0] == 3
    assert math.isnan(frame["cost"].tolist()[1])
    again = altsets.results.WhatIf.from_json(losses.to_json())
    assert again == losses
    assert again.losses[1].bound == -math.inf
    free = altsets.what_if(scores(), result, ["age"])
    equal = altsets.what_if(
        quality.Additive([5, 5, 3, 1]), altsets.find(quality.Additive([5, 5, 3, 1]), 2, 0)
    )
    assert str(equal.verdict) == snapshot
    assert free.verdict.findings[0] == snapshot


def test_negative_qualities(snapshot):
    scored = quality.Additive([-1, -2, -3])
    losses = altsets.what_if(scored, altsets.find(scored, n_features=1, n_alternatives=0))
    assert losses.explain() == snapshot
    assert "scores -2" in str(losses.verdict)
    assert math.isnan(losses.share(losses.losses[0]))


# --- Tables -------------------------------------------------------------------------------------------
def test_of_a_selector(wine):
    X, y = wine
    selector = altsets.SelectAlternatives("mrmr", n_features=3, n_alternatives=1).fit(X, y)
    losses = selector.what_if(X, y)
    assert [loss.name for loss in losses.losses] == list(selector.alternatives_[0].names)
    for loss in losses.losses:
        rule = constraints.Forbid(loss.name)
        other = altsets.SelectAlternatives("mrmr", n_features=3, n_alternatives=0, constraints=[rule]).fit(
            X, y
        )
        assert loss.quality == pytest.approx(other.qualities_[0])
        assert loss.status == "optimal"


def test_of_a_selector_with_conditions_that_are_measured(wine, refused):
    X, y = wine
    rules = [constraints.MaxSimilarity("spearman", 0.5), constraints.Forbid("hue", proxies=0.3)]
    selector = altsets.SelectAlternatives(
        "f", n_features=2, n_alternatives=1, dissimilarity=Matched("spearman"), tau=0.2, constraints=rules
    ).fit(X, y)
    [loss] = selector.what_if(X, y, [selector.alternatives_[0].names[0]]).losses
    alike = X[list(loss.named_set)].corr(method="spearman").abs()
    assert alike.iloc[0, 1] <= 0.5
    with refused(InputError):
        altsets.what_if(quality.Additive.from_data(X, y, measure="f"), selector.result_)


def test_of_a_selector_with_scores_and_of_another_table(wine, refused):
    X, y = wine
    selector = altsets.SelectAlternatives(list(range(13)), n_features=2, n_alternatives=0).fit(X)
    assert [loss.quality for loss in selector.what_if(X).losses] == [22.0, 21.0]
    fitted = altsets.SelectAlternatives(n_features=2).fit(X, y)
    with refused(InputError):
        fitted.what_if(X.sample(frac=0.5, random_state=0), y.sample(frac=0.5, random_state=0))


def test_noise_stays_out(run, tmp_path):
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 60)
    frame = pd.DataFrame(
        {f"x{place}": rng.normal(size=60) + y * (3 if place < 2 else 0) for place in range(12)}
    )
    selector = altsets.SelectAlternatives("f", n_features=2, n_alternatives=0, constraints=AboveNoise()).fit(
        frame, y
    )
    assert selector.alternatives_[0].names == ("x0", "x1")
    assert [loss.status for loss in selector.what_if(frame, y).losses] == ["infeasible", "infeasible"]
    frame.assign(y=y).to_csv(tmp_path / "table.csv", index=False)
    command = ("find", tmp_path / "table.csv", *shlex.split("-t y -k 2 -a 0 --quality f --what-if --json"))
    statuses = [
        [loss["status"] for loss in json.loads(run(*command, *more)[1])["what_if"]["losses"]]
        for more in ([], ["--above-noise"])
    ]
    assert statuses == [["optimal", "optimal"], ["infeasible", "infeasible"]]


def test_a_named_similarity_does_not_matter_to_one_set(wine):
    X, y = wine
    selector = altsets.SelectAlternatives(
        "f", n_features=2, n_alternatives=1, dissimilarity=Matched("spearman")
    )
    result = selector.fit(X, y).result_
    assert altsets.what_if(quality.Additive.from_data(X, y, measure="f"), result).losses[0].set is not None


# --- The command line ---------------------------------------------------------------------------------
@pytest.fixture
def sensors(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    frame = pd.DataFrame({name: rng.normal(size=80) + y * (6 - place) for place, name in enumerate(NAMES)})
    frame.assign(y=np.array(["no", "yes"])[y]).to_csv(tmp_path / "table.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(run, *options):
    return run("find", "table.csv", "-t", "y", "-k", 2, "-a", 1, "--tau", 1, "--quality", "f", *options)


def test_command(run, sensors, snapshot):
    code, out, _ = command(run, "--what-if")
    assert code == 0
    assert "If lost" in out
    assert about(out, "Replaced by") == snapshot
    assert about(out, "Proven") == snapshot
    code, out, _ = command(run, "--what-if", "--json")
    document = json.loads(out)
    assert [loss["name"] for loss in document["what_if"]["losses"]] == document["sets"][0]["features"]
    assert "what_if" not in json.loads(command(run, "--json")[1])


def test_command_with_groups_and_names(run, sensors, snapshot):
    options = ("--feature-groups-by", "_", "--lost", "@S1,S2_*", "--lost", "age", "--json")
    code, out, _ = command(run, *options)
    assert code == 0
    losses = json.loads(out)["what_if"]["losses"]
    assert [loss["name"] for loss in losses] == ["S2_mean", "S2_max", "age", "S1"]
    assert losses[3]["named_features"] == ["S1_mean", "S1_max"]
    code, out, _ = command(run, "--feature-groups-by", "_", "--what-if", "--json")
    (loss,) = json.loads(out)["what_if"]["losses"]
    assert (loss["name"], loss["named_features"]) == ("S1", ["S1_mean", "S1_max"])
    code, _, err = command(run, "--lost", "agee")
    assert code == 2
    assert err == snapshot
    code, out, _ = run(
        *("find", "table.csv", "-t", "y", "-k", 2, "-a", 0, "--quality", "f", "--require", "age"),
        *("--lost", "age"),
    )
    assert out == snapshot


def test_what_comes_in_for_a_loss_is_named(snapshot):
    scores = quality.Additive([9, 8, 7, 3], feature_names=["age", "height", "weight", "shoe size"])
    result = altsets.find(scores, 2, 0)
    losses = altsets.what_if(
        scores, result, features=["age", "weight"], feature_groups={"both": ["age", "height"]}
    )
    assert [losses.replaced(loss) for loss in losses.losses] == [
        "weight",
        "set 0 is intact",
        "weight, shoe size",
    ]
    assert str(losses.verdict) == snapshot
    # What the loss itself does not take may leave as well.
    pairs = constraints.Implies("height", "age")
    other = altsets.find(scores, 2, 0, constraints=pairs)
    (loss,) = (narrow := altsets.what_if(scores, other, features=["age"])).losses
    assert (loss.named_set, narrow.replaced(loss)) == (
        ("weight", "shoe size"),
        "weight, shoe size (also without height)",
    )


def test_long_names_are_not_cut(run, sensors, monkeypatch):
    head, *rows = (sensors / "table.csv").read_text().splitlines()
    monkeypatch.setenv("COLUMNS", "80")
    long = [
        name if name == "y" else "measured_with_the_sensor_on_the_left_" + name for name in head.split(",")
    ]
    (sensors / "table.csv").write_text("\n".join([",".join(long), *rows]))
    out = command(run, "--what-if")[1].partition("If lost")[2]
    assert "…" not in out
    assert "..." not in out


def test_command_is_repeated(run, sensors):
    command(run, "--what-if", "--output", "saved.json")
    out = run.output("find", "--again", "saved.json")
    assert "If lost" in out
