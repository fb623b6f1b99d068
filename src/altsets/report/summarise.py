"""From answers to a document: what was requested, what was found and how sure that is, in sections."""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from altsets.errors import InputError, NotExpressedError
from altsets.evaluation import Evaluation, Evaluations
from altsets.provenance import PACKAGES
from altsets.report import sections, sentences
from altsets.report.again import python_lines, shell_line
from altsets.report.decision import decision_blocks
from altsets.report.document import (
    Block,
    code,
    column,
    distinct_names,
    document,
    facts,
    section,
    shorten_middle,
    table,
    text,
    verdict,
)
from altsets.report.render import fragment, page, report_file
from altsets.result import Frontier, NearBest, Result, StopReason, Verdict, WhatIf
from altsets.search.known import ONE_SET, agree, by_shares
from altsets.wording import counted, sentence

#: Sets on the first page, and their features together.
SETS_FIRST, FEATURES_FIRST = 5, 40
#: Qualities that differ by this share are the same.
NEGLIGIBLE = 1e-6
#: Rows of a table that does not go to the end.
LONGEST_BETWEEN = 12
SPELLED = {"python": "Python", "numpy": "NumPy", "scipy": "SciPy"}


@dataclass(frozen=True)
class _Answers:
    """All answers of one report, and where they come from."""

    result: Result | None
    evaluation: Evaluation | None
    frontier: Frontier | None
    evaluated: Evaluations | None
    near: NearBest | None
    origin: Mapping[str, Any]

    @property
    def searches(self) -> list[Result | Frontier | NearBest]:
        """Those of searches, the most important first."""
        every = (self.result, self.frontier, self.near)
        return [answer for answer in every if answer is not None]

    @property
    def parameters(self) -> Mapping[str, Any]:
        return self.searches[0].parameters if self.searches else {}

    @property
    def n_features(self) -> int | None:
        known = [answer.parameters.get("n_features_in") for answer in self.searches]
        counts = [int(count) for count in known if count is not None]
        return counts[0] if counts else self.evaluation.n_features_in if self.evaluation else None

    @property
    def target(self) -> str:
        return str((self.origin.get("data") or {}).get("target") or "")


def write_report(path: Any, *, force: bool = False, **answers: Any) -> str:
    """Summarise answers and write them as one HTML file, which is returned; ``force`` lets it replace another one."""
    file = report_file(path, force=force).check()
    file.write(page(summarise(**answers)).encode())
    return file.path


def summarise(
    result: Result | None = None,
    *,
    evaluation: Evaluation | None = None,
    frontier: Frontier | Evaluations | None = None,
    near_best: NearBest | None = None,
    what_if: WhatIf | None = None,
    quality: sections.Scoring | None = None,
    title: str | None = None,
    provenance: Mapping[str, Any] | None = None,
    skipped: Sequence[str] = (),
) -> Block:
    """Summarise answers as the document of a report.

    ``frontier`` may be evaluated or not; ``quality`` has the scores of all features; ``title`` and ``provenance`` are
    for answers that do not say it themselves; ``skipped`` are sentences on what is not in the report, and why.
    """
    given = {"result": result, "evaluation": evaluation, "frontier": frontier, "near_best": near_best}
    for name, one in given.items():
        kind, example = KINDS[name]
        if one is not None and not isinstance(one, kind):
            raise InputError(f"{name} must be what {example} returns, not {one!r:.60}.")
    if title is not None and not isinstance(title, str):
        raise InputError(f"title must be a text, not {title!r:.60}.")
    if isinstance(frontier, Frontier):
        frontier = _as_asked(frontier, result)
    evaluated = frontier if isinstance(frontier, Evaluations) else None
    plain = frontier.frontier if isinstance(frontier, Evaluations) else frontier
    origins = (one.provenance for one in (result, evaluation, evaluated) if one is not None)
    origin = provenance or next(filter(None, origins), {})
    answers = _Answers(result, evaluation, plain, evaluated, near_best, origin)
    _check(answers, quality)
    scored = quality if quality is not None else near_best
    names = None if scored is None else scored.feature_names
    shown = None if result is None else _with_short_names(result)
    main = next((one for one in (result, frontier, evaluation, near_best) if one is not None), None)
    parts: list[Block | None] = [_in_short(replace(answers, result=shown))]
    if shown is not None:
        parts.append(sections.sets_section(shown, with_table=len(shown.sets) > _n_first(shown)))
        parts.append(sections.models_section(shown))
    if evaluation is not None and evaluation.folds:
        parts.append(sections.evaluation_section(evaluation, with_sets=result is None))
    if what_if is not None:
        parts.append(_losses_section(what_if))
    if frontier is not None:
        parts.append(sections.frontier_section(frontier))
    if near_best is not None:
        parts.append(sections.near_best_section(near_best, with_features=False))
    parts += [
        sections.conditions_section(answers.parameters, origin, sections.named_features(result, names)),
        section("notes", "Notes", [text(*(result.notes if result else ()), *skipped)]),
        _origin_section(origin, result),
        _again_section(origin, result, names),
    ]
    return document(
        title or heading_of(main, answers.target),
        " · ".join(filter(None, ["Report by altsets", str(origin.get("time") or "")[:10]])),
        [*_tables_last(parts), sections.all_features_section(result, quality)],
    )


