"""Truly different sets as users ask for them: in the selector, in folds, in results and on the command line."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from words import about

import altsets
from altsets import Result, SelectAlternatives, quality
from altsets.dissimilarity import Grouped, Matched
from altsets.errors import InputError
from altsets.evaluation import evaluate
from altsets.files.dataset import load_demo
from altsets.files.writing import write_csv
from altsets.selector.notes import near_copies
from altsets.tables.conversion import features_of

pd = pytest.importorskip("pandas")

NAMES = ["size", "length", "weight", "width", "noise", "hue", "age"]
#: Those that say the same.
BULK = set(NAMES[:4])
DISTINCT = Matched("spearman", threshold=0.9)
TRULY = {"n_features": 2, "n_alternatives": 1, "tau": 1}


def near_copied(seed=0, n_rows=80):
    """Four columns that say the same with other names, three that do not; and two classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    size = rng.normal(size=n_rows) + 4 * y
    columns = [factor * (size + rng.normal(size=n_rows) / 20) for factor in (1, 2, 3, -1)]
    columns += [rng.normal(size=n_rows) + strength * y for strength in (3, 2, 1)]
    return pd.DataFrame(dict(zip(NAMES, columns, strict=True))), y


X, Y = near_copied()


# --- The selector -----------------------------------------------------------------------------------------
def test_a_named_similarity_is_computed_in_fit():
    plain = SelectAlternatives("f", **TRULY).fit(X, Y)
    assert set().union(*(found.names for found in plain.alternatives_)) == BULK
    distinct = SelectAlternatives("f", **TRULY, dissimilarity=DISTINCT).fit(X, Y)
    first, second = (set(found.names) for found in distinct.alternatives_)
    assert not (first & BULK and second & BULK)
    by_hand = altsets.find(
        quality.Additive.from_data(X, Y, measure="f"),
        **TRULY,
        dissimilarity=Matched.from_data(X, "spearman", threshold=0.9),
    )
    assert distinct.result_ == by_hand
    assert distinct.result_.parameters["dissimilarity"] == {
        "kind": "matched",
        "threshold": 0.9,
        "similarity": "spearman",
    }
    assert distinct.dissimilarities_.tolist() == [[0, 1], [1, 0]]


def test_the_parameter_stays_as_it_was_given(snapshot):
    selector = SelectAlternatives("f", **TRULY, dissimilarity=DISTINCT)
    fitted = clone(selector).fit(X, Y)
    assert fitted.dissimilarity == DISTINCT
    assert fitted.get_params()["dissimilarity"].measure == "spearman"
    assert clone(fitted).get_params()["dissimilarity"] == DISTINCT
    again = pickle.loads(pickle.dumps(fitted))
    assert again.result_ == fitted.result_
    assert again.fit(X.iloc[::2], Y[::2]).result_.named_sets
    assert repr(fitted) == snapshot


def test_weights_count_in_similarity(refused, warned):
    # In the first half, age says what noise says; in the second half it does not.
    table = X.assign(age=np.exp(np.where(np.arange(len(X)) < 40, X["noise"], -X["noise"])))
    first_half = np.repeat([1, 0], 40)
    selector = SelectAlternatives("f", n_features=1, n_alternatives=6, tau=1, dissimilarity=DISTINCT)
    for weights in (first_half, None):
        # One of the bulk, hue, noise; and age where it is not noise.
        with warned(UserWarning):
            selector.fit(table, Y, sample_weight=weights)
    # What spearman takes for weights is its own affair.
    with refused(InputError):
        selector.fit(table, Y, sample_weight=first_half + 0.5)


def test_a_memory_keeps_similarity_and_answers(tmp_path, monkeypatch):
    selector = SelectAlternatives("f", **TRULY, dissimilarity=DISTINCT, memory=str(tmp_path))
    first = selector.fit(X, Y).result_
    monkeypatch.setattr("altsets.search.answering.problem_of", pytest.fail)
    assert clone(selector).fit(X, Y).result_ == first
    monkeypatch.undo()
    monkeypatch.setattr(Matched, "computed", pytest.fail)
    assert clone(selector).set_params(tau=0.5).fit(X, Y).result_.sets


