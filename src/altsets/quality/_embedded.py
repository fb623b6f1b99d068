"""Quality of models that choose features themselves: sets are what a fitted model uses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from altsets.errors import InputError, warn_user
from altsets.measures.attribution import columns_used
from altsets.measures.models import last_step, one_line
from altsets.measures.scoring import ModelRows, explain_fit_errors
from altsets.quality._black_box import OfModels, ScoredModels
from altsets.tables.feature_matrix import Encoded, Features
from altsets.tables.survival import Survival
from altsets.tables.target import Outcome
from altsets.wording import list_some

#: How deep the tree is that stands in for a model.
DEFAULT_DEPTH = 3
#: How sparse the Cox model is that stands in for a model of survival.
DEFAULT_SPARSITY = 0.5
#: Models that leave features out, in words.
SPARSE = "a Lasso, logistic regression with an L1 penalty or a shallow tree"


class Embedded(OfModels):
    """Quality of a set that a model chooses by itself = how well the model predicts with it, on held-out rows.

    Some models use few of the features that they get: a Lasso, logistic regression with an L1 penalty, a shallow tree,
    boosting with few trees. Such a model chooses a set if it uses every feature of it when it is fitted to all rows
    with these features alone. Sets of this kind have the quality that :class:`Wrapper` gives them; all other sets are
    ruled out (minus infinity). So the model decides how large sets are: sets of all sizes count, unless ``n_features``
    or ``constraints.Size`` is given.

    Alternatives are found by best-first search: features that the model used are taken away from it, one at a time, and
    it chooses again. If there are no more sets than ``max_iters``, all are evaluated instead, and the answer is proven.

    Parameters
    ----------
    estimator : scikit-learn estimator, str or None
        It has ``coef_`` or ``feature_importances_`` after a fit, or is a pipeline that ends in such a model; steps
        before it may scale, select, reorder, impute and encode columns. None: a decision tree of depth 3. The other
        parameters are as for :class:`Wrapper`.
    X : table of shape (n_samples, n_features)
        A category is one feature, however many columns it becomes. Missing values are passed to the model.
    y : array-like of shape (n_samples,)
    scoring, cv, groups, pos_label, class_weight, feature_names, sample_weight, n_jobs : default=None
    task : {"auto", "classification", "regression"}, default="auto"
    random_state : int, default=25
    max_iters : int, default=1000
        How many times the model chooses, for each set.

    See Also
    --------
    altsets.quality.Wrapper : Scores sets of a given size, whether or not a model would choose them.

    References
    ----------
    - Bach, J. (2023). Finding optimal diverse feature sets with alternative feature selection. arXiv:2307.11607.
      Section 3.3.4 sketches the idea for decision trees.
    - Guyon, I. and Elisseeff, A. (2003). An introduction to variable and feature selection. JMLR 3, 1157-1182.

    Examples
    --------
    >>> import altsets
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Lasso
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> lasso = altsets.quality.Embedded(Lasso(alpha=1.0), X, y, cv=5)
    >>> lasso.names_of(lasso.choose(range(10)))
    ('bmi', 'bp', 's5')
    """

    chooses_size = True
    _in_processes = True

    def _score_of(
        self, estimator: Any, models: ScoredModels, rows: ModelRows, target: Outcome, as_usual: bool
    ) -> ScoredModels:
        if estimator is None and isinstance(target, Survival):
            last_step(models.model).set_params(sparsity=DEFAULT_SPARSITY)
        elif estimator is None:
            models.model.set_params(max_depth=DEFAULT_DEPTH)
        models.check()
        every_row = rows.part(np.arange(models.about.n_rows))
        self._chooser = _Chooser(models.model, every_row, models.about, models.own)
        return models

    def choose(self, allowed: Sequence[int]) -> tuple[int, ...]:
        """Return the set that the model chooses if it may use these features; ascending, and empty if it uses none.

        It is fitted to all rows. What it uses is fitted again, until it uses all that it gets: models that set
        themselves up by the number of features may leave out more the second time.
        """
        return self.choose_many([allowed])[0]

    def choose_many(self, allowed: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
        """Return what the model chooses from each of several sets of features, ``n_jobs`` at a time."""
        keys = [self._key(indices) for indices in allowed]
        self._fit_to(keys)
        found = []
        for key in keys:
            chosen = self._chosen[key]
            if isinstance(chosen, InputError):
                raise chosen
            found.append(chosen)
        return found

    def _fit_to(self, keys: Sequence[tuple[int, ...]]) -> None:
        """Find out what the model chooses from each of several sets of features, or why it cannot."""
        new = [key for key in dict.fromkeys(keys) if key not in self._chosen]
        for key, outcome in zip(new, self._outcomes(self._chooser, new), strict=True):
            if isinstance(outcome, Exception):
                kind = "" if isinstance(outcome, InputError) else f"{type(outcome).__name__}: "
                names = list_some(self.names_of(key))
                wrong = InputError(f"the model cannot be fitted to {{{names}}}: {kind}{one_line(outcome)}")
                wrong.__cause__ = outcome
                self._chosen[key] = wrong
            else:
                # What it settles on is what it would choose from that.
                self._chosen[key] = self._chosen[outcome] = outcome

    def _answers(self, keys: list[tuple[int, ...]]) -> list[float | InputError]:
        """Scores of the sets that the model chooses; the others are ruled out."""
        self._fit_to(keys)
        chosen = [key for key in keys if self._chosen[key] == key]
        answers: dict[tuple[int, ...], float | InputError] = dict.fromkeys(keys, -math.inf)
        answers.update({key: wrong for key in keys if isinstance(wrong := self._chosen[key], InputError)})
        answers.update(zip(chosen, super()._answers(chosen), strict=True))
        return [answers[key] for key in keys]

    def _begin(self, model: Any) -> None:
        self._chosen: dict[tuple[int, ...], tuple[int, ...] | InputError] = {}
        kind, n = type(last_step(model)).__name__, self.n_features_in
        try:
            chosen = self.choose(range(n))
        except InputError as error:
            # A sentence about the model says it all.
            raise error.__cause__ if isinstance(error.__cause__, InputError) else error from None
        if not chosen:
            raise InputError(
                f"{kind} uses none of the {n} features; give it a weaker penalty, or check the target."
            )
        if len(chosen) == n > 1:
            warn_user(
                f"{kind} uses all {n} features, so it chooses none; use a model that leaves features out, such as "
                f"{SPARSE}, with a stronger penalty."
            )


class _Chooser:
    """What a model uses of some features; it can be pickled."""

    def __init__(self, model: Any, rows: ModelRows, about: Features, own: bool) -> None:
        self._model, self._rows, self._about, self._own = model, rows, about, own

    def __call__(self, allowed: tuple[int, ...]) -> tuple[int, ...]:
        while allowed and (used := self._used(allowed)) != allowed:
            allowed = used
        return allowed

    def _used(self, allowed: tuple[int, ...]) -> tuple[int, ...]:
        with explain_fit_errors(self._about, self._model, allowed, own=self._own):
            fitted = self._rows.fit_copy(self._model, allowed)
        table = self._rows.columns
        # Models by name get several columns of one category.
        owners = table.owners[table.columns_of(allowed)] if isinstance(table, Encoded) else np.array(allowed)
        return tuple(np.unique(owners[columns_used(fitted, len(owners))]).tolist())
