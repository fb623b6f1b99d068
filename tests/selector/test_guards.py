"""Guards before a search: each fires on the mistake that it is about, and not on a table that only looks like it."""

from __future__ import annotations

import re
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
from clocks import wait_until
from shared_data import DATASETS, needs_datasets
from sklearn.model_selection import permutation_test_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from altsets import SelectAlternatives, constraints, evaluate, find
from altsets.constraints import AboveNoise
from altsets.display import ProgressLines
from altsets.dissimilarity import Matched
from altsets.errors import InputError
from altsets.evaluation import Evaluation
from altsets.io import survival_target
from altsets.quality import CFS, FCBF, MRMR, Additive, Wrapper
from altsets.result import Progress
from altsets.selector import notes
from altsets.wording import duration

pd = pytest.importorskip("pandas")


def made(n_rows=80, n_columns=4, seed=0):
    """A table whose first columns say something about the target, and its target."""
    rng = np.random.default_rng(seed)
    y = pd.Series(rng.permutation(np.arange(n_rows) % 2), name="ill")
    values = rng.normal(size=(n_rows, n_columns)) + y.to_numpy()[:, None] * np.linspace(1, 0, n_columns)
    return pd.DataFrame(values, columns=[f"f{index}" for index in range(n_columns)]), y


def fitted(X, y, **parameters):
    return SelectAlternatives(**{"n_features": 2, "n_alternatives": 1, **parameters}).fit(X, y)


# --- Rows in another order --------------------------------------------------------------------------------
ENTRANCES = {
    "fit": fitted,
    "Additive": Additive.from_data,
    "MRMR": MRMR.from_data,
    "FCBF": FCBF.from_data,
    "CFS": CFS.from_data,
    "Wrapper": Wrapper.from_data,
    "evaluate": lambda X, y: evaluate([["f0"]], X, y, cv=3, n_repeats=1),
}


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_the_same_rows_in_another_order_are_warned_of(entrance, warned):
    X, y = made()
    shuffled = y.sample(frac=1, random_state=1)
    with warned(UserWarning):
        ENTRANCES[entrance](X, shuffled)
    ENTRANCES[entrance](X, shuffled.loc[X.index])
    ENTRANCES[entrance](X, shuffled.to_numpy())


def test_a_fit_warns_of_another_order_once():
    X, y = made()
    with pytest.warns(UserWarning, match="another order") as said:
        fitted(X, y.sample(frac=1, random_state=1))
    assert len(said) == 1


def test_permutation_tests_shuffle_the_target_with_its_labels(warned):
    X, y = made()
    model = make_pipeline(SelectAlternatives("f", n_features=1), DecisionTreeClassifier(random_state=0))
    with warned(UserWarning):
        _, by_chance, _ = permutation_test_score(model, X, y, n_permutations=5, random_state=0)
    _, same, _ = permutation_test_score(model, X.to_numpy(), y.to_numpy(), n_permutations=5, random_state=0)
    assert by_chance.tolist() == same.tolist()


def test_weights_and_groups_in_another_order_are_refused(refused):
    X, y = made()
    other = pd.Series(1.0, index=X.index[::-1])
    with refused(InputError):
        SelectAlternatives(n_features=2).fit(X, y, sample_weight=other)
    with refused(InputError):
        SelectAlternatives(n_features=2).fit(X, y, groups=other)
    with refused(InputError):
        evaluate([["f0"]], X, y, groups=other, n_repeats=1)


def test_labels_that_occur_more_than_once_have_another_remedy(warned):
    X, y = made()
    X.index, y.index = np.repeat(["a", "b"], 40), np.tile(["a", "b"], 40)
    with warned(UserWarning):
        fitted(X, y)


def test_rows_of_another_part_of_the_table_are_refused(refused):
    X, y = made()
    with refused(InputError):
        fitted(
            X.iloc[20:60].sample(frac=1, random_state=0),
            pd.concat([y[:20], y[60:]]).set_axis(range(900, 940)),
        )
    with refused(InputError):
        fitted(X[1:41], y[2:42])


