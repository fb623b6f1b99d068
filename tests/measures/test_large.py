"""Tables that are read in passes: the same numbers as in memory, bounded memory, and one sentence for bad files."""

from __future__ import annotations

import warnings
from unittest import mock

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import altsets
from altsets import measures, quality
from altsets.errors import InputError, TableError
from altsets.measures.large import binned, table
from altsets.measures.large.accumulators import Cuts, Moments
from altsets.measures.large.arrow import ArrowRows
from altsets.measures.large.table import LargeTable, memory_of

MERGED = ["f", "pearson", "chi2", "mutual_info", "symmetrical_uncertainty"]


def frame_of(n_rows=3000):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 4)), columns=["near", "far", "sparse", "noise"])
    frame["far"] = 1e3 + np.exp(2 * frame["far"])
    frame["few"] = rng.integers(0, 4, n_rows)
    frame["flag"] = rng.random(n_rows) < 0.3
    frame["same"] = 7.0
    frame.loc[rng.random(n_rows) < 0.2, "sparse"] = np.nan
    frame["ill"] = (frame["near"] + frame["few"] + rng.normal(size=n_rows) > 1).astype(int)
    frame["dose"] = frame["near"] + frame["flag"] + rng.normal(size=n_rows)
    frame["town"] = rng.choice(["Rome", "Oslo", "Bonn"], n_rows)
    # Sorted rows: the parts have nothing in common.
    return frame.sort_values("far", ignore_index=True)


FRAME = frame_of()
FEATURES = ["near", "far", "sparse", "noise", "few", "flag", "same"]


def write(frame, folder, n_files=4, **how):
    folder.mkdir(exist_ok=True, parents=True)
    for number, part in enumerate(np.array_split(np.arange(len(frame)), n_files)):
        some = pa.Table.from_pandas(frame.iloc[part], preserve_index=False)
        pq.write_table(some, folder / f"part-{number}.parquet", row_group_size=400, **how)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write(FRAME, tmp_path_factory.mktemp("large") / "table")


def large(folder, target, features=None):
    return LargeTable(ArrowRows(ds.dataset(folder)), target, features=features)


def options_of(measure):
    return {"method": "bins"} if measure == "mutual_info" else {}


# --- The same numbers ---------------------------------------------------------------------------------
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("measure", MERGED)
@pytest.mark.parametrize("target", ["ill", "dose", "town"])
def test_scores_are_those_of_the_table_in_memory(measure, target, folder, refused):
    features = [name for name in FEATURES if measure != "chi2" or name in ("few", "flag", "same", "far")]
    if target == "dose" and measure in ("f", "mutual_info", "symmetrical_uncertainty"):
        features.append("town")
    how = options_of(measure)

    def both():
        yield lambda: measures.score(FRAME[features], FRAME[target], measure, **how)[0]
        yield lambda: measures.score(large(folder, target, features), target, measure, **how)[0]

    in_memory, streamed = both()
    if (measure, target) in (("chi2", "dose"), ("pearson", "town")):
        for scores in (in_memory, streamed):
            with refused(InputError):
                scores()
        return
    assert streamed() == pytest.approx(in_memory(), rel=1e-12, abs=1e-12)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("measure", ["mutual_info", "chi2", "symmetrical_uncertainty"])
def test_text_is_counted(measure, folder):
    features = ["few", "town"]
    found, names = measures.score(large(folder, "ill", features), "ill", measure, **options_of(measure))
    whole, _ = measures.score(FRAME[features], FRAME["ill"], measure, **options_of(measure))
    assert names == features
    assert found == pytest.approx(whole, rel=1e-12, abs=1e-12)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("measure", ["pearson", "mutual_info", "symmetrical_uncertainty"])
def test_pairs_are_those_of_the_table_in_memory(measure, folder):
    found = quality.MRMR.from_data(
        large(folder, "ill", FEATURES), "ill", measure=measure, **options_of(measure)
    )
    whole = quality.MRMR.from_data(FRAME[FEATURES], FRAME["ill"], measure=measure, **options_of(measure))
    np.testing.assert_allclose(found.redundancy, whole.redundancy, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.relevance, whole.relevance, rtol=1e-12, atol=1e-12)


def test_sets_are_found(folder):
    numbers = [name for name in FEATURES if name not in ("same", "sparse")]
    found = quality.CFS.from_data(large(folder, "ill", numbers), "ill")
    whole = quality.CFS.from_data(FRAME[numbers], FRAME["ill"])
    one, other = (altsets.find(each, n_features=2, n_alternatives=1) for each in (found, whole))
    assert one.named_sets == other.named_sets
    assert one.qualities == pytest.approx(other.qualities)


