"""The options of the commands: each described once, and what those on features and sets hold.

A name with a comma (or a colon, where one divides) stands in double quotes, as in a CSV file.
"""

from __future__ import annotations

import csv
import itertools
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence

import typer

from altsets import constraints
from altsets.constraints import Constraint
from altsets.errors import InputError
from altsets.features import FeatureNames, unknown_features

__all__ = ["constraints_from", "features_in", "names_in"]


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a whole number") from None


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not seconds > 0:
        raise typer.BadParameter(f"{text!r} is not a positive number of seconds")
    return seconds


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number") from None


TableFile = typer.Argument(
    metavar="TABLE",
    help="CSV file (also gzipped) or Parquet file: numbers and text, also with holes.",
    show_default=False,
)
Target = typer.Option("--target", "-t", metavar="COLUMN", help="What to predict.")
Json = typer.Option("--json", help="Print one JSON document, nothing else.")
NumberOfFeatures = typer.Option(
    "--n-features", "-k", parser=_whole_number, metavar="N", help="Features in each set. [default: 5]"
)
Alternatives = typer.Option(
    "--n-alternatives", "-a", parser=_whole_number, metavar="N", help="Sets to find besides the first one."
)
Tau = typer.Option(
    "--tau",
    metavar="0..1",
    help="Least dissimilarity of two sets; 1: they share no feature. [default: 0.5]",
)
MinDifference = typer.Option(
    "--min-difference",
    parser=_whole_number,
    metavar="N",
    help="Instead of --tau: in how many features two sets must differ.",
)
Dissimilarity = typer.Option("--dissimilarity", metavar="NAME", help="What --tau refers to: dice or jaccard.")
Quality = typer.Option(
    "--quality",
    metavar="NAME",
    help="What a good set is. The sum of its features' scores: mutual_info, f, pearson, spearman, chi2, "
    "symmetrical_uncertainty, relief, importance, permutation or shap. Features that say much about the target and "
    "little about each other: mrmr, fcbf or cfs. How well a model predicts: wrapper.",
)
Measure = typer.Option(
    "--measure",
    metavar="NAME",
    help="What mrmr, fcbf and cfs measure with: mutual_info, pearson, spearman or symmetrical_uncertainty. [default: "
    "pearson for cfs, else mutual_info]",
)
Estimator = typer.Option(
    "--estimator",
    metavar="NAME",
    help="The model behind importance, permutation, shap and wrapper, and with --evaluate the one that judges the "
    "sets: tree, forest, boosting, linear, neighbors, svm, or a class by its full name. [default: tree]",
)
Scoring = typer.Option(
    "--scoring",
    metavar="NAME",
    help="How permutation and wrapper, and --evaluate, judge predictions: a scorer of scikit-learn. [default: "
    "matthews_corrcoef, or r2 for amounts]",
)
SaveScores = typer.Option(
    "--save-scores", metavar="FILE.csv", help="Also write the scores of the features to a new file."
)
UseScores = typer.Option(
    "--scores",
    metavar="FILE.csv",
    help="Take the scores from such a file instead of computing them; TABLE and --target may then be left out.",
)
MaxIters = typer.Option(
    "--max-iters",
    parser=_whole_number,
    metavar="N",
    help="For wrapper: how many feature sets to try, for each set or for all simultaneous ones. [default: 1000]",
)
Task = typer.Option(
    "--task", metavar="NAME", help="What the target holds: classification, regression or auto."
)
Search = typer.Option(
    "--search",
    metavar="NAME",
    help="sequential (each set the best given those before it), simultaneous (all sets together), or a "
    "heuristic: greedy-replacement, greedy-balancing or greedy-depth.",
)
Aggregation = typer.Option(
    "--aggregation", metavar="NAME", help="What simultaneous sets maximise: sum or min of their qualities."
)
Drop = typer.Option("--drop", metavar="COL[,COL]", help="Columns to leave out; may be repeated.")
Categorical = typer.Option(
    "--categorical",
    metavar="COL[,COL]",
    help="Columns that are categories whatever they hold, such as codes; may be repeated. Text always is.",
)
Existing = typer.Option(
    "--existing", metavar="COL[,COL]", help="A set that every new set must differ from; may be repeated."
)
Require = typer.Option(
    "--require",
    metavar="COL[,COL]",
    help="Features that every set has. This and what follows, down to --size, may be repeated.",
)
Forbid = typer.Option("--forbid", metavar="COL[,COL]", help="Features that no set has.")
AtMost = typer.Option(
    "--at-most",
    metavar="N:GROUP",
    help="A set has at most N features of a group: COL[,COL] or a text file with one column per line.",
)
AtLeast = typer.Option(
    "--at-least", metavar="N:GROUP", help="A set has at least N features of a group, given as above."
)
Exclusive = typer.Option(
    "--exclusive", metavar="GROUP", help="A set has at most one feature of a group, given as above."
)
Implies = typer.Option(
    "--implies", metavar="COL:COL", help="A set with the first feature has the second too."
)
Budget = typer.Option(
    "--budget",
    metavar="LIMIT:FILE.csv",
    help="The features of a set cost at most LIMIT together. The file has two columns, feature and cost; what it "
    "does not name costs nothing.",
)
Size = typer.Option(
    "--size",
    metavar="MIN:MAX",
    help="Instead of -k: sets of MIN to MAX features. Where scores are added up, larger sets tend to win.",
)
Engine = typer.Option(
    "--engine",
    metavar="NAME",
    help="Who searches: additive, enumerate, milp or greedy; for wrapper exhaustive, local-search or greedy-wrapper; "
    "or auto (who fits best).",
)
TimeLimit = typer.Option(
    "--time-limit",
    parser=_seconds,
    metavar="SECONDS",
    help="For scores and search. [default: 60 for each set, after scoring]",
)

