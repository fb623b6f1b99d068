"""Many pieces of work, one after the other or side by side: what is done stays done, also after Ctrl-C."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from altsets.errors import warn_user
from altsets.evaluation._heard import Said, heard
from altsets.measures.workers import at_a_time, in_workers

__all__ = ["Done", "Piece", "in_processes", "warn_once"]

#: A function and its arguments; all can be sent to another process.
Piece = tuple[Callable[..., Any], tuple[Any, ...]]


@dataclass(frozen=True)
class Done:
    """What came out.

    Attributes
    ----------
    outcomes : dict of int to object
        What each piece returned, by its position; after Ctrl-C only those that had ended.
    complete : bool
        Whether all pieces were done.
    said : list of (type, str)
        The warnings, each once, in the order of the pieces.
    """

    outcomes: dict[int, Any]
    complete: bool
    said: list[Said]


def in_processes(
    pieces: Sequence[Piece], n_jobs: int | None, progress: Callable[[float], object] | None
) -> Done:
    """Do all pieces; what they return does not depend on the number of processes.

    Ctrl-C ends the work and keeps what is done. Whatever else ``progress`` or a piece raises is raised again.

    Parameters
    ----------
    pieces : sequence of (function, arguments)
        What is to be done.
    n_jobs : int or None
        How many at a time, as joblib and its ``parallel_config`` have it; one at a time in this process for None
        without such a configuration, and for 1.
    progress : callable, optional
        Called with the share done after each piece.

    Examples
    --------
    >>> in_processes([(pow, (2, 3)), (pow, (2, 4))], n_jobs=1, progress=None).outcomes
    {0: 8, 1: 16}
    """
    outcomes: dict[int, Any] = {}
    said: dict[int, list[Said]] = {}
    errors: dict[int, Exception] = {}
    # After an error nothing new is begun.
    wanted = (
        (position, *piece) for position, piece in itertools.takewhile(lambda _: not errors, enumerate(pieces))
    )
    try:
        with closing(
            _here(wanted) if at_a_time(n_jobs) == 1 or len(pieces) < 2 else _elsewhere(wanted, n_jobs)
        ) as work:
            for position, outcome, messages in work:
                if isinstance(outcome, Exception):
                    errors[position] = outcome
                    continue
                outcomes[position], said[position] = outcome, messages
                if progress is not None:
                    progress(len(outcomes) / len(pieces))
    except KeyboardInterrupt:
        pass
    if errors:
        raise errors[min(errors)]
    in_order = [message for position in sorted(said) for message in said[position]]
    ordered = {position: outcomes[position] for position in sorted(outcomes)}
    return Done(ordered, len(outcomes) == len(pieces), list(dict.fromkeys(in_order)))


def warn_once(done: Done) -> None:
    """Tell the user what was said, each warning once."""
    for category, message in done.said:
        warn_user(message, category)


Wanted = Iterable[tuple[int, Callable[..., Any], tuple[Any, ...]]]
Outcome = tuple[int, Any, list[Said]]


def _here(wanted: Wanted) -> Generator[Outcome, None, None]:
    for piece in wanted:
        yield _recorded(*piece)


def _elsewhere(wanted: Wanted, n_jobs: int | None) -> Generator[Outcome, None, None]:
    from joblib import delayed  # type: ignore[import-untyped]

    # In any order, so that nothing that has ended is lost while an earlier piece takes long; and nothing waits in
    # line, where it would be in the way of an early end.
    calls = (delayed(_recorded)(*piece) for piece in wanted)
    return in_workers(calls, n_jobs, return_as="generator_unordered", pre_dispatch="n_jobs", batch_size=1)


def _recorded(position: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Outcome:
    """What a piece returns, or the exception that it raises, with its warnings: all can come from another process."""
    with heard() as said:
        try:
            outcome = function(*arguments)
        except Exception as error:
            outcome = error
    return position, outcome, said