def _tables_last(parts: Sequence[Block | None]) -> list[Block]:
    """The sections with their long tables in one of their own at the end, and a line where each was."""
    moved: list[Block] = []

    def stays(block: Block) -> Block:
        if block["kind"] != "table" or len(block["rows"]) <= LONGEST_BETWEEN:
            return block
        moved.append(block)
        said = text(f"{block['caption']} {counted(len(block['rows']), 'row')}: see Long tables, at the end.")
        assert said is not None
        return said

    made = [
        part | {"blocks": [stays(block) for block in part["blocks"]]} for part in parts if part is not None
    ]
    return [*made, section("tables", "Long tables", moved)]


def heading_of(answer: Any, target: str = "") -> str:
    about = f" for {target}" if target else ""
    if isinstance(answer, Result):
        n_sets = len(answer.sets)
        return f"{counted(n_sets, 'feature set') if n_sets else 'No feature set'}{about}"
    if isinstance(answer, Frontier | Evaluations):
        plain = answer if isinstance(answer, Frontier) else answer.frontier
        if plain.by == "tau":
            return f"What difference between feature sets costs{about}"
        return f"{sections.title_of(plain)}{about}"
    if isinstance(answer, Evaluation):
        which = counted(answer.n_sets, "feature set predicts", "feature sets predict")
        return f"How well {which}{f' {target}' if target else ''}"
    return f"Feature sets that are nearly the best{about}"


def _as_asked(frontier: Frontier, result: Result | None) -> Frontier:
    """The same frontier, which suggests nothing less different than requested."""
    if result is None or len(result.statuses) < 2:
        return frontier
    tau, shared = by_shares(result).tau, result.parameters.get("max_overlap")
    if tau is None and shared is not None:
        tau = min((point.tau for point in frontier if point.max_overlap <= shared), default=None)
    return replace(frontier, parameters={**frontier.parameters, "least_tau": tau})


def _with_short_names(result: Result) -> Result:
    """The same with names that fit into a sentence, and are still told apart."""
    every = list(dict.fromkeys(itertools.chain(*result.texts)))
    short = dict(zip(every, distinct_names([*map(shorten_middle, every)]), strict=True))
    return replace(result, texts=[tuple(map(short.__getitem__, names)) for names in result.texts])


# --- In short ---------------------------------------------------------------------------------------------


