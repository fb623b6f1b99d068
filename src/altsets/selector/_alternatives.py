"""The selector that searches."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import fields, replace
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
from sklearn import get_config
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted, check_memory, validate_data

from altsets.arrays import Bools, Floats
from altsets.display import renderer
from altsets.errors import InputError, warn_user
from altsets.features import FeatureNames, whole_number
from altsets.measures.large.table import is_large
from altsets.quality.spec import QualitySpec, spec_of
from altsets.request import Request
from altsets.result import MARK, WhatIf
from altsets.search.what_if import lose
from altsets.selector._answers import (
    Alternative,
    answered,
    check_request,
    columns_of,
    fitting,
    n_candidates,
    progress_lines,
    provenance_of,
    refuse_numbered,
    request_of,
    rows_of,
    table_and_target,
    warn_of_size,
)
from altsets.selector._column_selector import ColumnSelector, SelectFeatures, fitted_like
from altsets.selector.notes import Background, notes_on
from altsets.tables.feature_matrix import Features


class SelectAlternatives(ColumnSelector):
    """Select features, and find alternatives: sets that are all good and truly different from each other.

    ``fit`` searches all sets, ``transform`` keeps the columns of one of them: the first, unless ``alternative`` says
    otherwise. Parameters of :func:`altsets.find` with the same name are described there.

    Parameters
    ----------
    quality : str, estimator, class, callable, quality object or array, default="mutual_info"
        What a good set is.

        - A name: a measure whose scores are added up (``"mutual_info"``, ``"f"``, ``"pearson"``, ``"spearman"``,
          ``"chi2"``, ``"relief"``, ``"importance"``, ``"permutation"``, ``"shap"``, ``"symmetrical_uncertainty"``), or
          ``"mrmr"``, ``"fcbf"``, ``"cfs"``, ``"wrapper"``, ``"embedded"``. Bach (2023) calls three of them ``"mi"``,
          ``"model_gain"`` and ``"greedy_wrapper"``; the last one is also searched by his engine, greedy-wrapper.
        - A scikit-learn estimator: the sum of its importances or absolute coefficients.
        - A class of :mod:`altsets.quality`, such as ``quality.MRMR``: what its ``from_data`` makes of the table.
        - A function of a float matrix and the target that returns one score for each column, or a quality object.
        - One score for each column, or a quality object: then ``fit`` needs no target.
    n_features : int or float, default=None
        Features in each set, or a share of the columns; None for 5, or with ``"embedded"`` as many as the model
        chooses. If the table has fewer columns, all of them, with a warning. Constant columns do not count: where
        scores are computed from the table, no set has one unless a constraint requires it.
    n_alternatives : int or "max", default=3
        Sets to find besides the first one.
    tau : float or "max", default=None
        The least dissimilarity of two sets.
    quality_params : dict, default=None
        Keywords for a quality that is given by its name, its class or as a function, such as ``{"measure": "pearson"}``
        for ``"mrmr"`` or ``{"estimator": model, "cv": 5}`` for ``"wrapper"``. A grid varies whole dictionaries.
    adjust : sequence of features, default=None
        Covariates, such as ``["age", "sex", "batch"]``: columns that are no candidates, and for which scores are
        adjusted.
    feature_groups : mapping, sequence of sequences of features, Grouped or str, default=None
        Groups of columns, such as those of one sensor.
    unit : {"feature", "group"}, default="feature"
        Whether sets are made of features or of whole groups, which ``n_features`` and ``tau`` then count.
    dissimilarity : {"dice", "jaccard", "absolute", "groups"}, Matched, Grouped or callable, default="dice"
        What tau refers to. A similarity that is named, ``Matched("spearman", threshold=0.9)``, is computed in ``fit``,
        with ``sample_weight``.
    search : {"sequential", "simultaneous", "greedy-replacement", "greedy-balancing", "greedy-depth"}, \
            default="sequential"
        One set after the other, all sets together, or a heuristic.
    aggregation : {"sum", "min", "leximin"}, default="sum"
        What to maximise over simultaneous sets.
    constraints : sequence of constraints, default=()
        Conditions on every set, on names or indices of columns. An integer is an index, also where labels of columns
        are integers; such a label is named by its text, as in ``Require("2020")``.
    alternative : int, default=0
        Which set ``transform`` uses. Like all parameters it takes effect with the next ``fit``;
        :meth:`get_alternative` gives the other sets without one.
    task : {"auto", "classification", "regression"}, default="auto"
        Whether the target names classes or is numeric; "auto" looks at its values.
    time_limit : float, default=None
        Seconds for the search; scores are computed before.
    n_jobs : int, default=None
        Threads or processes for measures and wrappers that use several; None leaves it to them. No answer depends
        on it.
    random_state : int, RandomState or None, default=None
        Seed for measures that draw at random. None is a fixed seed as well: the same table gives the same sets.
    unusable : {"error", "drop"}, default="error"
        What to do with columns that no measure can use, such as dates, identifiers or numbers mixed with text: refuse
        them, all in one message, or leave them out (``dropped_``).
    verbose : bool or int, default=False
        Whether ``fit`` reports its steps on standard error, every 10 s, or every second from 2 on.
    memory : str or joblib.Memory, default=None
        Where to keep scores and answers, so that nothing is computed twice: a grid over ``alternative`` or ``tau`` then
        costs little.
    difference : {"each", "average"}, default="each"
        Whether a set must differ by tau from each set before it, or from all of them on average.
    overlap_penalty : float, default=0.0
        What each feature that two sets share costs, in units of quality.
    min_quality : float, default=None
        The least quality of every set.
    within : float, default=None
        By what part of the best quality a set may fall short of it.

    Attributes
    ----------
    result_ : Result
        The whole answer, with its certificate. It numbers the columns without those that were dropped.
    alternatives_ : list of Alternative
        The sets: ``names``, ``quality`` and ``status`` of each.
    supports_ : ndarray of bool, shape (n_sets, n_features_in_)
        The sets as masks.
    qualities_ : ndarray of shape (n_sets,)
        How good they are.
    dissimilarities_ : ndarray of shape (n_sets, n_sets)
        How different they are from each other.
    bound_, gap_ : float
        No answer has a larger objective than the bound; the gap is what may be missing to it.
    alternative_ : int
        The set that ``transform`` uses.
    note_ : str
        The cautions about the table and the notes of ``result_`` in one line.
    n_alternatives_found_ : int
        The number of sets besides the first one.
    n_features_ : int
        ``n_features``, or the number of columns if that is less; the size of the largest set if a model chooses.
    scores_ : ndarray of shape (n_features_in_,) or None
        What each column alone is worth, nan for dropped ones; None if only sets have scores, as with wrappers.
    noise_floor_ : ndarray of shape (n_features_in_,) or None
        What each column may score by chance, nan for dropped ones; None where that is not known.
    dropped_ : list of str
        Columns that were left out with ``unusable="drop"``.
    n_features_in_ : int
        The number of columns in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, if they have names.

    Warns
    -----
    UserWarning
        If fewer sets than requested were found; the message says why, and what is possible.

    See Also
    --------
    altsets.SelectFeatures : One of the sets as a selector of its own.
    altsets.find : The search alone, for a quality in numbers.
    altsets.evaluate : How well the sets predict unseen rows.
    sklearn.feature_selection.SelectKBest : One set, by scores of single features.

    References
    ----------
    Bach, J. (2023). Finding optimal diverse feature sets with alternative feature selection. arXiv:2307.11607.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = SelectAlternatives(n_features=3, n_alternatives=1, tau=1).fit(X, y)
    >>> for found in selector.alternatives_:
    ...     print(f"{found.quality:.3f}", *found.names)
    1.781 flavanoids color_intensity proline
    1.419 alcohol hue od280/od315_of_diluted_wines
    >>> selector.get_alternative(1).transform(X).shape
    (178, 3)
    """

    def __init__(
        self,
        quality: Any = "mutual_info",
        n_features: int | float | None = None,
        n_alternatives: int | str = 3,
        tau: Any = None,
        *,
        quality_params: Mapping[str, Any] | None = None,
        adjust: Any = None,
        feature_groups: Any = None,
        unit: str = "feature",
        within: float | None = None,
        min_quality: float | None = None,
        dissimilarity: Any = "dice",
        difference: str = "each",
        overlap_penalty: float = 0.0,
        search: str = "sequential",
        aggregation: str = "sum",
        constraints: Any = (),
        alternative: int = 0,
        task: str = "auto",
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        unusable: str = "error",
        verbose: bool | int = False,
        memory: Any = None,
    ) -> None:
        self.quality = quality
        self.n_features = n_features
        self.n_alternatives = n_alternatives
        self.tau = tau
        self.quality_params = quality_params
        self.adjust = adjust
        self.feature_groups = feature_groups
        self.unit = unit
        self.dissimilarity = dissimilarity
        self.search = search
        self.aggregation = aggregation
        self.constraints = constraints
        self.alternative = alternative
        self.task = task
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.unusable = unusable
        self.verbose = verbose
        self.memory = memory
        self.difference = difference
        self.overlap_penalty = overlap_penalty
        self.min_quality = min_quality
        self.within = within

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Find the sets.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            A NumPy array or a frame (pandas, polars, Arrow): numbers, booleans, text, categories, missing values (none
            is filled in). Or a sparse matrix or array of SciPy, or a pandas frame of sparse columns, which is never
            made dense as a whole; or an AnnData object. Or a table that is read in passes: an Arrow dataset, the path
            of a Parquet file or of a folder of them, a Dask frame or array.
        y : array-like of shape (n_samples,) or str, default=None
            The target: classes or numbers, one column. For an AnnData object, also the name of a column of ``obs``; for
            a table that is read in passes, the name of one of its columns (of a Dask array, another Dask array).
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts, for qualities that know weights; whole numbers for all others.
        groups : array-like of shape (n_samples,), default=None
            Which rows belong together, such as those of one patient. ``"wrapper"`` and ``"permutation"`` score models
            on groups that these have not seen; qualities that never split rows ignore them.
        """
        started = time.perf_counter()
        X, y = table_and_target(X, y)
        table, y = columns_of(X, y, self.unusable, request_of(self).adjust)
        features = table.features
        self._take_columns(X, table.all_names)
        spec = self._spec
        rows = rows_of(features, y, spec, sample_weight, groups, who="SelectAlternatives")
        n_columns = n_candidates(spec, features, sample_weight)
        asked = request_of(self, rows.y if spec.uses_target else None)
        request = fitting(asked, n_columns)
        check_request(request, features, self.alternative)
        refuse_numbered(table, self.constraints)
        warn_of_size(asked, n_columns, features.n_features)
        name = str(getattr(rows.y, "name", None) or "")
        about = Background(features, rows.y, spec, request.task, sample_weight, table.notes, name)
        with progress_lines(self.verbose) as lines:
            found = answered(request, features, rows, self.n_jobs, check_memory(self.memory), lines)
        task = None if about.target is None else about.target.task
        notes = notes_on(found.result, about)
        origin = provenance_of(request, features, rows, task, time.perf_counter() - started)
        self.result_ = result = replace(found.result, **notes, provenance=origin)
        self._places = np.array(table.places, dtype=np.intp)
        self.dropped_ = list(table.dropped)
        self.alternative_ = whole_number("alternative", self.alternative, least=0)
        self.note_ = " ".join([*result.table_cautions, *result.notes])
        self.n_features_ = request.n_features or max(map(len, result.sets))
        self.scores_, self.noise_floor_ = self._of_all(found.scores), self._of_all(found.noise_floor)
        self.alternatives_ = [
            Alternative(*alternative)
            for alternative in zip(result.named_sets, result.qualities, result.statuses, strict=False)
        ]
        self.supports_ = np.zeros((len(result.sets), self.n_features_in_), dtype=bool)
        for mask, chosen in zip(self.supports_, result.sets, strict=True):
            mask[self._places[list(chosen)]] = True
        self.qualities_ = np.array(result.qualities)
        self.dissimilarities_ = found.dissimilarities
        self.bound_, self.gap_ = result.bound, result.gap
        self.n_alternatives_found_ = len(result.sets) - 1
        if len(result.sets) < len(result.statuses):
            warn_user(result.explain())
        return self

    def _take_columns(self, X: Any, names: FeatureNames) -> None:
        """Set number and names of the columns; nothing is left of an earlier fit."""
        if not isinstance(X, Features) and not is_large(X):
            try:
                validate_data(self, X, skip_check_array=True)
            except TypeError as error:
                raise InputError(
                    "some column names are text and others are not; make all of them text, with "
                    "X.columns = X.columns.astype(str)."
                ) from error
            return
        self.n_features_in_ = len(names)
        if names.given and not hasattr(X, "chunks"):
            self.feature_names_in_ = np.array(list(names), dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _of_all(self, of_used: Floats | None) -> Floats | None:
        """A number for each column, nan for those that were dropped."""
        if of_used is None:
            return None
        of_all = np.full(self.n_features_in_, np.nan)
        of_all[self._places] = of_used
        return of_all

    def get_alternative(self, alternative: int) -> SelectFeatures:
        """One of the sets as a selector of its own, fitted and light: it can be cloned and fitted without a search.

        Parameters
        ----------
        alternative : int
            0 for the first set, 1 for the first alternative, and so on.

        Returns
        -------
        SelectFeatures
            It takes frames that have no other columns than those of the set, too, and has the output and the metadata
            requests of this selector.

        See Also
        --------
        altsets.reduced : A fitted pipeline without the columns that its set does not have.

        Examples
        --------
        >>> selector = SelectAlternatives([3, 2, 1, 0], n_features=1, n_alternatives=2).fit([[1, 2, 3, 4]])
        >>> selector.get_alternative(2)
        SelectFeatures(features=[2])
        """
        return fitted_like(self, self._chosen(alternative))

    def what_if(
        self,
        X: Any,
        y: Any = None,
        features: Any = None,
        *,
        feature_groups: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        time_limit: float | None = None,
    ) -> WhatIf:
        """Find the best set that is left if a feature or a group of features fails, for each of them.

        The table is scored again, as a fitted selector does not keep it.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
        y, sample_weight, groups : default=None
            As for :meth:`fit`.
        features, feature_groups : default=None
            Features that may fail, alone or together, as for :func:`altsets.what_if`.
        time_limit : float, default=None
            Seconds for all searches together, without scoring.

        See Also
        --------
        altsets.what_if : The same for a quality in numbers.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> X, y = load_wine(return_X_y=True, as_frame=True)
        >>> selector = SelectAlternatives(n_features=2, n_alternatives=0).fit(X, y)
        >>> print(selector.what_if(X, y).explain())
        If flavanoids fails: color_intensity, proline (quality 1.1131, 91 % of set 0), proven to be the best.
        If proline fails: flavanoids, color_intensity (quality 1.21974, >99 % of set 0), proven to be the best.
        """
        check_is_fitted(self)
        request = self.result_.request or request_of(self)
        table, y = columns_of(X, y, self.unusable, request.adjust)
        if request.quality is None:
            request = replace(request, quality=self.quality)
        quality = request.quality_on(table.features, y, sample_weight, groups, self.n_jobs)
        if self.noise_floor_ is not None:
            quality.noise_floor = self.noise_floor_[self._places]
        measured = request.measured(table.features, sample_weight)
        return lose(measured, quality, self.result_, features, feature_groups, time_limit)

    def report(
        self,
        path: Any,
        *,
        evaluation: Any = None,
        frontier: Any = None,
        near_best: Any = None,
        title: str | None = None,
        force: bool = False,
    ) -> str:
        """Write one HTML file with the sets and the scores of all columns, for any browser, and return its path.

        Parameters
        ----------
        path : path-like
            A new file whose name ends in .html.
        evaluation, frontier, near_best : Evaluation, Frontier and NearBest, default=None
            How well the sets predict, what difference costs, and how many sets are nearly as good: a section for each.
        title : str, default=None
            The heading; by default it says what was found.
        force : bool, default=False
            Whether it may replace another file.

        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", [f"x{index}" for index in range(self.n_features_in_)])
        known = (self.scores_, self.noise_floor_)
        scores, floor = (None if of_all is None else of_all[self._places] for of_all in known)
        used = [str(names[place]) for place in self._places]
        scored = SimpleNamespace(feature_names=used, feature_scores=scores, noise_floor=floor)
        more = {"evaluation": evaluation, "frontier": frontier, "near_best": near_best}
        return self.result_.report(path, quality=scored, title=title, force=force, **more)

    @property
    def _spec(self) -> QualitySpec:
        return spec_of(self.quality, self.quality_params)

    def _chosen(self, alternative: Any) -> tuple[int, ...]:
        check_is_fitted(self)
        number = whole_number("alternative", alternative, least=0)
        sets = self.result_.sets
        if number >= len(sets):
            raise InputError(
                f"alternative={number} does not exist: {len(sets)} set(s) were found, and the first is number 0."
            )
        return tuple(self._places[list(sets[number])].tolist())

    def _get_support_mask(self) -> Bools:
        mask = np.zeros(getattr(self, "n_features_in_", 0), dtype=bool)
        mask[list(self._chosen(getattr(self, "alternative_", 0)))] = True
        return mask

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "result_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        spec = self._spec
        tags.target_tags.required = spec.needs_target
        tags.input_tags.sparse = spec.takes_sparse
        tags.input_tags.allow_nan = spec.takes_missing
        return tags

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        own = super().__repr__(N_CHAR_MAX)
        if not self.__sklearn_is_fitted__():
            return str(own)
        lines = [
            f"  {'*' if number == self.alternative_ else ' '} {self.result_.line_of(number, ', '.join(features))}"
            for number, features in enumerate(self._scored())
        ]
        said = [f"  {line}" for line in str(self.result_.verdict).splitlines()]
        return "\n".join([str(own), *said, *lines, *(f"    {note}" for note in self._explained())])

    def _html_repr(self) -> str:
        own = str(estimator_html_repr(self))
        if not self.__sklearn_is_fitted__():
            return own
        return own + renderer("notebook")(self.result_, in_use=self.alternative_, notes=self._explained())

    # scikit-learn uses _html_repr since 1.7; the next two do the same with 1.6.
    def _repr_html_inner(self) -> str:
        return self._html_repr()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        html = {"text/html": self._html_repr()} if get_config()["display"] == "diagram" else {}
        return {"text/plain": repr(self), **html}

    def _scored(self) -> list[list[str]]:
        """The features of each set with their scores, and a mark on those that are not above the noise floor."""
        scores, above = self.result_.scores, self.result_.above_noise
        return [
            [
                str(name)
                + (f" {scores[number][place]:.3g}" if scores else "")
                + (MARK if above and not above[number][place] else "")
                for place, name in enumerate(found.names)
            ]
            for number, found in enumerate(self.alternatives_)
        ]

    def _explained(self) -> list[str]:
        """All notes, after what the mark stands for."""
        return [note for note in (self.result_.noise_in_words(), *self.result_.notes) if note]


def selector_for(request: Request, **changes: Any) -> SelectAlternatives:
    """The selector that searches as a request says, but for some parameters."""
    known = SelectAlternatives().get_params()
    asked = {one.name: getattr(request, one.name) for one in fields(request) if one.name in known}
    return SelectAlternatives(**asked | {"quality": request.selector_quality} | changes)
