"""The verdict on an answer: what was found, what it costs, what is proven and what to beware of, in everyday words."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations

from altsets.result._found import SetsFound, Shortlist
from altsets.result._status import Status, StopReason
from altsets.wording import counted, list_some, parameter, percent, plural, sentence

#: Alternatives that get a line of their own, and names in a line.
MOST_LINES, MOST_NAMES = 3, 5
#: From this share of features below the noise floor on, the whole answer is in doubt.
MOSTLY = 0.5
#: An alternative with less than this share of the score of set 0 is none.
TINY = 0.1

#: What simultaneous sets are proven to have the most of.
GOALS = {
    "sum": "a higher total score",
    "penalty": "a higher total score, less what they pay for shared features",
    "min": "a better weakest set",
    "leximin": "a better weakest set, or with equal ones a better next one",
}

#: Why nothing more is proven.
CUT_SHORT = {
    StopReason.TIME_LIMIT: "Time ran out before the proof was complete; a longer time limit may prove or find more.",
    StopReason.INTERRUPTED: "The search was interrupted; left alone, it may prove or find more.",
    StopReason.ENGINE_LIMIT: "The search hit an internal limit before the proof was complete.",
}


@dataclass(frozen=True)
class Verdict:
    """What an answer means, in a few sentences.

    Attributes
    ----------
    findings : tuple of str
        What was found, what the alternatives cost, and what is proven.
    cautions : tuple of str
        What may change a decision: time that ran out, near-copies, noise, sets that do not predict.

    See Also
    --------
    altsets.Result.verdict : the verdict on sets that were found.
    altsets.results.Evaluation.verdict_on : the same with how well they predict.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3], feature_names=["age", "height", "weight", "shoe size"])
    >>> print(altsets.find(scores, n_features=2, n_alternatives=1, tau=1).verdict)
    The best set of 2 features: age, height.
    Set 1 keeps 59 % of set 0's score, with weight and shoe size instead of age and height.
    Proven: no set of 2 features scores higher than set 0, and none this different from it higher than set 1.
    """

    findings: tuple[str, ...]
    cautions: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([*self.findings, *(f"Caution: {caution}" for caution in self.cautions)])

    def add(self, *findings: str, cautions: tuple[str, ...] = ()) -> Verdict:
        """The same with more sentences after the others; empty ones are left out.

        Parameters
        ----------
        *findings : str
        cautions : tuple of str, default=()
        """
        return replace(
            self,
            findings=(*self.findings, *filter(None, findings)),
            cautions=(*self.cautions, *map(sentence, filter(None, cautions))),
        )


def verdict_on(result: SetsFound) -> Verdict:
    """The verdict on sets that were found, without a look at predictions."""
    in_turn = result.parameters.get("n_alternatives") == "max" and result.n_sets_bound is None
    findings = [
        _best(result),
        _beside_existing(result),
        *_alternatives(result),
        _groups(result),
        about_largest(result),
        # Why there are no more.
        result.reason if in_turn and result.sets else "",
        _proven(result),
    ]
    cautions = [
        _missing(result),
        CUT_SHORT.get(result.stop_reason, ""),
        _repeated(result),
        _noise(result),
        _weak_sets(result),
        open_sizes(result),
    ]
    return Verdict(tuple(filter(None, findings))).add(cautions=(*cautions, *result.table_cautions))


def _best(result: SetsFound) -> str:
    """Set 0 by its names; where sets were chosen together, how many there are."""
    if not result.sets:
        return ""
    if _chosen_together(result):
        return f"{len(result.sets)} sets of {_sizes(result)}, chosen together."
    further = "further set" if result.parameters.get("existing") else "set"
    best = f"The best {further}" + ("" if result.statuses[0] is Status.OPTIMAL else " found")
    name = f" ({result.set_names[0]})" if result.set_names else ""
    return f"{best} of {_sizes(result)}{name}: {list_some(result.texts[0], MOST_NAMES, hide_one=False)}."


def _beside_existing(result: SetsFound) -> str:
    """What the best new set is worth beside the best one of those that there are already."""
    known = [value for value in result.existing_qualities if math.isfinite(value)]
    if not known or not result.sets:
        return ""
    before, value = max(known), max(result.qualities)
    who = "The strongest" if _chosen_together(result) else "Set 0"
    which = "the existing set" if len(result.existing_qualities) == 1 else "the best existing set"
    if value == before:
        return f"{who} scores as high as {which}."
    if value > before:
        return f"{who} scores higher than {which}: {value:.4g}, where that has {before:.4g}."
    if value <= 0:
        return f"{who} scores {value:.4g}, where {which} has {before:.4g}."
    return f"{who} keeps {percent(value / before)} of the score of {which}."


def _alternatives(result: SetsFound) -> list[str]:
    """What each other set costs, and which features it has instead of those of set 0."""
    n_sets = len(result.sets)
    if n_sets < 2:
        return []
    if _chosen_together(result) or n_sets - 1 > MOST_LINES:
        return [_range(result)]
    return [
        sentence(f"{result.label(number)} {_cost(result, number)}{_instead(result, number)}")
        for number in range(1, n_sets)
    ]


def _groups(result: SetsFound) -> str:
    """Whether two sets use the same group, where sets differ by groups."""
    what, used = result.compared
    if what == "feature" or len(used) < 2:
        return ""
    most = max(len(set(one) & set(other)) for one, other in combinations(used, 2))
    return f"No two sets share more than {counted(most, what)}." if most else "No group is used by two sets."


def _range(result: SetsFound) -> str:
    """The costs of many sets in one sentence."""
    low, high = min(result.qualities), max(result.qualities)
    if _chosen_together(result):
        if low <= 0:
            return f"Their scores go from {low:.4g} to {high:.4g}."
        name, best = result.compared_with
        if name == "best":
            there = "there is" if result.statuses[0] is Status.OPTIMAL else "that is known"
            shares = " to ".join(dict.fromkeys(percent(value / best) for value in (low, high)))
            return f"They have {shares} of the best score {there}, {best:.4g}."
        return f"The weakest has {percent(low / high)} of the score of the strongest."
    if low <= 0:
        low, high = min(result.qualities[1:]), max(result.qualities[1:])
        return f"Sets 1 to {len(result.sets) - 1} score {low:.4g} to {high:.4g}."
    worst, best = (f(result.qualities[1:]) / result.qualities[0] for f in (min, max))
    return f"Sets 1 to {len(result.sets) - 1} keep {percent(worst)} to {percent(best)} of set 0's score."


def _cost(result: SetsFound, number: int) -> str:
    best, value = result.qualities[0], result.qualities[number]
    if set(result.sets[number]) == set(result.sets[0]):
        return "is the same as set 0"
    if value == best:
        return "scores as high as set 0"
    if best <= 0:
        return f"scores {best - value:.3g} less than set 0"
    if value <= 0:
        return f"scores {value:.3g}, where set 0 scores {best:.3g}"
    return f"keeps {percent(value / best)} of set 0's score"


def _instead(result: SetsFound, number: int) -> str:
    """Which features a set has in place of which of set 0."""
    first, other = result.texts[0], result.texts[number]
    new = [name for name in other if name not in first]
    gone = [name for name in first if name not in other]
    if not new:
        return f", without {_names(gone)}" if gone else ""
    return f", with {_names(new)}" + (f" instead of {_names(gone)}" if gone else " in addition")


def _names(names: list[str]) -> str:
    return list_some(names, MOST_NAMES, last="and", hide_one=False)


def about_largest(result: SetsFound) -> str:
    """What is proven about the largest tau, or the largest number of sets, where one was requested."""
    n_sets, in_turn = len(result.sets), result.parameters.get("search") == "sequential"
    if result.tau_found is not None and result.tau_bound is not None:
        tau, bound = f"tau = {result.tau_found:.4g}", f"{result.tau_bound:.4g}"
        differ = plural(n_sets, "The set differs", "The sets differ") + f" by {tau} or more"
        if result.tau_bound > result.tau_found:
            return f"{differ}; a larger tau, up to {bound}, is not ruled out."
        given = ", given the sets before each" if in_turn and n_sets > 1 else ""
        return f"{differ}; proven: no larger tau is possible{given}."
    if result.n_sets_bound is not None and n_sets:
        found = f"{counted(n_sets, 'set')} {plural(n_sets, 'was', 'were')} found"
        if result.n_sets_bound == n_sets:
            return f"{found}; proven: there are no more."
        if math.isinf(result.n_sets_bound):
            return f"{found}; how many there are is not known."
        return f"{found}; up to {result.n_sets_bound:,.0f} are not ruled out."
    return ""


def _proven(result: SetsFound) -> str:
    """What no other sets can do; or how much better others could be."""
    n_sets = len(result.sets)
    if not n_sets:
        return _nothing(result)
    proven = result.statuses[:n_sets].count(Status.OPTIMAL)
    if proven == n_sets:
        return f"Proven: {_claim(result)}."
    if math.isinf(result.bound):
        return "Nothing is proven: better sets may exist."
    of_all = plural(n_sets, "the best set", "the best sets together")
    if result.shortlist is not None and any(result.shortlist.lengths):
        whole = f"of the whole table, {of_all} could score up to {_by_how_much(result)} higher"
        return f"{_best_of_shortlist(result.shortlist, n_sets)}; {whole}."
    some = f"Proven for {proven} of {n_sets} sets only" if proven else "Not proven"
    return f"{some}: {of_all} could score up to {_by_how_much(result)} higher."


def _best_of_shortlist(shortlist: Shortlist, n_sets: int) -> str:
    """Among how many features of a wide table sets are proven to be the best."""
    lengths = [length for length in shortlist.lengths if length]
    who = (
        plural(n_sets, "the set is", "each set is")
        if len(lengths) == n_sets
        else f"{len(lengths)} of {n_sets} sets are"
    )
    return f"Proven: {who} the best among the {min(lengths):,} most promising of {shortlist.n_features:,} features"


def _nothing(result: SetsFound) -> str:
    """Why there is no set at all."""
    if result.status is Status.INFEASIBLE:
        return " ".join(filter(None, ["Proven: the request has no solution.", result.reason]))
    return " ".join(filter(None, ["No set was found; whether one exists is not known.", result.reason]))


def _claim(result: SetsFound) -> str:
    n_sets, sizes, kinds, asked = len(result.sets), _sizes(result), _kinds(result), result.parameters
    under, above_noise = bool(kinds - {"size", "above_noise", "spread"}), "above_noise" in kinds
    pays = bool(asked.get("overlap_penalty"))
    if _chosen_together(result):
        goal = GOALS["penalty" if pays else str(asked.get("aggregation", "sum"))]
        that = " meet all conditions," if under or above_noise else ""
        return f"no {n_sets} sets of {sizes}{that}{_limits_of(result)} are this different and have {goal}"
    clauses = {
        "meets all conditions": under,
        "has only features above the noise floor": above_noise,
        "differs enough from the existing sets": asked.get("existing"),
    }
    that = " and ".join(clause for clause, holds in clauses.items() if holds)
    paid = ", less what it pays for features of existing sets" if pays and asked.get("existing") else ""
    first = f"no set of {sizes}{f' that {that}' if that else ''} scores higher"
    if n_sets == 1:
        return first + paid
    such = " such set" if that else ""
    if n_sets == 2 and not pays:
        return f"{first} than set 0, and {f'no{such}' if such else 'none'} this different from it higher than set 1"
    average = " on average" if asked.get("difference") == "average" else ""
    others, them, it = (
        ("set 1", "set 0", "it") if n_sets == 2 else ("each other set", "the sets before it", "them")
    )
    shared = f", less what it pays for features that it shares with {it}" if pays else ""
    best = f"{others} is the best{such} that is this different{average} from {them}{shared}"
    return f"{first} than set 0{paid}, and {best}"


def _kinds(result: SetsFound) -> set[str]:
    """The constraints that sets had to meet."""
    return {entry.get("kind") for entry in result.parameters.get("constraints") or ()}


def _limits_of(result: SetsFound) -> str:
    """Limits on qualities, in words."""
    asked = result.parameters
    # As given or as it follows from the best set.
    least = asked.get("quality_needed", asked.get("min_quality"))
    spreads = [one["limit"] for one in asked.get("constraints") or () if one.get("kind") == "spread"]
    words = [] if least is None else [f"score at least {least:.4g} each"]
    words += [f"score within {min(spreads):.4g} of each other"] if spreads else []
    return f" {' and '.join(words)}," if words else ""


def _by_how_much(result: SetsFound) -> str:
    share = result.gap / result.objective if result.objective > 0 else math.inf
    return f"{100 * share:.2g} %" if share < 10 else f"{result.gap:.3g}"


def _missing(result: SetsFound) -> str:
    """Sets that were asked for and not found."""
    found, asked = len(result.sets), len(result.statuses)
    if found == asked or not found:
        return ""
    proven = result.status is Status.INFEASIBLE
    more = "there are proven to be no more" if proven else "whether more exist is not known"
    if proven and result.parameters.get("search") == "sequential":
        more = f"{plural(found, 'it is', 'these are')} proven to leave no other"
    only = f"only {found} of {asked} sets {plural(found, 'was', 'were')} found; {more}."
    return " ".join(filter(None, [only, result.reason]))


def _repeated(result: SetsFound) -> str:
    """A warning if the largest tau is 0, because sets that are good enough are too few."""
    if result.tau_found != 0 or result.tau_bound != 0:
        return ""
    known = [*map(tuple, result.parameters.get("existing") or ()), *result.sets]
    if len(set(known)) == len(known):
        return ""
    within = result.parameters.get("within") is not None
    change = f"raise {parameter('within')}" if within else f"lower {parameter('min_quality')}"
    return f"some sets are the same, as too few sets are good enough; {change}."


def _noise(result: SetsFound) -> str:
    """A warning if most features of all sets, or of some, may be there by chance."""
    weak = [goods.count(False) for goods in result.above_noise]
    remedy = _against_noise(result)
    n_features = sum(map(len, result.above_noise))
    if weak and sum(weak) >= MOSTLY * n_features:
        return (
            f"{sum(weak)} of {n_features} features in the sets do not score above the noise floor; features that say "
            f"nothing may score as high by chance, and {remedy}."
        )
    mostly = [number for number, goods in enumerate(result.above_noise) if weak[number] > MOSTLY * len(goods)]
    if not mostly:
        return ""
    return f"most features of {_numbered(mostly)} do not score above the noise floor; {remedy}."


def _against_noise(result: SetsFound) -> str:
    """What helps against features that are not above the noise floor."""
    n_above = result.n_above_noise
    if n_above is None:
        return f"{parameter('AboveNoise')} leaves them out"
    if not n_above:
        return "no feature does better, which only more rows may change"
    smaller = "smaller sets" if "size" in _kinds(result) else parameter("n_features", n_above)
    do_better = f"{counted(n_above, 'feature')} {plural(n_above, 'does', 'do')} better"
    return f"only {do_better}, so ask for {smaller} or use more rows"


def _weak_sets(result: SetsFound) -> str:
    """A warning of sets that are hardly alternatives."""
    if not result.sets or result.qualities[0] <= 0 or _chosen_together(result):
        return ""
    weak = [number for number, value in enumerate(result.qualities) if value < TINY * result.qualities[0]]
    if not weak:
        return ""
    keep = plural(len(weak), "keeps", "keep")
    return (
        f"{_numbered(weak)} {keep} less than {percent(TINY)} of set 0's score, too little for an alternative; ask for "
        f"fewer sets, or for less difference ({parameter('tau')})."
    )


def _numbered(numbers: list[int]) -> str:
    listed = list_some([str(number) for number in numbers], last="and")
    return f"{plural(len(numbers), 'set', 'sets')} {listed}"


def open_sizes(result: SetsFound) -> str:
    """What open sizes mean to a quality that is a sum, and to one that is a mean."""
    smallest, largest = result.parameters.get("sizes", (0, 0))
    chooses_groups = result.request is not None and result.request.unit == "group"
    if not result.sets or smallest >= largest or chooses_groups:
        return ""
    if not result.parameters.get("size_normalised", True):
        return (
            f"Sets may have {smallest} to {largest} features and their quality is a sum, which grows with the size: "
            "where scores are positive, larger sets win."
        )
    single = sum(len(chosen) == 1 for chosen in result.sets)
    if 2 * single < len(result.sets):
        return ""
    return (
        f"Sets may have {smallest} to {largest} features and {single} of {len(result.sets)} have "
        f"a single one: a quality that is a mean is highest for the best feature alone, "
        "so ask for a larger minimum size."
    )


def _sizes(result: SetsFound) -> str:
    asked = result.parameters
    known = asked.get("sizes") or [asked.get("n_features") or len(result.sets[0])]
    smallest, largest = min(known), max(known)
    return counted(largest, "feature") if smallest == largest else f"{smallest} to {largest} features"


def _chosen_together(result: SetsFound) -> bool:
    return len(result.sets) > 1 and result.parameters.get("search") in ("simultaneous", "greedy-balancing")
