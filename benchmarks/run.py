"""The benchmark: ``python -m benchmarks.run`` from the project root, which is what ``make bench`` calls.

Parts: ``live`` and ``frozen`` compare with the reference implementation on univariate scores, ``live-multivariate``
and ``frozen-multivariate`` on FCBF and mRMR; ``grid`` runs every search of the project's target grid, ``multivariate``
and ``multivariate10`` those on FCBF and mRMR with sets of 5 and 10; ``tens`` has hard searches for sets of ten,
``ablation`` switches off each part of the search in turn, on other data, and ``tuning`` chooses its limits anew there;
``definitions`` has every other definition beside the plain ones, ``second-opinion`` answers checked by another engine,
``most`` sets that are as different, or as many, as they can be, ``frontier`` whole curves over tau, ``explorer`` the
explorer's server, ``near-best`` counts of sets, ``wide`` tables of up to 100,000 columns, ``information`` scores from
tables, ``noise-floor`` what columns score by chance, ``leaks`` columns that give the target away, ``targets``
survival, ``verdicts`` how often decisions are wrong, ``fallback`` predictions of rows that have lost columns,
``startup`` the command line, ``deadlines``, ``deadlines-verbs`` and ``deadlines-random`` how late hard requests come
back, ``time-limits`` which sets there are by then, ``versions`` an older checkout beside this one (``--old``). Each
replaces its own section of the results as soon as it has ended, and leaves the others alone. A part whose input is
missing is skipped and says why.
Exit status 1 means that a search raised, or that an answer is wrong or below the reference's; a missed time is
reported, not punished, since machines differ.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import (
    ablation,
    compare,
    deadlines,
    definitions,
    explorer,
    fallback,
    frontier,
    grid,
    information,
    leaks,
    most,
    multivariate,
    near_best,
    noise_floor,
    random_deadlines,
    report,
    second_opinion,
    startup,
    targets,
    tens,
    time_limits,
    tuning,
    verdicts,
    versions,
    wide,
)
from benchmarks.passes import Limits
from benchmarks.report import Check, Section
from benchmarks.scores import fcbf, mrmr, mutual_information, tree_importances
from benchmarks.searches import Scores, warm_up

ROOT = Path(__file__).resolve().parent.parent
TIME_LIMIT = 10.0
#: Seconds per set of a second pass: the paper's limit, and what larger sets are given.
PER_SET = 60.0
PER_SET_LARGE = 10.0
#: What must hold on any machine; the other targets depend on its speed.
CORRECTNESS = (
    "objective below the reference's",
    "searches that raised",
    "answers that contradict each other",
    "answers that a second engine contradicts",
)


@dataclass(frozen=True)
class Inputs:
    """Everything that can be searched, as far as it was found."""

    information: list[Scores]
    fcbf: list[Scores]
    mrmr: list[Scores]
    importances: list[Scores]

    @classmethod
    def read(cls, options: argparse.Namespace) -> Inputs:
        """From the folders, only the data sets that were asked for."""

        def wanted(found: list[Scores]) -> list[Scores]:
            return [scores for scores in found if not options.data or scores.data in options.data]

        return cls(
            wanted(mutual_information(options.matrices)),
            wanted(fcbf(options.matrices)),
            wanted(mrmr(options.matrices)),
            wanted(tree_importances(options.datasets)),
        )

    @property
    def univariate(self) -> list[Scores]:
        """One number per feature."""
        return [*self.information, *self.importances]

    def reason_to_skip(self, part: str, reference: Path) -> str:
        """Why a part has nothing to work on, or nothing."""
        if part in ("live", "grid") and not self.univariate:
            return "there are no scores: neither the matrices nor the data sets were found."
        if part in NEED_MATRICES and not self.information:
            return "the folder of matrices was not found."
        names = {scores.data for scores in self.mrmr}
        if part == "multivariate10" and names.isdisjoint(multivariate.LARGE_DATA):
            return "none of its data sets is there."
        if part == "frontier" and names.isdisjoint(frontier.DATA):
            return "none of its data sets is there."
        if part == "near-best" and names.isdisjoint(near_best.DATA):
            return "none of its data sets is there."
        if part in ("explorer", "information", "leaks") and not self.importances:
            return "the folder of data sets was not found."
        if part.startswith("frozen") and not reference.exists():
            return "the file of frozen results was not found."
        return ""


NEED_MATRICES = (
    "frozen",
    "live-multivariate",
    "frozen-multivariate",
    "multivariate",
    "multivariate10",
    "definitions",
    "second-opinion",
    "most",
    "frontier",
    "near-best",
)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run")
    shared = ROOT.parent / "shared"
    add = parser.add_argument
    add("--matrices", type=Path, default=shared / "mi", help="folder of NAME.npz (q and R)")
    add("--datasets", type=Path, default=shared / "datasets", help="folder of NAME.csv.gz")
    add("--reference", type=Path, default=shared / "reference" / "alfese.json")
    add("--data", nargs="+", default=(), metavar="NAME", help="only these data sets")
    add("--live", type=int, default=48, metavar="N", help="searches in the univariate live sample")
    add("--live-multivariate", type=int, default=30, metavar="N", help="searches in the other one")
    add("--cap", type=float, default=30.0, help="seconds per live search of the reference")
    add("--short-limit", type=float, default=2.0, help="seconds per search, first pass of multivariate*")
    add(
        "--full-limit",
        type=float,
        default=PER_SET,
        help=f"seconds per set, second pass; multivariate10: at most {PER_SET_LARGE:g}",
    )
    add(
        "--part-limit",
        type=float,
        default=3600.0,
        help="seconds after which multivariate* start no more searches of their second pass; inf: no limit",
    )
    add(
        "--old", type=Path, metavar="FOLDER", help="src of an older checkout, compiled, for the part versions"
    )
    add("--every", type=int, default=7, metavar="N", help="every so many searches in the part versions")
    add(
        "--jobs",
        type=int,
        help="searches at a time in multivariate (1), multivariate10, tens, ablation and tuning (2)",
    )
    add("--without", nargs="+", choices=list(ablation.VARIANTS), default=(), help="only these in ablation")
    add("--parts", nargs="+", choices=report.TITLES, default=list(report.TITLES))
    add("--quick", action="store_true", help="6 live searches each, every sixth data set, short limits")
    add(
        "--output",
        type=Path,
        help="folder; by default that of this file, for part of the data build/benchmarks",
    )
    options = parser.parse_args(arguments)
    if options.output is None:
        partial = options.quick or options.data
        options.output = ROOT / "build" / "benchmarks" if partial else Path(__file__).resolve().parent
    if options.quick:
        options.live = options.live_multivariate = 6
        options.cap = min(5.0, options.cap)
        options.full_limit = min(1.0, options.full_limit)
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts that were asked for and write what they found."""
    options = parse(arguments)
    warm_up()
    inputs = Inputs.read(options)
    found = (("matrices", inputs.information), ("datasets", inputs.importances))
    missing = [name for name, scores in found if not scores]
    for name in missing:
        print(f"nothing to search in the folder of {name}; its searches are skipped", file=sys.stderr)
    how = "Quick run" if options.quick else "Run"
    how += f" on {', '.join(options.data)} only" if options.data else ""
    checks: list[Check] = []
    runs = _runs(options, inputs)
    for part in (part for part in report.TITLES if part in options.parts):
        reason = inputs.reason_to_skip(part, options.reference)
        if part == "versions" and options.old is None:
            reason = "no older version was named with --old."
        section = Section(part, skipped=reason) if reason else runs[part]()
        if section.skipped:
            print(f"{part} skipped: {section.skipped}", file=sys.stderr)
        if missing and part in ("live", "grid"):
            section.body.insert(0, f"Nothing found in the folder of {' and '.join(missing)}.")
        report.write(options.output, section, how)
        checks += section.checks
        for check in section.checks:
            verdict = "ok  " if check.ok else "MISS"
            print(f"{verdict} {check.what}: {check.measured} (target {check.target or 'none'})")
    return int(any(not check.ok for check in checks if check.what in CORRECTNESS))


