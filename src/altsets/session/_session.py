"""The session: steps, and what can be done with their answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from altsets.constraints import Constraint
from altsets.display import maker, renderer
from altsets.errors import InputError
from altsets.evaluation import Evaluation, evaluate
from altsets.features import Feature
from altsets.problem import Dissimilarity
from altsets.quality import Quality
from altsets.quality.spec import spec_of
from altsets.request import Request
from altsets.result import Frontier, WhatIf
from altsets.search.frontier.progress import FrontierProgress
from altsets.search.solving import n_candidates
from altsets.selector import RowData, selector_for
from altsets.session import _saving as saving
from altsets.session._comparison import SessionComparison
from altsets.session._searcher import Searcher, SessionData
from altsets.session._state import SessionStep, changed_parts
from altsets.session._steps import SessionSteps


class Session(SessionSteps):
    """Search in steps: change what is asked and see the proven sets change; take steps back; keep what is good.

    Columns are scored once. Each step is one exact search, with the time limit of the session, and its answer is that
    of :func:`altsets.find` for :attr:`request`. The first search is done when its answer is first asked for.

    Parameters
    ----------
    X : table of shape (n_samples, n_features), or quality object
        As for :meth:`altsets.SelectAlternatives.fit`. Or a quality in numbers, for a session without a table.
    y : array-like of shape (n_samples,) or str, default=None
        The target.
    quality : str, estimator, class, callable, quality object or array, default="mutual_info"
        As for :class:`altsets.SelectAlternatives`. Steps may go to another one by name.
    n_features : int or float, default=None
        Size of each set; None for 5, or with ``"embedded"`` as many as the model chooses.
    n_alternatives : int or "max", default=3
        Sets besides the first one; pinned sets count.
    tau : float, fraction or "max", default=None
        Least dissimilarity of two sets, 0.5 by default.
    quality_params, adjust : default=None
        Options of the quality, as for :class:`altsets.SelectAlternatives`.
    within : float, default=None
        Largest loss of quality, relative to the best set.
    min_quality : float, default=None
        Instead of ``within``: the least quality of every set.
    feature_groups : mapping, sequence of sequences of features, Grouped or str, default=None
        Groups of features.
    dissimilarity : {"dice", "jaccard", "absolute", "groups"}, Matched, Grouped or callable, default="dice"
        What tau refers to.
    search : {"sequential", "simultaneous", "greedy-replacement", "greedy-balancing", "greedy-depth"}, \
            default="sequential"
        One set after the other, all sets together, or a heuristic.
    aggregation : {"sum", "min"}, default="sum"
        What to maximise over simultaneous sets.
    constraints : sequence of constraints, default=()
        Conditions on every set in every step; steps add to them.
    task : {"auto", "classification", "regression"}, default="auto"
        Kind of the target.
    time_limit : float, default=10.0
        Seconds for the search of each step; None for no limit. The best found by then is the answer, with its bound.
    n_jobs : int, default=None
        Threads or processes for measures and wrappers that use several.
    random_state : int, default=None
        Seed for measures that draw at random; None is a fixed one.
    unusable : {"error", "drop"}, default="error"
        What to do with columns that no measure can use.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    groups : array-like of shape (n_samples,), default=None
        Rows that belong together, for models that are tested on held-out rows.

    See Also
    --------
    altsets.find : A single search.
    altsets.SelectAlternatives : The same as a scikit-learn estimator.
    altsets.what_if : The best set that is left after each of several losses.

    Notes
    -----
    Every step takes ``name``, which by default tells what has changed. ``callback`` gets a
    :class:`altsets.results.Progress` now and then. ``stop`` is called now and then, and before the step is taken: True
    ends the search with the best so far and its bound. A step that is refused, or ended by what a callback raises,
    leaves the session where it was.

    A session can be pickled, with its scores. It is not thread-safe, but a copy (``copy.copy``) takes steps of its own
    on the same table and scores, also in another thread.

    Examples
    --------
    >>> import altsets
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> session = altsets.Session(X, y, n_features=2, n_alternatives=1, tau=1)
    >>> session.sets
    [('flavanoids', 'proline'), ('color_intensity', 'od280/od315_of_diluted_wines')]
    >>> session.forbid("proline").sets
    [('flavanoids', 'color_intensity'), ('alcohol', 'od280/od315_of_diluted_wines')]
    >>> session.pin(0).set(tau=0.5).sets
    [('flavanoids', 'color_intensity'), ('flavanoids', 'od280/od315_of_diluted_wines')]
    >>> [step.name for step in session.history]
    ['start', 'forbid proline', 'pin flavanoids, color_intensity', 'tau = 0.5']
    >>> session.undo().undo().undo().sets[0]
    ('flavanoids', 'proline')
    """

    def __init__(
        self,
        X: Any,
        y: Any = None,
        quality: Any = "mutual_info",
        n_features: int | float | None = None,
        n_alternatives: int | str = 3,
        tau: Any = None,
        *,
        quality_params: Mapping[str, Any] | None = None,
        adjust: Any = None,
        feature_groups: Any = None,
        within: float | None = None,
        min_quality: float | None = None,
        dissimilarity: str | Dissimilarity = "dice",
        search: str = "sequential",
        aggregation: str = "sum",
        constraints: Iterable[Constraint] | Constraint = (),
        task: str = "auto",
        time_limit: float | None = saving.STEP_SECONDS,
        n_jobs: int | None = None,
        random_state: int | None = None,
        unusable: str = "error",
        sample_weight: Any = None,
        groups: Any = None,
    ) -> None:
        given = X
        if not isinstance(X, Quality):
            given = quality if isinstance(quality, Quality) else spec_of(quality, quality_params)
        base = Request(
            n_features=n_features,
            n_alternatives=n_alternatives,
            tau=tau,
            within=within,
            min_quality=min_quality,
            feature_groups=feature_groups,
            dissimilarity=dissimilarity,
            search=search,
            aggregation=aggregation,
            constraints=constraints,
            quality=given,
            task=task,
            time_limit=time_limit,
            random_state=random_state,
            unusable=unusable,
            adjust=adjust,
        )
        data = None
        if not isinstance(X, Quality):
            data = SessionData.of(X, RowData(y, sample_weight, groups), n_jobs, base)
        super().__init__(Searcher(data, base.sized(_n_candidates(data, base))))
        self._searcher.check(self._searcher.request_of(self._searcher.start))

    # --- What can be done with answers -------------------------------------------------------------------------------

    def compare(self, first: Any, second: Any) -> SessionComparison:
        """Compare two sets, or two steps: what they share, what each has alone, and what that means for quality.

        Parameters
        ----------
        first, second : int, sequence of features, SessionStep or dict
            Two sets, by their numbers in :attr:`sets` or by their features. Or two steps of :attr:`history`, or states,
            which are searched if that has not been done yet; the session stays where it is.

        Examples
        --------
        >>> import altsets
        >>> session = altsets.Session(altsets.quality.Additive([9, 8, 7, 3, 2, 1]), n_features=2, n_alternatives=1)
        >>> start, forbidden = session.forbid(0).history
        >>> print(session.compare(start, forbidden).explain())
        Changed: forbid from none to x0. 0 of 2 sets are the same. Step 'start' and step 'forbid x0' share 2 of 4
        features: x1 and x2. Only step 'start' has x0. Only step 'forbid x0' has x3. Step 'forbid x0' keeps 79 % of the
        mean quality of step 'start'.
        """
        asked = ((first, "the first"), (second, "the second"))
        one, other = (
            self.answer_for(given, label) if isinstance(given, dict) else given for given, label in asked
        )
        if isinstance(one, SessionStep) and isinstance(other, SessionStep):
            return SessionComparison(
                (f"step {one.name!r}", f"step {other.name!r}"),
                (one.sets, other.sets),
                (one.qualities, other.qualities),
                {
                    name: (value, other.state[name])
                    for name, value in changed_parts(other.asked, one.asked).items()
                },
            )
        if isinstance(one, SessionStep) or isinstance(other, SessionStep):
            raise InputError("compare() takes two sets or two steps, not one of each.")
        chosen = [self._set(one, "compare") for one in (first, second)]
        quality, names = self.quality, self._searcher.names
        values = [quality.evaluate(sorted(names.positions(one, "compare"))) for one in chosen]
        labels = [
            f"set {self.sets.index(one)}" if one in self.sets else f"{label} set"
            for one, (_, label) in zip(chosen, asked, strict=True)
        ]
        return SessionComparison(
            (labels[0], labels[1]), ([chosen[0]], [chosen[1]]), ([values[0]], [values[1]])
        )

    def evaluate(self, **options: Any) -> Evaluation:
        """Measure how well the sets predict rows that the model has not seen.

        Without pinned sets, sets are searched anew on the training rows of each fold, as with
        :class:`altsets.SelectAlternatives`. With pinned sets, those of the session are evaluated as they are: they have
        seen all rows, and may look better than they are. ``options`` are those of :func:`altsets.evaluate`.
        """
        data = self._searcher.data
        if data is None or data.rows.y is None:
            raise InputError("evaluate() needs a table and a target; make a session with X and y.")
        request = self.request
        what: Any = self.sets if request.existing else selector_for(request)
        given = {
            "task": request.task,
            "groups": data.rows.groups,
            "sample_weight": data.rows.sample_weight,
            "n_jobs": data.n_jobs,
        }
        found: Evaluation = evaluate(what, data.features, data.rows.y, **{**given, **options})
        return found

    def frontier(self, callback: Callable[[FrontierProgress], object] | None = None) -> Frontier:
        """Find sets for every tau that matters, with the other settings of the current step.

        ``callback`` gets a :class:`altsets.results.FrontierProgress` around each search. What it raises ends them.

        Examples
        --------
        >>> import altsets
        >>> session = altsets.Session(altsets.quality.Additive([9, 8, 7, 3, 2, 1]), n_features=2, n_alternatives=1)
        >>> [(point.tau, point.worst) for point in session.frontier()]
        [(0.0, 17.0), (0.5, 16.0), (1.0, 10.0)]
        """
        return self._searcher.frontier(self._now, self.result, callback)

    def what_if(self, features: Sequence[Feature] | str | None = None) -> WhatIf:
        """Find the best set that is left if a feature fails, for each of some features, or those of set 0.

        Examples
        --------
        >>> import altsets
        >>> session = altsets.Session(altsets.quality.Additive([9, 8, 7, 3, 2, 1]), n_features=2, n_alternatives=1)
        >>> print(session.what_if([0]).explain())
        If x0 fails: x1, x2 (quality 15, 88 % of set 0), proven to be the best.
        """
        return self._searcher.what_if(self._now, self.result, features)

    # --- Written and read --------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> str:
        """Write all steps with their answers into a JSON file, without the table, and return its path.

        With ``force``, it may replace another file. Functions and matrices of your own cannot be written
        (:class:`altsets.errors.NotExpressedError`).
        """
        self._begin()
        return saving.save(path, self._searcher, self._steps, self._position, force)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        X: Any = None,
        y: Any = None,
        *,
        quality: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        n_jobs: int | None = None,
    ) -> Session:
        """Read what :meth:`save` wrote, and go on, with the same data as in the session that was saved.

        Without ``X`` (a table or a quality object), the steps and their answers can be read and compared, and no
        further step taken. ``y``, ``sample_weight``, ``groups`` and ``n_jobs`` are those of :class:`altsets.Session`;
        ``quality`` is only for one without a name.
        """
        session = cls.__new__(cls)
        rows = RowData(y, sample_weight, groups)
        SessionSteps.__init__(session, *saving.load(path, X, rows, quality, n_jobs))
        return session

    def to_python(self) -> str:
        """Lines of Python that take the same steps, up to the current one.

        Functions and matrices of your own cannot be written (:class:`altsets.errors.NotExpressedError`).

        Examples
        --------
        >>> import altsets
        >>> session = altsets.Session(altsets.quality.Additive([9, 8, 7, 3]), n_features=2, n_alternatives=1)
        >>> print(session.forbid(0).set(tau=1, name="apart").to_python())
        import altsets
        <BLANKLINE>
        # scored is your quality.
        session = altsets.Session(scored, n_features=2, n_alternatives=1)
        session.forbid(['x0'])
        session.set(tau=1.0, name='apart')
        """
        self._begin()
        return saving.python_lines(self._searcher, self._steps[: self._position + 1])

    def to_command(
        self,
        table: str = "TABLE",
        target: str = "TARGET",
        *,
        time: str | None = None,
        event: str | None = None,
    ) -> str:
        """The command that searches for the sets of the current step, besides those that are pinned.

        ``table`` and ``target`` are a file and the column to predict. For a survival target, ``time`` and ``event`` are
        columns, the latter perhaps with a value, as in ``"status=dead"``; by default the names of the fields of y. What
        the command line has no options for is a :class:`altsets.errors.NotExpressedError`.
        """
        known_time, known_event = self._searcher.survival_columns
        return self.request.to_command(
            table, target, self._searcher.names, time=time or known_time, event=event or known_event
        )

    def explore(self) -> Any:
        """Show the explorer in a notebook: move controls, and see the proven sets change.

        The page and the session are one: what is changed on the page is a step of the session, so that
        :attr:`result` follows, and the page follows steps that are taken in Python. A notebook that is exported shows
        the sets and their plots in its place.

        See Also
        --------
        altsets.Session.go_to : What a change on the page does.
        """
        return maker("explorer")(self)

    # --- Shown -------------------------------------------------------------------------------------------------------

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """The sets of the current step, for a notebook."""
        pinned = [
            f"Pinned: {', '.join(chosen)} (quality {quality:.6g})."
            for chosen, quality in zip(self._now.pinned, self.qualities, strict=False)
        ]
        html = renderer("notebook")(self.result, notes=pinned)
        return {"text/plain": repr(self), "text/html": html}

    def __repr__(self) -> str:
        about = "without its table" if self._searcher.is_closed else f"{len(self._searcher.names):,} features"
        if not self._steps:
            return f"Session({about}, not searched yet)"
        step = self._steps[self._position]
        lines = [
            f"  set {number}{' (pinned)' if number < len(step.asked.pinned) else ''}: {', '.join(chosen)} "
            f"(quality {quality:.6g})"
            for number, (chosen, quality) in enumerate(zip(step.sets, step.qualities, strict=True))
        ]
        where = f"step {self._position} of {len(self._steps) - 1}, {step.name!r}"
        return "\n".join([f"Session({about}; {where})", *lines, f"  {step.result.explain()}"])


def _n_candidates(data: SessionData | None, base: Request) -> int:
    if data is None:
        return n_candidates(base.quality)
    return data.features.n_features - int(
        spec_of(base.quality).constant(data.features, data.rows.sample_weight).sum()
    )