def _in_short(answers: _Answers) -> Block:
    """The first section: the verdict and what to beware of, then a sentence or two for each question."""
    result, evaluation, frontier, near = answers.result, answers.evaluation, answers.frontier, answers.near
    # A column that has no better name.
    target = "the target" if answers.target == "target" else answers.target
    asked = "" if frontier is None else sentence(repr(frontier)[len("Frontier(") : -1])
    score = sentences.about_scores(evaluation) if evaluation is not None and evaluation.folds else ""
    costs = sentences.about_costs(frontier) if frontier is not None and frontier.by == "tau" else ""
    known = facts(
        [
            ("Data", sentences.about_data(answers.origin, answers.n_features)),
            ("Asked for", asked if result is None else sentences.about_request(result, target)),
            ("Score", _what_good_means(answers, target) if answers.searches else ""),
            ("Proof", "" if result is None else sentences.why_certain(result)),
            ("Prediction score", score),
            ("Prediction", "" if answers.evaluated is None else answers.evaluated.scores_in_words()),
            ("What difference costs", costs),
            ("Nearly as good", "" if near is None else f"{near.explain().split('. ')[0].rstrip('.')}."),
        ]
    )
    said = _verdict(answers)
    cautions = text(*said.cautions, *_better(answers), tone="warning")
    sets, decisions = _first_sets(result), [block for block in decision_blocks(result, evaluation) if block]
    if decisions:
        return section("in-short", "In short", [*decisions, cautions, sets, text(*said.findings), known])
    return section("in-short", "In short", [verdict(said.findings, good=True), cautions, sets, known])


def _first_sets(result: Result | None, in_use: int | None = None) -> Block | None:
    if result is None or not result.sets:
        return None
    n_sets, first = len(result.sets), _n_first(result)
    if n_sets == first:
        return sections.sets_table("sets", "The feature sets that were found.", result, in_use)
    caption = (
        f"The first {counted(first, 'set')} of {n_sets}." if first > 1 else f"The first of {n_sets} sets."
    )
    made = sections.sets_table("first-sets", caption, result, in_use)
    return made | {"rows": made["rows"][:first]}


def _n_first(result: Result) -> int:
    totals = itertools.accumulate(map(len, result.sets[:SETS_FIRST]))
    return max(1, sum(total <= FEATURES_FIRST for total in totals))


def _better(answers: _Answers) -> list[str]:
    """A caution if what was computed for the report beats sets that are not proven best."""
    result, near = answers.result, answers.near
    if result is None or not result.sets or result.parameters.get("existing"):
        return []
    asked = result.parameters
    if len(result.statuses) > 1 and asked.get("search") == "simultaneous":
        return []
    others = [(point.result.parameters, point.result.qualities) for point in answers.frontier or ()]
    others += [] if near is None or math.isnan(near.best) else [(near.parameters, [near.best])]
    known = [value for about, values in others if agree(ONE_SET, asked, about) for value in values]
    mine = max(result.qualities)
    better = max([mine, *known])
    if better <= mine + NEGLIGIBLE * max(abs(better), abs(mine)):
        return []
    return [
        f"A better set than these is known by now: of quality {better:.6g}, where the best one here has {mine:.6g}. A "
        "search with more time, or an exact one, would have found it."
    ]


def _verdict(answers: _Answers) -> Verdict:
    result, evaluation = answers.result, answers.evaluation
    if evaluation is not None:
        return evaluation.verdict if result is None else evaluation.verdict_on(result)
    about = result or answers.evaluated or answers.frontier or answers.near
    return Verdict(()) if about is None else about.verdict


def _what_good_means(answers: _Answers, target: str) -> str:
    result, origin = answers.result, answers.origin
    only_sets = result is not None and bool(result.sets) and not result.scores
    known = {**(origin.get("quality") or {}), **answers.parameters, "task": origin.get("task")}
    return sentences.about_quality(known, only_sets=only_sets, target=target or "the target")


def _losses_section(losses: WhatIf) -> Block:
    each = losses.losses
    columns = [
        column("If lost", [loss.name for loss in each]),
        column("Replaced by", map(losses.replaced, each)),
        column("Best set without it", [list(loss.named_set or ()) for loss in each], "names"),
        column("Quality", [loss.quality for loss in each], "number", 6),
        column("% of set 0", [100 * losses.share(loss) for loss in each], "number", 3),
        column("Certainty", [sections.IN_WORDS[loss.status] for loss in each]),
    ]
    listed = table("what-if", "The best set that is left after each loss.", columns)
    warned = text(*losses.verdict.cautions, tone="warning")
    return section("losses", "What if a feature is lost?", [text(*losses.verdict.findings), warned, listed])


# --- Where it comes from ----------------------------------------------------------------------------------


