"""What the command line prints: answers on standard output, everything else on standard error."""

from __future__ import annotations

import json
import math
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import typer

from altsets.cli.options import as_option
from altsets.display import SECONDS_PER_LINE, ProgressLines, search_text
from altsets.errors import AltsetsError, VerificationError
from altsets.wording import counted, list_some, percent, plural, spelled

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Grid

    from altsets.evaluation import Evaluation
    from altsets.result import NearBest, Progress, Result, Verdict, WhatIf

#: More sets than this do not fit into an overlap table of 80 columns.
MOST_COLUMNS = 14

#: Pairs of sets whose features are listed side by side.
MOST_LINES = 20
#: Where every similarity counts for its part, features that are less alike than this are not worth a line.
FAINT = 0.5
#: Features of which it is said how often they occur; the others are counted.
MOST_FEATURES = 20
#: Features of no set that are named; the others are counted.
MOST_NAMED = 5

#: Characters of a name in a list of names.
LONGEST_NAME = 40

NO_SET, BAD_INPUT = 1, 2

#: The cells of a row, each with the heading of its column.
Row = Sequence[tuple[str, Any]]


def conclude(result: Result, document: Mapping[str, Any], as_json: bool) -> None:
    """Print the document if it is wanted; end with the exit status that says whether there is an answer."""
    asked, found = len(result.statuses), len(result.sets)
    if as_json:
        print_json(document)
    if not found:
        fail(result.explain(), NO_SET)
    if found < asked:
        say_error(result.explain() if as_json else f"{asked - found} of {asked} sets are missing.")


def print_json(document: Mapping[str, Any]) -> None:
    """Print one JSON document."""
    typer.echo(json.dumps(document, indent=2, allow_nan=False))


def show(
    result: Result, console: Console, *, evaluation: Evaluation | None = None, details: bool = False
) -> None:
    """Print decisions, the verdict, the sets and notes; with ``details`` also bound, gap, engine and proof."""
    from altsets.result import overlap_table

    decided = evaluation is not None and show_decisions(evaluation, result, console)
    verdict = result.verdict if evaluation is None else evaluation.verdict_on(result)
    # Decisions have the scores of predictions.
    show_verdict(replace(verdict, findings=result.verdict.findings) if decided else verdict, console)
    # A share of nothing, or of a negative quality, says nothing; and names need the room more.
    with_share = result.qualities[0] > 0 and console.width >= 60
    proven = all(str(status) == "optimal" for status in result.statuses)
    console.print(_sets_grid(result, with_share=with_share, with_status=details or not proven))
    if result.noise_in_words():
        say(console, result.noise_in_words())
    what, compared = result.compared
    table = overlap_table(compared)
    if len(table) > MOST_COLUMNS:
        most = max(max(row[:number]) for number, row in enumerate(table) if number)
        say(console, f"No two sets share more than {counted(most, what)}.")
    elif len(table) > 2 or (details and len(table) == 2):
        say(console, f"{what.capitalize()}s that two sets share:")
        console.print(_overlap_grid(table))
    if len(table) > 1 and result.is_matched:
        _show_stand_ins(result, console)
    for note in result.notes:
        say(console, note)
    if evaluation is not None:
        typer.echo()
        show_evaluation(evaluation, console, details=details)
    if details:
        _show_details(result, console)


def show_losses(losses: WhatIf, console: Console) -> None:
    """Print what is left after each loss."""
    typer.echo()
    show_verdict(losses.verdict, console)
    with_share = losses.quality > 0 and console.width >= 60
    rows = []
    for loss in losses.losses:
        known = not math.isnan(loss.quality)
        row = [("If lost", printable(loss.name)), ("Replaced by", printable(losses.replaced(loss) or "-"))]
        row.append(("Quality", f"{loss.quality:#.6g}" if known else "-"))
        row += [("Of set 0", f"{losses.share(loss):.1%}" if known else "-")] * with_share
        costs = [f"{cost:.6g}" for cost in loss.costs] or ["-"] * len(losses.costs)
        row += [("Cost", cost) for cost in costs]
        rows.append([*row, ("Status", str(loss.status).replace("_", " "))])
    console.print(grid(rows))
    for loss in losses.losses:
        if loss.reason:
            say(console, f"Without {loss.name}: {loss.reason}")