def _runs(options: argparse.Namespace, inputs: Inputs) -> dict[str, Callable[[], Section]]:
    """How each part is run."""
    step = 6 if options.quick else 1
    environment = ROOT / ".bench-venv"
    limits = Limits(options.short_limit, options.full_limit, options.part_limit)
    large_limits = Limits(options.short_limit, min(PER_SET_LARGE, options.full_limit), options.part_limit)
    pairs = [*inputs.fcbf, *inputs.mrmr]
    every = [*inputs.information[::step], *inputs.fcbf[::step], *inputs.mrmr[::step]]
    large_mrmr = [scores for scores in inputs.mrmr if scores.data in multivariate.LARGE_DATA][::step]

    def live(part: str, scores: Sequence[Scores], terms: compare.Terms, count: int) -> Section:
        return compare.live(part, scores, terms, environment, count, options.cap, TIME_LIMIT)

    def frozen(part: str, scores: Sequence[Scores], ratio: float | None) -> Section:
        return compare.frozen(part, scores, options.reference, ratio, TIME_LIMIT)

    return {
        "live": lambda: live("live", inputs.univariate, compare.UNIVARIATE, options.live),
        "frozen": lambda: frozen("frozen", inputs.information, compare.UNIVARIATE.ratio),
        "live-multivariate": lambda: live(
            "live-multivariate",
            compare.within_reach(inputs.fcbf, inputs.mrmr),
            compare.MULTIVARIATE,
            options.live_multivariate,
        ),
        "frozen-multivariate": lambda: frozen("frozen-multivariate", pairs, compare.MULTIVARIATE.ratio),
        "grid": lambda: grid.run(inputs.univariate[::step], TIME_LIMIT),
        "multivariate": lambda: multivariate.run(every, limits, options.jobs or 1),
        "multivariate10": lambda: multivariate.run_large(large_mrmr, large_limits, options.jobs or 2),
        "tens": lambda: tens.run(options.datasets, options.jobs or 2),
        "ablation": lambda: ablation.run(options.datasets, options.jobs or 2, options.without),
        "tuning": lambda: tuning.run(options.datasets, options.jobs or 2),
        "definitions": lambda: definitions.run(inputs.information, inputs.mrmr),
        "second-opinion": lambda: second_opinion.run([*inputs.information, *inputs.fcbf, *inputs.mrmr]),
        "most": lambda: most.run([*inputs.information, *pairs]),
        "frontier": lambda: frontier.run(inputs.information, inputs.mrmr),
        "explorer": lambda: explorer.run(options.datasets, options.quick),
        "near-best": lambda: near_best.run(inputs.information, inputs.mrmr),
        "wide": lambda: wide.run(ROOT / ".bench-venv-wide", options.quick),
        "time-limits": time_limits.run,
        "information": lambda: information.run(options.datasets, options.matrices),
        "noise-floor": noise_floor.run,
        "leaks": lambda: leaks.run(options.datasets),
        "targets": lambda: targets.run(options.quick),
        "verdicts": lambda: verdicts.run(options.quick),
        "fallback": lambda: fallback.run(options.datasets),
        "startup": startup.run,
        "deadlines": deadlines.run,
        "deadlines-verbs": deadlines.run_verbs,
        "deadlines-random": random_deadlines.run,
        "versions": lambda: versions.run(
            options.old,
            [
                *((scores, grid.SIZES) for scores in inputs.univariate[::step]),
                *((scores, grid.SIZES[:1]) for scores in pairs[::step]),
            ],
            TIME_LIMIT,
            options.every,
        ),
    }


if __name__ == "__main__":
    sys.exit(main())
