"""Selectors once they know which columns to keep."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin

# What set_output has asked for is told nowhere else; scikit-learn's own selectors look here, too. They make one array
# of all columns before they keep some, so that one column of text would turn the others into objects.
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import _num_samples, check_array, check_is_fitted, validate_data

from altsets.arrays import Bools, Indices
from altsets.errors import InputError
from altsets.features import FeatureNames, given_feature
from altsets.measures.large.table import is_large, some_columns
from altsets.tables.conversion import is_anndata
from altsets.tables.weights import weights_of
from altsets.wording import list_some

#: A selector passes text and missing values on.
ANY_TABLE: dict[str, Any] = {"dtype": None, "accept_sparse": "csr", "ensure_all_finite": False}


class ColumnSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """What selectors do once they know which columns to keep; frames stay frames, holes stay holes."""

    def transform(self, X: Any) -> Any:
        """Keep the columns of the chosen set.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            The same columns as in ``fit``.

        Returns
        -------
        table of shape (n_samples, n_selected_features)
            An array, or a frame as ``set_output`` says; a sparse matrix stays sparse, an AnnData object has the genes
            of the set. Columns of a Dask table stay on the cluster; of an Arrow dataset or a path, no others are read.
        """
        check_is_fitted(self)
        if is_large(X):
            return self._transform_large(X)
        X, places = self._located(X)
        if is_anndata(X):
            return X[:, places]
        kept = _some_columns(X, places)
        wanted = _get_output_config("transform", estimator=self)["dense"]
        if hasattr(X, "columns") and wanted == "default":
            return check_array(kept, **ANY_TABLE)
        # polars and Arrow know best what their columns are in pandas.
        return kept.to_pandas() if wanted == "pandas" and hasattr(kept, "to_pandas") else kept

    def _transform_large(self, X: Any) -> Any:
        """The columns of the set of a table that is not in memory."""
        if hasattr(X, "chunks"):
            if X.ndim != 2 or X.shape[1] != self.n_features_in_:
                raise InputError(f"X has shape {X.shape}, and {self.n_features_in_} columns are expected.")
        elif not hasattr(self, "feature_names_in_"):
            raise InputError(
                f"{type(self).__name__} was fitted to columns without names, so their places cannot be told in this "
                "table; give an array."
            )
        kept = some_columns(X, self.get_feature_names_out().tolist(), self.get_support(indices=True).tolist())
        if hasattr(kept, "dask"):
            return kept
        wanted = _get_output_config("transform", estimator=self)["dense"]
        if wanted == "default":
            return check_array(kept.to_pandas(), **ANY_TABLE)
        return kept.to_pandas() if wanted == "pandas" else kept

    def _located(self, X: Any) -> tuple[Any, Indices]:
        """The table, checked, and where in it the columns of the set are."""
        if is_anndata(X):
            wanted = [str(name) for name in getattr(self, "feature_names_in_", ())]
            if wanted != [str(name) for name in X.var_names]:
                raise InputError(
                    f"the genes of adata are not those that {type(self).__name__} was fitted to, in the same order; "
                    "give the same ones, with adata[:, selector.feature_names_in_]."
                )
            return X, self.get_support(indices=True)
        # Columns of a frame keep their types only if it is never made one array.
        X = validate_data(self, X, **ANY_TABLE, skip_check_array=hasattr(X, "columns"), reset=False)
        return X, self.get_support(indices=True)

    def inverse_transform(self, X: Any) -> Any:
        """Put the columns back in their places; what was left out becomes 0.

        Parameters
        ----------
        X : table of shape (n_samples, n_selected_features)
            What ``transform`` returned.

        Returns
        -------
        ndarray or sparse matrix of shape (n_samples, n_features)
            The columns of the set, and zeros; sparse if X is.
        """
        mask = self.get_support()
        columns = check_array(X, **ANY_TABLE)
        if columns.shape[1] != mask.sum():
            raise InputError(f"X has {columns.shape[1]} columns, but the set has {mask.sum()} features.")
        if issparse(columns):
            # Zeros are not stored, so that columns only get other numbers.
            columns = columns.tocoo()
            places = (columns.row, np.flatnonzero(mask)[columns.col])
            shape = (columns.shape[0], len(mask))
            return type(columns)((columns.data, places), shape=shape).tocsr()
        table = np.zeros((len(columns), len(mask)), dtype=columns.dtype)
        table[:, mask] = columns
        return table

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


class SelectFeatures(ColumnSelector):
    """Keep the features of one set; there is nothing to learn.

    :meth:`SelectAlternatives.get_alternative` makes these, so that each set can be a step of a pipeline, or a choice
    in a grid, without a new search. If features were chosen on a frame with names, ``transform`` takes any frame that
    has their columns, in any order: a model in use needs the columns of its set, and no others. Arrays have no names,
    and must have all columns.

    Parameters
    ----------
    features : sequence of str or int, default=None
        Names or indices of the columns to keep; all of them by default.

    Attributes
    ----------
    n_features_in_ : int
        The number of columns in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, if they have names.

    See Also
    --------
    altsets.SelectAlternatives.get_alternative : Makes these.
    sklearn.feature_selection.SelectFromModel : Selects by the importances of a model.

    Examples
    --------
    >>> SelectFeatures([2, 0]).fit_transform([[1, 2, 3], [4, 5, 6]]).tolist()
    [[1, 3], [4, 6]]
    """

    # Weights and groups are passed over, unless set_fit_request says otherwise.
    __metadata_request__fit: ClassVar = {"sample_weight": False, "groups": False}

    def __init__(self, features: Sequence[str | int] | None = None) -> None:
        self.features = features

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Check that the features exist.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Any table that has them.
        y : ignored, default=None
            For pipelines.
        sample_weight, groups : array-like of shape (n_samples,), default=None
            Not used; for pipelines that pass them to :class:`SelectAlternatives`.
        """
        frame = hasattr(X, "columns") or hasattr(X, "column_names")
        validate_data(self, X, **ANY_TABLE, skip_check_array=frame)
        weights_of(sample_weight, _num_samples(X))
        given = getattr(self, "feature_names_in_", [f"x{index}" for index in range(self.n_features_in_)])
        names = FeatureNames.of([str(name) for name in given])
        if self.features is None:
            self._kept = list(range(len(names)))
        elif isinstance(self.features, str) or not len(self.features):
            raise InputError(f"features={self.features!r} must be a list of at least one name or index.")
        else:
            self._kept = [names.position(given_feature(one, "features"), "features") for one in self.features]
        self._by_name = self.features is not None and hasattr(self, "feature_names_in_")
        return self

    def _located(self, X: Any) -> tuple[Any, Indices]:
        names = names_in(X)
        if not self._by_name or names is None:
            self._refuse_its_columns_without_names(X)
            return super()._located(X)
        wanted = self.get_feature_names_out().tolist()
        missing = [name for name in wanted if name not in names]
        if missing:
            raise InputError(
                f"X lacks {len(missing)} of the {len(wanted)} columns that are to be kept: {list_some(missing)}."
            )
        twice = [name for name in wanted if names.count(name) > 1]
        if twice:
            raise InputError(f"X has more than one column of the name {list_some(twice)}; keep one of each.")
        return X, np.array([names.index(name) for name in wanted], dtype=np.intp)

    def _refuse_its_columns_without_names(self, X: Any) -> None:
        """Columns without names are told by their places, which a smaller table does not have."""
        shape: tuple[int, ...] = getattr(X, "shape", ())
        if len(shape) == 2 and shape[1] == len(self._kept) < self.n_features_in_:
            raise InputError(
                f"X has {shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features as "
                "input: columns without names are told by their places; give all of them, or a frame with names."
            )

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self._kept] = True
        return mask

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_kept")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.requires_fit = True
        return tags