def show_decisions(evaluation: Evaluation, result: Result, console: Console) -> bool:
    """Print whether to use each alternative instead of set 0, with reasons for the best few; whether there was any."""
    from altsets.evaluation import lines_of

    decisions = lines_of(evaluation.decisions_on(result)) if evaluation.folds else []
    for answer, *reasons in decisions:
        console.print(printable(answer), style="bold")
        for reason in reasons:
            say(console, reason, indent=2)
        if reasons:
            console.print()
    return bool(decisions)


def show_verdict(verdict: Verdict, console: Console) -> None:
    """Print what an answer means, a paragraph for each sentence; cautions stand out."""
    for finding in verdict.findings:
        say(console, finding)
    for caution in verdict.cautions:
        console.print(printable(f"Caution: {caution}"), style="yellow")


def _show_details(result: Result, console: Console) -> None:
    """Linear models; objective, bound and gap; engine, proof and time."""
    if result.models:
        what = (
            "Linear models"
            if result.models[0].c_index is None
            else "Cox models (logarithms of hazard ratios)"
        )
        say(console, f"{what}, with standard errors as if their columns had been fixed in advance:")
        console.print(_models_grid(result))
    if math.isinf(result.bound):
        say(console, f"Objective {result.objective:.6g}; no bound is known.")
    else:
        numbers = f"{result.objective:.6g}, bound {result.bound:.6g}, gap {result.gap:.3g}"
        say(console, f"Objective {numbers}.")
    say(console, result.explain())


def _show_stand_ins(result: Result, console: Console) -> None:
    """Which features stand in for which, a line for each two sets."""
    weighted = result.parameters["dissimilarity"]["threshold"] is None
    found = result.matches_in_words(least=FAINT if weighted else 0.0)
    if not found:
        like = f"as similar as {FAINT:g} to" if weighted else "a near-copy of"
        # A shared feature is matched with itself, whatever else is like it.
        shared = any(not set(first).isdisjoint(second) for first, second in combinations(result.sets, 2))
        some = "Apart from shared features, no" if shared else "No"
        say(console, f"{some} feature of one set is {like} a feature of another.")
        return
    how_much = f" with a similarity of {FAINT:g} or more" if weighted else ""
    say(console, f"Features that stand in for each other{how_much}:")
    for later, earlier in list(found)[:MOST_LINES]:
        say(console, f"sets {later} and {earlier}: {', '.join(found[later, earlier])}", indent=2)
    if len(found) > MOST_LINES:
        say(console, f"and {len(found) - MOST_LINES} more pairs of sets (--json lists all)", indent=2)


def show_near_best(near: NearBest, n_sets: int, console: Console) -> None:
    """Print how many sets are nearly the best, what they are made of, and the best of them."""
    show_verdict(near.verdict, console)
    if near.n_known == 0:
        return
    say(console, f"Quality: the best set has {near.best:.6g}, and {near.threshold:.6g} is enough.")
    order, best = near.ordered(), frozenset(near.best_set or ())
    rows = [
        [
            ("In sets", percent(float(near.frequencies[index]))),
            ("Feature", _one_line_each([near.features[index]])),
            ("In the best", "yes" if index in best else ""),
        ]
        for index in order[:MOST_FEATURES]
    ]
    console.print(grid(rows))
    if len(order) > MOST_FEATURES:
        say(console, f"{len(order) - MOST_FEATURES} more features are in fewer sets.")
    if near.never:
        say(console, f"In none of these sets: {list_some(near.never, MOST_NAMED, last='and')}.")
    if n_sets:
        rows = [
            [
                ("Set", str(number)),
                ("Features", ", ".join(_short(printable(name)) for name in entry["features"])),
                ("Quality", f"{entry['quality']:#.6g}"),
            ]
            for number, entry in enumerate(near.to_dict(n_sets)["sets"])
        ]
        console.print(grid(rows))
        if near.count > len(rows):
            ones = plural(len(rows), "This is the best one", f"These are the {len(rows)} best ones")
            say(console, f"{ones}; --show N prints the N best.")


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def show_evaluation(evaluation: Evaluation, console: Console, *, details: bool = True) -> None:
    """Print how well sets predict; the ``details`` are features, stability and substitutes."""
    done, table, *more = evaluation.summary().split("\n\n")
    # After the comparisons come the details.
    for paragraph in (done, table, *(more if details else more[:1])):
        if paragraph is not done:
            typer.echo()
        for line in paragraph.splitlines():
            if paragraph is table:
                # Its lines are only readable in one piece.
                typer.echo(printable(line))
            else:
                say(console, line.lstrip(), indent=len(line) - len(line.lstrip()))