@pytest.mark.parametrize("kind", ["split", "scaled", "reset target", "sorted", "polars", "array"])
def test_rows_that_belong_together_are_taken(kind):
    X, y = made()
    X_train, _, y_train, _ = train_test_split(X, y, random_state=0)
    pairs = {
        "split": lambda: (X_train, y_train),
        # What becomes of a table that went through an array: its labels count from 0 and name nothing.
        "scaled": lambda: (pd.DataFrame(X_train.to_numpy(), columns=X.columns), y_train),
        "reset target": lambda: (X_train, y_train.reset_index(drop=True)),
        "sorted": lambda: (X.sort_values("f0"), y.loc[X.sort_values("f0").index]),
        "polars": lambda: (pytest.importorskip("polars").from_pandas(X), y.sample(frac=1, random_state=0)),
        "array": lambda: (X.to_numpy(), y.sample(frac=1, random_state=0)),
    }
    assert len(fitted(*pairs[kind]()).alternatives_) == 2


# --- Columns that cannot be used --------------------------------------------------------------------------
def with_unusable(X):
    """The table with columns that no measure can use, before and between those that can be used."""
    n = len(X)
    odd = X.assign(
        visit=pd.date_range("2024-01-01", periods=n),
        name=[f"patient {row}" for row in range(n)],
        mixed=[row if row % 9 else "unknown" for row in range(n)],
        endless=np.where(np.arange(n) == 3, np.inf, 1.0),
    )
    return odd[["visit", "f0", "name", "f1", "mixed", "f2", "endless", "f3"]]


def test_all_unusable_columns_are_in_one_message(refused):
    X, y = made()
    with refused(InputError):
        fitted(with_unusable(X), y)
    with refused(InputError):
        Additive.from_data(with_unusable(X), y)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_unusable_columns_are_dropped_and_listed(library, tmp_path, snapshot):
    X, y = made()
    plain, odd = fitted(X, y), with_unusable(X)
    if library == "polars":
        odd["mixed"] = odd["visit"]
        odd = pytest.importorskip("polars").from_pandas(odd)
    if library == "pyarrow":
        odd["mixed"] = odd["visit"]
        odd = pytest.importorskip("pyarrow").Table.from_pandas(odd)
    selector = fitted(odd, y, unusable="drop")
    assert selector.dropped_ == ["visit", "name", "mixed", "endless"]
    assert [found.names for found in selector.alternatives_] == [found.names for found in plain.alternatives_]
    assert selector.result_.notes[1] == snapshot
    assert selector.n_features_in_ == 8
    assert selector.supports_[0].tolist() == [False, True, False, True, False, False, False, False]
    assert np.isnan(selector.scores_).tolist() == [True, False, True, False, True, False, True, False]
    assert selector.get_feature_names_out().tolist() == ["f0", "f1"]
    if library != "pyarrow":
        assert np.array_equal(selector.transform(odd), X[["f0", "f1"]].to_numpy())
        assert np.array_equal(
            selector.get_alternative(1).transform(odd), plain.get_alternative(1).transform(X)
        )
    assert Path(selector.report(tmp_path / "report.html")).is_file()
    assert "unusable='drop'" in selector.result_.request.to_python()
    assert "--drop-unusable" in selector.result_.request.to_command()


def test_nothing_is_dropped_where_all_columns_can_be_used():
    X, y = made()
    selector = fitted(X, y, unusable="drop")
    assert selector.dropped_ == []
    assert selector.result_.notes == fitted(X, y).result_.notes


def test_unusable_columns_are_dropped_in_folds():
    X, y = made()
    selector = SelectAlternatives(n_features=2, n_alternatives=1, unusable="drop")
    evaluation = evaluate(selector, with_unusable(X), y, cv=3, n_repeats=1)
    assert evaluation.folds == evaluate(selector, X, y, cv=3, n_repeats=1).folds


def test_numbers_of_columns_in_constraints_are_refused_where_columns_are_dropped(refused):
    X, y = made()
    with refused(InputError):
        fitted(with_unusable(X), y, unusable="drop", constraints=[constraints.Forbid([1])])
    rule = constraints.Forbid(["f0"])
    assert "f0" not in fitted(with_unusable(X), y, unusable="drop", constraints=[rule]).alternatives_[0].names


