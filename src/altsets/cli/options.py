"""The options of all commands, each declared once, as a field of :class:`Given`; ``n_features`` is ``--n-features``.

Fields stand in groups, in the order of the help. A command names its groups, and says which options it does not have or
describes otherwise; ``commands.with_options`` makes of them what typer reads.
"""

# The calls in dataclass defaults are dataclasses.field underneath.
# ruff: noqa: RUF009

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from altsets.cli.values import count, number, seconds, share, size, whole_number
from altsets.constraints import KINDS, Constraint, Forbid
from altsets.documents import TABLE


def option(
    metavar: str | None,
    help: str,
    *short: str,
    parser: Any = None,
    default: Any = None,
    python: str = "",
    group: str = "",
    is_argument: bool = False,
) -> Any:
    """An option; one with a ``group`` begins it. ``python`` is its parameter, if called otherwise."""
    said = {"metavar": metavar, "help": help, "parser": None if is_argument else parser}
    more = {"short": short, "said": said, "python": python, "group": group, "is_argument": is_argument}
    return dataclasses.field(default=default, metadata=more)


def flag(help: str, *, group: str = "") -> Any:
    """An option that takes no value."""
    return option(None, help, default=False, group=group)


# --- What depends on the command ----------------------------------------------------------------------

MODEL = (
    "The model behind importance, permutation{}: tree, forest, boosting, linear, neighbors, svm, or a class by its "
    "full name. [default: tree]"
)
SCORING = (
    "How to score predictions, for permutation{}: a scikit-learn scorer. [default: matthews_corrcoef, or r2 for "
    "numeric targets]"
)
QUALITY = (
    "What a good set is. The sum of its features' scores: mutual_info, f, pearson, spearman, chi2, "
    "symmetrical_uncertainty, relief, importance, permutation or shap; for survival concordance, cox or logrank. "
    "Features that say much about the target and little about each other: mrmr, fcbf or cfs. What a linear model "
    "explains: linear_fit.{} [default: mutual_info; for survival concordance]"
)
ENGINES = "Search engine; auto picks one. The others: additive, enumerate, milp, greedy"
Described = Mapping[str, Mapping[str, Any]]


def _scored_by(models: str, predictions: str) -> dict[str, dict[str, Any]]:
    """The options on the model of a command that scores features or sets with it."""
    scoring = {"metavar": "NAME", "help": SCORING.format(predictions)}
    return {"estimator": {"help": MODEL.format(models)}, "scoring": scoring}


#: Of commands that search, and evaluate sets on request.
SCORING_MODEL = _scored_by(
    ", shap, wrapper and embedded, and with --evaluate the one that scores the sets",
    ", wrapper, embedded and --evaluate",
)
#: Of those that only search.
MODEL_OF_SEARCHES = _scored_by(", shap, wrapper and embedded", ", wrapper and embedded")
#: Without embedded models, which choose the size of sets; and without wrappers, which cannot be bounded.
MODEL_OF_SCORES = _scored_by(", shap and wrapper", " and wrapper") | {
    "quality": {"help": QUALITY.format(" How well a model predicts: wrapper.")}
}
ONLY_SCORES = _scored_by(" and shap", "") | {"quality": {"help": QUALITY.format("")}}
#: Of those that need a share as tau.
SHARES: Described = {
    "dissimilarity": {
        "help": "What --tau refers to: dice, jaccard or groups (those of --feature-groups or --feature-groups-by). "
        "[default: dice]"
    }
}


# --- All options --------------------------------------------------------------------------------------


def field_name(kind: type[Constraint]) -> str:
    """The field that has the texts of a constraint's option."""
    return kind.option.flag.removeprefix("--").replace("-", "_")