def test_warnings_name_columns(folder, warned):
    wanted = large(folder, "ill", FEATURES)
    with (
        pytest.warns(UserWarning, match=r"constant \(same\)"),
        pytest.warns(UserWarning, match=rf"sparse: {FRAME['sparse'].isna().sum()}\): f leaves out"),
    ):
        measures.score(wanted, "ill", "f")
    with warned(UserWarning):
        measures.score(large(folder, "ill", ["near"]), "ill")


def test_merged_moments_keep_their_digits():
    rng = np.random.default_rng(0)
    x, y = 1e9 + rng.normal(size=(3, 1000)), rng.normal(size=(2, 1000))
    x[1] = np.sort(x[1])
    found = Moments()
    for start in range(0, 1000, 37):
        part = Moments()
        part.add_pairs(x[:, start : start + 37].copy(), y[:, start : start + 37].copy(), start % 2 == 1)
        found.merge(part)
    exact_x, exact_y = ((one - one[:, :1]).astype(np.longdouble) for one in (x, y))
    exact_x, exact_y = (one - one.mean(axis=1, keepdims=True) for one in (exact_x, exact_y))
    lengths = np.sqrt((exact_x**2).sum(axis=1))[:, None] * np.sqrt((exact_y**2).sum(axis=1))
    np.testing.assert_allclose(found.correlations, np.abs(exact_x @ exact_y.T) / lengths, rtol=1e-11)
    np.testing.assert_allclose(np.broadcast_to(found.n, (3, 2)), 1000)


# --- Samples ------------------------------------------------------------------------------------------
@pytest.fixture
def sampled(monkeypatch):
    monkeypatch.setattr(table, "SAMPLE", 600)


def test_bins_of_a_sample_come_close(sampled, tmp_path):
    mixed = FRAME.sample(frac=1, random_state=0)
    path = write(mixed, tmp_path / "mixed")
    features = ["near", "noise", "few", "sparse", "flag"]
    found = measures.score(large(path, "ill", features), "ill", "mutual_info", method="bins")[0]
    whole = measures.score(mixed[features], mixed["ill"], "mutual_info", method="bins")[0]
    # Few values are counted as they are.
    assert found[2] == pytest.approx(whole[2], rel=1e-12)
    assert found[4] == pytest.approx(whole[4], rel=1e-12)
    assert found == pytest.approx(whole, abs=0.004)


def test_sorted_rows_are_cut_anew(sampled, folder):
    """The first rows of each file have only some of the values of a column that is sorted."""
    wanted = large(folder, "ill", ["far", "near"])
    found = binned.binned(wanted, {"method": "bins"})
    sizes = np.bincount(found.cuts[0].codes(FRAME["far"].to_numpy()))
    assert sizes.max() <= 1.5 * len(FRAME) / found.n_bins
    # But for this, the first files alone would decide.
    assert len(sizes) == found.n_bins


def test_values_that_the_sample_lacks_are_counted(sampled, tmp_path):
    frame = pd.DataFrame({"rare": np.zeros(4000), "level": np.zeros(4000), "y": np.tile([0, 1], 2000)})
    frame.loc[[901, 1903, 2905], "rare"] = 5.0
    frame.loc[801::40, "level"] = np.arange(80)
    path = write(frame, tmp_path / "rare")
    found = measures.score(large(path, "y"), "y", "mutual_info", method="bins")[0]
    whole = measures.score(frame[["rare"]], frame["y"], "mutual_info", method="bins")[0]
    assert found[0] == pytest.approx(whole[0], rel=1e-12)
    assert found[1] > 0.005


@pytest.mark.parametrize("spread", [0.0, 1.0, 30.0])
@pytest.mark.parametrize("scale", [1.0, 1e-310, 1e300])
def test_values_are_cut_where_a_search_would(spread, scale):
    """Also where all values but a few are in one cell of the grid, and where there can be no grid."""
    values = np.random.default_rng(0).normal(size=20_000)
    values = np.sign(values) * np.minimum(np.abs(values) ** spread, 1e7) * scale
    values[::7] = values[0]
    cuts = Cuts.of_sample(values, 50, False)
    near = np.nextafter(cuts.points, np.inf), np.nextafter(cuts.points, -np.inf)
    asked = np.concatenate([values, cuts.points, *near, [-1.7e308, 1.7e308]])
    assert len(cuts.points) >= 1
    assert cuts.codes(asked).tolist() == np.searchsorted(cuts.points, asked, side="right").tolist()
    assert cuts.codes(np.array([np.nan, asked[0]]))[0] == cuts.n_codes - 1


