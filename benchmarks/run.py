"""The benchmark: ``python -m benchmarks.run`` from the project root, which is what ``make bench`` calls.

Parts: ``live`` and ``frozen`` compare with the reference implementation, ``grid`` runs every search of the
project's target grid, ``large`` a million scores, ``startup`` the command line and the deadlines. A part
whose input is missing is skipped and says why. Exit status 1 means that a search raised, or that an answer is
wrong or below the reference's; a missed time is reported, not punished, since machines differ.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import compare, grid, large, report, startup
from benchmarks.report import Section
from benchmarks.scores import mutual_information, tree_importances
from benchmarks.searches import Scores, warm_up

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("live", "frozen", "grid", "large", "startup")
TIME_LIMIT = 10.0
#: What must hold on any machine; the other targets depend on its speed.
CORRECTNESS = (
    "objective below the reference's",
    "searches that raised",
    "answers that contradict each other",
)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run")
    shared = ROOT.parent / "shared"
    parser.add_argument("--matrices", type=Path, default=shared / "mi", help="folder of NAME.npz (scores q)")
    parser.add_argument("--datasets", type=Path, default=shared / "datasets", help="folder of NAME.csv.gz")
    parser.add_argument("--reference", type=Path, default=shared / "reference" / "alfese.json")
    parser.add_argument("--live", type=int, default=48, metavar="N", help="searches in the live sample")
    parser.add_argument("--cap", type=float, default=30.0, help="seconds per live search of the reference")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--quick", action="store_true", help="6 live searches, every sixth set of scores")
    parser.add_argument("--output", type=Path, default=Path(__file__).resolve().parent)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts that were asked for and write what they found."""
    options = parse(arguments)
    warm_up()
    matrices = mutual_information(options.matrices)
    importances = tree_importances(options.datasets)
    missing = [name for name, found in (("matrices", matrices), ("datasets", importances)) if not found]
    for name in missing:
        print(f"the folder of {name} is missing or empty; its searches are skipped", file=sys.stderr)
    every = [*matrices, *importances]
    searched = every[::6] if options.quick else every
    count, cap = (6, min(5.0, options.cap)) if options.quick else (options.live, options.cap)
    runs: dict[str, Callable[[], Section]] = {
        "live": lambda: compare.live(every, ROOT / ".bench-venv", count, cap, TIME_LIMIT),
        "frozen": lambda: compare.frozen(matrices, options.reference, TIME_LIMIT),
        "grid": lambda: grid.run(searched, TIME_LIMIT),
        "large": large.run,
        "startup": startup.run,
    }
    sections = []
    for part in (part for part in PARTS if part in options.parts):
        reason = _reason_to_skip(part, matrices, every, options.reference)
        section = Section(part.capitalize(), skipped=reason) if reason else runs[part]()
        if missing and part in ("live", "grid") and not section.skipped:
            section.body.insert(0, f"Folder not found, its scores left out: {', '.join(missing)}.")
        sections.append(section)
    how = "quick run" if options.quick else "full run"
    left_out = [part for part in PARTS if part not in options.parts]
    report.write(options.output, sections, how + (f" without {', '.join(left_out)}" if left_out else ""))
    checks = [check for section in sections for check in section.checks]
    for check in checks:
        verdict = "ok  " if check.ok else "MISS"
        print(f"{verdict} {check.what}: {check.measured} (target {check.target or 'none'})")
    return int(any(not check.ok for check in checks if check.what in CORRECTNESS))


def _reason_to_skip(part: str, matrices: Sequence[Scores], every: Sequence[Scores], reference: Path) -> str:
    if part in ("live", "grid") and not every:
        return "there are no scores: neither the matrices nor the data sets were found."
    if part == "frozen" and not matrices:
        return "the folder of matrices was not found."
    if part == "frozen" and not reference.exists():
        return "the file of frozen results was not found."
    return ""


if __name__ == "__main__":
    sys.exit(main())
