"""Scores that are adjusted for covariates, against other formulas and against published packages' numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata

import altsets
from altsets import SelectAlternatives, constraints
from altsets.errors import InputError

pd = pytest.importorskip("pandas")

ROWS = 160
ADJUST = ["age", "sex", "batch"]
#: Score statistics beside a Cox model of the covariates: statsmodels 0.15, PHReg with Efron's ties, score and Hessian
#: at the coefficients of the covariates alone; of six columns of numbers, and of one category.
COX, COX_OF_GROUPS = (
    [15.969211577, 0.367905652, 1.651587665, 0.34931017, 6.983846163, 0.100808989],
    2.388589668,
)


def made(seed: int = 0) -> tuple[pd.DataFrame, pd.Series, np.ndarray]:
    """A table whose covariates show in target and features; the covariates as columns of numbers."""
    rng = np.random.default_rng(seed)
    age = rng.normal(50, 10, ROWS)
    sex, batch = rng.choice(["m", "f"], ROWS), rng.choice(list("abcd"), ROWS)
    effect = (age - 50) / 10 + 0.7 * (sex == "m") + np.array(["abcd".index(one) for one in batch]) / 2
    X = pd.DataFrame({f"g{i}": rng.normal(size=ROWS) + effect * rng.normal() for i in range(6)})
    y = X.g0 - 0.5 * X.g1 + effect + rng.normal(size=ROWS)
    Z = np.column_stack([age, sex == "m", *(batch == one for one in "bcd")]).astype(float)
    return X.assign(age=age, sex=sex, batch=batch), y, Z


def scores_of(quality: str, X: pd.DataFrame, y: object, **more: object) -> np.ndarray:
    selector = SelectAlternatives(quality, n_features=2, n_alternatives=1, tau=0.5, adjust=ADJUST)
    return selector.fit(X, y, **more).scores_


def partial(first: object, second: object, Z: np.ndarray) -> float:
    """A partial correlation from the inverse of the correlations of all columns."""
    inverse = np.linalg.inv(np.corrcoef(np.column_stack([first, second, Z]), rowvar=False))
    return abs(inverse[0, 1]) / np.sqrt(inverse[0, 0] * inverse[1, 1])


def unexplained(y: object, *columns: object) -> float:
    """The sum of squares that a linear model leaves."""
    design = np.column_stack([np.ones(ROWS), *columns])
    return float(np.linalg.lstsq(design, np.asarray(y, float), rcond=None)[1][0])


def test_correlations_are_partial() -> None:
    X, y, Z = made()
    genes = [f"g{i}" for i in range(6)]
    np.testing.assert_allclose(
        scores_of("pearson", X, y)[:6], [partial(X[gene], y, Z) for gene in genes], atol=1e-12
    )
    ranks = [partial(rankdata(X[gene]), rankdata(y), rankdata(Z, axis=0)) for gene in genes]
    np.testing.assert_allclose(scores_of("spearman", X, y)[:6], ranks, atol=1e-12)


def test_f_compares_nested_models() -> None:
    X, y, Z = made()
    free = ROWS - 1 - Z.shape[1]
    for place in range(6):
        gene = X[f"g{place}"]
        before, after = unexplained(y, Z), unexplained(y, Z, gene)
        expected = (before - after) / (after / (free - 1))
        assert scores_of("f", X, y)[place] == pytest.approx(expected, rel=1e-10)
    classes = np.array(["u", "v", "w"])[np.digitize(y, [-1, 1])]
    groups = np.column_stack([classes == one for one in "vw"])
    for place in range(6):
        gene = X[f"g{place}"]
        before, after = unexplained(gene, Z), unexplained(gene, Z, groups)
        expected = (before - after) / 2 / (after / (free - 2))
        assert scores_of("f", X, classes)[place] == pytest.approx(expected, rel=1e-10)


def test_weights_count_rows() -> None:
    X, y, _ = made()
    weights = np.random.default_rng(1).integers(0, 3, ROWS)
    rows = np.repeat(np.arange(ROWS), weights)
    repeated = X.iloc[rows].reset_index(drop=True), y.iloc[rows].reset_index(drop=True)
    for quality in ("f", "pearson", "spearman"):
        weighed = scores_of(quality, X, y, sample_weight=weights)
        np.testing.assert_allclose(weighed, scores_of(quality, *repeated), rtol=1e-9)


def test_rows_without_a_covariate_do_not_count() -> None:
    X, y, _ = made()
    holes = X.assign(age=X.age.where(np.arange(ROWS) >= 10))
    for quality in ("f", "pearson", "spearman", "mutual_info"):
        np.testing.assert_allclose(
            scores_of(quality, holes, y), scores_of(quality, X.iloc[10:], y.iloc[10:]), rtol=1e-12
        )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("quality", ["pearson", "f", "mutual_info"])
def test_a_column_without_any_value_scores_nothing(quality: str) -> None:
    X, y, _ = made()
    weights = np.random.default_rng(1).exponential(size=ROWS)
    known = scores_of(quality, X, y, sample_weight=weights)
    found = scores_of(quality, X.assign(g5=np.nan), y, sample_weight=weights)
    assert found[5] == 0
    assert found[:5] == pytest.approx(known[:5])


@pytest.mark.filterwarnings("ignore:missing values")
def test_features_with_missing_values_are_adjusted_where_they_are_known() -> None:
    X, y, _ = made()
    holes = X.assign(g0=X.g0.where(np.arange(ROWS) >= 10))
    for quality in ("f", "pearson", "spearman"):
        found = scores_of(quality, holes, y)
        assert found[0] == pytest.approx(scores_of(quality, X.iloc[10:], y.iloc[10:])[0], rel=1e-9)
        assert found[1] == pytest.approx(scores_of(quality, X, y)[1], rel=1e-9)


def test_pairs_are_partial() -> None:
    X, y, Z = made()
    found = altsets.find("mrmr", 2, 0, X=X, y=y, adjust=ADJUST, quality_params={"measure": "pearson"})
    (chosen,) = found.named_sets
    first, second = (X[name] for name in chosen)
    expected = (partial(first, y, Z) + partial(second, y, Z)) / 2 - partial(first, second, Z)
    assert found.qualities[0] == pytest.approx(expected, abs=1e-10)


def test_linear_fit_explains_what_covariates_leave() -> None:
    X, y, Z = made()
    found = altsets.find("linear_fit", 2, 1, 1, X=X, y=y, adjust=ADJUST)
    for names, quality in zip(found.named_sets, found.qualities, strict=True):
        left = unexplained(y, Z, X[list(names)])
        assert quality == pytest.approx(1 - left / unexplained(y, Z), abs=1e-12)
    # Coefficients are those of the model with the covariates.
    (model, _) = found.models
    design = np.column_stack([np.ones(ROWS), X[list(model.features)], Z])
    coefficients = np.linalg.lstsq(design, y, rcond=None)[0][1:3]
    np.testing.assert_allclose(model.coefficients[:, 0], coefficients, rtol=1e-9)
    left = unexplained(y, Z, X[list(model.features)]) / (ROWS - design.shape[1])
    errors = np.sqrt(np.diag(np.linalg.inv(design.T @ design))[1:3] * left)
    np.testing.assert_allclose(model.standard_errors[:, 0], errors, rtol=1e-9)
    assert np.isnan(model.intercept).all()


def test_linear_fit_of_classes_is_the_trace_of_the_residuals() -> None:
    X, y, Z = made()
    classes = np.array(["u", "v", "w"])[np.digitize(y, [-1, 1])]
    found = altsets.find("linear_fit", 2, 0, X=X, y=classes, adjust=ADJUST)
    design = np.column_stack([np.ones(ROWS), Z])
    left = np.eye(ROWS) - design @ np.linalg.pinv(design)
    genes = left @ X[list(found.named_sets[0])].to_numpy()
    goals = left @ np.column_stack([classes == one for one in "vw"]).astype(float)
    trace = np.trace(np.linalg.pinv(goals) @ genes @ np.linalg.pinv(genes) @ goals)
    assert found.qualities[0] == pytest.approx(trace / 2, abs=1e-12)


def survival() -> tuple[pd.DataFrame, np.ndarray]:
    X, _, _ = made()
    rng = np.random.default_rng(7)
    time = np.round(rng.exponential(np.exp(-0.5 * X.g0 - 0.03 * X.age)) * 10, 1) + 0.1
    return X, altsets.io.survival_target(time=time, event=rng.random(ROWS) < 0.7)


def test_cox_adds_columns_to_a_model_of_the_covariates() -> None:
    X, y = survival()
    np.testing.assert_allclose(scores_of("cox", X, y)[:6], COX, rtol=1e-7)
    # One column more is a category of several labels.
    codes = X.g0.rank().astype(int) % 3
    grouped = X.assign(g0=codes.map({0: "a", 1: "b", 2: "c"}))
    assert scores_of("cox", grouped, y)[0] == pytest.approx(COX_OF_GROUPS, rel=1e-7)


def test_linear_fit_of_survival_is_the_score_statistic_beside_the_covariates() -> None:
    X, y = survival()
    quality = altsets.find("linear_fit", 1, 5, 1, X=X, y=y, adjust=ADJUST)
    order = [int(chosen[0]) for chosen in quality.sets]
    ratios = np.array(quality.qualities) / np.array(COX)[order]
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-7)


def test_information_is_that_of_residuals() -> None:
    X, y, Z = made()
    design = np.column_stack([np.ones(ROWS), Z])
    left = np.eye(ROWS) - design @ np.linalg.pinv(design)
    genes = X[[f"g{i}" for i in range(6)]].to_numpy()
    plain = altsets.measures.mutual_info(left @ genes, left @ y.to_numpy(), discrete=False, task="regression")
    np.testing.assert_allclose(scores_of("mutual_info", X, y)[:6], plain, atol=1e-9)


def test_artefacts_of_a_batch_are_not_chosen() -> None:
    rng = np.random.default_rng(3)
    batch, n = rng.integers(0, 4, 300), 40
    y = rng.normal(size=300) + batch
    X = pd.DataFrame(rng.normal(size=(300, n)), columns=[f"g{i}" for i in range(n)])
    X.iloc[:, 8:20] += 2.0 * batch[:, None]
    X.iloc[:, :8] += 0.5 * (y - batch)[:, None]
    X["batch"] = [f"b{one}" for one in batch]
    causal = {f"g{i}" for i in range(8)}
    for quality in ("f", "pearson", "spearman", "mutual_info"):
        plain = altsets.find(quality, 4, 1, 1, X=X.drop(columns="batch"), y=y)
        adjusted = altsets.find(quality, 4, 1, 1, X=X, y=y, adjust="batch")
        found = [
            len(causal & {name for one in result.named_sets for name in one}) for result in (plain, adjusted)
        ]
        assert found[0] <= 1
        assert found[1] >= 7


def test_covariates_are_no_candidates() -> None:
    X, y, _ = made()
    selector = SelectAlternatives("f", n_features=3, n_alternatives=1, tau=1, adjust=["age", "batch", "sex"])
    selector.fit(X[["age", "g0", "g1", "batch", "g2", "g3", "sex", "g4", "g5"]], y)
    assert selector.n_features_in_ == 9
    assert not selector.supports_[:, [0, 3, 6]].any()
    assert np.isnan(selector.scores_[[0, 3, 6]]).all()
    assert selector.transform(X[selector.feature_names_in_]).shape == (ROWS, 3)
    request = selector.result_.request
    assert altsets.Request.from_json(request.to_json()) == request
    assert "adjust=['age', 'batch', 'sex']" in request.to_python()
    assert "--adjust=age,batch,sex" in request.to_command()
    everything = altsets.find("f", 1.0 - 1e-9, 0, X=X, y=y, adjust=ADJUST)
    assert len(everything.sets[0]) == 5


def test_similarity_is_that_of_the_columns_as_they_are() -> None:
    X, y, _ = made()
    X = X.assign(kind=np.resize(["a", "b", "c"], ROWS), g5=X.g4 + 0.01 * X.g5)
    alike = abs(X.g4.corr(X.g5, method="spearman"))
    matched = altsets.dissimilarity.Matched("spearman", threshold=0.9)
    adjusted = X.drop(columns="kind")
    found = altsets.find("f", 1, 5, 1, X=adjusted, y=y, adjust=ADJUST, dissimilarity=matched)
    assert alike > 0.9
    assert len([one for one in found.named_sets if one[0] in ("g4", "g5")]) == 1
    # A category has no residual, and is compared all the same.
    evaluation = altsets.evaluate([("g0", "kind"), ("g1", "g2")], X, y, adjust=ADJUST, cv=3, n_repeats=1)
    assert evaluation.n_sets == 2
    one, other = (
        SelectAlternatives("f", n_features=1, n_alternatives=0, adjust="age").fit(table, y).result_.provenance
        for table in (adjusted, adjusted.assign(age=adjusted.age + 1))
    )
    assert one["data"]["sha256"] != other["data"]["sha256"]


def test_refused(refused) -> None:
    X, y, _ = made()
    for quality in ("chi2", "relief", "wrapper", "symmetrical_uncertainty", "importance"):
        with refused(InputError):
            altsets.find(quality, 2, 0, X=X, y=y, adjust=ADJUST)
    with refused(InputError):
        altsets.find([1.0, 2.0], 1, 0, adjust=["age"])
    with refused(InputError):
        altsets.find("f", 1, 0, X=X, y=y, adjust=["agee"])
    with refused(InputError):
        altsets.find("f", 1, 0, X=X[ADJUST], y=y, adjust=ADJUST)
    with refused(InputError):
        altsets.find("f", 1, 0, X=X, y=y, adjust=ADJUST, constraints=[constraints.Forbid(7)])
    with refused(InputError):
        altsets.find("linear_fit", 1, 0, X=X, y=X.age + 1, adjust=["age"])
    with refused(InputError):
        altsets.find("f", 1, 0, X=X.assign(age=np.nan), y=y, adjust=["age"])
