"""The options of the commands, each declared once, in groups that commands share.

A group is a dataclass whose fields are the options, in the order of the help; ``n_features`` is ``--n-features``. A
command takes whole groups as its parameters; :func:`with_options` makes of each the options that typer reads, and of
their values the group again.
"""

# The calls in dataclass defaults are dataclasses.field underneath.
# ruff: noqa: RUF009

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_type_hints

import typer

from altsets.constraints import KINDS, Constraint, Forbid


def whole_number(text: str) -> int:
    """Parse an option that is a whole number."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a whole number") from None


def seconds(text: str) -> float:
    """Parse an option that is a positive number of seconds."""
    try:
        given = float(text)
    except ValueError:
        given = math.nan
    if not given > 0:
        raise typer.BadParameter(f"{text!r} is not a positive number of seconds")
    return given


def number(text: str) -> float:
    """Parse an option that is a number."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number") from None


# --- Groups -------------------------------------------------------------------------------------------


def option(metavar: str | None, help: str, *short: str, parser: Any = None, default: Any = None) -> Any:
    """A field of a group that is an option."""
    said = {"metavar": metavar, "help": help, "parser": parser}
    return dataclasses.field(default=default, metadata={"short": short, "said": said})


def argument(metavar: str, help: str) -> Any:
    """A field of a group that is the argument of the command."""
    return dataclasses.field(
        default=None, metadata={"said": {"metavar": metavar, "help": help, "show_default": False}}
    )


class Without:
    """In the annotation of a group: these options of it do not belong to the command."""

    def __init__(self, *names: str) -> None:
        self.names = names


class Described:
    """In the annotation of a group: what is said otherwise about its options, such as ``tau={"help": ...}``."""

    def __init__(self, **options: dict[str, str]) -> None:
        self.options = options


def with_options(function: Callable[..., None]) -> Callable[..., None]:
    """A command whose groups of options are spelled out, one parameter for each option."""
    parameters: list[inspect.Parameter] = []
    groups: dict[str, tuple[type, list[str]]] = {}
    hints = get_type_hints(function, include_extras=True)
    for name, given in inspect.signature(function).parameters.items():
        kind, *marks = get_args(hints[name]) if hasattr(hints[name], "__metadata__") else (hints[name],)
        if dataclasses.is_dataclass(kind) and isinstance(kind, type):
            fields = _parameters_of(kind, marks)
            parameters += fields
            groups[name] = (kind, [field.name for field in fields])
        else:
            parameters.append(given.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY))

    def command(**values: Any) -> None:
        made = {
            name: kind(**{field: values.pop(field) for field in fields})
            for name, (kind, fields) in groups.items()
        }
        function(**values, **made)

    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command


def _parameters_of(group: type, marks: list[Any]) -> list[inspect.Parameter]:
    """The options of a group as parameters of a command."""
    left_out = {name for mark in marks if isinstance(mark, Without) for name in mark.names}
    otherwise: dict[str, dict[str, str]] = {}
    for mark in marks:
        otherwise |= mark.options if isinstance(mark, Described) else {}
    hints = get_type_hints(group)
    parameters = []
    for field in dataclasses.fields(group):
        if field.name in left_out:
            continue
        said = field.metadata["said"] | otherwise.get(field.name, {})
        if "short" in field.metadata:
            long = f"--{field.name.replace('_', '-')}"
            declared: Any = typer.Option(long, *field.metadata["short"], **said)
        else:
            declared = typer.Argument(**said)
        hint: Any = Annotated[hints[field.name], declared]
        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter(field.name, keyword, default=field.default, annotation=hint))
    return parameters


@dataclass(frozen=True)
class TableOptions:
    """Which table, and what to predict."""

    table: str | None = argument(
        "TABLE",
        "CSV file (also gzipped), Parquet file or Excel workbook; - for standard input. Numeric and text "
        "columns; missing values allowed.",
    )
    target: str | None = option("COLUMN", "The column to predict.", "-t")


@dataclass(frozen=True)
class SetOptions:
    """How many sets, how large, and how different."""

    n_features: int | None = option("N", "Features in each set. [default: 5]", "-k", parser=whole_number)
    n_alternatives: int = option(
        "N",
        "Sets to find besides the first one.",
        "-a",
        parser=whole_number,
        default=3,
    )
    tau: str | None = option(
        "0..1",
        "How different sets must be: 0 = may be equal, 1 = no shared features. [default: 0.5]",
    )
    min_difference: int | None = option(
        "N",
        "Instead of --tau: the number of features in which two sets must differ.",
        parser=whole_number,
    )