def _constraint_fields() -> list[tuple[str, Any, Any]]:
    """--existing, an option for each kind of constraint, and --proxies beside --forbid."""
    existing = option(
        "COL[,COL]",
        "A set that every new set must differ from, or a file of sets: what find --json has printed, or a text file "
        "with COL[,COL] in each line. May be repeated.",
        group="conditions",
    )
    proxies = option(
        "LIMIT[:MEASURE]",
        "With --forbid: also rule out features that predict a forbidden one with LIMIT or more, such as 0.8, "
        "by symmetrical_uncertainty (the default), uncertainty_coefficient, spearman or pearson.",
    )
    fields: list[tuple[str, Any, Any]] = [("existing", list[str] | None, existing)]
    for kind in KINDS:
        said = kind.option
        more = "" if len(fields) > 1 else " This and the other conditions may be repeated."
        how = option(said.metavar or None, said.help + more, default=None if said.metavar else False)
        fields.append((field_name(kind), list[str] | None if said.metavar else bool, how))
        if kind is Forbid:
            fields.append(("proxies", str | None, proxies))
    return fields


#: Of commands that take no conditions on all sets together: their help does not show them, and who asks is told.
NOT_OF_ALL_SETS: Described = {
    field_name(kind): {"hidden": True} for kind in KINDS if kind.joint_rules is not Constraint.joint_rules
}

_OfConstraints: Any = dataclasses.make_dataclass("_OfConstraints", _constraint_fields(), frozen=True)


