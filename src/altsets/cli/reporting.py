"""Reports as commands write them: checked first, made last, with what else can be known in a few seconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from altsets.cli.printing import Waiting, console_for, say_error
from altsets.cli.searching import Searched
from altsets.errors import AltsetsError, InputError, reason_of

if TYPE_CHECKING:
    from altsets.evaluation import Evaluation
    from altsets.files.writing import NewFile

__all__ = ["ReportFile"]

#: Seconds for each thing that is computed for the report alone.
SECONDS = 5.0
#: How far below the best a set may be to count as nearly as good.
WITHIN = 0.05


@dataclass(frozen=True)
class ReportFile:
    """Where a report goes, if the user says so; what is wrong with it is said before anything is computed.

    Attributes
    ----------
    file : NewFile or None
        The file; None if there is none.
    """

    file: NewFile | None

    @classmethod
    def of(cls, path: str | None, force: bool, table: str | None = None) -> ReportFile:
        """What ``--report`` and ``--force`` say; never the table itself."""
        if path is None:
            return cls(None)
        from altsets.report.render import report_file

        file = report_file(path, force=force, called=f"--report {path}", permission="add --force")
        return cls(file.check(table))

    def write(self, tell: Callable[[str], object] = say_error, **answers: Any) -> None:
        """Write what is known, and tell where it is."""
        if self.file is None:
            return
        from altsets.report import summarise
        from altsets.report.render import page

        self.file.write(page(summarise(**answers)).encode())
        tell(f"The report is in {self.file.path}; open it in a browser.")

    def write_search(
        self, searched: Searched, evaluation: Evaluation | None = None, notes: Sequence[str] = (), **more: Any
    ) -> None:
        """Write what a search has found, with what else can be known in a few seconds."""
        if self.file is None:
            return
        beside = _beside(searched)
        beside["skipped"] = [*notes, *beside.get("skipped", ())]
        self.write(result=searched.result, quality=searched.quality, evaluation=evaluation, **beside, **more)


def _beside(searched: Searched) -> dict[str, Any]:
    """What difference costs and how many sets are nearly as good, as far as a few seconds go."""
    from altsets.quality import BlackBox

    if not searched.result.sets:
        return {}
    if searched.result.interrupted:
        return {
            "skipped": [
                "How many sets are nearly as good, and what difference costs, was not searched any more."
            ]
        }
    if isinstance(searched.quality, BlackBox):
        return {
            "skipped": [
                "How many sets are nearly as good, and what difference costs, is not in this report: a model would "
                "have to be fitted to each of very many sets."
            ]
        }
    skipped: list[str] = []
    with Waiting(console_for(stderr=True)) as waiting:
        waiting.say("Searching at every tau, for the report")
        frontier = _unless("What difference costs", skipped, lambda: _frontier(searched))
        waiting.say("Counting sets that are nearly as good, for the report")
        near = _unless("How many sets are nearly as good", skipped, lambda: _near_best(searched))
    return {"frontier": frontier, "near_best": near, "skipped": skipped}


def _unless(what: str, skipped: list[str], compute: Callable[[], Any]) -> Any:
    """What can be computed; None and a sentence if it cannot, which is no reason to go without a report."""
    why = f"it takes longer than {SECONDS:g} s"
    try:
        found = compute()
    except KeyboardInterrupt:
        found, why = None, "it was interrupted"
    except AltsetsError as error:
        found, why = None, reason_of(error)
    if found is None:
        skipped.append(f"{what} is not in this report: {why}.")
    return found


def _frontier(searched: Searched) -> Any:
    from altsets.search.frontier import frontier

    smallest, largest = searched.result.parameters.get("sizes", (0, 0))
    if smallest < largest:
        raise InputError("sets may have several sizes.")
    apart = ("tau", "min_difference")
    asked = {name: value for name, value in searched.request.items() if name not in apart}
    found = frontier(searched.quality, **asked, time_limit=SECONDS)
    return found if found.points else None


def _near_best(searched: Searched) -> Any:
    from altsets.search.near_best import near_best

    if searched.request.get("existing"):
        raise InputError("sets that differ enough from existing ones cannot be counted.")
    shared = ("n_features", "constraints")
    asked = {name: value for name, value in searched.request.items() if name in shared}
    found = near_best(searched.quality, **asked, within=WITHIN, time_limit=SECONDS)
    return found if found.count else None