def test_dropping_is_one_of_two_choices_and_leaves_something(refused):
    X, y = made()
    with refused(InputError):
        fitted(X, y, unusable="skip")
    with refused(InputError):
        fitted(with_unusable(X)[["visit", "name"]], y, unusable="drop")


# --- Columns that look like a mistake ---------------------------------------------------------------------
N = 300
RNG = np.random.default_rng(1)
ILL = pd.Series(RNG.permutation(np.arange(N) % 2), name="ill")
COST = pd.Series(RNG.normal(size=N), name="cost")
FLIPPED = np.where(np.arange(N) < 30, 1 - ILL, ILL)
DAYS = 20240000 + 100 * RNG.integers(1, 13, N) + RNG.integers(1, 29, N)

#: By the name of a column, its target, values that look like a mistake with what is said about them, and values that
#: only look similar.
SUSPECTS = {
    "counter": ("x", ILL, np.arange(1, N + 1), "counts the rows in their order", np.arange(1, N + 1) // 2),
    "falling": ("x", ILL, np.arange(N, 0, -1), "counts the rows in their order", np.sort(RNG.normal(size=N))),
    "dense": ("x", ILL, RNG.permutation(N), "has another whole number in every row", RNG.integers(0, N, N)),
    "by name": (
        "customer_id",
        ILL,
        RNG.choice(10**7, N, replace=False),
        "has another whole number in every row",
        RNG.normal(size=N),
    ),
    "amounts": ("Unnamed: 0", ILL, RNG.permutation(N), "as identifiers do", 1e6 * RNG.random(N)),
    "days": ("x", ILL, DAYS, "holds dates written as numbers, such as 2024", DAYS + 100),
    "seconds": (
        "created_at",
        ILL,
        1.7e9 + RNG.integers(0, 10**7, N) // 60 * 60,
        "holds dates written as numbers",
        1.7e8 + RNG.integers(0, 10**7, N) // 60 * 60,
    ),
    "copy": ("x", ILL, ILL, "says the same as the target in every row", FLIPPED),
    "text": (
        "x",
        ILL,
        np.where(ILL == 1, "yes", "no"),
        "says the same as the target",
        np.where(FLIPPED, "yes", "no"),
    ),
    "units": ("x", COST, 1000 * COST + 3, "says the same as the target", 0.5 * COST + RNG.normal(size=N)),
    "falling copy": ("x", COST, -(COST**3), "says the same as the target", RNG.permutation(COST)),
    "leak": (
        "x",
        ILL,
        ILL + RNG.normal(size=N) / 10,
        "alone predicts the target almost perfectly (Matthews correlation",
        ILL + RNG.normal(size=N) / 3,
    ),
    "numeric leak": (
        "x",
        COST,
        np.round(COST, 1) + RNG.normal(size=N) / 100,
        "alone predicts the target almost perfectly (R² 0.9",
        COST + RNG.normal(size=N),
    ),
    "by the target's name": (
        "ill_code",
        ILL,
        FLIPPED,
        "alone predicts the target, which it names",
        RNG.permutation(FLIPPED),
    ),
    "far above": (
        "x",
        ILL,
        np.where(np.arange(N) % 8, ILL, 1 - ILL),
        "alone predicts the target with a Matthews correlation of 0.7",
        np.where(np.arange(N) % 3, ILL, 1 - ILL),
    ),
}


def beside_noise(name, values, y=None):
    """A table with such a column among others that say next to nothing, and one that says something about ``y``."""
    noise = np.random.default_rng(2).normal(size=(N, 5))
    if y is not None:
        noise[:, 0] += 2 * y
    return pd.DataFrame(noise, columns=list("abcde")).assign(**{name: values})


def said_of(name, X, y, **parameters):
    result = fitted(X, y, **parameters).result_
    return [
        sentence for sentence in (*result.cautions, *result.notes) if sentence.startswith(f"Column {name} ")
    ]


@pytest.mark.parametrize("kind", SUSPECTS)
def test_a_column_that_looks_like_a_mistake(kind):
    name, y, values, words, similar = SUSPECTS[kind]
    other = None if kind == "far above" else y
    (said,) = said_of(name, beside_noise(name, values, other), y)
    assert words in said
    assert said.endswith(f"(X.drop(columns=[{name!r}])).")
    assert said_of(name, beside_noise(name, similar, other), y) == []


def test_no_suspects_in_a_table_without_one(snapshot):
    X, y = made(300, 8)
    result = fitted(X, y).result_
    assert result.table_cautions == []
    assert result.notes == snapshot


def test_a_suspect_is_a_caution_if_it_is_chosen_and_else_a_note(snapshot):
    rng = np.random.default_rng(1)
    X = beside_noise("leak", ILL + rng.normal(size=N) / 10).assign(row=np.arange(N))
    result = fitted(X, ILL, constraints=[constraints.Forbid(["row"])]).result_
    assert [caution.split()[1] for caution in result.table_cautions] == ["leak"]
    assert str(result.verdict) == snapshot
    assert [note.split()[1] for note in result.notes] == ["target", "row"]
    chosen = fitted(X, ILL, constraints=[constraints.Require(["row"])]).result_
    assert [caution.split()[1] for caution in chosen.table_cautions] == ["row", "leak"]


def test_suspects_without_a_target_or_with_few_rows(snapshot):
    X = beside_noise("row", np.arange(N))
    assert " ".join(fitted(X, None, quality=[1, 2, 3, 4, 5, 6]).result_.cautions) == snapshot
    few = X[:19].assign(leak=ILL[:19])
    assert fitted(few, ILL[:19]).result_.table_cautions == []


def test_rows_of_weight_0_are_not_looked_at(snapshot):
    values = np.where(np.arange(N) < 30, 1 - ILL, ILL)
    weights = (np.arange(N) >= 30).astype(float)
    result = (
        SelectAlternatives("f", n_features=2)
        .fit(beside_noise("x", values), ILL, sample_weight=weights)
        .result_
    )
    assert result.table_cautions[0] == snapshot


def test_large_tables_are_looked_at_in_part(monkeypatch):
    rng = np.random.default_rng(1)
    from altsets.selector import suspects

    monkeypatch.setattr(suspects, "MOST_CELLS", 100)
    monkeypatch.setattr(suspects, "MOST_COLUMNS", 2)
    monkeypatch.setattr(suspects, "MOST_ROWS", 100)
    X = beside_noise("row", np.arange(N)).assign(leak=ILL + rng.normal(size=N) / 10)
    found = fitted(X, ILL, n_alternatives=0, n_features=1).result_
    assert [caution.split()[1] for caution in found.table_cautions] == ["leak"]
    # Columns 0, 3 and 6 are looked at, but not column 5, which is not in the set.
    assert len(found.notes) == 1


@pytest.mark.parametrize("classes", [2, 3, 0])
def test_a_copy_of_the_target_with_tiny_noise_in_a_small_table(classes):
    """Also where classes meet, neighbours are of one class; of numbers, the largest ones have none."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, classes, 120) if classes else rng.lognormal(sigma=2, size=120)
        X = pd.DataFrame(rng.normal(size=(120, 4)), columns=[*"abcd"])
        X["copy"] = y + rng.normal(scale=1e-3, size=120)
        X["rough"] = y + rng.normal(scale=np.std(y), size=120)
        result = fitted(X, y, quality="f", n_features=1, n_alternatives=0).result_
        assert [caution.split()[1] for caution in result.table_cautions] == ["copy"]
        assert not [note for note in result.notes if "X.drop" in note]


@needs_datasets
@pytest.mark.slow
def test_few_false_alarms_in_the_tables_of_the_study():
    """What is said about the 30 tables: their identifiers, and the molecules, which belong to one class each."""
    told = {}
    for path in sorted(DATASETS.glob("*.csv.gz")):
        X = pd.read_csv(path)
        y = X.pop("target")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = SelectAlternatives("f", n_alternatives=2).fit(X, y).result_
        said = [sentence for sentence in (*result.cautions, *result.notes) if "X.drop" in sentence]
        if said:
            told[path.name.removesuffix(".csv.gz")] = sorted(
                sentence.split(" (")[0].split("=")[0] for sentence in said
            )
    known = {"backache": 1, "churn": 1, "clean1": 2, "clean2": 2}
    false_alarms = {name: said for name, said in told.items() if len(said) > known.get(name, 0)}
    assert len(list(DATASETS.glob("*.csv.gz"))) == 30
    assert {name: len(said) for name, said in told.items() if name in known} == known
    assert sum(map(len, false_alarms.values())) <= 2, false_alarms


# --- Noise and disagreement -------------------------------------------------------------------------------
def mostly_noise(n_telling=3, n_columns=12):
    """A table of which only the first columns say something about the target."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(N, n_columns))
    values[:, :n_telling] += ILL.to_numpy()[:, None]
    return pd.DataFrame(values, columns=[f"f{index}" for index in range(n_columns)])


def weak_set(**parameters):
    """Three sets without shared features, of which the last ones are of noise."""
    return fitted(mostly_noise(), ILL, **{"quality": "f", "n_features": 3, "tau": 1, **parameters})


@pytest.mark.parametrize("quality", ["f", "mutual_info", "mrmr", "cfs", "fcbf"])
def test_only_features_above_the_noise_floor(quality, snapshot):
    plain = fitted(mostly_noise(), ILL, quality=quality, n_alternatives=3)
    above = fitted(mostly_noise(), ILL, quality=quality, n_alternatives=1, constraints=AboveNoise(), tau=0.5)
    assert above.noise_floor_.tolist() == plain.noise_floor_.tolist()
    assert {name for found in above.alternatives_ for name in found.names} <= {"f0", "f1", "f2"}
    assert all(map(all, above.result_.above_noise))
    assert above.result_.parameters["constraints"] == [{"kind": "above_noise"}]
    assert str(above.result_.verdict) == snapshot
    assert "AboveNoise()" in above.result_.request.to_python()
    assert "--above-noise" in above.result_.request.to_command()


def test_more_features_than_are_above_the_noise_floor(refused):
    with refused(InputError):
        fitted(mostly_noise(), ILL, quality="f", n_features=4, constraints=AboveNoise())


def test_a_noise_floor_of_zero(refused):
    """Of four rows, neighbours tell nothing about each other."""
    X = np.random.default_rng(0).normal(size=(4, 4))
    with refused(InputError):
        fitted(X, [0.1, 0.4, 0.2, 0.3], quality="mutual_info", constraints=AboveNoise())


@pytest.mark.parametrize("quality", ["relief", "wrapper", "importance", [1, 2, 3, 4]])
def test_noise_that_is_not_known(quality, refused):
    X, y = made()
    with refused(InputError):
        fitted(X, y, quality=quality, constraints=AboveNoise())


def test_noise_is_left_out_in_every_fold_and_on_a_memory(tmp_path):
    selector = SelectAlternatives(
        "f", n_features=2, n_alternatives=1, tau=0.5, constraints=AboveNoise(), memory=str(tmp_path)
    )
    evaluation = evaluate(selector, mostly_noise(), ILL, cv=3, n_repeats=1)
    assert {index for fold in evaluation.folds for chosen in fold.sets for index in chosen} <= {0, 1, 2}
    sets = [selector.fit(mostly_noise(), ILL).result_.sets for _ in range(2)]
    assert sets[0] == sets[1]


def test_a_set_of_noise_is_a_caution(snapshot):
    verdict = str(weak_set(n_alternatives=1).result_.verdict)
    assert verdict == snapshot
    verdict = str(
        fitted(mostly_noise(7), ILL, quality="f", n_features=3, n_alternatives=2, tau=1).result_.verdict
    )
    assert "noise" not in str(fitted(mostly_noise(6), ILL, quality="f", n_features=3, tau=1).result_.verdict)


def test_a_set_of_little_quality_is_a_caution(snapshot):
    verdict = str(weak_set(n_alternatives=2).result_.verdict)
    assert verdict == snapshot
    assert "too little" not in str(
        fitted(mostly_noise(6), ILL, quality="f", n_features=3, tau=1).result_.verdict
    )


def test_single_features_where_the_size_is_open_are_a_caution(snapshot):
    rng = np.random.default_rng(1)
    X = pd.DataFrame({f"f{index}": ILL + rng.normal(size=N) for index in range(3)})
    X = X.assign(**{f"g{index}": X["f0"] + rng.normal(size=N) / 9 for index in range(3)})
    rule = constraints.Size(1, 4)
    verdict = str(fitted(X, ILL, quality="mrmr", constraints=[rule], tau=1).result_.verdict)
    assert verdict == snapshot
    verdict = str(fitted(X, ILL, quality="mrmr", constraints=[constraints.Size(2, 4)]).result_.verdict)
    assert "a single one" not in verdict
    verdict = str(fitted(X, ILL, quality="cfs", constraints=[rule]).result_.verdict)
    assert "a single one" not in verdict


def test_prediction_in_the_opposite_order_of_quality_is_a_caution(snapshot):
    rng = np.random.default_rng(1)
    X = pd.DataFrame({f"f{index}": ILL + rng.normal(size=N) * (1.5 - index / 2) for index in range(3)})
    scores = Additive([3.0, 2.0, 1.0], feature_names=list(X))
    backwards = find(scores, n_features=1, n_alternatives=2)
    evaluation = evaluate(backwards, X, ILL, cv=5, n_repeats=1)
    said = str(evaluation.verdict_on(backwards))
    assert said == snapshot
    forwards = find(Additive([1.0, 2.0, 3.0], feature_names=list(X)), n_features=1, n_alternatives=2)
    assert "disagree" not in str(evaluate(forwards, X, ILL, cv=5, n_repeats=1).verdict_on(forwards))


@pytest.mark.parametrize(("means", "margin", "is_reversed"), [
    ([0.5, 0.52, 0.54], None, True), ([0.5, 0.54, 0.52], None, False), ([0.54, 0.52, 0.5], None, False),
    ([0.5, 0.52, 0.54], 0.05, False),
])  # fmt: skip
def test_the_opposite_order_is_said_where_no_single_difference_is_shown(
    monkeypatch, means, margin, is_reversed
):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(N, 3)), columns=list("abc"))
    result = find(Additive([3.0, 2.0, 1.0], feature_names=list(X)), n_features=1, n_alternatives=2)
    evaluation = evaluate(result, X, ILL, cv=2, margin=margin)
    assert not [entry for entry in evaluation.comparisons if entry.conclusion == "better"]
    monkeypatch.setattr(Evaluation, "mean_scores", lambda *_: means)
    said = "the lower the score of a set, the better it predicts"
    assert (said in str(evaluation.verdict_on(result))) == is_reversed