Evaluate = typer.Option(
    "--evaluate",
    help="Also say how well such sets predict: in each of several folds, search on the training rows and judge on the "
    "test rows.",
)
Folds = typer.Option("--cv", parser=_whole_number, metavar="N", help="The number of folds. [default: 5]")
Margin = typer.Option(
    "--margin",
    parser=_number,
    metavar="X",
    help="Differences in scores up to this do not matter. [default: 0.02 where 1 is the best score]",
)
Bootstraps = typer.Option(
    "--bootstraps",
    parser=_whole_number,
    metavar="N",
    help="With --evaluate: also search on N bootstrap samples, to see how stable the sets are.",
)
Jobs = typer.Option(
    "--jobs", parser=_whole_number, metavar="N", help="How many folds at a time; -1: one per processor."
)
Sets = typer.Option(
    "--sets",
    metavar="FILE",
    help="The sets: what find --json has printed, or a text file with COL[,COL] in each line.",
)
Judge = typer.Option(
    "--estimator",
    metavar="NAME",
    help="The model that judges the sets: tree, forest, boosting, linear, neighbors, svm, or a class by its full name. "
    "[default: tree]",
)
JudgeScoring = typer.Option(
    "--scoring",
    metavar="NAME[,NAME]",
    help="How its predictions are judged: scorers of scikit-learn. [default: matthews_corrcoef, or r2 for amounts]",
)


def names_in(options: Sequence[str]) -> list[str]:
    """The names in options such as ``a,b`` or ``"x, y",z``.

    Examples
    --------
    >>> names_in(["a, b", '"x, y",z'])
    ['a', 'b', 'x, y', 'z']
    """
    return [cell for text in options for cell in _cells(text, ",") if cell]


def features_in(option: str, text: str, names: FeatureNames) -> list[int]:
    """The features that an option lists, as indices."""
    return _indices(option, names_in([text]), names)


def constraints_from(names: FeatureNames, given: Mapping[str, Sequence[str] | None]) -> list[Constraint]:
    """The constraints that options ask for: the texts of each option, by its name."""
    return [PARSERS[option](option, text, names) for option, texts in given.items() for text in texts or ()]


def _require(option: str, text: str, names: FeatureNames) -> Constraint:
    return constraints.Require(features_in(option, text, names))


def _forbid(option: str, text: str, names: FeatureNames) -> Constraint:
    return constraints.Forbid(features_in(option, text, names))