def fitted_like(like: Any, chosen: Sequence[int]) -> SelectFeatures:
    """A selector of these columns of the table that another one was fitted to, as if it was fitted to it, too.

    It has the output and the metadata requests of the other one, as a clone would.
    """
    named = hasattr(like, "feature_names_in_")
    selector = SelectFeatures([str(like.feature_names_in_[index]) if named else index for index in chosen])
    for name in ("n_features_in_", "feature_names_in_", "_sklearn_output_config"):
        if name in vars(like):
            setattr(selector, name, copy.copy(vars(like)[name]))
    selector._kept, selector._by_name = list(chosen), named
    if "_metadata_request" in vars(like):
        # A copy of these requests would have a copy of all that belongs to the other selector.
        requests = like._metadata_request.fit.requests
        asked = {
            name: requests[name] for name in ("sample_weight", "groups") if requests.get(name) is not None
        }
        with config_context(enable_metadata_routing=True):
            selector.set_fit_request(**asked)
    return selector


def _some_columns(X: Any, kept: Indices) -> Any:
    """Columns of an array, a sparse matrix or a frame, as what they came in."""
    if hasattr(X, "iloc"):
        return X.iloc[:, kept]
    if hasattr(X, "column_names"):
        # A table of Arrow.
        return X.select(kept.tolist())
    return X[:, kept]


def names_in(X: Any) -> list[str] | None:
    """The names of the columns of a frame (Arrow, pandas, polars); None if they are not all text."""
    names = list(getattr(X, "column_names", getattr(X, "columns", ())))
    return names if names and all(isinstance(name, str) for name in names) else None