@pytest.mark.parametrize("groups", [dict.fromkeys(BULK, 1), {0: "a", 1: "a", 2: "a", 3: "a"}, [[0, 1, 2, 3]]])
def test_groups_by_name_and_index(groups):
    selector = SelectAlternatives("f", **TRULY, dissimilarity=Grouped(groups)).fit(X, Y)
    first, second = (set(found.names) for found in selector.alternatives_)
    assert not (first & BULK and second & BULK)
    assert selector.dissimilarities_.tolist() == [[0, 1], [1, 0]]
    assert clone(selector).dissimilarity == selector.dissimilarity
    assert selector.result_.matches == []
    assert selector.result_.parameters["dissimilarity"]["kind"] == "grouped"


@pytest.mark.parametrize(("kind", "sentence"), [
    (Matched(np.eye(4), 0.9), "the similarities of 4 features, but the quality has 7"),
    (Grouped({"sice": 1}), "names 'sice', which is not a feature; did you mean 'size'?"),
    (Grouped({7: 1}), "names feature 7; there are 7"),
])  # fmt: skip
def test_what_does_not_fit_the_table_is_said_before_it_is_scored(kind, sentence, monkeypatch):
    monkeypatch.setattr("altsets.quality.spec.NamedQuality.make", pytest.fail)
    selector = SelectAlternatives("f", **TRULY, dissimilarity=kind)
    with pytest.raises(InputError, match=sentence):
        selector.fit(X, Y)
    with pytest.raises(InputError, match=sentence):
        evaluate(selector, X, Y, n_repeats=1)


def test_categories_of_several_labels_have_no_ranks(refused):
    table = X.assign(town=np.array(["Rome", "Oslo", "Bonn"])[np.arange(len(X)) % 3])
    with refused(InputError):
        SelectAlternatives("mutual_info", **TRULY, dissimilarity=DISTINCT).fit(table, Y)
    kind = Matched("symmetrical_uncertainty", threshold=0.5)
    assert SelectAlternatives("mutual_info", **TRULY, dissimilarity=kind).fit(table, Y).result_.sets


# --- Folds ------------------------------------------------------------------------------------------------
def test_similarity_is_computed_in_each_fold_on_its_training_rows():
    # Alike in the first 40 rows alone: a fold that is trained on these must keep the two apart.
    table = X[["noise", "hue"]].assign(age=np.exp(np.where(np.arange(80) < 40, X["noise"], -X["noise"])))
    selector = SelectAlternatives("f", n_features=1, n_alternatives=2, tau=1, dissimilarity=DISTINCT)
    halves = [(np.arange(40), np.arange(40, 80)), (np.arange(40, 80), np.arange(40))]
    same = table.assign(age=np.exp(table["noise"]))
    assert [len(fold.sets) for fold in evaluate(selector, table, Y, cv=halves).folds] == [2, 2]
    mixed = [(np.r_[0:20, 40:60], np.r_[20:40, 60:80]), *halves]
    assert [len(fold.sets) for fold in evaluate(selector, table, Y, cv=mixed).folds] == [3, 2, 2]
    assert [len(fold.sets) for fold in evaluate(selector, same, Y, cv=mixed).folds] == [2, 2, 2]


def test_weights_reach_similarity_in_folds(monkeypatch):
    seen, computed = [], Matched.computed

    def spy(kind, features, weights=None):
        seen.append((features.n_rows, weights))
        return computed(kind, features, weights)

    monkeypatch.setattr(Matched, "computed", spy)
    selector = SelectAlternatives("f", **TRULY, dissimilarity=DISTINCT)
    weights = np.repeat([1, 2], 40)
    evaluate(selector, X, Y, cv=2, sample_weight=weights, n_repeats=1)
    assert [rows for rows, _ in seen] == [40, 40]
    assert sum(given.sum() for _, given in seen) == weights.sum()