def _origin_section(provenance: Mapping[str, Any], result: Result | None) -> Block:
    data = provenance.get("data") or {}
    known = [name for name in ("altsets", "python", *PACKAGES) if name in provenance]
    versions = [f"{SPELLED.get(name, name)} {provenance[name]}" for name in known]
    items = [
        ("Table", str(data.get("file") or "")),
        ("SHA-256 of the file", str(data.get("file_sha256") or "")),
        ("SHA-256 of the data", str(data.get("sha256") or "")),
        ("SHA-256 of the scores", str(data.get("scores_sha256") or "")),
        ("Software", ", ".join(versions)),
        ("Search engine", f"{result.engine}: {result.proof}" if result and result.engine else ""),
        ("Random seed", "" if provenance.get("seed") is None else str(provenance["seed"])),
        ("Made", str(provenance.get("time") or "")),
        ("Time taken", _seconds(provenance, result)),
    ]
    return section("origin", "Where this comes from", [facts(items)])


def _seconds(provenance: Mapping[str, Any], result: Result | None) -> str:
    search = f"{result.elapsed:.3g} s" if result else ""
    if provenance.get("seconds") is None:
        return f"{search} for the search" if search else ""
    return f"{provenance['seconds']:.3g} s in all{f', {search} of it for the search' if search else ''}"


def _again_section(
    provenance: Mapping[str, Any], result: Result | None, names: Sequence[str] | None
) -> Block:
    """Lines to copy; where there are none, why not."""
    blocks: list[Block | None] = []
    why = []
    try:
        line = shell_line(provenance)
        blocks.append(code("shell", line, "On the command line, in the folder in which it was first run"))
        if (provenance.get("data") or {}).get("file") == "-":
            why.append("The table came from standard input, and must be given there again.")
    except NotExpressedError as reason:
        why.append(f"There is no line for the shell: {reason}.")
    if result is not None:
        try:
            blocks.append(code("python", python_lines(result, names), "In Python"))
        except NotExpressedError as reason:
            why.append(f"There are no lines for Python: {reason}.")
        # Another machine may come further in the same time.
        if result.stop_reason in (StopReason.TIME_LIMIT, StopReason.INTERRUPTED):
            why.append("The search was ended before it was done, so it may end elsewhere the next time.")
    return section("again", "Do it again", [*blocks, text(*why, tone="note")])


# --- Checks -----------------------------------------------------------------------------------------------


#: The kinds of answers, and where each comes from.
KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "result": (Result, "altsets.find"),
    "evaluation": (Evaluation, "altsets.evaluate"),
    "frontier": ((Frontier, Evaluations), "altsets.frontier"),
    "near_best": (NearBest, "altsets.near_best"),
}


def _check(answers: _Answers, quality: Any) -> None:
    """Refuse answers about other sets or features, and the quality of another table."""
    if answers.result is not None:
        _check_about_same(answers, answers.result)
    if quality is None:
        return
    if not hasattr(quality, "feature_scores") or not hasattr(quality, "feature_names"):
        raise InputError(
            f"quality must be a quality, such as the one that was searched with, not {quality!r:.60}."
        )
    there, n_features = len(quality.feature_names), answers.n_features
    if n_features is not None and there != n_features:
        raise InputError(
            f"quality has {there:,} features, and the sets were chosen from {n_features:,}; give the one that was "
            "searched with."
        )


def _check_about_same(answers: _Answers, result: Result) -> None:
    """Refuse answers about other sets than were found, or about other features."""
    evaluation, near = answers.evaluation, answers.near
    given = evaluation.folds if evaluation is not None and evaluation.given else ()
    if given and list(given[0].sets) != list(result.sets):
        raise InputError(
            "evaluation is about other sets than the result has; give the evaluation of its sets."
        )
    points = [sections.named_features(point.result, None).items() for point in answers.frontier or ()]
    known: dict[str, Mapping[int, str]] = {
        "evaluation": {} if evaluation is None else evaluation.names,
        "frontier": dict(itertools.chain(*points)),
        "near_best": {} if near is None else dict(enumerate(near.feature_names)),
    }
    ours = sections.named_features(result, None)
    for what, theirs in known.items():
        if wrong := [index for index, name in ours.items() if theirs.get(index, name) != name]:
            raise InputError(
                f"{what} is about another table than the sets: it has {theirs[wrong[0]]!r:.60} where these have "
                f"{ours[wrong[0]]!r:.60}; give answers about the same features."
            )