# --- Time -------------------------------------------------------------------------------------------------
@pytest.fixture
def slow_measure(monkeypatch, clock):
    """Scoring takes a hundredth of a second for each column and pair, and half a second is long."""
    from altsets.quality import from_table, spec

    make = spec.NamedQuality.make

    def slow(self, features, y, how=spec.ScoringOptions()):  # noqa: B008
        n = features.n_features
        clock.now += 0.01 * (n + n * (n - 1) / 2 * self.is_paired)
        return make(self, features, y, how)

    monkeypatch.setattr(spec.NamedQuality, "make", slow)
    monkeypatch.setattr(from_table, "LONG", 0.5)
    monkeypatch.setattr(from_table, "FEWEST_CELLS", 1000)


def test_what_takes_long_is_said_beforehand(slow_measure, capsys):
    X, y = made(100, 60)
    fitted(X, y, quality="f", verbose=True)
    assert re.search(r"60 features of 100 rows .* [1-9] s\n", capsys.readouterr().err)
    few, y = made(100, 21)
    fitted(few, y, quality="f", verbose=True)
    assert "takes about" not in capsys.readouterr().err
    # As many columns, and their pairs.
    fitted(few, y, quality="mrmr", verbose=True)
    assert re.search(r"takes about [2-9] s\n", capsys.readouterr().err)