# --- Results ----------------------------------------------------------------------------------------------
SIMILARITY = np.eye(6)
SIMILARITY[0, 2] = SIMILARITY[2, 0] = 0.9799
SIMILARITY[1, 3] = SIMILARITY[3, 1] = 0.95


@pytest.fixture(scope="module")
def matched():
    """Three sets of 3, which may have two features in common, shared or alike."""
    rng = np.random.default_rng(44)
    relevance, redundancy = rng.integers(1, 9, 6), rng.integers(0, 9, (6, 6))
    repeats = quality.MRMR(relevance, redundancy + redundancy.T, feature_names=NAMES[:6])
    kind = Matched(SIMILARITY, threshold=0.9)
    return altsets.find(repeats, n_features=3, n_alternatives=2, tau=0.3, dissimilarity=kind)


def test_matches_say_who_stands_in_for_whom(matched):
    kind = Matched(SIMILARITY, threshold=0.9)
    assert matched.matches
    assert matched.matches == [
        (later, earlier, *match)
        for later in range(3)
        for earlier in range(later)
        for match in kind.matches(matched.sets[later], matched.sets[earlier])
    ]
    for later, earlier, feature, other, alike in matched.matches:
        assert later > earlier
        assert feature != other
        assert feature in matched.sets[later]
        assert other in matched.sets[earlier]
        assert alike == SIMILARITY[feature, other]


def test_matches_in_json(matched):
    document = json.loads(matched.to_json())
    assert document["schema"] == 1
    later, earlier, feature, other, alike = matched.matches[0]
    assert document["matches"][0] == {
        "sets": [later, earlier],
        "features": [NAMES[feature], NAMES[other]],
        "indices": [feature, other],
        "similarity": alike,
    }
    assert Result.from_json(matched.to_json()) == matched
    assert Result.from_json(matched.to_json()).matches == matched.matches


@pytest.mark.parametrize("change", [
    {"sets": [0, 1]}, {"sets": [1]}, {"sets": [7, 0]}, {"sets": "10"}, {"indices": [0, 99]},
    {"indices": [0.5, 1]}, {"similarity": None}, {"similarity": "0.9"},
])  # fmt: skip
def test_matches_that_are_damaged_are_refused(matched, change, refused):
    document = json.loads(matched.to_json())
    document["matches"][0] |= change
    with refused(InputError):
        Result.from_json(json.dumps(document))


def test_matches_in_frames(matched):
    frame = matched.matches_frame()
    assert list(frame.columns) == ["set", "feature", "earlier_set", "earlier_feature", "similarity"]
    rows = [(i, NAMES[f], j, NAMES[g], similarity) for i, j, f, g, similarity in matched.matches]
    assert list(frame.itertuples(index=False, name=None)) == rows
    column = matched.to_frame()["matches"]
    assert column[0] == []
    words = [
        f"{NAMES[f]} ~ {NAMES[g]} ({0.97 if 0 in (f, g) else 0.95}) in set {j}"
        for _, j, f, g, _ in matched.matches
    ]
    assert [text for texts in column for text in texts] == words


def test_plain_results_have_no_matches():
    plain = altsets.find(quality.Additive([3, 2, 1]), n_features=1, n_alternatives=1)
    assert plain.matches == []
    assert plain.matches_frame().empty
    assert "matches" not in plain.to_frame()
    assert json.loads(plain.to_json())["matches"] == []


# --- Near-copies ------------------------------------------------------------------------------------------
def plain_sets(table=X, kind="dice", **asked):
    scores = quality.Additive.from_data(table, Y, measure="f")
    return altsets.find(scores, **TRULY | asked, dissimilarity=kind), features_of(table)


def test_near_copies_are_noticed(snapshot):
    assert near_copies(*plain_sets()) == snapshot
    # Each of them can be said of these sets.
    everything = Matched.from_data(X, "spearman", threshold=0.9)
    result, _ = plain_sets()
    assert everything.overlap(*result.sets) == 2
    assert len(everything.matches(result.sets[1], result.sets[0])) == 2


