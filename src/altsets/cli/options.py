"""The options of the commands, each declared once, in groups that commands share.

A group is a dataclass whose fields are the options, in the order of the help; ``n_features`` is ``--n-features``. A
command names its groups; :func:`with_options` makes of each the options that typer reads, and hands their values to the
command as one :class:`Given`.
"""

# The calls in dataclass defaults are dataclasses.field underneath.
# ruff: noqa: RUF009

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, get_type_hints

import typer

from altsets.cli.descriptions import ENGINES, describe_quality
from altsets.cli.values import count, number, seconds, share, size, whole_number
from altsets.constraints import KINDS, Constraint, Forbid
from altsets.documents import TABLE
from altsets.files.contents import text_files


def option(
    metavar: str | None, help: str, *short: str, parser: Any = None, default: Any = None, python: str = ""
) -> Any:
    """A field of a group that is an option; ``python`` is the parameter that it stands for, if called otherwise."""
    said = {"metavar": metavar, "help": help, "parser": parser}
    return dataclasses.field(default=default, metadata={"short": short, "said": said, "python": python})


def argument(metavar: str, help: str) -> Any:
    """A field of a group that is the argument of the command."""
    said = {"metavar": metavar, "help": help, "show_default": False}
    return dataclasses.field(default=None, metadata={"said": said})


# --- Groups -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TableOptions:
    """Which table, and what to predict."""

    table: str | None = argument(
        TABLE,
        "CSV (also gzipped), Parquet file or folder, Excel workbook, .gct or .h5ad (AnnData) file; - for standard "
        "input. Numeric and text columns; missing values allowed.",
    )
    target: str | None = option("COLUMN[,COLUMN]", "The column to predict, or several.", "-t")
    time: str | None = option("COLUMN", "Survival: the times until the event, or until a row was last seen.")
    event: str | None = option(
        "COLUMN[=VALUE]", "Survival: 1, or VALUE as in status=dead, where it happened."
    )
    no_target: bool = option(
        None,
        "There is nothing to predict: sets that keep as much of the table as possible (linear_fit).",
        default=False,
    )