def test_memory_is_estimated_and_refused_where_there_is_too_little(monkeypatch, capsys, snapshot, refused):
    X, y = made(100, 30)
    monkeypatch.setattr("altsets.quality.from_table.MUCH", 1e4)
    fitted(X, y, quality="mrmr", verbose=True)
    assert capsys.readouterr().err == snapshot
    fitted(X, y, quality="f", verbose=True)
    assert "memory" not in capsys.readouterr().err
    monkeypatch.setattr("altsets.machine.memory", lambda: 1000)
    with refused(InputError):
        fitted(X, y, quality="mrmr")


def test_what_is_wrong_with_a_table_is_not_said_by_an_estimate(slow_measure):
    from altsets.quality.spec import NamedQuality
    from altsets.tables.conversion import features_of

    X, y = made(100, 60)
    assert NamedQuality("importance").expected_seconds(features_of(X), y) is None
    assert NamedQuality("chi2").expected_seconds(features_of(-X), y) is None


@pytest.mark.parametrize(("seconds", "words"), [(12.4, "12 s"), (89, "89 s"), (100, "2 min"), (7200, "2 h")])
def test_durations_in_words(seconds, words):
    assert duration(seconds) == words


# --- Progress ---------------------------------------------------------------------------------------------
def test_fit_says_what_is_going_on_if_it_is_asked_to(capsys, clock, snapshot, refused):
    X, y = made()
    fitted(X, y)
    assert capsys.readouterr() == ("", "")
    fitted(X, y, verbose=True, dissimilarity=Matched("spearman", threshold=0.9))
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.split("] ")[1] for line in err.splitlines()] == snapshot
    assert all(line.startswith("[0 s] ") for line in err.splitlines())
    with refused(InputError):
        fitted(X, y, verbose="loud")