def _sets_grid(result: Result, *, with_share: bool, with_status: bool) -> Grid:
    """A line for each feature, with its score if it has one; what there is to say about the set is on the first."""
    from rich.text import Text

    scores, groups, costs = _shown_scores(result), result.groups, result.costs
    standard, whole = result.compared_with
    # Of linear models the quality is R² itself, unless a criterion compares sizes.
    r2 = [model.r2 for model in result.models]
    if r2 == result.qualities:
        r2 = []
    rows = []
    for number, (names, value) in enumerate(zip(result.texts, result.qualities, strict=True)):
        row: list[tuple[str, Any]] = [("Set", str(number)), ("Features", _one_line_each(names))]
        if groups:
            row.append(("Group", _one_line_each([group or "-" for group in groups[number]])))
        if scores:
            row.append(("Score".rjust(len(scores[0][0].rstrip())), "\n".join(scores[number])))
        row.append(("Quality", f"{value:#.6g}"))
        if with_share:
            row.append((f"Of {standard}", f"{value / whole:.1%}"))
        if r2:
            row.append(("R²", f"{r2[number]:.4f}"))
        row += [("Cost", f"{cost:.6g}") for cost in (costs[number] if costs else ())]
        if with_status:
            status = str(result.statuses[number])
            row.append(("Status", Text(status, style="green" if status == "optimal" else "yellow")))
        rows.append(row)
    return grid(rows)


def _models_grid(result: Result) -> Grid:
    """A line for each coefficient; what holds for a whole set or target is on its first line."""
    several = len(result.models[0].targets) > 1
    fits = "R²" if result.models[0].c_index is None else "C index"
    rows = []
    for number, model in enumerate(result.models):
        shown = None
        for target, name, value, error, fit in model.rows():
            first = shown != target
            row = [("Set", str(number) if shown is None else "")]
            row += [("Target", printable(target) if first else "")] * several
            row += [("Column", printable(name)), ("Coefficient", f"{value:#.4g}")]
            row.append(("Error", "-" if math.isnan(error) else f"{error:#.3g}"))
            rows.append([*row, (fits, f"{fit:.4f}" if first else "")])
            shown = target
    return grid(rows)


def _shown_scores(result: Result) -> list[list[str]]:
    """The scores of the features of each set, point below point; a mark on those that are not above the noise floor."""
    from altsets.result import MARK

    largest = max((abs(score) for scores in result.scores for score in scores), default=0.0)
    digits = 3 - math.floor(math.log10(largest)) if largest > 0 else 3
    style = f".{max(digits, 0)}f" if -3 <= digits <= 7 else "#.4g"
    shown = [[format(score, style) for score in scores] for scores in result.scores]
    width = max((len(number) for numbers in shown for number in numbers), default=0)
    above = result.above_noise or [(True,) * len(numbers) for numbers in shown]
    return [
        [number.rjust(width) + (" " if good else MARK) for number, good in zip(numbers, goods, strict=True)]
        for numbers, goods in zip(shown, above, strict=True)
    ]


def _one_line_each(names: Sequence[str]) -> Any:
    """Names below each other; what is longer than the screen has room for is cut."""
    from rich.text import Text

    return Text("\n".join(map(printable, names)), no_wrap=True, overflow="ellipsis")


def _overlap_grid(table: Sequence[Sequence[int]]) -> Grid:
    return grid(
        [("Set", str(number)), *((str(other), str(shared)) for other, shared in enumerate(row))]
        for number, row in enumerate(table)
    )