def test_values_that_are_no_levels_have_no_codes():
    levels = Cuts.of_levels(np.array([3.0, 1.0, 2.0, 1.0]))
    assert levels.codes(np.array([2.0, np.nan, 1.0, 3.0])).tolist() == [1, 3, 0, 2]
    for other in (0.5, 1.5, np.nextafter(3.0, 4.0), -1e308, 1e308):
        assert levels.codes(np.array([1.0, other])) is None
    assert Cuts.of_levels(np.zeros(0)).codes(np.array([1.0])) is None


def test_many_bins_are_not_cut_anew_by_chance(monkeypatch, tmp_path):
    """Bins of a few rows of the sample each have many more or fewer rows of the table."""
    monkeypatch.setattr(table, "SAMPLE", 4_000)
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.normal(size=20_000), "y": rng.integers(0, 2, 20_000)})
    wanted = large(write(frame, tmp_path / "many"), "y")
    monkeypatch.setattr(wanted, "fold", mock.Mock(side_effect=wanted.fold))
    binned.binned(wanted, {"n_bins": 200})
    # One for the sample, one for the counts.
    assert wanted.fold.call_count == 2


def test_ties_stay_together():
    values = np.repeat(np.arange(30.0), 100)
    quick = Cuts.of_sample(values, 40, False)
    assert len(np.unique(quick.codes(np.arange(30.0)))) == 30


# --- Many columns -------------------------------------------------------------------------------------
@pytest.mark.slow
def test_wide_tables_have_pairs_on_demand(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(80, 50)), 41, axis=1) + rng.normal(size=(80, 2_050))
    frame = pd.DataFrame(X, columns=[f"x{number}" for number in range(2_050)])
    frame["y"] = X[:, ::250].sum(axis=1)
    path = write(frame, tmp_path / "wide", 2)
    source = large(path, "y")
    found = quality.MRMR.from_data(source, "y", measure="pearson")
    passes = []
    monkeypatch.setattr(
        source, "fold", lambda *args, **how: passes.append(1) or LargeTable.fold(source, *args, **how)
    )
    one = altsets.find(found, n_features=4, n_alternatives=1, tau=1)
    other = altsets.find(
        quality.MRMR.from_data(frame.drop(columns="y"), frame["y"], measure="pearson"),
        n_features=4,
        n_alternatives=1,
        tau=1,
    )
    assert isinstance(found.redundancy, measures.Redundancy)
    assert one.qualities == pytest.approx(other.qualities, abs=1e-9)
    # Several columns in each pass, and none of them twice.
    assert len(passes) <= 20


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_little_memory_means_more_passes(folder, monkeypatch):
    monkeypatch.setattr(table, "LEAST_COLUMNS", 1)
    monkeypatch.setattr(table, "MOST_COLUMNS", 2)
    found = measures.score(large(folder, "ill", FEATURES), "ill", "symmetrical_uncertainty")[0]
    whole = measures.score(FRAME[FEATURES], FRAME["ill"], "symmetrical_uncertainty")[0]
    assert found == pytest.approx(whole, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("given", "n_bytes"), [("2GB", 2e9), ("500 MB", 5e8), (10**9, 1e9), ("1.5g", 1.5e9)])
def test_memory_in_words(given, n_bytes):
    assert memory_of(given) == n_bytes


def test_the_program_itself_counts_as_memory(folder):
    rows = ArrowRows(ds.dataset(folder))
    given = {memory: LargeTable(rows, "ill", max_memory=memory).memory for memory in ("500MB", "64MB")}
    assert given == {"500MB": 300_000_000, "64MB": 64_000_000}


@pytest.mark.parametrize("given", ["much", "-1GB", 5, "nan", ""])
def test_memory_that_makes_no_sense(given, refused):
    with refused(InputError):
        memory_of(given)


