"""Against the reference implementation: live on a sample, and against its frozen results."""

from __future__ import annotations

import json
import math
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice, product
from pathlib import Path
from typing import Any

import altsets
from benchmarks.reference import Reference, ReferenceAnswer, ReferenceUnavailableError, prepare_environment
from benchmarks.report import Check, Section, duration, geometric_mean, row_of, table
from benchmarks.searches import Measured, Scores, Search, measure

KINDS = (("sequential", "sum"), ("simultaneous", "sum"), ("simultaneous", "min"))
#: How far the reference may lie above altsets by rounding alone; qualities are scaled to at most about one.
TOLERANCE = 1e-9
SLOW = 1.0
SEED = 25


#: More features than this, and the reference answers few mRMR searches within its cap.
SMALL = 22


@dataclass(frozen=True)
class Terms:
    """What a live sample is drawn from, and how much faster altsets should be where the reference is slow."""

    sizes: tuple[int, ...]
    sequential_a: int
    most_a: int
    ratio: float | None


UNIVARIATE = Terms(sizes=(5, 10), sequential_a=10, most_a=5, ratio=1000.0)
MULTIVARIATE = Terms(sizes=(5,), sequential_a=3, most_a=2, ratio=None)


@dataclass(frozen=True)
class Comparison:
    """The same search, answered twice."""

    scores: Scores
    ours: Measured
    theirs: ReferenceAnswer

    @property
    def ratio(self) -> float:
        """How many times faster altsets is; a stopped reference counts with the time it was given."""
        return self.theirs.seconds / self.ours.seconds

    @property
    def their_qualities(self) -> list[float]:
        """The qualities of the reference's sets; none if it was stopped, found nothing or broke the rules."""
        return self.theirs.qualities(self.ours.search, self.scores)

    @property
    def their_objective(self) -> float:
        """The reference's objective, nan if there is none."""
        qualities = self.their_qualities
        if not qualities:
            return math.nan
        return min(qualities) if self.ours.search.aggregation == "min" else math.fsum(qualities)

    @property
    def verdict(self) -> str:
        """Equal, better or below, as far as the two answers can be compared."""
        if self.ours.result is None:
            return "below (error)"
        theirs, ours = self.their_qualities, self.ours.result.qualities
        if not theirs:
            return self._without_theirs()
        if not ours:
            return "below (no set)"
        if self.ours.search.search != "sequential":
            return _word(self.ours.objective - self.their_objective)
        return self._sequential_verdict(self.ours.result.sets, ours, theirs)

    def _without_theirs(self) -> str:
        """What can be said where the reference has no sets to show."""
        if not self.theirs.valid(self.ours.search):
            return "better (its sets are not valid)"
        if self.theirs.stopped:
            return "nothing to compare"
        if self.ours.status == "infeasible" and self.theirs.status == "infeasible":
            return "equal (no solution)"
        return "nothing to compare" if math.isnan(self.ours.objective) else "better (it found no set)"

    def _sequential_verdict(
        self, sets: Sequence[tuple[int, ...]], ours: Sequence[float], theirs: Sequence[float]
    ) -> str:
        """Set by set, as long as both had the same sets before: two answers part at the first tie."""
        for position, (mine, other) in enumerate(zip(ours, theirs, strict=False)):
            if abs(mine - other) > TOLERANCE:
                return f"{_word(mine - other)} (set {position + 1})"
            if set(sets[position]) != set(self.theirs.sets[position]):
                return f"equal up to the tie at set {position + 1}"
        return _word(len(ours) - len(theirs))

    def row(self, part: str) -> dict[str, Any]:
        """For the CSV file."""
        return row_of(
            part,
            self.ours,
            reference_seconds=self.theirs.seconds,
            reference_solver_seconds=self.theirs.solver_seconds,
            reference_status=self.theirs.status,
            reference_objective=self.their_objective,
            ratio=self.ratio,
            note=self.ours.error or self.verdict,
        )


def _word(difference: float) -> str:
    if abs(difference) <= TOLERANCE:
        return "equal"
    return "better" if difference > 0 else "below"


def live(
    part: str,
    all_scores: Sequence[Scores],
    terms: Terms,
    environment: Path,
    count: int,
    cap: float,
    time_limit: float,
) -> Section:
    """A stratified sample, each search answered by both within one run."""
    section = Section(part)
    searches = sample(all_scores, terms, count)
    try:
        python = prepare_environment(environment)
        with Reference(python, cap) as reference:
            versions = ", ".join(f"{name} {version}" for name, version in reference.versions.items())
            found = []
            for position, (scores, search) in enumerate(searches, 1):
                ours = measure(scores, search, time_limit)
                found.append(Comparison(scores, ours, reference.ask(search, scores)))
                done = f"{part} {position}/{len(searches)}: {ours}, ratio {found[-1].ratio:.3g}"
                print(done, file=sys.stderr)
    except ReferenceUnavailableError as error:
        section.skipped = str(error)
        return section
    sizes = ", ".join(str(k) for k in terms.sizes)
    section.body.append(
        f"{len(found)} searches ({versions}; SCIP, one thread). The sample is stratified over the three "
        f"kinds of search, k in {{{sizes}}} and the measure of the scores, equally many of each in turn; data "
        f"set, tau in {{1/k, ..., 1}} and a in {{1, ..., {terms.most_a}}} (sequential: {terms.sequential_a}) "
        f"are drawn with the fixed seed {SEED}. The reference is stopped after {cap:g} s per search and then "
        "counts with that time."
    )
    if part == "live-multivariate":
        section.body.append(
            f"So that the reference ends at all, mRMR is drawn from data sets of at most {SMALL} features; FCBF "
            f"from those with at least one set of {terms.sizes[0]} features without a conflict."
        )
    _summarise(section, found, terms.ratio)
    return section