def _at_most(option: str, text: str, names: FeatureNames) -> Constraint:
    most, group = _divided(option, text, "N:GROUP")
    return constraints.AtMost(_count(option, most), _group(option, group, names))


def _at_least(option: str, text: str, names: FeatureNames) -> Constraint:
    least, group = _divided(option, text, "N:GROUP")
    return constraints.AtLeast(_count(option, least), _group(option, group, names))


def _exclusive(option: str, text: str, names: FeatureNames) -> Constraint:
    return constraints.Exclusive(_group(option, text, names))


def _implies(option: str, text: str, names: FeatureNames) -> Constraint:
    cells = _cells(text, ":")
    if len(cells) != 2 or not all(cells):
        raise InputError(
            f"{option} {text!r} must have the form COL:COL; a name with a colon stands in double quotes."
        )
    return constraints.Implies(*_indices(option, cells, names))


def _budget(option: str, text: str, names: FeatureNames) -> Constraint:
    limit, path = _divided(option, text, "LIMIT:FILE.csv")
    try:
        most = float(limit)
    except ValueError:
        raise InputError(f"{option} {text!r}: {limit!r} is not a number.") from None
    return constraints.Budget(_costs(path, names), most)


def _size(option: str, text: str, names: FeatureNames) -> Constraint:
    smallest, largest = _divided(option, text, "MIN:MAX")
    return constraints.Size(_count(option, smallest), _count(option, largest))


#: What each option on sets makes of a text.
PARSERS: dict[str, Callable[[str, str, FeatureNames], Constraint]] = {
    "--require": _require,
    "--forbid": _forbid,
    "--at-most": _at_most,
    "--at-least": _at_least,
    "--exclusive": _exclusive,
    "--implies": _implies,
    "--budget": _budget,
    "--size": _size,
}


def _cells(text: str, delimiter: str) -> list[str]:
    try:
        rows = list(csv.reader([text], delimiter=delimiter, skipinitialspace=True))
    except csv.Error as error:
        raise InputError(f"cannot read the names in {text[:100]!r}: {error}.") from None
    return [cell.strip() for row in rows for cell in row]


def _indices(who: str, given: Iterable[str], names: FeatureNames) -> list[int]:
    listed = list(given)
    unknown = [name for name in listed if name not in names]
    if unknown:
        raise unknown_features(who, unknown, names, "give column names, separated by commas.")
    return [names.position(name, who) for name in listed]


def _divided(option: str, text: str, form: str) -> tuple[str, str]:
    first, colon, second = (part.strip() for part in text.partition(":"))
    if not (first and colon and second):
        raise InputError(f"{option} {text!r} must have the form {form}.")
    return first, second


def _count(option: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{option}: {text!r} is not a whole number.") from None


def _group(option: str, text: str, names: FeatureNames) -> list[int]:
    """The features of a group: those that a file lists if there is one, else those that the option lists."""
    if os.path.isfile(text):
        from altsets.tables.files import read_lines

        lines = ([line] if line in names else names_in([line]) for line in read_lines(text))
        return _indices(text, itertools.chain.from_iterable(lines), names)
    listed = names_in([text])
    if len(listed) == 1 and listed[0] not in names:
        otherwise = (
            "there is no such file either; give columns with commas between them, or a file that lists them."
        )
        raise unknown_features(option, listed, names, otherwise)
    return _indices(option, listed, names)


def _costs(path: str, names: FeatureNames) -> dict[str, float]:
    """The cost of each feature in a file with two columns; a first line without a feature is a header."""
    from altsets.tables.files import read_rows

    costs: dict[str, float] = {}
    for position, (line, row) in enumerate(read_rows(path)):
        if len(row) != 2:
            raise InputError(f"{path}, line {line}: give two fields, a feature and its cost, not {len(row)}.")
        name, cost = row
        if name in costs:
            raise InputError(f"{path}, line {line}: {name!r} has a cost already; keep one of the two lines.")
        try:
            costs[name] = float(cost)
        except ValueError:
            if position or name in names:
                raise InputError(f"{path}, line {line}: the cost {cost!r} is not a number.") from None
    _indices(path, costs, names)
    return costs