@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        # Similarity has been looked through, or is not what the user asks about.
        (Matched.from_data(X, "spearman", threshold=0.9), {}),
        (Grouped({0: "a"}), {}),
        # Nothing to compare.
        ("dice", {"n_alternatives": 0}),
    ],
)
def test_no_note_where_there_is_nothing_to_say(kind, asked):
    assert near_copies(*plain_sets(kind=kind, **asked)) is None


def test_one_match_of_two_is_no_near_copy():
    scores = quality.Additive([9, 7, 0, 0, 8, 6, 0], feature_names=NAMES)
    result = altsets.find(scores, **TRULY)
    assert result.named_sets == [("size", "noise"), ("length", "hue")]
    assert near_copies(result, features_of(X)) is None


@pytest.mark.parametrize(("limits", "noted"), [
    ({"tau": 0.0}, False), ({"tau": 0.1}, True),
    ({"tau": 0, "dissimilarity": "absolute"}, False),
    ({"tau": 1, "dissimilarity": "absolute"}, True),
])  # fmt: skip
def test_no_note_on_what_the_request_allows_anyway(limits, noted):
    result, features = plain_sets()
    asked = replace(result, parameters={**result.parameters, **limits})
    assert (near_copies(asked, features) is not None) == noted


def test_copies_are_seen_through_holes_and_beside_categories(snapshot):
    table = X.assign(town=np.array(["Rome", "Oslo", "Bonn"])[np.arange(len(X)) % 3])
    table.loc[::7, "length"] = np.nan
    features = features_of(table)
    scores = quality.Additive([5, 4, 0, 0, 0, 0, 0, 0], feature_names=list(table.columns))
    result = altsets.find(scores, n_features=1, n_alternatives=1, tau=1)
    # The rank correlation would refuse the table.
    assert near_copies(result, features) == snapshot
    towns = altsets.find(quality.Additive([5, 0, 0, 0, 0, 0, 0, 4]), n_features=1, n_alternatives=1, tau=1)
    assert near_copies(towns, features) is None


def test_long_tables_and_many_sets_are_no_trouble(monkeypatch, snapshot):
    result, features = plain_sets()
    monkeypatch.setattr("altsets.selector.notes.MOST_NUMBERS", 200)
    assert near_copies(result, features) is not None
    monkeypatch.setattr("altsets.selector.notes.MOST_COLUMNS", 4)
    several = altsets.find(quality.Additive([9, 8, 7, 6, 3, 2, 1]), n_features=1, n_alternatives=6, tau=1)
    assert near_copies(several, features) == snapshot


def test_the_selector_says_so(snapshot):
    selector = SelectAlternatives("f", **TRULY).fit(X, Y)
    *_, caution = selector.result_.cautions
    assert caution == snapshot
    assert selector.note_ == snapshot
    assert all(note in repr(selector) for note in (*selector.result_.notes, f"Caution: {caution}"))
    assert "repeat set 0" in selector._repr_html_()
    selector.set_params(dissimilarity=DISTINCT).fit(X, Y)
    assert selector.result_.notes == snapshot
    assert "repeat set 0" not in repr(selector) + selector._repr_html_()


# --- The command line -------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def path(tmp_path_factory):
    file = tmp_path_factory.mktemp("tables") / "copies.csv"
    columns = [X[name].to_numpy() for name in NAMES]
    write_csv((*NAMES, "y"), (*columns, np.array(["no", "yes"], dtype=object)[Y]), file)
    return file


ASKED = ("-t", "y", "--quality", "f", "-k", 2, "-a", 1, "--tau", 1)
BY_GROUPS = ("--dissimilarity", "groups")


def test_distinct_asks_for_truly_different_sets(run, path):
    code, out, err = run("find", path, *ASKED, "--distinct", "0.9", "--json")
    assert (code, err) == (0, "")
    result = Result.from_json(out)
    assert result.parameters["dissimilarity"] == {
        "kind": "matched",
        "threshold": 0.9,
        "similarity": "spearman",
    }
    assert (
        result.named_sets
        == SelectAlternatives("f", **TRULY, dissimilarity=DISTINCT).fit(X, Y).result_.named_sets
    )
    pearson = json.loads(run("find", path, *ASKED, "--distinct", "0.9:pearson", "--json")[1])
    assert pearson["parameters"]["dissimilarity"]["similarity"] == "pearson"