def within_reach(fcbf: Sequence[Scores], mrmr: Sequence[Scores]) -> list[Scores]:
    """What the reference can be asked in little time, and where it has something to find."""
    size = MULTIVARIATE.sizes[0]
    possible = [scores for scores in fcbf if altsets.find(scores.quality, size, 0).sets]
    return possible + [scores for scores in mrmr if scores.n <= SMALL]


def sample(all_scores: Sequence[Scores], terms: Terms, count: int) -> list[tuple[Scores, Search]]:
    """The same searches in every run, equally many from each stratum."""
    rng = random.Random(SEED)
    measures = list(dict.fromkeys(scores.measure for scores in all_scores))
    strata = list(product(terms.sizes, measures, KINDS))
    drawn: list[tuple[Scores, Search]] = []
    for k, measure_name, (search, aggregation) in islice(cycle(strata), count):
        eligible = [s for s in all_scores if s.measure == measure_name and s.n >= k]
        scores = rng.choice(eligible)
        a = terms.sequential_a if search == "sequential" else rng.randint(1, terms.most_a)
        drawn.append((scores, Search(search, aggregation, k, rng.randint(1, k), a)))
    return drawn


def frozen(
    part: str, all_scores: Sequence[Scores], path: Path, ratio: float | None, time_limit: float
) -> Section:
    """Every record of the frozen results on one of the given scores."""
    section = Section(part)
    by_name = {(scores.method, scores.data): scores for scores in all_scores}
    methods = list(dict.fromkeys(scores.method for scores in all_scores))
    records = [r for r in json.loads(path.read_text(encoding="utf-8")) if r["quality"] in methods]
    known = [record for record in records if (record["quality"], record["data"]) in by_name]
    found = []
    for record in known:
        search = Search(record["search"], record["aggregation"], record["k"], record["diff"], record["a"])
        scores = by_name[record["quality"], record["data"]]
        stopped = any("stopped" in status for status in record["statuses"])
        theirs = ReferenceAnswer.from_record(record, stopped)
        found.append(Comparison(scores, measure(scores, search, time_limit), theirs))
    section.body.append(
        f"{len(found)} records ({', '.join(methods)}); {len(records) - len(known)} left out because their "
        "matrix is missing. The reference's times come from another run, beside other work: read these ratios "
        "as orders of magnitude. Searches that it ended at its own limit of 60 s per set, and records that "
        "say that they were stopped after 180 s, count with that time."
    )
    _summarise(section, found, ratio)
    return section


def _summarise(section: Section, found: Sequence[Comparison], ratio: float | None) -> None:
    slow = [comparison for comparison in found if comparison.theirs.seconds >= SLOW]
    below = [comparison for comparison in found if comparison.verdict.startswith("below")]
    mean = geometric_mean([comparison.ratio for comparison in slow])
    everywhere = geometric_mean([comparison.ratio for comparison in found])
    section.checks += [
        Check("objective below the reference's", "0", str(len(below)), not below),
        Check(
            f"geometric-mean ratio where the reference needs >= {SLOW:g} s ({len(slow)} searches)",
            "" if ratio is None else f">= {ratio:g}",
            f"{mean:.4g}",
            not slow or ratio is None or mean >= ratio,
        ),
        Check(f"geometric-mean ratio over all ({len(found)} searches)", "", f"{everywhere:.4g}", True),
    ]
    solver = [c.theirs.solver_seconds / c.ours.seconds for c in found if c.theirs.solver_seconds]
    section.body.append(
        "Ratio = the reference's time for its search call (model and solver) / altsets' time for `find`. "
        f"Counting only the solver's own CPU time, the geometric mean over the {len(solver)} searches that "
        f"were not stopped is {geometric_mean(solver):.4g}. Sequential searches are compared set by set, up "
        "to the first tie: which of two equally good sets was taken decides what later ones can be."
    )
    if len({comparison.scores.method for comparison in found}) > 1:
        section.body.append(table(("quality", "search", "searches", "geometric-mean ratio"), _ratios(found)))
    section.body.append(
        table(
            ("scores", "search", "reference", "altsets", "ratio", "statuses", "objectives", "altsets is"),
            (_line(c) for c in sorted(found, key=lambda c: -c.theirs.seconds)),
        )
    )
    section.rows = [comparison.row(section.part) for comparison in found]


def _ratios(found: Sequence[Comparison]) -> list[tuple[Any, ...]]:
    groups: dict[tuple[str, str], list[float]] = {}
    for comparison in found:
        key = (comparison.scores.measure, comparison.ours.search.kind)
        groups.setdefault(key, []).append(comparison.ratio)
    return [(*key, len(ratios), f"{geometric_mean(ratios):.4g}") for key, ratios in sorted(groups.items())]


def _line(comparison: Comparison) -> tuple[Any, ...]:
    ours, theirs = comparison.ours, comparison.theirs
    return (
        ours.scores,
        ours.search,
        duration(theirs.seconds),
        duration(ours.seconds),
        f"{comparison.ratio:.3g}",
        f"{theirs.status} / {ours.status}",
        f"{comparison.their_objective:.9g} / {ours.objective:.9g}",
        comparison.verdict,
    )
