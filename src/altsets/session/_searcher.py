"""What a session searches in: the table with its scores, what no step changes, and answers that come again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from altsets.constraints import AtMost, Constraint, Forbid, Require
from altsets.dissimilarity import is_named, matched_on_table
from altsets.errors import InputError
from altsets.features import FeatureNames
from altsets.measures import UNIVARIATE
from altsets.measures.covariates import beside_covariates
from altsets.provenance import data_of, fingerprint
from altsets.quality import Quality
from altsets.quality.spec import LINEAR, PAIRED, spec_of
from altsets.request import Request
from altsets.result import Frontier, Progress, Result, StopReason, WhatIf
from altsets.search.answering import answer
from altsets.search.frontier.progress import FrontierProgress
from altsets.search.frontier.sweep import by_tau
from altsets.search.what_if import lose
from altsets.selector import RowData, groups_of, refuse_numbered, scored, table_and_target
from altsets.selector.noise import refuse_too_few, refuse_unknown_noise
from altsets.session._state import SessionState
from altsets.tables.conversion import usable_columns
from altsets.tables.feature_matrix import Features
from altsets.tables.survival import is_survival
from altsets.tables.target import in_one_form
from altsets.tables.weights import refuse_other_rows
from altsets.wording import counted, parameter

#: Answers that are kept for states that come again; the oldest go first.
MOST_ANSWERS = 256
#: What only users have beside a table, in words.
YOURS = {"sample_weight": "weights of rows", "groups": "groups of rows"}


@dataclass(frozen=True, eq=False)
class SessionData:
    """The table of a session, with weights and groups of its rows."""

    features: Features
    rows: RowData
    n_jobs: int | None = None

    @classmethod
    def of(cls, X: Any, rows: RowData, n_jobs: int | None, request: Request) -> SessionData:
        """The table in one form; what cannot be used is refused or dropped."""
        X, y = table_and_target(X, rows.y)
        usable = beside_covariates(usable_columns(X, request.unusable), request.adjust)
        refuse_numbered(usable, request.constraints)
        refuse_other_rows(usable.features, groups=rows.groups)
        groups = groups_of(rows.groups, usable.features.n_rows)
        return cls(usable.features, RowData(y, rows.sample_weight, groups), n_jobs)


@dataclass(eq=False)
class Searcher:
    """Answers states: scores each quality once, measures each similarity once, and searches.

    Copies of a session share it, and ask from threads of their own.
    """

    #: None if there is nothing but a quality in numbers.
    data: SessionData | None
    #: What no step changes, and what the others begin with.
    base: Request
    #: Qualities by their names; None is the one that was given, where it has no name.
    qualities: dict[str | None, Quality] = field(default_factory=dict)
    #: Dissimilarities that were measured on the table, by their text.
    measured: dict[str | None, Any] = field(default_factory=dict)
    answers: OrderedDict[str, Result] = field(default_factory=OrderedDict)
    #: What a file says about the data, where these are not there.
    said: dict[str, Any] | None = None
    _lock: Any = field(default_factory=threading.Lock, init=False, repr=False)

    @cached_property
    def start(self) -> SessionState:
        return SessionState.beginning(self.base)

    @property
    def is_closed(self) -> bool:
        """Whether neither a table nor numbers are there, so that nothing can be searched."""
        return self.data is None and not isinstance(self.base.quality, Quality)

    @cached_property
    def origin(self) -> dict[str, Any]:
        """By what the data are known again; a quality in numbers is known by what its sets are worth."""
        if self.said is not None:
            return self.said
        if self.data is None:
            return {"columns": len(self.names)}
        features, rows = self.data.features, self.data.rows
        beside = {name: getattr(rows, name) for name in YOURS}
        hashed = {
            name: fingerprint(features, values) for name, values in beside.items() if values is not None
        }
        return {**data_of(features, rows.y), **hashed}

    @property
    def given_names(self) -> FeatureNames | None:
        return None if self.is_closed else self.names

    @cached_property
    def names(self) -> FeatureNames:
        self._refuse_closed()
        if self.data is not None:
            return FeatureNames.of(self.data.features.feature_names)
        return FeatureNames.of_quality(self.base.quality)

    def answer(
        self,
        state: SessionState,
        callback: Callable[[Progress], object] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Result:
        """The answer of :func:`altsets.find` to what a state asks."""
        with self._lock:
            known = self.answers.get(state.key)
            if known is not None:
                self.answers.move_to_end(state.key)
                return known
        request = self.request_of(state)
        # The search checks everything as well, but scores may take long.
        self.check(request)
        quality = self.quality_of(state)
        refuse_too_few(request, quality)
        found = answer(
            request, quality, measured=self._on_table(state, request), callback=callback, stop=stop
        )
        if found.stop_reason is StopReason.FINISHED:
            # Whatever was cut short may come further next time.
            with self._lock:
                self.answers[state.key] = found
                if len(self.answers) > MOST_ANSWERS:
                    self.answers.popitem(last=False)
        return found

    def _refuse_closed(self) -> None:
        if self.is_closed:
            raise InputError(
                "this session was read without its data; give X and y to Session.load() to go on."
            )

    def request_of(self, state: SessionState) -> Request:
        asked = state.request
        n_alternatives = asked.n_alternatives
        if not isinstance(n_alternatives, str):
            n_sets = n_alternatives + 1
            n_alternatives -= len(state.pinned)
            if n_alternatives < 0:
                raise InputError(
                    f"{counted(len(state.pinned), 'set')} pinned of {n_sets} asked for leave none to "
                    "search for; ask for more sets, or unpin one."
                )
        if self.data is None and state.quality != self.start.quality:
            raise InputError(
                f"{parameter('quality', state.quality)} is computed from a table, and this session has numbers only; "
                "make one of the table."
            )
        constraints = (
            *asked.constraints,
            *([Require(state.require)] if state.require else []),
            *([Forbid(state.forbid)] if state.forbid else []),
            *(AtMost(len(chosen) - 1, chosen) for chosen in state.rejected),
        )
        return replace(asked, n_alternatives=n_alternatives, constraints=constraints, existing=state.pinned)

    def changed(self, state: SessionState, changes: Any) -> SessionState:
        return state.changed(changes, self.names, self.start)

    def read(self, document: Any) -> SessionState:
        """The state in a document; what is missing in it is an error of reading."""
        if document.keys() != self.start.as_dict().keys():
            raise ValueError("a state has other parts than states have")
        return self.start.changed(document, self.given_names, self.start)

    def check(self, request: Request) -> None:
        """Say what is wrong before anything is measured."""
        if self.data is not None and self.data.rows.y is None and spec_of(request.quality).needs_target:
            raise InputError(
                "this quality needs a target: give y, or a quality that does without, such as 'linear_fit'."
            )
        if self.data is None and request.needs_table:
            raise InputError(
                "how alike features are is measured on a table, and this session has numbers only; make one of the "
                "table."
            )
        refuse_unknown_noise(request)
        request.check(self.names)

    def frontier(
        self, state: SessionState, known: Result, callback: Callable[[FrontierProgress], object] | None = None
    ) -> Frontier:
        """What difference costs with the other settings of a state, whose answer is one of the points."""
        asked, quality = self.request_of(state), self.quality_of(state)
        # A curve has every tau, a given number of sets and no limit on their qualities.
        number = len(known.sets) - 1 if asked.n_alternatives == "max" else asked.n_alternatives
        request = replace(asked.without_tau(), n_alternatives=number, within=None, min_quality=None)
        points, measured = (request.n_features, number, None), self._on_table(state, request)
        return by_tau(request, quality, *points, measured=measured, callback=callback, known=known)

    def what_if(self, state: SessionState, known: Result, features: Any) -> WhatIf:
        request = self._on_table(state, self.request_of(state))
        return lose(request, self.quality_of(state), known, features, time_limit=request.time_limit)

    @property
    def quality_names(self) -> list[str]:
        """Names of qualities that a state can have: those that are computed quickly, and the one at the start."""
        first = [] if self.start.quality is None else [self.start.quality]
        data = self.data
        if data is None:
            return first
        target = None if data.rows.y is None else in_one_form(data.rows.y, self.base.task)
        names = [
            name
            for name in (*UNIVARIATE, *PAIRED, LINEAR)
            if (spec_of(name).takes_target(target) if target is not None else not spec_of(name).needs_target)
            and (not data.features.is_sparse or spec_of(name).takes_sparse)
        ]
        return list(dict.fromkeys([*first, *names]))

    @property
    def survival_columns(self) -> tuple[str | None, str | None]:
        """The names of the times and of the events of a survival target; of another one there are none."""
        target = None if self.data is None else in_one_form(self.data.rows.y, self.base.task)
        if target is None or not is_survival(target):
            return None, None
        event, time = target.dtype.names
        return time, event

    def quality_of(self, state: SessionState, callback: Callable[[float], object] | None = None) -> Quality:
        known = self.qualities.get(state.quality)
        if known is None:
            request, data = self.request_of(state), self.data
            if data is None:
                self._refuse_closed()
                known = request.quality
            else:
                # More memory than the machine has is refused.
                spec_of(request.quality).expected_bytes(data.features)
                known = scored(request, data.features, data.rows, data.n_jobs, callback)
            known = self.qualities.setdefault(state.quality, known)
        return known

    def _on_table(self, state: SessionState, request: Request) -> Request:
        """The request with numbers of the table where it has only names of similarities, and indices for names."""
        given, own = self.base.constraints, request.constraints[len(self.base.constraints) :]
        kind = request.dissimilarity
        if self.data is not None and request.needs_table:
            given = self._given_constraints
        if self.data is not None and is_named(kind):
            if state.distinct not in self.measured:
                made = matched_on_table(kind, self.data.features, self.data.rows.sample_weight)
                self.measured.setdefault(state.distinct, made)
            kind = self.measured[state.distinct]
        # Here names are looked up in no time; the search would make an index of all of them first.
        return replace(
            request,
            dissimilarity=kind,
            constraints=(*given, *(one.resolve(self.names) for one in own)),
            existing=tuple(tuple(self.names.positions(chosen, "pinned")) for chosen in request.existing),
        )

    @cached_property
    def _given_constraints(self) -> tuple[Constraint, ...]:
        assert self.data is not None
        return self.base.by_dice().measured(self.data.features, self.data.rows.sample_weight).constraints

    def __getstate__(self) -> dict[str, Any]:
        # Names are functions of what is there anyway.
        return {name: value for name, value in vars(self).items() if name not in ("names", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.Lock())