def test_stand_ins_are_printed_by_name(run, path, tmp_path, snapshot):
    table = tmp_path / "demo.csv"
    write_csv(load_demo().names, load_demo().columns, table)
    asked = ("find", table, "-t", "diagnosis", "--quality", "mrmr", "--measure", "pearson", "-k", 4, "-a", 2)
    code, out, err = run(*asked, "--distinct", "0.9")
    assert (code, err) == (0, "")
    assert about(out, "stand in") == snapshot
    result = Result.from_json(run(*asked, "--distinct", "0.9", "--json")[1])
    assert len(result.matches) > 1
    for (later, earlier), words in result.matches_in_words().items():
        assert f"sets {later} and {earlier}: {', '.join(words)}" in " ".join(out.split())
    out = run("find", path, *ASKED, "--distinct", "0.9")[1]
    assert about(out, "near-copy") == snapshot
    assert "near-copy" not in run("find", path, *ASKED)[1]


def test_many_pairs_of_sets_are_cut_short(matched, capsys, snapshot):
    from altsets.cli import printing

    many = replace(
        matched,
        sets=[(0,), *[(2,)] * 23],
        texts=[("size",), *[("weight",)] * 23],
        qualities=[1.0] * 24,
        statuses=[matched.status] * 24,
        matches=[(later, 0, 2, 0, 0.97) for later in range(1, 24)],
        scores=[],
    )
    printing.show(many, printing.console_for())
    out = capsys.readouterr().out
    assert out.count("weight ~ size (0.97)") == printing.MOST_LINES
    assert about(out, "more pairs") == snapshot
    weighted = {**matched.parameters, "dissimilarity": {"kind": "matched", "threshold": None}}
    faint = replace(many, parameters=weighted, matches=[(1, 0, 2, 0, 0.3), (2, 0, 2, 0, 0.6)])
    printing.show(faint, printing.console_for())
    out = capsys.readouterr().out
    assert about(out, "or more") == snapshot
    assert "(0.60)" in out
    assert "(0.30)" not in out


def test_near_copies_are_a_caution_before_the_sets(run, path, snapshot):
    asked = ("find", path, *ASKED)
    code, out, err = run(*asked)
    assert (code, err) == (0, "")
    text = " ".join(out.split())
    assert text == snapshot
    assert text.index("Proven") < text.index("repeat set 0") < text.index("Quality")
    document = json.loads(run(*asked, "--json")[1])
    assert document["cautions"][-1].startswith("2 of 2 features")
    assert Result.from_json(json.dumps(document)).sets
    assert "repeat set 0" not in run(*asked, "--distinct", "0.9")[1]


def test_groups_from_a_file_and_from_names(run, path, tmp_path):
    groups = tmp_path / "groups.csv"
    groups.write_text(
        "group,feature,price\nbulk,size,1\nbulk,length,2\nbulk,weight,3\nbulk,width,3\n,hue,3\n",
        encoding="utf-8",
    )
    code, out, _ = run("find", path, *ASKED, *BY_GROUPS, "--feature-groups", groups, "--json")
    document = json.loads(out)
    assert code == 0
    kind = document["parameters"]["dissimilarity"]
    assert kind == {"kind": "grouped", "groups": {"bulk": NAMES[:4]}}
    first, second = (set(entry["features"]) for entry in document["sets"])
    assert not (first & BULK and second & BULK)
    # s-ize, noi-se, hue and age without it: names before an i.
    by_names = json.loads(run("find", path, *ASKED, *BY_GROUPS, "--feature-groups-by", "i", "--json")[1])
    assert by_names["parameters"]["dissimilarity"]["groups"] == {
        "s": ["size"],
        "we": ["weight"],
        "w": ["width"],
        "no": ["noise"],
    }