@dataclass(frozen=True)
class Given(_OfConstraints):  # type: ignore[misc]
    """The options that a user gave; those that a command does not have keep their defaults."""

    # Which table, and what to predict.
    table: str | None = option(
        TABLE,
        "CSV (also gzipped), Parquet file or folder, Excel workbook, .gct or .h5ad (AnnData) file; - for standard "
        "input. Numeric and text columns; missing values allowed.",
        group="table",
        is_argument=True,
    )
    target: str | None = option("COLUMN[,COLUMN]", "The column to predict, or several.", "-t")
    time: str | None = option("COLUMN", "Survival: the times until the event, or until a row was last seen.")
    event: str | None = option(
        "COLUMN[=VALUE]", "Survival: 1, or VALUE as in status=dead, where it happened."
    )
    no_target: bool = flag(
        "There is nothing to predict: sets that keep as much of the table as possible (linear_fit)."
    )
    # How many sets, how large, and how different.
    n_features: Any = option(
        "N",
        "Features in each set, or a share: 10%. [default: 5; embedded: the model's choice]",
        "-k",
        parser=size,
        group="sets",
    )
    n_alternatives: Any = option(
        "N|max",
        "Sets to find besides the first one; max: as many as there are (time limit: 300 s).",
        "-a",
        parser=count,
        default=3,
    )
    tau: str | None = option(
        "0..1|max",
        "How different sets must be: 0 = may be equal, 1 = no shared features; max: as different as possible --within "
        "a share of the best quality. [default: 0.5]",
    )
    # The axis of a curve.
    by: str = option(
        "NAME",
        "Axis of the curve: tau, penalty (the price of a shared feature) or balance (the sum of the qualities and the "
        "worst of them). The last two are for simultaneous sets of one size and number.",
        default="tau",
        group="curve",
    )
    costs: str | None = option(
        "FILE.csv",
        "Instead of --by: quality against what features cost. The file has the columns feature and cost; other "
        "features cost nothing.",
        python="against",
    )
    # The sets to evaluate.
    sets: str | None = option(
        "FILE",
        "The sets: what find --json has printed, or a text file with COL[,COL] in each line. [required]",
        group="given_sets",
    )
    # How sets are compared, and which features belong together.
    dissimilarity: str | None = option(
        "NAME",
        "What --tau refers to: dice, jaccard, absolute (--tau is the number of features in which two sets must "
        "differ) or groups (those of --feature-groups or --feature-groups-by). [default: dice]",
        group="differing",
    )
    distinct: str | None = option(
        "0..1[:MEASURE]",
        "Instead of --dissimilarity: treat features that are this similar as the same when comparing sets: 0.9, or "
        "0.9:pearson (also symmetrical_uncertainty). [default measure: spearman]",
    )
    feature_groups: str | None = option(
        "FILE.csv",
        "Groups of features: for --dissimilarity groups, for --budget and --total-budget, which pay for a group once, "
        "and for @NAME. The file has the columns feature and group; a feature that is not listed is a group of its "
        "own.",
    )
    feature_groups_by: str | None = option(
        "TEXT",
        "Like --feature-groups, with the group taken from the feature's name, up to TEXT: __ for temp__mean, "
        "temp__max.",
    )
    # How the quality of a set is computed.
    quality: str | None = option(
        "NAME",
        QUALITY.format(" How well a model predicts: wrapper; with its own choice: embedded."),
        group="quality",
    )
    criterion: str | None = option(
        "NAME",
        "How linear_fit compares sets of different sizes (--size), for numeric targets: bic, aic or adjusted_r2.",
    )
    measure: str | None = option(
        "NAME",
        "What mrmr, fcbf and cfs measure with: mutual_info, pearson, spearman, symmetrical_uncertainty or concordance. "
        "[default: pearson for cfs, else mutual_info]",
    )
    combine: str | None = option("NAME|W,W", "Scores for several targets: mean, max, sets, or weights.")
    # Which model predicts, and how predictions are scored.
    estimator: str | None = option(
        "NAME",
        "The model used to score the sets: tree, forest, boosting, linear, neighbors, svm, or a class by its "
        "full name. [default: tree]",
        group="model",
    )
    scoring: str | None = option(
        "NAME[,NAME]",
        "How predictions are scored: scikit-learn scorers. [default: matthews_corrcoef, or r2 for numeric "
        "targets]",
    )
    positive: str | None = option(
        "LABEL",
        "The class that precision, recall, f1 and the like are about. [default: 1 or true, else the last "
        "label]",
        python="pos_label",
    )
    class_weight: str | None = option(
        "balanced",
        "balanced: give all classes the same weight when fitting, regardless of their number of rows.",
    )
    # Files of feature scores, and what the target holds.
    save_scores: str | None = option(
        "FILE.csv", "Also save the feature scores to a new file.", group="scoring"
    )
    scores: str | None = option(
        "FILE.csv",
        "Take the scores from a file instead of computing them. It has the columns feature and score; for mrmr, fcbf "
        "and cfs also 'with NAME' for each feature. TABLE and --target may then be left out.",
    )
    task: str = option(
        "NAME", "What the target holds: classification, regression, survival or auto.", default="auto"
    )
    # How sets are searched, and what else is asked of several.
    search: str = option(
        "NAME",
        "sequential (each set the best given those before it), simultaneous (all together), or one of the "
        "heuristics greedy-replacement, greedy-balancing, greedy-depth.",
        default="sequential",
        group="definition",
    )
    aggregation: str = option(
        "NAME",
        "What simultaneous sets maximise: sum or min of their qualities, or leximin (only find).",
        default="sum",
    )
    difference: str = option(
        "NAME",
        "Whether a set must differ by --tau from each set before it, or from all of them on average (sequential): "
        "each or average.",
        default="each",
    )
    overlap_penalty: float = option(
        "X",
        "What each feature that two sets share costs, in units of quality; without --tau, sets need not differ "
        "otherwise.",
        parser=number,
        default=0.0,
    )
    # How much worse than the best sets may be.
    within: float | None = option(
        "SHARE",
        "By what part of the best quality a set may fall short of it: 5% or 0.05. Sets in turn end with the first one "
        "that is not good enough.",
        parser=share,
        group="nearness",
    )
    min_quality: float | None = option(
        "X", "Instead of --within: the least quality of every set.", parser=number
    )
    # Which columns and rows of the table count, and how it is written.
    columns: list[str] | None = option(
        "COL[,COL]",
        "Read only these columns as features: names, patterns such as 'S004_*', or @FILE with names; may be "
        "repeated.",
        group="columns",
    )
    drop: list[str] | None = option("COL[,COL]", "Columns to leave out; may be repeated.")
    categorical: list[str] | None = option(
        "COL[,COL]", "Columns to treat as categories, such as numeric codes; text always is. May be repeated."
    )
    drop_missing_target: bool = flag("Leave out rows without a value in the target column.")
    drop_unusable: bool = flag("Leave out columns that cannot be used, such as dates, and list them.")
    encoding: str | None = option(
        "NAME", "The encoding of text files that are not UTF-8, such as latin-1 or cp1252."
    )
    decimal: str | None = option(
        "SIGN",
        "The decimal sign in text files: , for numbers such as 1,5. Fields are then separated by semicolons "
        "or tabs. [default: .]",
    )
    sheet: str | None = option("NAME", "The sheet of an Excel workbook. [default: the first one]")
    transpose: bool = flag("Features are in rows, such as genes; one of the rows is the target.")
    layer: str | None = option("NAME", "The layer of an AnnData file. [default: X]")
    raw: bool = flag("The raw matrix of an AnnData file, with its genes.")
    max_memory: str | None = option(
        "SIZE",
        "The most memory that a table may take, such as 2GB: larger Parquet is read in passes. [default: a quarter of "
        "the machine]",
    )
    # How much is printed.
    show: int | None = option(
        "N", "How many of the best sets to print. [default: 5]", parser=whole_number, group="show"
    )
    # Which engine searches, and for how long.
    engine: str = option(
        "NAME",
        f"{ENGINES}; for wrapper exhaustive, local-search, greedy-wrapper; for embedded exhaustive, best-first.",
        default="auto",
        group="limits",
    )
    max_iters: int | None = option(
        "N",
        "For wrapper and embedded: how many feature sets to try, for each set or for all simultaneous ones. [default: "
        "1000]",
        parser=whole_number,
    )
    time_limit: float | None = option(
        "SECONDS", "Time limit for scoring and search. [default: 60 s per set, after scoring]", parser=seconds
    )
    # Whether and how sets are cross-validated.
    evaluate: bool = flag(
        "Also cross-validate: in each fold, search on the training rows, fit a model to each set, and score "
        "it on the test rows.",
        group="evaluation",
    )
    cv: str | None = option(
        "N",
        "How rows are split: 5 (shuffled folds), or time:5 (each fold predicts rows from those above them). "
        "[default: 5]",
    )
    cv_groups: str | None = option(
        "COLUMN",
        "Rows with the same value in COLUMN stay together, and COLUMN is no feature.",
        python="groups",
    )
    n_repeats: int | None = option(
        "N",
        "How often to split the rows into folds, each time shuffled anew. [default: 5 if rows x columns x sets are at "
        "most 1,000,000, else 1]",
        parser=whole_number,
    )
    margin: float | None = option(
        "X",
        "Score differences up to this are negligible. [default: 0.02 where 1 is the best score]",
        parser=number,
    )
    bootstraps: int | None = option(
        "N",
        "With --evaluate: also search on N bootstrap samples, to see how stable the sets are.",
        parser=whole_number,
        python="n_bootstraps",
    )
    jobs: int | None = option(
        "N", "Folds to run in parallel; -1: one per processor.", parser=whole_number, python="n_jobs"
    )
    # Which features may fail.
    what_if: bool = flag(
        "Also search for the best set without each feature of set 0 or, with --feature-groups, without each of its "
        "groups. These searches together have the time limit once more.",
        group="losses",
    )
    lost: list[str] | None = option(
        "COL[,COL]",
        "What if these fail instead: features, each on its own, and @NAME for a whole group of --feature-groups; may "
        "be repeated.",
    )
    # Where the answer goes, and whether it is that of a file.
    output: str | None = option(
        "FILE",
        "Also write the answer to a new file: .csv or .parquet (a row for each set and feature), or .json.",
        group="output",
    )
    report: str | None = option("FILE.html", "Also write a self-contained HTML report.")
    force: bool = flag("Replace files that are already there.")
    again: str | None = option(
        "FILE.json",
        "Repeat the request of a saved answer (--json or --output) and say whether the answer is the same. Only TABLE, "
        "--json and options of that request may be given with it. Exit status: 0 = same, 1 = not.",
    )
    json: bool = flag("Print one JSON document, nothing else.")
    details: bool = flag("Also print bound, gap, engine and proof.")
    # The file of a model.
    model_file: str = option(
        "FILE", "The new file, .mps or .lp.", default="model.mps", python="path", group="export"
    )
    # What the demo leaves behind besides its report.
    save_table: str | None = option(
        "FILE.csv", "Also write the table of the demo to a new file.", group="demo"
    )
    # Where the page of the explorer is.
    port: int = option(
        "N",
        "The port of the page on this machine; 0: any that is free.",
        parser=whole_number,
        default=0,
        group="explore",
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