def test_progress_lines_come_again_and_again_until_the_end():
    lines, threads = [], threading.active_count()
    with ProgressLines(lines.append, 0.01) as progress:
        progress.begin("Scoring")
        progress.say("Scoring: 50%")
        wait_until(lambda: lines)
        progress.report(Progress(1.5, np.inf, 3.0, []))
        wait_until(lambda: lines[-1].endswith("Searching: best 1.5, bound none yet"))
    assert threading.active_count() == threads
    assert lines[0].endswith("s] Scoring: 50%")


def test_rounded_times_are_named_and_chance_is_not(snapshot):
    rng = np.random.default_rng(1)
    time = rng.permutation(np.arange(N) + 1.0)
    y = survival_target(time=time, event=np.arange(N) % 3 > 0)
    noise = {f"x{place}": rng.normal(size=N) for place in range(3)}
    X = pd.DataFrame(noise | {"months": np.floor(time / 30), "longest": time == time.max()})
    found = SelectAlternatives("concordance", n_features=2).fit(X, y)
    said = [*found.result_.cautions, *found.result_.notes]
    named = [one for one in said if "the order of the time of the target" in one]
    assert [one.split()[1] for one in named] == ["months"]
    left = pd.concat([X.drop(columns="months"), pd.DataFrame({"mixed": np.roll(X["months"], 1)})], axis=1)
    found = SelectAlternatives("concordance", n_features=2).fit(left, y)
    said = [*found.result_.cautions, *found.result_.notes]
    assert list(said) == snapshot