def test_saved_scores_need_their_table_for_distinct(run, path, tmp_path, snapshot):
    saved = tmp_path / "scores.csv"
    assert run("find", path, *ASKED, "--save-scores", saved)[0] == 0
    code, out, err = run("find", "--scores", saved, "-k", 2, "-a", 1, "--distinct", "0.9")
    assert (code, out) == (2, "")
    assert err == snapshot
    asked = ("find", path, "-t", "y", "--scores", saved, "-k", 2, "-a", 1, "--tau", 1)
    result = Result.from_json(run(*asked, "--distinct", "0.9", "--json")[1])
    assert (
        result.named_sets
        == SelectAlternatives("f", **TRULY, dissimilarity=DISTINCT).fit(X, Y).result_.named_sets
    )
    assert "repeat set 0" in run(*asked)[1]


@pytest.mark.parametrize(("options", "sentence"), [
    (("--distinct", "x"), "--distinct 'x' must have the form 0.9 or 0.9:spearman."),
    (("--distinct", "0.9:"), "must have the form 0.9 or 0.9:spearman."),
    (("--distinct", ":spearman"), "must have the form 0.9 or 0.9:spearman."),
    (("--distinct", "0"), "--distinct 0: features count as the same from a similarity on that is above 0"),
    (("--distinct", "1.01"), "at most 1; give one such as 0.9."),
    (("--distinct", "nan"), "at most 1; give one such as 0.9."),
    (("--distinct", "0.9:cosine"), "the measure 'cosine' is unknown; choose spearman or pearson or"),
    (
        (*BY_GROUPS, "--feature-groups-by", "__"),
        "-groups-by: no name such as 'size' has '__' in it; give the separator",
    ),
    (("--feature-groups-by", ""), "--feature-groups-by: the separator is ''; give one such as '__'."),
    (("--feature-groups", "nowhere.csv"), "there is no file nowhere.csv"),
    (
        ("--feature-groups", "x.csv", "--feature-groups-by", "i"),
        "--feature-groups and --feature-groups-by were both given; give one of them.",
    ),
    (BY_GROUPS, "--dissimilarity groups compares groups of features; declare them with --feature-groups."),
    (
        ("--distinct", "0.9", "--feature-groups-by", "i"),
        "--feature-groups has no use here; compare the groups with --dissimilarity groups, pay for each once with "
        "--budget, or leave it out.",
    ),
    (("--dissimilarity", "dice", "--distinct", "0.9"), "--dissimilarity and --distinct were both given"),
    (("--dissimilarity", "absolute"), "give --tau"),
    (("--dissimilarity", "cosine"), "choose one of dice, jaccard"),
])  # fmt: skip
def test_options_that_make_no_sense_are_refused_in_one_line(run, path, options, sentence):
    code, out, err = run("find", path, "-t", "y", "--quality", "f", "-k", 2, "-a", 1, *options)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.startswith("Error: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(("content", "sentence"), [
    ("", "is empty"),
    ("size,bulk\n", "has no column 'feature' and no column 'group'; its first line must name the columns"),
    ("feature,sensor\nsize,a\n", "has no column 'group'; its first line must name the columns feature,group."),
    ("feature,group\nsice,a\n", "names 'sice', which is not a feature; did you mean 'size'?"),
    ("feature,group\nsize,a\nsize,b\n", "line 3: 'size' is in group 'a' already"),
    ("feature,group\nsize\n", "line 2: 1 fields, but the header has 2"),
    ("feature,group\nsize,\n", "gives no feature a group; write a line such as size,GROUP."),
    ("feature,group\n", "gives no feature a group"),
])  # fmt: skip
def test_files_of_groups_that_make_no_sense_are_refused_in_one_line(run, path, tmp_path, content, sentence):
    file = tmp_path / "groups.csv"
    file.write_text(content, encoding="utf-8")
    code, out, err = run("find", path, *ASKED, "--feature-groups", file)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1


@pytest.mark.slow
def test_the_demo_shows_sets_that_differ_in_substance(run, tmp_path, monkeypatch, snapshot):
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("demo")
    text = " ".join(out.split())
    assert code == 0
    assert about(text, "best set") == snapshot
    assert about(text, "instead") == snapshot
    assert about(text, "In other words") == snapshot
    assert "Caution" not in text
