"""Single-cell tables: AnnData objects, and .h5ad files, which anndata reads and writes once h5py has checked them.

Rows are cells (``obs``), columns are genes (``var``). The matrix is that of ``X``, of a layer, or of ``raw``; a sparse
one stays sparse. Targets and groups come from the columns of ``obs``.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from altsets import machine
from altsets.errors import MissingExtraError, TableError, reason_of
from altsets.files.columns import Column, Table, unknown_column
from altsets.files.contents import SHARE
from altsets.tables.conversion import NUMERIC_KINDS, is_anndata, object_array
from altsets.wording import list_some, parameter, percent

#: How HDF5 files begin.
HDF5 = b"\x89HDF\r\n\x1a\n"
#: The datasets of what is stored in a group, by its type. Nothing else is read.
PARTS = {
    "csr_matrix": ("data", "indices", "indptr"),
    "csc_matrix": ("data", "indices", "indptr"),
    "categorical": ("codes", "categories"),
    "nullable-integer": ("values", "mask"),
    "nullable-boolean": ("values", "mask"),
    "nullable-string-array": ("values", "mask"),
}


def matrix_of(adata: Any, layer: str | None = None, raw: bool = False) -> tuple[Any, list[str]]:
    """The matrix of an object that is in memory, or backed by a file, and the names of its genes."""
    part = adata.raw if raw else adata
    matrix = _chosen("adata", part, getattr(part, "X", None), adata.layers, layer, raw)
    if hasattr(matrix, "to_memory"):
        # Sparse in a file.
        matrix = matrix.to_memory()
    elif not hasattr(matrix, "tocsr"):
        matrix = np.asarray(matrix)
    return matrix, [str(name) for name in part.var_names]


def cells_of(adata: Any, layer: str | None, raw: bool, **roles: str | None) -> Table:
    """The matrix of an object, and the columns of obs that have a role: ``target``, ``groups``."""
    names = _known(roles, [str(name) for name in adata.obs.columns], "adata")
    return _table(*matrix_of(adata, layer, raw), {name: adata.obs[name] for name in names}, "adata")


def _known(roles: Mapping[str, str | None], names: Sequence[str], source: str) -> list[str]:
    """The columns of obs that are asked for."""
    wanted = {name: role for role, name in roles.items() if name is not None}
    for name, role in wanted.items():
        if name not in names:
            called = "target column" if role == "target" else "column of groups"
            raise unknown_column(name, called, names, f"obs of {source}")
    return list(wanted)


def _table(matrix: Any, genes: Sequence[str], obs: Mapping[str, Any], source: str, sha256: str = "") -> Table:
    """A matrix and columns of obs as a table, in which text is categories."""
    import pyarrow as pa

    twice = sorted(name for name, count in Counter(genes).items() if count > 1)
    if twice:
        raise TableError(
            f"{source} has several genes of the same name ({list_some(twice)}); make the names distinct, with "
            "adata.var_names_make_unique()."
        )
    rows, columns = matrix.shape
    if (len(genes), *map(len, obs.values())) != (columns, *[rows] * len(obs)):
        raise TableError(
            f"{source} is damaged: its matrix has {rows:,} rows and {columns:,} columns, which obs and var do not have."
        )
    known = {name: _column(series) for name, series in obs.items()}
    frame = pa.table({name: pa.array(values, from_pandas=True) for name, values in known.items()})
    texts = tuple(name for name, values in known.items() if values.dtype == object)
    return Table(frame, source, texts, sha256, matrix=matrix, genes=tuple(genes))


def _chosen(source: str, part: Any, X: Any, layers: Mapping[str, Any], layer: str | None, raw: bool) -> Any:
    """The matrix that was asked for: ``X`` of a part, which is None if there is no such part, or a layer."""
    if layer is not None and raw:
        raise TableError(
            f"{parameter('layer', layer)} and {parameter('raw', True)} are two matrices; choose one."
        )
    if part is None:
        raise TableError(f"{source} has no raw; leave out {parameter('raw', True)}.")
    known = list(layers)
    if layer is not None and layer not in known:
        there = f"its layers are: {list_some(known)}" if known else f"leave out {parameter('layer')}"
        raise TableError(f"{source} has no layer {layer!r}; {there}.")
    matrix = X if layer is None else layers[layer]
    if matrix is None:
        raise TableError(f"{source} has no X; name a layer ({parameter('layer', list_some(known))}).")
    return matrix


def _column(series: Any) -> Column:
    """A column of a pandas frame: numbers (nan = missing) or text (None = missing)."""
    if str(series.dtype) != "category" and series.dtype.kind in NUMERIC_KINDS:
        return np.asarray(series.to_numpy(np.float64, na_value=np.nan))
    pairs = zip(series.to_numpy(dtype=object), series.isna(), strict=True)
    return object_array([None if is_missing else _text(value) for value, is_missing in pairs])


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


# --- Files --------------------------------------------------------------------------------------------


def is_hdf5(path: str | os.PathLike[str]) -> bool:
    """Whether a file is in the format of .h5ad files; a pipe is not opened, as it can be read only once."""
    try:
        if not os.path.isfile(path):
            return False
        with open(path, "rb") as file:
            return file.read(len(HDF5)) == HDF5
    except (OSError, ValueError):
        return False


def cells_in(path: str | os.PathLike[str], layer: str | None, raw: bool, **roles: str | None) -> Table:
    """The matrix in a file, and the columns of obs that have a role: ``target``, ``groups``."""
    source = os.path.basename(path)
    with _opened(path, "r") as file:
        if not {"obs", "var"} <= file.keys():
            raise TableError(
                f"{source} is an HDF5 file, but no AnnData file, as it has no obs and var; save the table as CSV, "
                "Parquet or .h5ad."
            )
        part = file.get("raw") if raw else file
        stored = _chosen(source, part, part and part.get("X"), file.get("layers", {}), layer, raw)
        matrix = _read(
            stored, source, "store it sparse (scipy.sparse.csr_matrix), or with fewer cells or genes"
        )
        if getattr(matrix, "ndim", 0) != 2 or matrix.dtype.kind not in NUMERIC_KINDS:
            raise TableError(
                f"{source} holds a matrix of a kind that is not known; write it again with anndata."
            )
        genes, names = _genes(part, source), _known(roles, _names_in(file["obs"], source), source)
        obs = {name: _obs_column(file["obs"], name, source) for name in names}
    with open(path, "rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    return _table(matrix, genes, obs, source, digest)


@contextmanager
def _opened(path: str | os.PathLike[str], mode: str) -> Iterator[Any]:
    """A file that takes nothing from others, with h5py; errors of a damaged one become one sentence."""
    source = os.path.basename(path)
    try:
        import anndata  # noqa: F401
        import h5py
    except ImportError as error:
        raise MissingExtraError(f"{source}, an AnnData file,", "anndata", "anndata") from error
    try:
        with h5py.File(path, mode) as file, warnings.catch_warnings():
            # anndata warns of formats of older versions.
            warnings.simplefilter("ignore")
            _refuse_other_files(file, source)
            yield file
    except TableError:
        raise
    except Exception as error:
        # A damaged file may raise anything.
        raise TableError(
            f"{source} is a damaged AnnData file, or one of another version: {reason_of(error)}; download it again, or "
            "read it with anndata and write it again."
        ) from error


def _refuse_other_files(file: Any, source: str) -> None:
    """Refuse a file with parts that HDF5 would fetch from other files, or write into them: they could be any files.

    The whole file is checked, so that no soft link leads to such a part.
    """
    from h5py import h5d, h5l, h5o

    links: list[tuple[bytes, int]] = []
    # Looked at later: an error in between would be lost in HDF5, and it gives out one and the same record each time.
    file.id.links.visit(lambda name, link: links.append((name, link.type)), info=True)
    for name, kind in links:
        why = "" if kind in (h5l.TYPE_HARD, h5l.TYPE_SOFT) else "an external link"
        part = h5o.open(file.id, name) if kind == h5l.TYPE_HARD else None
        if isinstance(part, h5d.DatasetID):
            stored = part.get_create_plist()
            if stored.get_layout() == h5d.VIRTUAL:
                why = "a virtual dataset"
            elif stored.get_external_count():
                why = "external storage"
        if why:
            raise TableError(
                f"{source} takes {name.decode(errors='replace')!r} from another file ({why}), and only the file itself "
                "is read; if you trust it, read it with anndata and write it again."
            )


def _read(part: Any, source: str, advice: str = "download it again") -> Any:
    """What is stored in a part, if it fits: a dataset that was never filled may be of any length in a small file."""
    from anndata.io import read_elem

    found = _datasets(part, source)
    # A value of a sparse matrix has a row as well, and both are copied.
    times = 3 if len(found) == 3 else 1
    for stored in found:
        n_bytes = times * stored.size * max(stored.dtype.itemsize, 8)
        if n_bytes > SHARE * machine.memory():
            raise TableError(
                f"{source}: {stored.name} holds {stored.size:,} values, which take about {machine.size(n_bytes)}, over "
                f"{percent(SHARE)} of the {machine.size(machine.memory())} of this machine; {advice}."
            )
    return read_elem(part)


def _datasets(part: Any, source: str) -> list[Any]:
    """All that anndata will read for a part."""
    if not hasattr(part, "keys"):
        return [part]
    kind = str(part.attrs.get("encoding-type", "")) or f"{part.attrs.get('h5sparse_format', '')}_matrix"
    if kind not in PARTS:
        raise TableError(
            f"{source}: {part.name} is of a kind that is not known ({kind}); write it again with anndata."
        )
    found = [part[name] for name in PARTS[kind]]
    return [one for each in found for one in _datasets(each, source)]


def _names_in(frame: Any, source: str) -> list[str]:
    """The names of the columns of a stored frame."""
    if not hasattr(frame, "keys"):
        raise TableError(
            f"{source} was written by an old version of anndata (before 0.7); read it with anndata and write it again."
        )
    if "column-order" in frame.attrs:
        return [_text(name) for name in frame.attrs["column-order"]]
    return [name for name in frame if name not in (frame.attrs.get("_index", "_index"), "__categories")]


def _genes(part: Any, source: str) -> list[str]:
    frame = part["var"]
    _names_in(frame, source)
    return [_text(name) for name in _read(frame[_text(frame.attrs.get("_index", "_index"))], source)]


def _obs_column(frame: Any, name: str, source: str) -> Any:
    import pandas as pd

    values, old = _read(frame[name], source), frame.get("__categories")
    if old is not None and name in old:
        # How categories were stored before anndata 0.8.
        values = pd.Categorical.from_codes(values, _read(old[name], source))
    return pd.Series(values)


# --- Answers ------------------------------------------------------------------------------------------


def to_anndata(adata: Any, result: Any, *, key: str = "altsets", scores: Any = None) -> None:
    """Write an answer into an AnnData object, as the tools of scanpy do.

    ``adata.var`` gets a column of true and false for each set (``altsets_set_0``, ``altsets_set_1``, ...), and one with
    the scores of genes if they are known (``altsets_score``). ``adata.uns["altsets"]`` gets the names of genes in
    ``"sets"``, ``"qualities"``, ``"statuses"``, ``"params"``, and the whole answer as JSON in ``"result"``. What was
    there under these names is replaced.

    Parameters
    ----------
    adata : AnnData
        The object that the answer is about. Genes that only its ``raw`` has are in ``uns`` alone.
    result : Result or SelectAlternatives
        The answer, or a selector that is fitted, which knows the scores of genes.
    key : str, default="altsets"
        The name in ``uns``, and how the names of columns begin.
    scores : array-like of shape (n_genes,), default=None
        One score for each gene of ``adata``, in their order.

    See Also
    --------
    altsets.io.from_anndata : Where the table comes from.
    altsets.Result.from_json : Reads ``adata.uns["altsets"]["result"]``.

    Examples
    --------
    >>> import altsets
    >>> selector = altsets.SelectAlternatives("chi2").fit(adata, "cell_type")  # doctest: +SKIP
    >>> altsets.io.to_anndata(adata, selector)  # doctest: +SKIP
    >>> adata.var["altsets_set_0"].sum()  # doctest: +SKIP
    """
    if not is_anndata(adata):
        raise TableError(f"adata must be an AnnData object; got a {type(adata).__name__}.")
    genes = [str(name) for name in adata.var_names]
    known = None
    if scores is not None:
        known = genes, np.asarray(scores, dtype=np.float64)
        if known[1].shape != (len(genes),):
            raise TableError(
                f"scores must hold one number for each of the {len(genes):,} genes; got shape {known[1].shape}."
            )
    if hasattr(result, "result_"):
        if known is None and result.scores_ is not None:
            known = [str(name) for name in getattr(result, "feature_names_in_", genes)], result.scores_
        result = result.result_
    var, uns = stored(result, genes, key, known)
    for name, column in var.items():
        adata.var[name] = column
    adata.uns[key] = uns


def stored(
    result: Any, genes: Sequence[str], key: str, scores: tuple[Sequence[str], Any] | None = None
) -> tuple[dict[str, Column], dict[str, Any]]:
    """What an answer adds to ``var``, for these genes, and to ``uns``; ``scores`` come with their names."""
    places = {name: place for place, name in enumerate(genes)}
    if not any(name in places for names in result.texts for name in names):
        raise TableError("no gene of the sets is in adata; write the answer into the table that it is about.")
    var: dict[str, Column] = {}
    for number, names in enumerate(result.texts):
        mask = np.zeros(len(genes), dtype=bool)
        mask[[places[name] for name in names if name in places]] = True
        var[f"{key}_set_{number}"] = mask
    if scores is not None:
        known = dict(zip(scores[0], scores[1], strict=True))
        var[f"{key}_score"] = np.array([known.get(name, np.nan) for name in genes], dtype=np.float64)
    params = {
        name: value
        for name, value in result.parameters.items()
        if isinstance(value, str | int | float | bool)
    }
    uns = {
        "params": params,
        "sets": {str(number): np.array(names, dtype=object) for number, names in enumerate(result.texts)},
        "qualities": np.array(result.qualities, dtype=np.float64),
        "statuses": np.array([str(status) for status in result.statuses], dtype=object),
        "result": result.to_json(),
    }
    return var, uns


def copy_with_answer(table: str, path: str, result: Any, scores: tuple[Sequence[str], Any] | None) -> None:
    """A copy of an AnnData file with an answer in it; ``path`` is replaced."""
    shutil.copyfile(table, path)
    with _opened(path, "r+") as file:
        from anndata.io import write_elem

        source, frame = os.path.basename(table), file["var"]
        var, uns = stored(result, _genes(file, source), "altsets", scores)
        order = [name for name in _names_in(frame, source) if name not in var]
        for name, column in var.items():
            write_elem(frame, name, column)
        frame.attrs["column-order"] = np.array([*order, *var], dtype=object)
        if "uns" not in file:
            write_elem(file, "uns", {})
        write_elem(file["uns"], "altsets", uns)