# --- Notes that cannot be made ----------------------------------------------------------------------------
@pytest.mark.parametrize("error", [InputError("too wide"), ZeroDivisionError("by 0"), KeyboardInterrupt()])
@pytest.mark.parametrize(("look", "unchecked"), [
    ("suspects", "Columns that look like a mistake were not checked"),
    ("measure_similarity", "Near-copies among sets were not checked"),
    ("similar_columns", "Features close to forbidden ones were not checked"),
])  # fmt: skip
def test_no_note_makes_a_fit_fail(monkeypatch, look, unchecked, error):
    def fail(*_, **__):
        raise error

    X, y = made()
    asked = {"constraints": [constraints.Forbid(["f3"])]}
    plain = fitted(X, y, **asked)
    monkeypatch.setattr(notes, look, fail)
    selector = fitted(X, y, **asked)
    assert selector.result_ == plain.result_
    (said,) = [note for note in selector.result_.notes if note not in plain.result_.notes]
    assert said.startswith(unchecked)
    assert (str(error) or "interrupted") in said


def test_what_features_score_by_chance_makes_no_fit_fail(monkeypatch, snapshot):
    X, y = made()
    plain = fitted(X, y)

    def fail(*_):
        raise MemoryError("too wide")

    monkeypatch.setattr("altsets.measures.noise.shuffled", fail)
    selector = fitted(X, y)
    assert selector.result_ == plain.result_
    assert selector.noise_floor_ is None
    assert [note for note in selector.result_.notes if note not in plain.result_.notes] == snapshot
    # Where it decides which features may be in sets, it does.
    with pytest.raises(MemoryError):
        fitted(X, y, constraints=AboveNoise())