# --- Notebooks ----------------------------------------------------------------------------------------------

#: Charts that are in reports alone: a cell of a notebook is small.
LEFT_OUT = ("overlap", "likeness", "chosen", "stand-ins")
#: What fits on one screen beside the verdict: one table and one chart, the first of each that there is.
TABLES = (
    *("first-sets", "sets", "evaluation", "suggested-sets", "frontier-points"),
    *("near-best-sets", "curve-points"),
)
CHARTS = (
    *("membership", "quality", "prediction", "scores-along", "quality-over-tau", "quality-over-both"),
    *("near-best-frequencies", "frontier-curve"),
)
#: Rows of a chart of features that fit, and near-best sets.
NOTEBOOK_ROWS, NOTEBOOK_SETS = 10, 5


def in_notebook(answer: Any, *, in_use: int | None = None, notes: Sequence[str] = ()) -> str:
    """An answer as a part of a page; never raises, since a notebook would show the error instead of the answer.

    ``in_use`` is the number of the set that a selector keeps, ``notes`` are sentences below the answer.
    """
    try:
        made, said = _section(answer, in_use), answer.verdict
        blocks = [block for block in made["blocks"] if block.get("id") not in LEFT_OUT]
        main = [_first_of(blocks, TABLES), _first_of(blocks, CHARTS)]
        told = [*_decided(answer), text(*said.findings), text(*said.cautions, tone="warning")]
        # One heading: that of the section.
        first = section(made["id"], heading_of(answer), [*told, *main])
        rest = [text(*notes), *(block for block in blocks if not any(block is shown for shown in main))]
        return fragment(document("", "", [first, section("details", "Details", rest) | {"folded": True}]))
    except Exception:
        # Without Jinja2, or whatever else: the answer in words is always there.
        return _plain(answer, in_use, notes)


def _decided(answer: Any) -> list[Block | None]:
    """The decisions about an answer that has sets, or that scores alone cannot tell."""
    if isinstance(answer, Evaluation):
        return decision_blocks(None, answer)
    return decision_blocks(answer, None) if isinstance(answer, Result) else []


def _first_of(blocks: Sequence[Block], identities: Sequence[str]) -> Block | None:
    """The first of these blocks that is there, in the order of their names, and fits on a screen."""
    found = {block.get("id"): block for block in blocks}
    members = found.get("membership")
    if members is not None and (len(members["features"]) > NOTEBOOK_ROWS or len(members["sets"]) < 2):
        del found["membership"]
    return next((found[identity] for identity in identities if identity in found), None)


def _section(answer: Any, in_use: int | None) -> Block:
    if isinstance(answer, Result):
        made, few = sections.sets_section(answer, in_use=in_use), _first_sets(answer, in_use)
        short = [few] if few is not None and few["id"] == "first-sets" else []
        return made | {"blocks": [text(answer.explain()), *short, *made["blocks"]]}
    if isinstance(answer, Evaluation):
        return sections.evaluation_section(answer)
    if isinstance(answer, Frontier | Evaluations):
        return sections.frontier_section(answer)
    return sections.near_best_section(answer, n_bars=NOTEBOOK_ROWS, n_sets=NOTEBOOK_SETS)


def _plain(answer: Any, in_use: int | None, notes: Sequence[str]) -> str:
    decided = [line for block in _decided(answer) if block is not None for line in block["paragraphs"]]
    said = [str(answer)] if isinstance(answer, Result) else []
    said.append(answer.summary() if hasattr(answer, "summary") else answer.explain())
    used = [] if in_use is None else [f"Set {in_use} is in use."]
    lines = [*decided, str(answer.verdict), *used, *notes, *said]
    return "".join(f'<p style="white-space:pre-wrap">{html.escape(line)}</p>' for line in lines)