@dataclass(frozen=True)
class FrontierOptions:
    """Numbers of sets, sizes and differences."""

    n_features: str | None = option(
        "N[:N][,N]",
        "Features in each set: 5, 2:10 (from 2 to 10) or 5,10. [default: 5]",
        "-k",
    )
    n_alternatives: str = option(
        "N[:N][,N]",
        "Sets to find besides the first one: 3, 1:5 or 1,3.",
        "-a",
        default="3",
    )
    tau: list[str] | None = option(
        "0..1[,0..1]",
        "Only these values of tau; may be repeated. [default: every one that makes a difference]",
    )


@dataclass(frozen=True)
class NearOptions:
    """How large sets are, and how far below the best they may be."""

    n_features: int | None = option("N", "Features in each set. [default: 5]", "-k", parser=whole_number)
    within: float | None = option(
        "X",
        "How far below the best a set may be: 0.1 allows for 10 %. [default: 0.01]",
        parser=number,
    )
    min_quality: float | None = option(
        "X",
        "Instead of --within: the least quality of a set.",
        parser=number,
    )


@dataclass(frozen=True)
class DissimilarityOptions:
    """How sets are compared: one of these at most."""

    dissimilarity: str | None = option(
        "NAME",
        "What --tau refers to: dice or jaccard. Use only one of this and the next three options. [default: "
        "dice]",
    )
    distinct: str | None = option(
        "0..1[:MEASURE]",
        "Treat features that are this similar as the same when comparing sets: 0.9, or 0.9:pearson (also "
        "symmetrical_uncertainty). [default measure: spearman]",
    )
    groups: str | None = option(
        "FILE.csv",
        "Compare sets by the groups their features belong to. The file has the columns feature and group; a "
        "feature that is not listed is a group of its own.",
    )
    groups_by: str | None = option(
        "TEXT",
        "Like --groups, with the group taken from the feature's name, up to TEXT: __ for temp__mean, "
        "temp__max.",
    )


@dataclass(frozen=True)
class ModelOptions:
    """Which model predicts, and how predictions are scored."""

    estimator: str | None = option(
        "NAME",
        "The model used to score the sets: tree, forest, boosting, linear, neighbors, svm, or a class by its "
        "full name. [default: tree]",
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
    )
    class_weight: str | None = option(
        "balanced",
        "balanced: give all classes the same weight when fitting, whatever their number of rows.",
    )


@dataclass(frozen=True)
class QualityOptions:
    """What a good set is."""

    quality: str = option(
        "NAME",
        "What a good set is. The sum of its features' scores: mutual_info, f, pearson, spearman, chi2, "
        "symmetrical_uncertainty, relief, importance, permutation or shap. Features that say much about the "
        "target and little about each other: mrmr, fcbf or cfs. How well a model predicts: wrapper.",
        default="mutual_info",
    )
    measure: str | None = option(
        "NAME",
        "What mrmr, fcbf and cfs measure with: mutual_info, pearson, spearman or symmetrical_uncertainty. "
        "[default: pearson for cfs, else mutual_info]",
    )


@dataclass(frozen=True)
class ScoresOptions:
    """Files of feature scores."""

    save_scores: str | None = option("FILE.csv", "Also save the feature scores to a new file.")
    scores: str | None = option(
        "FILE.csv",
        "Take the scores from such a file instead of computing them; TABLE and --target may then be left out.",
    )


@dataclass(frozen=True)
class TaskOptions:
    """What the target holds."""

    task: str = option("NAME", "What the target holds: classification, regression or auto.", default="auto")


@dataclass(frozen=True)
class SearchOptions:
    """How sets are searched."""

    search: str = option(
        "NAME",
        "sequential (each set the best given those before it), simultaneous (all together), or one of the "
        "heuristics greedy-replacement, greedy-balancing, greedy-depth.",
        default="sequential",
    )
    aggregation: str = option(
        "NAME",
        "What simultaneous sets maximise: sum or min of their qualities.",
        default="sum",
    )


