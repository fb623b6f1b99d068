"""Single-cell tables: AnnData objects, and .h5ad files, which are read and written with h5py alone.

Rows are cells (``obs``), columns are genes (``var``). The matrix is that of ``X``, of a layer, or of ``raw``; a sparse
one stays sparse. Targets and groups come from the columns of ``obs``.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets import machine
from altsets.errors import MissingExtraError, TableError, reason_of
from altsets.files.columns import Column
from altsets.files.contents import SHARE
from altsets.tables.conversion import is_anndata, object_array
from altsets.wording import list_some, parameter, percent, suggestion

#: How HDF5 files begin.
HDF5 = b"\x89HDF\r\n\x1a\n"
#: What a file is said to be encoded as, by anndata.
FRAME, RECORD = ("dataframe", "0.2.0"), ("dict", "0.1.0")
NUMBERS, TEXTS = ("array", "0.2.0"), ("string-array", "0.2.0")
TEXT, NUMBER = ("string", "0.2.0"), ("numeric-scalar", "0.2.0")


@dataclass(frozen=True, eq=False)
class Cells:
    """A matrix of cells and genes, dense or sparse, with the names of genes and a way to get columns of ``obs``."""

    matrix: Any
    genes: list[str]
    obs_names: tuple[str, ...]
    obs: Callable[[str], Column]
    source: str
    sha256: str = ""

    def __post_init__(self) -> None:
        twice = sorted(name for name, count in Counter(self.genes).items() if count > 1)
        if twice:
            raise TableError(
                f"{self.source} has several genes of the same name ({list_some(twice)}); make the names "
                "distinct, with adata.var_names_make_unique()."
            )
        if self.matrix.shape[1] != len(self.genes):
            raise TableError(
                f"{self.source} is damaged: its matrix has {self.matrix.shape[1]:,} columns, and var names "
                f"{len(self.genes):,} genes."
            )

    def column(self, name: str, role: str) -> Column:
        """A column of ``obs``, which is to be the target, or the groups."""
        if name in self.obs_names:
            found = self.obs(name)
            if len(found) != self.matrix.shape[0]:
                raise TableError(
                    f"{self.source} is damaged: its matrix has {self.matrix.shape[0]:,} rows, and the column {name!r} "
                    f"of obs {len(found):,}."
                )
            return found
        known = list_some(self.obs_names) or "none"
        hint = suggestion(name, self.obs_names, f"its columns are: {known}.")
        raise TableError(f"{self.source} has no {role} {name!r} in obs; {hint}")


# --- Objects ------------------------------------------------------------------------------------------


def cells_of(adata: Any, layer: str | None = None, raw: bool = False) -> Cells:
    """The matrix of an object that is in memory, or backed by a file."""
    _refuse_both(layer, raw)
    part = adata
    if raw:
        part = adata.raw
        if part is None:
            raise TableError(f"adata has no raw; leave out {parameter('raw', True)}.")
    if layer is not None:
        _refuse_unknown_layer("adata", layer, list(adata.layers))
    matrix = part.X if layer is None else adata.layers[layer]
    if matrix is None:
        raise TableError(
            f"adata has no X; name a layer ({parameter('layer', list_some(list(adata.layers)))})."
        )
    if hasattr(matrix, "to_memory"):
        # Sparse in a file.
        matrix = matrix.to_memory()
    elif not hasattr(matrix, "tocsr"):
        matrix = np.asarray(matrix)
    genes = [str(name) for name in part.var_names]
    return Cells(
        matrix, genes, tuple(map(str, adata.obs.columns)), lambda name: _from_frame(adata.obs[name]), "adata"
    )


def _from_frame(series: Any) -> Column:
    """A column of a pandas frame: numbers (nan = missing) or text (None = missing)."""
    values = series.to_numpy(dtype=object)
    missing = np.asarray(series.isna())
    is_numeric = str(series.dtype) != "category" and series.dtype.kind in "biuf"
    if is_numeric:
        return np.array(
            [np.nan if gone else float(value) for value, gone in zip(values, missing, strict=True)]
        )
    return object_array([None if gone else str(value) for value, gone in zip(values, missing, strict=True)])


def _refuse_both(layer: str | None, raw: bool) -> None:
    if layer is not None and raw:
        raise TableError(
            f"{parameter('layer', layer)} and {parameter('raw', True)} are two matrices; choose one."
        )


def _refuse_unknown_layer(source: str, layer: str, known: Sequence[str]) -> None:
    if layer not in known:
        there = f"its layers are: {list_some(known)}" if known else f"leave out {parameter('layer')}"
        raise TableError(f"{source} has no layer {layer!r}; {there}.")


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


def cells_in(path: str | os.PathLike[str], layer: str | None = None, raw: bool = False) -> Cells:
    """The matrix in a file; columns of ``obs`` are read when they are asked for."""
    _refuse_both(layer, raw)
    source = os.path.basename(path)
    with _opened(path, "r") as file:
        if not {"obs", "var"} <= file.keys():
            raise TableError(
                f"{source} is an HDF5 file, but no AnnData file, as it has no obs and var; save the table as CSV, "
                "Parquet or .h5ad."
            )
        part = file
        if raw:
            if "raw" not in file:
                raise TableError(f"{source} has no raw; leave out {parameter('raw', True)}.")
            part = file["raw"]
        layers = list(file["layers"].keys()) if "layers" in file else []
        if layer is not None:
            _refuse_unknown_layer(source, layer, layers)
        elif "X" not in part:
            raise TableError(f"{source} has no X; name a layer ({parameter('layer', list_some(layers))}).")
        matrix = _matrix(part["X"] if layer is None else file["layers"][layer], source)
        genes = [str(name) for name in _index(part["var"], source)]
        names = tuple(_names_in(file["obs"], source))
    with open(path, "rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    return Cells(matrix, genes, names, lambda name: _obs_column(path, name), source, digest)


@contextmanager
def _opened(path: str | os.PathLike[str], mode: str) -> Iterator[Any]:
    """The file with h5py; errors of a damaged one become one sentence."""
    source = os.path.basename(path)
    try:
        import h5py
    except ImportError as error:
        raise MissingExtraError(f"{source}, an AnnData file,", "h5py", "anndata") from error
    try:
        with h5py.File(path, mode) as file:
            _refuse_other_files(file, source)
            yield file
    except TableError:
        raise
    except (OSError, KeyError, ValueError, TypeError, RuntimeError, IndexError, AttributeError) as error:
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


def _encoding(part: Any) -> str:
    return str(part.attrs.get("encoding-type", ""))


def _matrix(part: Any, source: str) -> Any:
    """A matrix as it is stored."""
    from scipy import sparse

    kind = _encoding(part) or f"{part.attrs.get('h5sparse_format', '')}_matrix"
    if kind in ("csr_matrix", "csc_matrix"):
        shape = tuple(int(size) for size in part.attrs.get("shape", part.attrs.get("h5sparse_shape")))
        # A value and its row, as they are stored and once more as they are used.
        _refuse_memory(2 * 12 * part["data"].size, shape, source, "a sparse", "give a file with fewer cells")
        made = sparse.csr_array if kind == "csr_matrix" else sparse.csc_array
        return made(tuple(_whole(part[name]) for name in ("data", "indices", "indptr")), shape=shape)
    if not hasattr(part, "shape") or len(part.shape) != 2:
        raise TableError(
            f"{source} holds a matrix of a kind that is not known ({kind}); write it again with anndata."
        )
    advice = "save it sparse (scipy.sparse.csr_matrix), or with fewer genes"
    _refuse_memory(part.size * max(part.dtype.itemsize, 8), part.shape, source, "a dense", advice)
    return part[...]


def _refuse_memory(n_bytes: int, shape: Sequence[int], source: str, what: str, advice: str) -> None:
    if n_bytes > SHARE * machine.memory():
        raise TableError(
            f"{source} holds {what} matrix of {shape[0]:,} cells and {shape[1]:,} genes, which takes about "
            f"{machine.size(n_bytes)}, over {percent(SHARE)} of the {machine.size(machine.memory())} of this machine; "
            f"{advice}."
        )


def _names_in(frame: Any, source: str) -> list[str]:
    """The names of the columns of a stored frame."""
    if not hasattr(frame, "keys"):
        raise TableError(
            f"{source} was written by an old version of anndata (before 0.7); read it with anndata and write it again."
        )
    if "column-order" in frame.attrs:
        return [_text(name) for name in frame.attrs["column-order"]]
    return [name for name in frame if name not in (frame.attrs.get("_index", "_index"), "__categories")]


def _index(frame: Any, source: str) -> npt.NDArray[Any]:
    _names_in(frame, source)
    name = frame.attrs.get("_index", "_index")
    return _values(frame[_text(name)])


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _obs_column(path: str | os.PathLike[str], name: str) -> Column:
    with _opened(path, "r") as file:
        frame = file["obs"]
        part = frame[name]
        old = frame.get("__categories")
        if old is not None and name in old:
            # How categories were stored before anndata 0.8.
            return _labelled(_whole(part), _values(old[name]))
        return _column(part)


def _column(part: Any) -> Column:
    """A column of a stored frame: numbers (nan = missing) or text (None = missing)."""
    if _encoding(part) == "categorical":
        return _labelled(_whole(part["codes"]), _values(part["categories"]))
    if hasattr(part, "keys"):
        # Types of pandas that know missing values.
        values, missing = _values(part["values"]), _whole(part["mask"]).astype(bool)
        if values.dtype == object:
            return object_array(
                [None if gone else value for value, gone in zip(values, missing, strict=True)]
            )
        return np.where(missing, np.nan, values.astype(np.float64))
    values = _values(part)
    return values if values.dtype == object else values.astype(np.float64)


def _labelled(codes: npt.NDArray[Any], labels: npt.NDArray[Any]) -> Column:
    return object_array([str(labels[code]) if code >= 0 else None for code in codes.tolist()])


def _whole(part: Any) -> npt.NDArray[Any]:
    """All of a dataset, if it fits: one that was never filled may be of any length in a small file."""
    needed = part.size * max(part.dtype.itemsize, 8)
    if needed > SHARE * machine.memory():
        raise TableError(
            f"{os.path.basename(part.file.filename)} is damaged: {part.name} holds {part.size:,} values, which take "
            f"about {machine.size(needed)}, over {percent(SHARE)} of the {machine.size(machine.memory())} of this "
            "machine; download it again."
        )
    return np.asarray(part[:])


def _values(part: Any) -> npt.NDArray[Any]:
    """The numbers of a dataset, or its texts."""
    values = _whole(part)
    if values.dtype.kind in "OSU":
        return object_array([_text(value) for value in values.tolist()])
    return np.asarray(values)


# --- Answers ------------------------------------------------------------------------------------------


def write_into(path: str, key: str, var: Mapping[str, Column], uns: Mapping[str, Any]) -> None:
    """Add columns to ``var`` of a file, and a record to ``uns``; those of the same names are replaced."""
    with _opened(path, "r+") as file:
        frame = file["var"]
        order = [name for name in _names_in(frame, os.path.basename(path)) if name not in var]
        for name, column in var.items():
            if name in frame:
                del frame[name]
            _mark(frame.create_dataset(name, data=column), NUMBERS)
        frame.attrs["column-order"] = np.array([*order, *var], dtype=object)
        if "uns" not in file:
            _mark(file.create_group("uns"), RECORD)
        if key in file["uns"]:
            del file["uns"][key]
        _store(file["uns"], key, uns)


def _mark(part: Any, encoding: tuple[str, str]) -> None:
    part.attrs["encoding-type"], part.attrs["encoding-version"] = encoding


def _store(group: Any, name: str, value: Any) -> None:
    """A value as anndata stores it."""
    import h5py

    text = h5py.string_dtype()
    if isinstance(value, Mapping):
        part = group.create_group(name)
        for each, content in value.items():
            _store(part, each, content)
        _mark(part, RECORD)
    elif isinstance(value, np.ndarray):
        is_text = value.dtype.kind in "OU"
        data = value.astype(object) if is_text else value
        _mark(
            group.create_dataset(name, data=data, dtype=text if is_text else None),
            TEXTS if is_text else NUMBERS,
        )
    elif isinstance(value, str):
        _mark(group.create_dataset(name, data=value, dtype=text), TEXT)
    else:
        _mark(group.create_dataset(name, data=value), NUMBER)


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

    Raises
    ------
    altsets.errors.TableError
        If ``adata`` is no AnnData object, has none of the genes of the sets, or there is not one score for each gene.

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
    with _opened(path, "r") as file:
        genes = [str(name) for name in _index(file["var"], os.path.basename(table))]
    write_into(path, "altsets", *stored(result, genes, "altsets", scores))
