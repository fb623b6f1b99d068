"""The options of all commands, each declared once, as a field of :class:`Given`; ``n_features`` is ``--n-features``.

Fields stand in groups, in the order of the help. A command names its groups, and says which options it does not have or
describes otherwise; ``commands.with_options`` makes of them what typer reads.
"""

# The calls in dataclass defaults are dataclasses.field underneath.
# ruff: noqa: RUF009

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import typer

from altsets.constraints import KINDS, Constraint, Forbid
from altsets.documents import TABLE

# --- Values -------------------------------------------------------------------------------------------


def _number(kind: Callable[[str], Any], text: str, what: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not {what}") from None


def whole_number(text: str) -> int:
    """Parse a whole number."""
    return int(_number(int, text, "a whole number"))


def number(text: str) -> float:
    """Parse a number."""
    return float(_number(float, text, "a number"))


def count(text: str) -> Any:
    """Parse a number of sets, or ``max``."""
    return text if text == "max" else _number(int, text, "a whole number, or max")


def share(text: str) -> float:
    """Parse a share as a number or in percent: 0.05, 5%."""
    given = _number(float, text.removesuffix("%"), "a share such as 0.05 or 5%")
    if text.endswith("%"):
        return float(given / 100)
    if given > 1:
        raise typer.BadParameter(f"{text!r} is more than all of it; write {text}% if you mean percent")
    return float(given)


def size(text: str) -> Any:
    """Parse a number of features, or a share of them: 5, 0.1, 10%."""
    return share(text) if "%" in text or "." in text else _number(int, text, "a whole number, or a share")


#: How values of a type are called in the help and parsed, unless the option says otherwise.
FORMS: dict[Any, dict[str, Any]] = {
    bool: {},
    int: {"metavar": "N", "parser": whole_number},
    float: {"metavar": "X", "parser": number},
    str: {"metavar": "NAME"},
    list[str]: {"metavar": "COL[,COL]"},
}


def option(
    help: str,
    *short: str,
    metavar: str | None = None,
    parser: Any = None,
    default: Any = None,
    python: str = "",
    group: str = "",
    is_argument: bool = False,
) -> Any:
    """An option; one with a ``group`` begins it. ``python`` is its parameter, if called otherwise."""
    said = {"help": help} | ({"metavar": metavar} if metavar else {}) | ({"parser": parser} if parser else {})
    more = {"short": short, "said": said, "python": python, "group": group, "is_argument": is_argument}
    return dataclasses.field(default=default, metadata=more)


def flag(help: str, *, group: str = "") -> Any:
    """An option that takes no value."""
    return option(help, default=False, group=group)


# --- All options --------------------------------------------------------------------------------------


def field_name(kind: type[Constraint]) -> str:
    """The field that has the texts of a constraint's option."""
    return kind.option.flag.removeprefix("--").replace("-", "_")


def _constraint_fields() -> list[tuple[str, Any, Any]]:
    """--existing, an option for each kind of constraint, and --proxies beside --forbid."""
    existing = option(
        "A set that every new set must differ from, or a file of sets: what find --json has printed, or a text file "
        "with COL[,COL] in each line. May be repeated.",
        group="conditions",
    )
    proxies = option(
        "With --forbid: also rule out features that predict a forbidden one with LIMIT or more, such as 0.8, "
        "by symmetrical_uncertainty (the default), uncertainty_coefficient, spearman or pearson.",
        metavar="LIMIT[:MEASURE]",
    )
    fields: list[tuple[str, Any, Any]] = [("existing", list[str] | None, existing)]
    for kind in KINDS:
        said = kind.option
        more = "" if len(fields) > 1 else " This and the other conditions may be repeated."
        how = option(said.help + more, metavar=said.metavar, default=None if said.metavar else False)
        fields.append((field_name(kind), list[str] | None if said.metavar else bool, how))
        if kind is Forbid:
            fields.append(("proxies", str | None, proxies))
    return fields


Described = Mapping[str, Mapping[str, Any]]
#: Of commands that take no conditions on all sets together: their help does not show them, and who asks is told.
NOT_OF_ALL_SETS: Described = {
    field_name(kind): {"hidden": True} for kind in KINDS if kind.joint_rules is not Constraint.joint_rules
}

_OfConstraints: Any = dataclasses.make_dataclass("_OfConstraints", _constraint_fields(), frozen=True)


@dataclass(frozen=True)
class Given(_OfConstraints):  # type: ignore[misc]
    """The options that a user gave; those that a command does not have keep their defaults."""

    table: str | None = option(
        "CSV (also gzipped), Parquet file or folder, Excel workbook, .gct or .h5ad (AnnData) file; - for standard "
        "input. Numeric and text columns; missing values allowed.",
        metavar=TABLE,
        group="table",
        is_argument=True,
    )
    target: str | None = option("The column to predict, or several.", "-t", metavar="COLUMN[,COLUMN]")
    time: str | None = option(
        "Survival: the times until the event, or until a row was last seen.", metavar="COLUMN"
    )
    event: str | None = option(
        "Survival: 1, or VALUE as in status=dead, where it happened.", metavar="COLUMN[=VALUE]"
    )
    no_target: bool = flag(
        "There is nothing to predict: sets that keep as much of the table as possible (linear_fit)."
    )

    n_features: Any = option(
        "Features in each set, or a share: 10%. [default: 5; embedded: the model's choice]",
        "-k",
        metavar="N",
        parser=size,
        group="sets",
    )
    n_alternatives: Any = option(
        "Sets to find besides the first one; max: as many as there are (time limit: 300 s).",
        "-a",
        metavar="N|max",
        parser=count,
        default=3,
    )
    tau: str | None = option(
        "How different sets must be: 0 = may be equal, 1 = no shared features; max: as different as possible --within "
        "a share of the best quality. [default: 0.5]",
        metavar="0..1|max",
    )

    by: str = option(
        "Axis of the curve: tau, penalty (the price of a shared feature) or balance (the sum of the qualities and the "
        "worst of them). The last two are for simultaneous sets of one size and number.",
        default="tau",
        group="curve",
    )
    costs: str | None = option(
        "Instead of --by: quality against what features cost. The file has the columns feature and cost; other "
        "features cost nothing.",
        metavar="FILE.csv",
        python="against",
    )

    sets: str | None = option(
        "The sets: what find --json has printed, or a text file with COL[,COL] in each line. [required]",
        metavar="FILE",
        group="given_sets",
    )

    dissimilarity: str | None = option(
        "What --tau refers to: dice, jaccard, groups (those of --feature-groups or --feature-groups-by) or, with find "
        "and export-model, absolute (--tau is the number of features in which two sets must differ). [default: dice]",
        group="differing",
    )
    distinct: str | None = option(
        "Instead of --dissimilarity: treat features that are this similar as the same when comparing sets: 0.9, or "
        "0.9:pearson (also symmetrical_uncertainty). [default measure: spearman]",
        metavar="0..1[:MEASURE]",
    )
    feature_groups: str | None = option(
        "Groups of features: for --dissimilarity groups, for --budget and --total-budget, which pay for a group once, "
        "and for @NAME. The file has the columns feature and group; a feature that is not listed is a group of its "
        "own.",
        metavar="FILE.csv",
    )
    unit: str | None = option(
        "What sets are made of: feature, or group: features of a group of --feature-groups are chosen together, and "
        "-k and --tau count groups. [default: feature]",
        metavar="feature|group",
    )
    feature_groups_by: str | None = option(
        "Like --feature-groups, with the group taken from the feature's name, up to TEXT: __ for temp__mean.",
        metavar="TEXT",
    )

    quality: str | None = option(
        "What a good set is. The sum of its features' scores: mutual_info, f, pearson, spearman, chi2, "
        "symmetrical_uncertainty, relief, importance, permutation or shap; for survival concordance, cox or logrank. "
        "Features that say much about the target and little about each other: mrmr, fcbf or cfs. What a linear model "
        "explains: linear_fit. How well a model predicts (not for export-model): wrapper or, only for find and "
        "explore, embedded, which chooses features itself. [default: mutual_info; for survival concordance]",
        group="quality",
    )
    adjust: str | None = option(
        "Covariates, such as age,sex,batch: no set has them, and scores are adjusted for them; models that predict get "
        "them as well. For mutual_info, f, pearson, spearman, cox, linear_fit, and mrmr, fcbf and cfs with these "
        "measures.",
        metavar="COLUMNS",
    )
    criterion: str | None = option(
        "How linear_fit compares sets of different sizes (--size), for numeric targets: bic, aic or adjusted_r2."
    )
    measure: str | None = option(
        "What mrmr, fcbf and cfs measure with: mutual_info, pearson, spearman, symmetrical_uncertainty or concordance. "
        "[default: pearson for cfs, else mutual_info]"
    )
    combine: str | None = option(
        "Scores for several targets: mean, max, sets, or weights.", metavar="NAME|W,W"
    )

    estimator: str | None = option(
        "The model that scores sets, and that importance, permutation, shap, wrapper and embedded use: tree, forest, "
        "boosting, linear, neighbors, svm, or a class by its full name. [default: tree]",
        group="model",
    )
    scoring: str | None = option(
        "How predictions are scored: scikit-learn scorers; permutation, wrapper and embedded take one. [default: "
        "matthews_corrcoef, or r2 for numeric targets]",
        metavar="NAME[,NAME]",
    )
    positive: str | None = option(
        "The class that precision, recall, f1 and the like are about. [default: 1 or true, else the last label]",
        metavar="LABEL",
        python="pos_label",
    )
    class_weight: str | None = option(
        "balanced: give all classes the same weight when fitting, regardless of their number of rows.",
        metavar="balanced",
    )

    save_scores: str | None = option(
        "Also save the feature scores to a new file.", metavar="FILE.csv", group="scoring"
    )
    scores: str | None = option(
        "Take the scores from a file instead of computing them. It has the columns feature and score; for mrmr, fcbf "
        "and cfs also 'with NAME' for each feature. TABLE and --target may then be left out.",
        metavar="FILE.csv",
    )
    task: str = option("What the target holds: classification, regression, survival or auto.", default="auto")

    search: str = option(
        "sequential (each set the best given those before it), simultaneous (all together), or one of the "
        "heuristics greedy-replacement, greedy-balancing, greedy-depth.",
        default="sequential",
        group="definition",
    )
    aggregation: str = option(
        "What simultaneous sets maximise: sum or min of their qualities, or leximin (only find).",
        default="sum",
    )
    difference: str = option(
        "Whether a set must differ by --tau from each set before it, or from all of them on average (sequential): "
        "each or average.",
        default="each",
    )
    overlap_penalty: float = option(
        "What each feature that two sets share costs, in units of quality; without --tau, sets need not differ "
        "otherwise.",
        default=0.0,
    )

    within: float | None = option(
        "By what part of the best quality a set may fall short of it: 5% or 0.05. Sets in turn end with the first one "
        "that is not good enough.",
        metavar="SHARE",
        parser=share,
        group="nearness",
    )
    min_quality: float | None = option("Instead of --within: the least quality of every set.")

    columns: list[str] | None = option(
        "Read only these columns as features: names, patterns such as 'S004_*', or @FILE with names; may be repeated.",
        group="columns",
    )
    drop: list[str] | None = option("Columns to leave out; may be repeated.")
    categorical: list[str] | None = option(
        "Columns to treat as categories, such as numeric codes; text always is. May be repeated."
    )
    drop_missing_target: bool = flag("Leave out rows without a value in the target column.")
    drop_unusable: bool = flag("Leave out columns that cannot be used, such as dates, and list them.")
    encoding: str | None = option("The encoding of text files that are not UTF-8, such as latin-1 or cp1252.")
    decimal: str | None = option(
        "The decimal sign in text files: , for numbers such as 1,5. Fields are then separated by semicolons "
        "or tabs. [default: .]",
        metavar="SIGN",
    )
    sheet: str | None = option("The sheet of an Excel workbook. [default: the first one]")
    transpose: bool = flag("Features are in rows, such as genes; one of the rows is the target.")
    layer: str | None = option("The layer of an AnnData file. [default: X]")
    raw: bool = flag("The raw matrix of an AnnData file, with its genes.")
    max_memory: str | None = option(
        "The most memory that a table may take, such as 2GB: larger Parquet is read in passes. [default: a quarter of "
        "the machine]",
        metavar="SIZE",
    )

    show: int | None = option("How many of the best sets to print. [default: 5]", group="show")

    engine: str = option(
        "Search engine; auto picks one. The others: additive, enumerate, milp, greedy; for wrapper exhaustive, "
        "local-search, greedy-wrapper; for embedded exhaustive, best-first.",
        default="auto",
        group="limits",
    )
    max_iters: int | None = option(
        "For wrapper and embedded: how many sets to try, for each set or for all simultaneous ones. [default: 1000]"
    )
    time_limit: float | None = option(
        "Time limit for scoring and search. [default: 60 s per set, after scoring]",
        metavar="SECONDS",
    )

    evaluate: bool = flag(
        "Also cross-validate: in each fold, search on the training rows, fit a model to each set, and score "
        "it on the test rows.",
        group="evaluation",
    )
    cv: str | None = option(
        "How rows are split: 5 (shuffled folds), or time:5 (each fold predicts rows from those above them). "
        "[default: 5]",
        metavar="N",
    )
    cv_groups: str | None = option(
        "Rows with the same value in COLUMN stay together, and COLUMN is no feature.",
        metavar="COLUMN",
        python="groups",
    )
    n_repeats: int | None = option(
        "How often to split the rows into folds, each time shuffled anew. [default: 5 if rows x columns x sets are at "
        "most 1,000,000, else 1]"
    )
    margin: float | None = option(
        "Score differences up to this are negligible. [default: 0.02 where 1 is the best score]"
    )
    bootstraps: int | None = option(
        "With --evaluate: also search on N bootstrap samples, to see how stable the sets are.",
        python="n_bootstraps",
    )
    jobs: int | None = option("Folds to run in parallel; -1: one per processor.", python="n_jobs")

    what_if: bool = flag(
        "Also search for the best set without each feature of set 0 or, with --feature-groups, without each of its "
        "groups. These searches together have the time limit once more.",
        group="losses",
    )
    lost: list[str] | None = option(
        "What if these fail instead: features, each on its own, and @NAME for a whole group of --feature-groups; may "
        "be repeated."
    )

    output: str | None = option(
        "Also write the answer to a new file: .csv or .parquet (a row for each set and feature), or .json.",
        metavar="FILE",
        group="output",
    )
    report: str | None = option("Also write a self-contained HTML report.", metavar="FILE.html")
    force: bool = flag("Replace files that are already there.")
    again: str | None = option(
        "Repeat the request of a saved answer (--json or --output) and say whether the answer is the same. Only TABLE, "
        "--json and options of that request may be given with it. Exit status: 0 = same, 1 = not.",
        metavar="FILE.json",
    )
    json: bool = flag("Print one JSON document, nothing else.")
    details: bool = flag("Also print bound, gap, engine and proof.")

    model_file: str = option(
        "The new file, .mps or .lp.", metavar="FILE", default="model.mps", python="path", group="export"
    )

    save_table: str | None = option(
        "Also write the table of the demo to a new file.", metavar="FILE.csv", group="demo"
    )

    port: int = option(
        "The port of the page on this machine; 0: any that is free.", default=0, group="explore"
    )
    no_browser: bool = flag("Print the address only; open no browser.")

    def of(self, *groups: str) -> dict[str, Any]:
        """The options of some groups by name."""
        return {one.name: getattr(self, one.name) for group in groups for one in GROUPS[group]}


def _grouped() -> dict[str, list[Any]]:
    """The fields of each group."""
    groups: dict[str, list[Any]] = {}
    group = ""
    for one in dataclasses.fields(Given):
        group = one.metadata["group"] or group
        groups.setdefault(group, []).append(one)
    return groups


GROUPS = _grouped()
#: The groups under each heading of the help.
HEADINGS = {
    "Table": ("table", "columns"),
    "Sets": ("sets", "curve", "given_sets", "definition", "nearness"),
    "Difference": ("differing",),
    "Quality": ("quality", "scoring"),
    "Conditions": ("conditions",),
    "Prediction": ("model", "evaluation"),
    "Losses": ("losses",),
    "Output": ("show", "output", "demo"),
    "Model": ("export",),
    "Limits": ("limits",),
    "Page": ("explore",),
}


def flag_of(name: str) -> str:
    """The option of a field."""
    return f"--{name.replace('_', '-')}"


# --- Parameters of Python as options, for messages ----------------------------------------------------

#: What the help calls the parts of options on constraints.
PARTS = {
    "most": "N",
    "least": "N",
    "k_min": "MIN",
    "k_max": "MAX",
    "limit": "LIMIT",
    "lower": "LOWER",
    "upper": "UPPER",
}
#: What stands for each parameter and constraint of Python.
FLAGS = {
    name: TABLE if one.metadata["is_argument"] else flag_of(one.name)
    for one in dataclasses.fields(Given)
    for name in (one.name, one.metadata["python"])
    if name
}
FLAGS |= PARTS | {kind.__name__: kind.option.flag for kind in KINDS}


def as_option(name: str, value: Any = True) -> str:
    """A parameter as it is typed: ``--drop-missing-target``, ``--tau 0.5``, ``--drop "the date"``."""
    flag = FLAGS.get(name, name)
    if value is True:
        return flag
    values = value if isinstance(value, list | tuple) else [value]
    if not all(isinstance(one, str | numbers.Real) for one in values):
        return flag
    return f"{flag}{' = ' if name in PARTS else ' '}{','.join(map(_typed, values))}"


def _typed(value: Any) -> str:
    """A name or number as an option takes it."""
    text = str(value).removesuffix(".0") if isinstance(value, float) else str(value)
    return f'"{text}"' if any(char.isspace() or char in ",\"'" for char in text) and len(text) > 1 else text