#: Columns of text; others are of numbers, and never broken.
TEXTS: dict[str, dict[str, Any]] = {
    "Features": {"min_width": 10},
    "Feature": {"min_width": 10},
    "Group": {"min_width": 5},
    # Names that begin alike are told apart by their ends, so they are not cut.
    "If lost": {"overflow": "fold"},
    "Replaced by": {"min_width": 10, "overflow": "fold"},
    "Target": {"min_width": 6, "overflow": "ellipsis", "no_wrap": True},
    "Column": {"min_width": 6, "overflow": "ellipsis", "no_wrap": True},
    "Score": {"no_wrap": True},
    "Status": {"no_wrap": True},
    "In the best": {"no_wrap": True},
}


def grid(rows: Iterable[Row]) -> Grid:
    """A table whose cells stand beside their headings, which are those of the first row."""
    from rich import box
    from rich.table import Table as Grid

    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        if not grid.columns:
            for heading, _ in row:
                grid.add_column(heading, **TEXTS.get(heading.strip(), {"justify": "right", "no_wrap": True}))
        grid.add_row(*(cell for _, cell in row))
    return grid


class Waiting:
    """What is going on, on standard error: a line that changes on a terminal; else a new line every 10 s."""

    def __init__(self, console: Console, every: float | None = None) -> None:
        self._spinner = console.status("") if console.is_terminal else None
        self._lines = ProgressLines(say_error, every or SECONDS_PER_LINE)

    def __enter__(self) -> Waiting:
        (self._spinner or self._lines).__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        (self._spinner or self._lines).__exit__(None, None, None)

    def say(self, text: str) -> None:
        """Tell what is going on now."""
        from rich.text import Text

        if self._spinner is None:
            self._lines.say(text)
        else:
            self._spinner.update(Text(text))

    def report(self, progress: Progress) -> None:
        """Tell how far a search is."""
        if self._spinner is None:
            self._lines.report(progress)
        else:
            self.say(f"{search_text(progress)}, {progress.elapsed:.0f} s (Ctrl-C keeps the best)")


@contextmanager
def plain_messages() -> Iterator[None]:
    """Errors and warnings as one plain line each on standard error, with options in place of parameters."""
    try:
        with warnings.catch_warnings(), spelled(as_option):
            warnings.simplefilter("default")
            for silent in (DeprecationWarning, PendingDeprecationWarning, FutureWarning):
                warnings.simplefilter("ignore", silent)
            warnings.showwarning = lambda message, *_, **__: say_error(f"Warning: {message}")
            yield
    except KeyboardInterrupt:
        fail("Interrupted.", NO_SET)
    except VerificationError as error:
        fail(f"{error} This is a bug in altsets; please report it.", NO_SET)
    except AltsetsError as error:
        *others, last = error.problems
        for problem in others:
            say_error(f"Error: {problem}")
        fail(last, BAD_INPUT)


def fail(message: str, code: int) -> NoReturn:
    """Say why there is no answer, and end."""
    say_error(f"Error: {message}" if code == BAD_INPUT else message)
    raise typer.Exit(code)


def say_error(message: str) -> None:
    """One plain line on standard error; the answer is printed even if that cannot be written."""
    try:
        typer.echo(" ".join(printable(message).split()), err=True)
    except OSError:
        discard(sys.stderr)


def discard(stream: TextIO) -> None:
    """Send what is left in the buffer of a stream nowhere, as writing it would fail again at the end."""
    with suppress(OSError, ValueError), open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())


def say(console: Console, text: str, indent: int = 0) -> None:
    """A paragraph on standard output."""
    from rich.padding import Padding

    text = printable(text)
    console.print(Padding(text, (0, 0, 0, indent), expand=False) if indent else text)


def console_for(stderr: bool = False, least_width: int = 0) -> Console:
    """A console that takes text as it is."""
    from rich.console import Console

    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    console.width = max(console.width, least_width)
    return console


def printable(text: str) -> str:
    """Names come out of files: nothing in them may steer the terminal."""
    return "".join(char if char.isprintable() else " " if char.isspace() else "\ufffd" for char in text)