@dataclass(frozen=True)
class SetOptions:
    """How many sets, how large, and how different."""

    n_features: float | None = option(
        "N",
        "Features in each set, or a share: 10%. [default: 5; embedded: the model's choice]",
        "-k",
        parser=size,
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


@dataclass(frozen=True)
class FrontierOptions:
    """Numbers of sets, sizes and differences."""

    n_features: str | None = option(
        "N[:N][,N]", "Features in each set: 5, 2:10 (from 2 to 10) or 5,10. [default: 5]", "-k"
    )
    n_alternatives: str | None = option(
        "N[:N][,N]",
        "Sets to find besides the first one: 3, 1:5 or 1,3. [default: 3; 0 with --costs]",
        "-a",
    )
    tau: list[str] | None = option(
        "0..1[,0..1]",
        "Only these values of tau; may be repeated. [default: every one that makes a difference; 0 with --by penalty, "
        "0.5 with --by balance and --costs]",
    )
    by: str = option(
        "NAME",
        "Axis of the curve: tau, penalty (the price of a shared feature) or balance (the sum of the qualities and the "
        "worst of them). The last two are for simultaneous sets of one size and number.",
        default="tau",
    )
    costs: str | None = option(
        "FILE.csv",
        "Instead of --by: quality against what features cost. The file has the columns feature and cost; other "
        "features cost nothing.",
        python="against",
    )


@dataclass(frozen=True)
class NearOptions:
    """How large sets are, and how far below the best they may be."""

    n_features: int | None = option("N", "Features in each set. [default: 5]", "-k", parser=whole_number)
    within: float | None = option(
        "SHARE",
        "By what part of the best quality a set may fall short of it: 5% or 0.05. [default: 1%]",
        parser=share,
    )
    min_quality: float | None = option("X", "Instead of --within: the least quality of a set.", parser=number)


@dataclass(frozen=True)
class DissimilarityOptions:
    """How sets are compared, and which features belong together."""

    dissimilarity: str | None = option(
        "NAME",
        "What --tau refers to: dice, jaccard, absolute (--tau is the number of features in which two sets must "
        "differ) or groups (those of --feature-groups or --feature-groups-by). [default: dice]",
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
        python="pos_label",
    )
    class_weight: str | None = option(
        "balanced",
        "balanced: give all classes the same weight when fitting, regardless of their number of rows.",
    )


@dataclass(frozen=True)
class QualityOptions:
    """How the quality of a set is computed."""

    quality: str | None = option(
        "NAME", describe_quality(" How well a model predicts: wrapper; with its own choice: embedded.")
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


@dataclass(frozen=True)
class ScoresOptions:
    """Files of feature scores, and what the target holds."""

    save_scores: str | None = option("FILE.csv", "Also save the feature scores to a new file.")
    scores: str | None = option(
        "FILE.csv",
        "Take the scores from a file instead of computing them. It has the columns feature and score; for mrmr, fcbf "
        "and cfs also 'with NAME' for each feature. TABLE and --target may then be left out.",
    )
    task: str = option(
        "NAME", "What the target holds: classification, regression, survival or auto.", default="auto"
    )


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
        "What simultaneous sets maximise: sum or min of their qualities, or leximin (only find).",
        default="sum",
    )


@dataclass(frozen=True)
class DefinitionOptions:
    """What else is asked of several sets."""

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
    within: float | None = option(
        "SHARE",
        "By what part of the best quality a set may fall short of it: 5% or 0.05. Sets in turn end with the first one "
        "that is not good enough.",
        parser=share,
    )
    min_quality: float | None = option(
        "X", "Instead of --within: the least quality of every set.", parser=number
    )


@dataclass(frozen=True)
class ColumnOptions:
    """Which columns and rows of the table count, and how it is written."""

    columns: list[str] | None = option(
        "COL[,COL]",
        "Read only these columns as features: names, patterns such as 'S004_*', or @FILE with names; may be "
        "repeated.",
    )
    drop: list[str] | None = option("COL[,COL]", "Columns to leave out; may be repeated.")
    categorical: list[str] | None = option(
        "COL[,COL]", "Columns to treat as categories, such as numeric codes; text always is. May be repeated."
    )
    drop_missing_target: bool = option(
        None, "Leave out rows without a value in the target column.", default=False
    )
    drop_unusable: bool = option(
        None, "Leave out columns that cannot be used, such as dates, and list them.", default=False
    )
    encoding: str | None = option(
        "NAME", "The encoding of text files that are not UTF-8, such as latin-1 or cp1252."
    )
    decimal: str | None = option(
        "SIGN",
        "The decimal sign in text files: , for numbers such as 1,5. Fields are then separated by semicolons "
        "or tabs. [default: .]",
    )
    sheet: str | None = option("NAME", "The sheet of an Excel workbook. [default: the first one]")
    transpose: bool = option(
        None, "Features are in rows, such as genes; one of the rows is the target.", default=False
    )
    layer: str | None = option("NAME", "The layer of an AnnData file. [default: X]")
    raw: bool = option(None, "The raw matrix of an AnnData file, with its genes.", default=False)
    max_memory: str | None = option(
        "SIZE",
        "The most memory that a table may take, such as 2GB: larger Parquet is read in passes. [default: a quarter of "
        "the machine]",
    )


def _constraint_fields() -> list[tuple[str, Any, Any]]:
    """--existing, an option for each kind of constraint, and --proxies beside --forbid."""
    existing = option(
        "COL[,COL]",
        "A set that every new set must differ from, or a file of sets: what find --json has printed, or a text file "
        "with COL[,COL] in each line. May be repeated.",
    )
    fields: list[tuple[str, Any, Any]] = [("existing", list[str] | None, existing)]
    for kind in KINDS:
        said = kind.option
        more = "" if len(fields) > 1 else " This and the other conditions may be repeated."
        if said.metavar:
            fields.append((field_name(kind), list[str] | None, option(said.metavar, said.help + more)))
        else:
            fields.append((field_name(kind), bool, option(None, said.help, default=False)))
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


#: Of commands that take no conditions on all sets together: their help does not show them, and who asks is told.
NOT_OF_ALL_SETS: dict[str, dict[str, Any]] = {
    field_name(kind): {"hidden": True} for kind in KINDS if kind.joint_rules is not Constraint.joint_rules
}


_OfConstraints: Any = dataclasses.make_dataclass("_OfConstraints", _constraint_fields(), frozen=True)


class ConstraintOptions(_OfConstraints):  # type: ignore[misc]
    """Conditions on every set, as the registry of constraints has them."""


@dataclass(frozen=True)
class LimitOptions:
    """Which engine searches, and for how long."""

    engine: str = option(
        "NAME",
        f"{ENGINES}; for wrapper exhaustive, local-search, greedy-wrapper; for embedded exhaustive, best-first.",
        default="auto",
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


@dataclass(frozen=True)
class LossOptions:
    """Which features may fail."""

    what_if: bool = option(
        None,
        "Also search for the best set without each feature of set 0 or, with --feature-groups, without each of its "
        "groups. These searches together have the time limit once more.",
        default=False,
    )
    lost: list[str] | None = option(
        "COL[,COL]",
        "What if these fail instead: features, each on its own, and @NAME for a whole group of --feature-groups; may "
        "be repeated.",
    )


@dataclass(frozen=True)
class OutputOptions:
    """Where the answer goes, and whether it is that of a file."""

    output: str | None = option(
        "FILE",
        "Also write the answer to a new file: .csv or .parquet (a row for each set and feature), or .json.",
    )
    report: str | None = option("FILE.html", "Also write a self-contained HTML report.")
    force: bool = option(None, "Replace files that are already there.", default=False)
    again: str | None = option(
        "FILE.json",
        "Repeat the request of a saved answer (--json or --output) and say whether the answer is the same. Only TABLE, "
        "--json and options of that request may be given with it. Exit status: 0 = same, 1 = not.",
    )
    json: bool = option(None, "Print one JSON document, nothing else.", default=False)
    details: bool = option(None, "Also print bound, gap, engine and proof.", default=False)


@dataclass(frozen=True)
class GivenSetsOptions:
    """The sets to evaluate."""

    sets: str | None = option(
        "FILE",
        "The sets: what find --json has printed, or a text file with COL[,COL] in each line. [required]",
    )


@dataclass(frozen=True)
class ShowOptions:
    """How much is printed."""

    show: int | None = option("N", "How many of the best sets to print. [default: 5]", parser=whole_number)


@dataclass(frozen=True)
class ExportOptions:
    """The file of a model, and the sets that it is about."""

    n_features: float | None = option(
        "N", "Features in each set, or a share: 10%. [default: 5]", "-k", parser=size
    )
    n_alternatives: int = option(
        "N", "Sets besides the first one, all together.", "-a", parser=whole_number, default=0
    )
    tau: str | None = option(
        "0..1", "How different sets must be: 0 = may be equal, 1 = no shared features. [default: 0.5]"
    )
    model_file: str = option("FILE", "The new file, .mps or .lp.", default="model.mps", python="path")


@dataclass(frozen=True)
class DemoOptions:
    """What the demo leaves behind besides its report."""

    save_table: str | None = option("FILE.csv", "Also write the table of the demo to a new file.")


@dataclass(frozen=True)
class ExploreOptions:
    """Where the page of the explorer is."""

    port: int = option(
        "N",
        "The port of the page on this machine; 0: any that is free.",
        parser=whole_number,
        default=0,
    )
    no_browser: bool = option(None, "Print the address only; open no browser.", default=False)


# --- Commands -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Given:
    """The options that a user gave, by groups; groups that a command does not have keep their defaults."""

    table: TableOptions = TableOptions()
    sets: SetOptions = SetOptions()
    points: FrontierOptions = FrontierOptions()
    near: NearOptions = NearOptions()
    given_sets: GivenSetsOptions = GivenSetsOptions()
    differing: DissimilarityOptions = DissimilarityOptions()
    quality: QualityOptions = QualityOptions()
    model: ModelOptions = ModelOptions()
    scoring: ScoresOptions = ScoresOptions()
    search: SearchOptions = SearchOptions()
    definition: DefinitionOptions = DefinitionOptions()
    columns: ColumnOptions = ColumnOptions()
    conditions: ConstraintOptions = ConstraintOptions()
    show: ShowOptions = ShowOptions()
    limits: LimitOptions = LimitOptions()
    evaluation: EvaluationOptions = EvaluationOptions()
    losses: LossOptions = LossOptions()
    output: OutputOptions = OutputOptions()
    export: ExportOptions = ExportOptions()
    demo: DemoOptions = DemoOptions()
    explore: ExploreOptions = ExploreOptions()


#: The heading in the help of each group of options.
HEADINGS = {
    "table": "Table",
    "columns": "Table",
    "sets": "Sets",
    "points": "Sets",
    "near": "Sets",
    "given_sets": "Sets",
    "search": "Sets",
    "definition": "Sets",
    "differing": "Difference",
    "quality": "Quality",
    "scoring": "Quality",
    "conditions": "Conditions",
    "model": "Prediction",
    "evaluation": "Prediction",
    "losses": "Losses",
    "show": "Output",
    "output": "Output",
    "export": "Model",
    "demo": "Output",
    "limits": "Limits",
    "explore": "Page",
}

Command = Callable[[typer.Context, Given], None]


def with_options(
    *groups: str, without: Sequence[str] = (), described: Mapping[str, Mapping[str, Any]] | None = None
) -> Callable[[Command], Callable[..., None]]:
    """A command with the options of some groups of :class:`Given`, in this order.

    ``without`` are options of them that the command does not have; ``described`` is what it says otherwise about some.
    """
    kinds = {name: type(getattr(Given(), name)) for name in groups}
    fields = {
        name: [field for field in dataclasses.fields(kind) if field.name not in without]
        for name, kind in kinds.items()
    }
    context = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    parameters = [context]
    for name, kind in kinds.items():
        hints = get_type_hints(kind)
        parameters += [
            _parameter(one, hints[one.name], HEADINGS[name], (described or {}).get(one.name, {}))
            for one in fields[name]
        ]

    def decorate(function: Command) -> Callable[..., None]:
        def command(context: typer.Context, **values: Any) -> None:
            made = {
                name: kind(**{field.name: values[field.name] for field in fields[name]})
                for name, kind in kinds.items()
            }
            given = Given(**made)
            # A column name or a number may come from any file: the table, costs, groups, scores, lists of names.
            with text_files(given.columns.encoding, given.columns.decimal):
                function(context, given)

        command.__name__, command.__doc__ = function.__name__, function.__doc__
        command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return command

    return decorate


def _parameter(field: Any, kind: Any, heading: str, otherwise: Mapping[str, Any]) -> inspect.Parameter:
    """An option as a parameter of a command."""
    said = {**field.metadata["said"], **otherwise, "rich_help_panel": heading}
    if "short" in field.metadata:
        declared: Any = typer.Option(f"--{field.name.replace('_', '-')}", *field.metadata["short"], **said)
    else:
        declared = typer.Argument(**said)
    hint: Any = Annotated[kind, declared]
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hint
    )
