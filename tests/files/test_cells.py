"""AnnData: objects and .h5ad files, read and written; features in rows of text files."""

from __future__ import annotations

import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import altsets
from altsets import SelectAlternatives
from altsets.errors import AltsetsError, InputError, MissingExtraError, TableError

anndata = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")

N_CELLS, N_GENES = 60, 12
GENES = [f"G{place}" for place in range(N_GENES)]


def counts():
    rng = np.random.default_rng(4)
    X = rng.poisson(0.5, (N_CELLS, N_GENES)).astype(np.float32)
    X[::2, 3] += 2
    return X


TYPES = np.array(["T cell", "B cell"] * (N_CELLS // 2))
DONORS = np.array(["d1", "d2", "d3"] * (N_CELLS // 3))


def text(group, name, values):
    part = group.create_dataset(name, data=np.asarray(values, dtype=object), dtype=h5py.string_dtype())
    part.attrs["encoding-type"], part.attrs["encoding-version"] = "string-array", "0.2.0"


@pytest.fixture
def path(tmp_path):
    X, is_known = counts(), np.arange(N_CELLS) >= 5
    obs = pd.DataFrame(index=[f"c{place}" for place in range(N_CELLS)])
    obs["cell_type"] = pd.Categorical(TYPES)
    obs["some"] = pd.Categorical(np.where(is_known, np.where(np.arange(N_CELLS) % 2, "yes", "no"), None))
    obs["donor"] = DONORS.astype(object)
    obs["age"] = pd.array([None if place == 7 else place for place in range(N_CELLS)], dtype="Int64")
    obs["total"] = X.sum(axis=1)
    var = pd.DataFrame({"mt": np.zeros(N_GENES, dtype=bool)}, index=GENES)
    cells = anndata.AnnData(sparse.csr_matrix(X), obs, var)
    cells.raw = cells
    cells = cells[:, :-2].copy()
    cells.layers["scaled"], cells.layers["dense"] = sparse.csc_matrix(X[:, :-2] * 2), X[:, :-2]
    with h5py.File(tmp_path / "cells.h5ad", "w") as file:
        # Unlike write_h5ad, it keeps text as text.
        anndata.io.write_elem(file, "/", cells)
    return tmp_path / "cells.h5ad"


class FakeAnnData(SimpleNamespace):
    """What altsets asks of an AnnData object."""

    def __getitem__(self, key):
        return FakeAnnData(**{**vars(self), "X": self.X[key], "var_names": self.var_names[key[1]]})


def adata(X=None, **more):
    X = sparse.csr_matrix(counts()) if X is None else X
    obs = pd.DataFrame({"cell_type": pd.Categorical(TYPES), "donor": DONORS, "total": np.arange(N_CELLS)})
    obs["some"] = pd.Categorical(np.where(np.arange(N_CELLS) < 5, None, TYPES))
    obs["age"] = pd.array([None, *range(1, N_CELLS)], dtype="Int64")
    given = {"X": X, "obs": obs, "var": pd.DataFrame(index=GENES), "uns": {}, "layers": {"dense": counts()}}
    given |= {"obs_names": obs.index, "var_names": pd.Index(GENES), "raw": None, **more}
    return FakeAnnData(**given)


# --- Files --------------------------------------------------------------------------------------------


def test_files_are_read_as_they_are(path):
    data = altsets.read_table(path, "cell_type", groups="donor")
    assert data.X.is_sparse
    assert (data.X.dense() == counts()[:, :-2]).all()
    assert data.feature_names == tuple(GENES[:-2])
    assert (data.y == TYPES).all()
    assert (data.groups == DONORS).all()
    assert len(data.sha256) == 64
    assert (altsets.read_table(path, "cell_type", layer="scaled").X.dense() == 2 * counts()[:, :-2]).all()
    assert not altsets.read_table(path, "cell_type", layer="dense").X.is_sparse
    raw = altsets.read_table(path, "total", raw=True)
    assert raw.feature_names == tuple(GENES)
    assert raw.y.dtype == float
    some = altsets.read_table(path, "some", drop_missing_target=True, columns=["G1*", "G3"], drop=["G1"])
    assert some.feature_names == ("G3",)
    assert (some.n_dropped, len(some.y), some.X.n_rows) == (5, N_CELLS - 5, N_CELLS - 5)
    age = altsets.read_table(path, "age", drop_missing_target=True)
    assert age.y.tolist() == [place for place in range(N_CELLS) if place != 7]


@pytest.mark.parametrize(
    ("target", "options", "message"),
    [
        ("cell_typ", {}, r"obs of cells.h5ad has no target column 'cell_typ'; did you mean 'cell_type'\?"),
        (
            "x",
            {},
            r"obs of cells.h5ad has no target column 'x'; its columns are: cell_type, some, donor, age, total",
        ),
        ("cell_type", {"layer": "counts"}, "cells.h5ad has no layer 'counts'; its layers are: dense, scaled"),
        ("cell_type", {"layer": "dense", "raw": True}, "are two matrices; choose one"),
        ("cell_type", {"groups": "cell_type"}, "cannot be both the target and the column of groups"),
        ("cell_type", {"drop": ["MT"]}, "cells.h5ad has no column to drop 'MT'"),
        ("cell_type", {"drop": ["G*"]}, "cells.h5ad has no feature columns besides the target"),
        ("cell_type", {"transpose": True}, "transpose=True is for text files, and cells.h5ad is none"),
        ("some", {}, "target column 'some' has 5 missing values"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(path, target, options, message):
    with pytest.raises(AltsetsError, match=message) as caught:
        altsets.read_table(path, target, **options)
    assert "\n" not in str(caught.value)


def test_damaged_files(path, tmp_path, refused, snapshot):
    short = tmp_path / "short.h5ad"
    short.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(TableError) as caught:
        altsets.read_table(short, "cell_type")
    # How long the file was is up to anndata.
    assert re.sub(r"\d+", "N", str(caught.value)) == snapshot
    other = tmp_path / "other.h5"
    with h5py.File(other, "w") as file:
        file.create_dataset("table", data=[1, 2])
    with refused(TableError):
        altsets.read_table(other, "cell_type")
    with h5py.File(path, "r+") as file:
        file["X"]["indices"][0] = 999
    with pytest.raises(InputError) as caught:
        altsets.read_table(path, "cell_type")
    # Older versions of SciPy say it in other words.
    assert str(caught.value).replace("column index values", "indices") == snapshot
    with h5py.File(path, "r+") as file:
        del file["X"]["indptr"]
    with refused(TableError):
        altsets.read_table(path, "cell_type")
    with h5py.File(path, "r+") as file:
        del file["X"]
        file.create_dataset("X", data=np.zeros((N_CELLS, 3)))
    with refused(TableError):
        altsets.read_table(path, "cell_type")


#: Everything that is read, with another place that leads there by a soft link.
PLACES = [
    "X/data", "X/indices", "X/indptr", "layers/dense", "layers/scaled/data", "layers/scaled/indices",
    "layers/scaled/indptr", "raw/X/data", "raw/X/indices", "raw/X/indptr", "raw/var/_index", "var/_index",
    "var/mt", "obs/donor", "obs/total", "obs/age/values", "obs/age/mask", "obs/cell_type/codes",
    "obs/cell_type/categories",
]  # fmt: skip
GROUPS = ["X", "layers", "layers/scaled", "raw", "raw/X", "raw/var", "var", "obs", "obs/age", "obs/cell_type"]


def taken_from_outside(file, name, kind, other):
    """Replace a part of a file by one that another file holds."""
    part = file[name]
    if isinstance(part, h5py.Group):
        del file[name]
        file[name] = h5py.ExternalLink(other, name)
        return
    shape, fixed = part.shape, np.int64 if part.dtype.kind == "O" else part.dtype
    del file[name]
    if kind == "external link":
        file[name] = h5py.ExternalLink(other, name)
    elif kind == "soft link to an external link":
        file["outside"] = h5py.ExternalLink(other, "/")
        file[name] = h5py.SoftLink(f"/outside/{name}")
    elif kind == "external storage":
        file.create_dataset(name, shape, fixed, external=[(str(other), 0, h5py.h5f.UNLIMITED)])
    else:
        layout = h5py.VirtualLayout(shape, fixed)
        layout[...] = h5py.VirtualSource(str(other), name, shape)
        file.create_virtual_dataset(name, layout)


KINDS = ["external link", "soft link to an external link", "external storage", "virtual dataset"]


@pytest.mark.parametrize(
    ("place", "kind"),
    [(place, kind) for place in PLACES for kind in KINDS] + [(place, KINDS[0]) for place in GROUPS],
)
def test_no_part_of_a_table_is_fetched_from_another_file(path, tmp_path, place, kind):
    other = tmp_path / "other.h5ad"
    other.write_bytes(path.read_bytes())
    with h5py.File(path, "r+") as file:
        taken_from_outside(file, place, kind, other)
    words = (
        rf"from another file \(an? {kind.removeprefix('soft link to an ')}"
        if kind != "external storage"
        else kind
    )
    for how in ({}, {"layer": "dense"}, {"layer": "scaled"}, {"raw": True}):
        with pytest.raises(TableError, match=words):
            altsets.read_table(path, "cell_type", **how)


def test_lines_of_a_text_file_are_no_names_of_genes(path, tmp_path, run):
    secret = tmp_path / "secret.txt"
    secret.write_text("".join(f"secret{place:03}\n" for place in range(N_GENES - 2)))
    with h5py.File(path, "r+") as file:
        del file["var/_index"]
        file["var"].create_dataset(
            "_index", (N_GENES - 2,), "S10", external=[(str(secret), 0, h5py.h5f.UNLIMITED)]
        )
    done = run("find", path, "--target", "cell_type")
    assert done[0] == 2
    assert "secret0" not in done[1] + done[2]


def test_answers_are_written_into_no_other_file(path, tmp_path, run):
    other, out = tmp_path / "other.h5ad", tmp_path / "out.h5ad"
    with h5py.File(other, "w") as file:
        file.create_group("uns")
    before = other.read_bytes()
    with h5py.File(path, "r+") as file:
        del file["uns"]
        file["uns"] = h5py.ExternalLink(other, "uns")
    assert run("find", path, "--target", "cell_type", "--output", out)[0] == 2
    assert other.read_bytes() == before


def test_links_inside_a_file_are_followed(path):
    with h5py.File(path, "r+") as file:
        file.move("X", "kept")
        file["X"] = h5py.SoftLink("/kept")
        del file["uns"]
        file["uns"] = h5py.SoftLink("/nowhere")
        file["obs/again"] = file["/"]
    assert (altsets.read_table(path, "cell_type").X.dense() == counts()[:, :-2]).all()


@pytest.mark.parametrize(
    "place", ["X/indptr", "var/_index", "obs/cell_type/codes", "obs/donor", "obs/age/mask"]
)
def test_values_that_were_never_stored_take_no_memory(path, place):
    with h5py.File(path, "r+") as file:
        kind = file[place].dtype
        del file[place]
        file.create_dataset(place, (2**50,), kind, chunks=(2**16,))
    with pytest.raises(TableError, match=rf"/{place} holds 1,125,899,906,842,624 values"):
        altsets.read_table(path, {"donor": "donor", "age": "age"}.get(place.split("/")[1], "cell_type"))


def test_cells_that_are_long_texts_take_no_memory(path, refused):
    with h5py.File(path, "r+") as file:
        del file["layers/dense"]
        file["layers"].create_dataset("dense", (N_CELLS, N_GENES - 2), f"S{2**31 - 1}")
    with refused(TableError):
        altsets.read_table(path, "cell_type", layer="dense")


def test_too_little_memory(path, monkeypatch, refused):
    monkeypatch.setattr("altsets.machine.memory", lambda: 5_000)
    for layer in (None, "dense"):
        with refused(TableError):
            altsets.read_table(path, "cell_type", layer=layer)


def test_genes_of_the_same_name(path, refused):
    with h5py.File(path, "r+") as file:
        del file["var"]["_index"]
        text(file["var"], "_index", ["A", "A", *GENES[2:-2]])
    with refused(TableError):
        altsets.read_table(path, "cell_type")


def test_without_anndata(path, monkeypatch, refused):
    monkeypatch.setitem(sys.modules, "anndata", None)
    with refused(MissingExtraError):
        altsets.read_table(path, "cell_type")


def test_other_tables_are_read_without_anndata(tmp_path):
    (tmp_path / "table.csv").write_text("a,b\n1,x\n2,y\n")
    code = "import sys, altsets; altsets.read_table('table.csv', 'b'); print({'anndata', 'h5py'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "set()\n", done.stderr


def test_layers_go_with_cells_only(tmp_path, refused):
    table = tmp_path / "table.csv"
    table.write_text("a,b\n1,x\n2,y\n")
    with refused(TableError):
        altsets.read_table(table, "b", layer="x")


# --- Objects ------------------------------------------------------------------------------------------


def test_objects_are_fitted_and_cut_down(refused):
    cells = adata()
    selector = SelectAlternatives("chi2", n_features=2, n_alternatives=1).fit(cells, "cell_type")
    dense = SelectAlternatives("chi2", n_features=2, n_alternatives=1).fit(counts(), TYPES)
    assert [found.names for found in selector.alternatives_] == [
        tuple(name.replace("x", "G") for name in found.names) for found in dense.alternatives_
    ]
    assert selector.feature_names_in_.tolist() == GENES
    assert selector.transform(cells).var_names.tolist() == selector.get_feature_names_out().tolist()
    assert selector.get_alternative(1).transform(cells).X.shape == (N_CELLS, 2)
    with refused(InputError):
        selector.transform(adata(var_names=pd.Index(GENES[::-1])))
    numbers = SelectAlternatives("f", n_features=2, n_alternatives=0).fit(
        cells, counts()[:, 0] + counts()[:, 1]
    )
    assert numbers.alternatives_[0].names == ("G0", "G1")


def test_objects_become_datasets():
    data = altsets.io.from_anndata(adata(), "age", groups="donor", drop_missing_target=True)
    assert (data.X.n_rows, len(data.y), len(data.groups), data.n_dropped) == (N_CELLS - 1,) * 3 + (1,)
    assert data.X.is_sparse
    assert not altsets.io.from_anndata(adata(), "cell_type", layer="dense").X.is_sparse
    fitted = SelectAlternatives("f", n_features=2, n_alternatives=0).fit(data.X, data.y)
    assert fitted.n_features_in_ == N_GENES
    raw = SimpleNamespace(X=sparse.csr_matrix(counts()[:, :2]), var_names=["a", "b"])
    assert altsets.io.from_anndata(adata(raw=raw), "cell_type", raw=True).feature_names == ("a", "b")
    for wrong, message in [
        (lambda: altsets.io.from_anndata(adata(), "cell_type", raw=True), "adata has no raw; leave out raw"),
        (lambda: altsets.io.from_anndata(adata(), "type"), r"obs of adata has no target column 'type'"),
        (
            lambda: altsets.io.from_anndata(pd.DataFrame({"a": [1]}), "a"),
            "must be an AnnData object; got a DataFrame",
        ),
        (lambda: altsets.io.from_anndata(adata(counts() * np.inf), "cell_type"), "infinite value"),
        (lambda: altsets.measures.f(adata(), TYPES), "X is an AnnData object; .*altsets.io.from_anndata"),
    ]:
        with pytest.raises(InputError, match=message), np.errstate(all="ignore"):
            wrong()


def test_answers_are_written_into_objects(refused):
    cells = adata()
    selector = SelectAlternatives("chi2", n_features=2, n_alternatives=1).fit(cells, "cell_type")
    altsets.io.to_anndata(cells, selector)
    for number, chosen in enumerate(selector.alternatives_):
        assert cells.var.index[cells.var[f"altsets_set_{number}"]].tolist() == list(chosen.names)
        assert cells.uns["altsets"]["sets"][str(number)].tolist() == list(chosen.names)
    np.testing.assert_array_equal(cells.var["altsets_score"], selector.scores_)
    assert altsets.Result.from_json(cells.uns["altsets"]["result"]) == selector.result_
    altsets.io.to_anndata(cells, selector.result_, key="panel", scores=np.arange(N_GENES))
    assert cells.var["panel_score"].tolist() == list(range(N_GENES))
    with refused(TableError):
        altsets.io.to_anndata(cells, selector.result_, scores=[1, 2])
    with refused(TableError):
        altsets.io.to_anndata(adata(var_names=pd.Index(["a", "b"])), selector.result_)


def test_anndata_reads_what_was_written(path, tmp_path, run):
    out = tmp_path / "out.h5ad"
    assert run("find", path, "--target", "cell_type", "--quality", "chi2", "-k", 2, "--output", out)[0] == 0
    found = anndata.read_h5ad(out)
    assert found.var["altsets_set_0"].sum() == 2
    assert set(found.uns["altsets"]) == {"params", "sets", "qualities", "statuses", "result"}


# --- Features in rows ---------------------------------------------------------------------------------

TURNED = "gene\ts1\ts2\ts3\ts4\nG1\t1\t2\t3\t4\nG2\t0.5\t\t1\t2\nkind\ta\tb\ta\tb\n"
GCT2 = "#1.2\n2\t4\nName\tDescription\ts1\ts2\ts3\ts4\nG1\tfirst\t1\t2\t3\t4\nkind\tna\t7\t8\t7\t8\n"
GCT3 = "#1.3\n2\t4\t1\t1\nid\tsymbol\ts1\ts2\ts3\ts4\nkind\tna\ta\tb\ta\tb\nG1\tx\t1\t2\t3\t4\nG2\ty\t5\t6\t7\t9\n"


def test_features_in_rows(tmp_path, refused):
    table = tmp_path / "genes.tsv"
    table.write_text(TURNED)
    data = altsets.read_table(table, "kind", transpose=True)
    assert data.feature_names == ("G1", "G2")
    assert data.y.tolist() == ["a", "b", "a", "b"]
    np.testing.assert_array_equal(data.X.values, [[1, 0.5], [2, np.nan], [3, 1], [4, 2]])
    # As R writes it: no name above the names of genes.
    table.write_text(TURNED.replace("gene\t", "", 1).replace("\t", ",").replace("0.5,,", "0.5,NA,"))
    assert altsets.read_table(table, "kind", transpose=True).X.values[0].tolist() == [1, 0.5]
    table.write_text(TURNED.replace("3\t4", "3"))
    with refused(TableError):
        altsets.read_table(table, "kind", transpose=True)


def test_gct_files(tmp_path, refused):
    table = tmp_path / "genes.gct"
    table.write_text(GCT3)
    data = altsets.read_table(table, "kind")
    assert data.feature_names == ("G1", "G2")
    assert data.y.tolist() == ["a", "b", "a", "b"]
    assert data.X.values.tolist() == [[1, 5], [2, 6], [3, 7], [4, 9]]
    table.write_text(GCT2)
    assert altsets.read_table(table, "kind").X.values.tolist() == [[1], [2], [3], [4]]
    for damaged in (GCT3.replace("2\t4\t1\t1", "5\t4\t1\t1"), GCT3.replace("2\t4\t1\t1", "x"), "#1.3\n"):
        table.write_text(damaged)
        with refused(TableError):
            altsets.read_table(table, "kind")


def test_workbooks_are_not_turned(tmp_path, refused):
    table = tmp_path / "table.parquet"
    pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}).to_parquet(table)
    with refused(TableError):
        altsets.read_table(table, "b", transpose=True)


# --- The command line ---------------------------------------------------------------------------------


def test_answers_go_into_a_copy_of_the_file(path, tmp_path, run, snapshot):
    out = tmp_path / "out.h5ad"
    before = path.read_bytes()
    done = run("find", path, "--target", "cell_type", "--quality", "chi2", "-k", 2, "-a", 1, "--output", out)
    assert done[0] == 0, done
    assert path.read_bytes() == before
    with h5py.File(out) as file:
        order = [
            name.decode() if isinstance(name, bytes) else name for name in file["var"].attrs["column-order"]
        ]
        assert order == ["mt", "altsets_set_0", "altsets_set_1", "altsets_score"]
        names = [name.decode() for name in file["uns/altsets/sets/0"][:]]
        chosen = file["var/altsets_set_0"][:]
        assert [gene for gene, is_in in zip(GENES, chosen, strict=False) if is_in] == names
        assert "G3" in names
        again = altsets.Result.from_json(file["uns/altsets/result"][()].decode())
    assert again.named_sets[0] == tuple(names)
    once_more = run("find", out, "--target", "cell_type", "--quality", "f", "-k", 1, "-a", 0, "--output", out)
    assert " ".join(once_more[2].split()) == snapshot


def test_what_the_command_line_refuses(path, tmp_path, run, snapshot):
    table = tmp_path / "table.csv"
    table.write_text("a,b\n1,x\n2,y\n")
    done = run("find", table, "--target", "b", "--output", tmp_path / "out.h5ad")
    assert " ".join(done[2].split()) == snapshot
    done = run("find", path, "--target", "cell_type", "--raw", "--layer", "dense")
    done = run("near-best", path, "--target", "cell_type", "--output", tmp_path / "out.h5ad")
    done = run("find", path, "--target", "cell_type", "--quality", "relief")