def test_progress_comes_to_an_end_and_can_stop_it(folder):
    shares = []
    measures.score(large(folder, "ill", ["near", "few"]), "ill", "f", callback=shares.append)
    assert shares[-1] == 1.0
    assert shares == sorted(shares)

    def stop(share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measures.score(large(folder, "ill", ["near", "few"]), "ill", "f", callback=stop)


# --- Sources ------------------------------------------------------------------------------------------
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_hive_partitions_are_columns(tmp_path):
    for town, part in FRAME.groupby("town"):
        write(part.drop(columns="town"), tmp_path / "hive" / f"town={town}", 2)
    found, names = measures.score(tmp_path / "hive", "ill", "symmetrical_uncertainty", max_memory="1GB")
    whole, _ = measures.score(FRAME[names], FRAME["ill"], "symmetrical_uncertainty")
    assert names[-1] == "town"
    assert found == pytest.approx(whole, rel=1e-12, abs=1e-12)
    as_target = measures.score(tmp_path / "hive", "town", "symmetrical_uncertainty")[0]
    others = FRAME.drop(columns="town")
    assert as_target == pytest.approx(measures.score(others, FRAME["town"], "symmetrical_uncertainty")[0])


def test_datasets_of_other_formats_and_in_memory(tmp_path):
    some = FRAME[["near", "few", "ill"]]
    whole = measures.score(some[["near", "few"]], some["ill"], "f")[0]
    arrow = pa.Table.from_pandas(some, preserve_index=False)
    with pa.OSFile(str(tmp_path / "some.arrow"), "wb") as file, pa.ipc.new_file(file, arrow.schema) as writer:
        writer.write_table(arrow)
    for dataset in (ds.dataset(arrow), ds.dataset(tmp_path / "some.arrow", format="ipc")):
        assert measures.score(dataset, "ill", "f")[0] == pytest.approx(whole, rel=1e-12)


def test_the_index_of_a_frame_is_no_feature(tmp_path, snapshot):
    FRAME[["near", "ill"]].set_index(FRAME["far"]).to_parquet(tmp_path / "indexed.parquet")
    found = LargeTable(ArrowRows(ds.dataset(tmp_path / "indexed.parquet")), "ill")
    assert found.names == ["near"]
    assert found.notes == snapshot


def test_rows_without_a_target_can_be_left_out(tmp_path, refused):
    frame = FRAME[["near", "few"]].assign(y=FRAME["dose"].where(FRAME["dose"] > 0))
    path = write(frame, tmp_path / "holes")
    with refused(TableError):
        measures.score(path, "y", "f")
    found = LargeTable(ArrowRows(ds.dataset(path)), "y", drop_missing_target=True)
    known = frame.dropna()
    assert measures.score(found, "y", "f")[0] == pytest.approx(
        measures.score(known[["near", "few"]], known["y"], "f")[0], rel=1e-12
    )
    assert found.n_dropped == len(frame) - len(known)


# --- Bad input ----------------------------------------------------------------------------------------
def damage(path):
    content = bytearray(path.read_bytes())
    content[100:4000] = b"\x00" * 3900
    path.write_bytes(content)


def truncate(path):
    path.write_bytes(path.read_bytes()[:-50])


@pytest.mark.parametrize("how", [damage, truncate])
def test_a_damaged_file_is_named(how, tmp_path, refused):
    path = write(FRAME, tmp_path / "damaged")
    how(path / "part-2.parquet")
    with refused(TableError):
        measures.score(path, "ill", "symmetrical_uncertainty")


def change(path):
    content = bytearray(path.read_bytes())
    content[300:308] = b"\x00" * 8
    path.write_bytes(content)


@pytest.mark.parametrize("how", [damage, change])
def test_a_damaged_file_is_named_where_all_is_read(how, tmp_path):
    path = write(
        FRAME, tmp_path / "damaged", write_page_checksum=True, compression="none", use_dictionary=False
    )
    how(path / "part-2.parquet")
    said = r"part-2\.parquet is damaged or cannot be read: .*download it again\.$"
    with pytest.raises(TableError, match=said):
        altsets.read_table(path, "ill")
    with pytest.raises(TableError, match=said):
        measures.score(path, "ill", "symmetrical_uncertainty")


def broken(path, **changes):
    pq.write_table(pa.table(changes), path / "part-9.parquet")


@pytest.mark.parametrize(("changes", "said"), [
    ({"a": [1.0]}, r"part-9\.parquet has no column y, which other files of .* have; give all files"),
    ({"a": ["one"], "y": [1]}, r"column a is double in part-0\.parquet and string in part-9\.parquet"),
    ({"a": [1.0], "y": [1], "b": [1]}, r"part-9\.parquet has the column b, which part-0\.parquet does not"),
    ({"a": [2**60], "y": [1]}, r"column a of part-9\.parquet holds whole numbers .* for example 1152921504"),
    ({"a": [np.inf], "y": [1]}, r"column a of part-9\.parquet holds infinite values; replace them"),
    ({"a": [1.0], "y": [np.inf]}, r"target column 'y' has infinite values in part-9\.parquet; drop"),
    ({"a": [1e200], "y": [1]}, r"column a has numbers of a size of 1e\+200, whose squares cannot"),
])  # fmt: skip
def test_files_that_do_not_fit_are_named(changes, said, tmp_path):
    path = write(pd.DataFrame({"a": np.arange(40.0), "y": np.tile([0, 1], 20)}), tmp_path / "changed")
    broken(path, **changes)
    with pytest.raises(InputError, match=said):
        measures.score(path, "y", "f")


def test_whole_numbers_and_floats_may_be_mixed(tmp_path):
    path = write(pd.DataFrame({"a": np.arange(40.0), "y": np.tile([0, 1], 20)}), tmp_path / "mixed")
    broken(path, a=pa.array([3, 4], pa.int32()), y=pa.array([1, 0], pa.int8()))
    assert measures.score(path, "y", "f")[0][0] >= 0


@pytest.mark.parametrize(("target", "said"), [
    ("il", r"table has no target column 'il'; did you mean 'ill'\?"),
    ("nothing", r"table has no target column 'nothing'; its columns are: near, far"),
    ("same", r"the target has only one value \(7\.0\)"),
])  # fmt: skip
def test_targets_that_are_none(target, said, folder):
    with pytest.raises(InputError, match=said):
        measures.score(folder, target, "f")


def test_empty_folders(tmp_path, refused):
    (tmp_path / "empty").mkdir()
    with refused(TableError):
        measures.score(tmp_path / "empty", "y", "f")
    (tmp_path / "empty" / "notes.txt").write_text("nothing")
    with refused(TableError):
        measures.score(tmp_path / "empty", "y", "f")
    with refused(TableError):
        measures.score(tmp_path / "nowhere", "y", "f")
    write(FRAME[:0], tmp_path / "no rows", 1)
    with refused(TableError):
        measures.score(tmp_path / "no rows", "ill", "f")


def test_columns_that_are_no_features(tmp_path, refused):
    n = 40
    frame = pd.DataFrame({"y": np.tile([0, 1], 20), "a": np.arange(n), "nothing": [None] * n})
    frame["day"] = pd.Timestamp("2026-01-31")
    path = write(frame, tmp_path / "dates", 2)
    with refused(TableError):
        measures.score(path, "y", "f")
    frame["list"] = [[1, 2]] * n
    path = write(frame, tmp_path / "lists", 2)
    with refused(TableError):
        measures.score(path, "y", "f")
    found = LargeTable(ArrowRows(ds.dataset(path)), "y", unusable="drop")
    assert found.names == ["a", "nothing"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert measures.score(found, "y", "f")[0][1] == 0
        assert measures.score(found, "y", "mutual_info")[0][1] == 0


def test_text_that_names_rows_is_refused(tmp_path, monkeypatch, refused):
    monkeypatch.setattr("altsets.measures.large.decoding.MOST_LABELS", 20)
    frame = pd.DataFrame({"y": np.tile([0, 1], 20), "id": [f"patient {number}" for number in range(40)]})
    with refused(TableError):
        measures.score(write(frame, tmp_path / "named", 2), "y", "symmetrical_uncertainty")


@pytest.mark.parametrize("measure", ["spearman", "relief", "importance", lambda X, y: X[0]])
def test_measures_that_need_all_rows_are_refused(measure, folder, refused):
    with refused(InputError):
        measures.score(folder, "ill", measure)


def test_more_that_is_refused(folder, refused):
    with refused(InputError):
        measures.score(large(folder, "ill", ["near"]), "ill", "f", sample_weight=[1])
    with refused(InputError):
        measures.score(large(folder, "ill", ["near"]), "ill", "f", n_bins=3)
    with refused(InputError):
        measures.score(folder, FRAME["ill"], "f")
    with refused(InputError):
        measures.score(large(folder, "ill", ["near"]), "dose", "f")
    with refused(InputError):
        measures.score(large(folder, "ill", ["near"]), "ill", "mutual_info", method="sklearn")
    with refused(InputError):
        measures.score(large(folder, "ill", ["near"]), "ill", "chi2")