@dataclass(frozen=True)
class ColumnOptions:
    """Which columns and rows of the table count, and how it is written."""

    drop: list[str] | None = option("COL[,COL]", "Columns to leave out; may be repeated.")
    categorical: list[str] | None = option(
        "COL[,COL]",
        "Columns to treat as categories, such as numeric codes; text always is. May be repeated.",
    )
    drop_missing_target: bool = option(
        None,
        "Leave out rows without a value in the target column.",
        default=False,
    )
    decimal: str | None = option(
        "SIGN",
        "The decimal sign in a CSV file: , for numbers such as 1,5. Fields are then separated by semicolons "
        "or tabs. [default: .]",
    )
    sheet: str | None = option("NAME", "The sheet of an Excel workbook. [default: the first one]")


@dataclass(frozen=True)
class ExistingOptions:
    """Sets that exist already."""

    existing: list[str] | None = option(
        "COL[,COL]",
        "A set that every new set must differ from; may be repeated.",
    )


def _constraint_fields() -> list[tuple[str, Any, Any]]:
    """An option for each kind of constraint, and --proxies beside --forbid."""
    fields: list[tuple[str, Any, Any]] = []
    for kind in KINDS:
        said = kind.option
        more = "" if fields else f" This and what follows, down to {KINDS[-1].option.flag}, may be repeated."
        fields.append((field_name(kind), list[str] | None, option(said.metavar, said.help + more)))
        if kind is Forbid:
            help = (
                "With --forbid: also rule out features that predict a forbidden one with LIMIT or more, such as 0.8, "
                "by symmetrical_uncertainty (the default), uncertainty_coefficient, spearman or pearson."
            )
            fields.append(("proxies", str | None, option("LIMIT[:MEASURE]", help)))
    return fields


def field_name(kind: type[Constraint]) -> str:
    """The field that has the texts of a constraint's option."""
    return kind.option.flag.removeprefix("--").replace("-", "_")


_OfConstraints: Any = dataclasses.make_dataclass("_OfConstraints", _constraint_fields(), frozen=True)


class ConstraintOptions(_OfConstraints):  # type: ignore[misc]
    """Conditions on every set, as the registry of constraints has them."""


@dataclass(frozen=True)
class LimitOptions:
    """Which engine searches, and for how long."""

    engine: str = option(
        "NAME",
        "Search engine; auto picks one. The others: additive, enumerate, milp, greedy; for wrapper "
        "exhaustive, local-search, greedy-wrapper.",
        default="auto",
    )
    max_iters: int | None = option(
        "N",
        "For wrapper: how many feature sets to try, for each set or for all simultaneous ones. [default: "
        "1000]",
        parser=whole_number,
    )
    time_limit: float | None = option(
        "SECONDS",
        "Time limit for scoring and search. [default: 60 s per set, after scoring]",
        parser=seconds,
    )


@dataclass(frozen=True)
class EvaluationOptions:
    """Whether and how sets are cross-validated."""

    evaluate: bool = option(
        None,
        "Also cross-validate: in each fold, search on the training rows, fit a model to each set, and score "
        "it on the test rows.",
        default=False,
    )
    cv: str | None = option(
        "N",
        "How rows are split: 5 (shuffled folds), time:5 (each fold predicts rows from those above them) or "
        "group:COLUMN:5 (rows with the same value in COLUMN stay together; COLUMN is not used as a feature). "
        "[default: 5]",
    )
    repeats: int | None = option(
        "N",
        "How often to split the rows into folds, each time shuffled anew. [default: 1]",
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
    )
    jobs: int | None = option("N", "Folds to run in parallel; -1: one per processor.", parser=whole_number)


@dataclass(frozen=True)
class OutputOptions:
    """Where the answer goes besides the terminal."""

    output: str | None = option(
        "FILE",
        "Also write the answer to a new file: .csv or .parquet (a row for each set and feature), or .json.",
    )
    report: str | None = option("FILE.html", "Also write a self-contained HTML report.")
    force: bool = option(None, "Replace files that are already there.", default=False)


@dataclass(frozen=True)
class JsonOptions:
    """How the answer is printed."""

    json: bool = option(None, "Print one JSON document, nothing else.", default=False)


#: The model of commands that also score features with it.
SCORING_MODEL = Described(
    estimator={
        "help": "The model behind importance, permutation, shap and wrapper, and with --evaluate the one that scores "
        "the sets: tree, forest, boosting, linear, neighbors, svm, or a class by its full name. [default: tree]"
    },
    scoring={
        "metavar": "NAME",
        "help": "How permutation, wrapper and --evaluate score predictions: a scikit-learn scorer. [default: "
        "matthews_corrcoef, or r2 for numeric targets]",
    },
)
