"""The options of the commands, each described once, and those of plain numbers parsed."""

from __future__ import annotations

import math

import typer


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
    help="CSV file (also gzipped), Parquet file or Excel workbook; - for standard input. Numeric and text columns; "
    "missing values allowed.",
    show_default=False,
)
Target = typer.Option("--target", "-t", metavar="COLUMN", help="The column to predict.")
DropMissingTarget = typer.Option(
    "--drop-missing-target", help="Leave out rows without a value in the target column."
)
Decimal = typer.Option(
    "--decimal",
    metavar="SIGN",
    help="The decimal sign in a CSV file: , for numbers such as 1,5. Fields are then separated by semicolons or tabs. "
    "[default: .]",
)
Sheet = typer.Option(
    "--sheet", metavar="NAME", help="The sheet of an Excel workbook. [default: the first one]"
)
OutputFile = typer.Option(
    "--output",
    metavar="FILE",
    help="Also write the answer to a new file: .csv or .parquet (a row for each set and feature), or .json.",
)
ScoresFile = typer.Option(
    "--output",
    metavar="FILE",
    help="Also write the answer to a new file: .csv or .parquet (a row for each fold and set), or .json.",
)
Report = typer.Option(
    "--report",
    metavar="FILE.html",
    help="Also write all that is known as one page for any browser, without links to elsewhere.",
)
Force = typer.Option("--force", help="Replace files that are already there.")
Again = typer.Option(
    "--again",
    metavar="FILE.json",
    help="Repeat the request of a saved answer (--json or --output) and say whether the answer is the same. Only "
    "TABLE, --json and the saved --estimator may be given with it. Exit status: 0 = same, 1 = not.",
)
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
    help="Instead of --tau: the number of features in which two sets must differ.",
)
Dissimilarity = typer.Option(
    "--dissimilarity",
    metavar="NAME",
    help="What --tau refers to: dice or jaccard. Use only one of this and the next three options. [default: dice]",
)
Distinct = typer.Option(
    "--distinct",
    metavar="0..1[:MEASURE]",
    help="Treat features that are this similar as the same when comparing sets: 0.9, or 0.9:pearson (also "
    "symmetrical_uncertainty). [default measure: spearman]",
)
Groups = typer.Option(
    "--groups",
    metavar="FILE.csv",
    help="Compare sets by the groups their features belong to. The file has the columns feature and group; a feature "
    "that is not listed is a group of its own.",
)
GroupsBy = typer.Option(
    "--groups-by",
    metavar="TEXT",
    help="Like --groups, with the group taken from the feature's name, up to TEXT: __ for temp__mean, temp__max.",
)
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
    help="The model behind importance, permutation, shap and wrapper, and with --evaluate the one that scores the "
    "sets: tree, forest, boosting, linear, neighbors, svm, or a class by its full name. [default: tree]",
)
Scoring = typer.Option(
    "--scoring",
    metavar="NAME",
    help="How permutation, wrapper and --evaluate score predictions: a scikit-learn scorer. [default: "
    "matthews_corrcoef, or r2 for numeric targets]",
)
SaveScores = typer.Option(
    "--save-scores", metavar="FILE.csv", help="Also save the feature scores to a new file."
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
    help="sequential (each set the best given those before it), simultaneous (all together), or one of the heuristics "
    "greedy-replacement, greedy-balancing, greedy-depth.",
)
Aggregation = typer.Option(
    "--aggregation", metavar="NAME", help="What simultaneous sets maximise: sum or min of their qualities."
)
Drop = typer.Option("--drop", metavar="COL[,COL]", help="Columns to leave out; may be repeated.")
Categorical = typer.Option(
    "--categorical",
    metavar="COL[,COL]",
    help="Columns to treat as categories, such as numeric codes; text always is. May be repeated.",
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
Proxies = typer.Option(
    "--proxies",
    metavar="LIMIT[:MEASURE]",
    help="With --forbid: also rule out features that predict a forbidden one with LIMIT or more, such as 0.8, by "
    "symmetrical_uncertainty (the default), uncertainty_coefficient, spearman or pearson.",
)
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
    "does not name costs nothing. With a header feature,cost,group, a group is paid once, however many of its features "
    "a set has.",
)
MaxSimilarity = typer.Option(
    "--max-similarity",
    metavar="LIMIT[:MEASURE]",
    help="No two features of a set are more alike than LIMIT, such as 0.9, by spearman (the default), pearson or "
    "symmetrical_uncertainty.",
)
Size = typer.Option(
    "--size",
    metavar="MIN:MAX",
    help="Instead of -k: sets of MIN to MAX features. Where scores are added up, larger sets tend to win.",
)
Engine = typer.Option(
    "--engine",
    metavar="NAME",
    help="Search engine; auto picks one. The others: additive, enumerate, milp, greedy; for wrapper exhaustive, "
    "local-search, greedy-wrapper.",
)
TimeLimit = typer.Option(
    "--time-limit",
    parser=_seconds,
    metavar="SECONDS",
    help="Time limit for scoring and search. [default: 60 s per set, after scoring]",
)

SizesOfSets = typer.Option(
    "--n-features",
    "-k",
    metavar="N[:N][,N]",
    help="Features in each set: 5, 2:10 (from 2 to 10) or 5,10. [default: 5]",
)
NumbersOfAlternatives = typer.Option(
    "--n-alternatives", "-a", metavar="N[:N][,N]", help="Sets to find besides the first one: 3, 1:5 or 1,3."
)
Taus = typer.Option(
    "--tau",
    metavar="0..1[,0..1]",
    help="Only these least dissimilarities of two sets; may be repeated. [default: every one that makes a difference]",
)
FrontierTimeLimit = typer.Option(
    "--time-limit",
    parser=_seconds,
    metavar="SECONDS",
    help="For scores and all points. [default: 10 for each point, after scoring]",
)

Within = typer.Option(
    "--within",
    parser=_number,
    metavar="X",
    help="How far below the best a set may be: 0.1 allows for 10 %. [default: 0.01]",
)
MinQuality = typer.Option(
    "--min-quality", parser=_number, metavar="X", help="Instead of --within: the least quality of a set."
)
BestSets = typer.Option(
    "--show", parser=_whole_number, metavar="N", help="How many of the best sets to print. [default: 5]"
)
CountTimeLimit = typer.Option(
    "--time-limit",
    parser=_seconds,
    metavar="SECONDS",
    help="For scores and counting. [default: 60, after scoring]",
)

Evaluate = typer.Option(
    "--evaluate",
    help="Also cross-validate: in each fold, search on the training rows, fit a model to each set, and score it on the "
    "test rows.",
)
Positive = typer.Option(
    "--positive",
    metavar="LABEL",
    help="The class that precision, recall, f1 and the like are about. [default: 1 or true, else the last label]",
)
ClassWeight = typer.Option(
    "--class-weight",
    metavar="balanced",
    help="balanced: give all classes the same weight when fitting, whatever their number of rows.",
)
Folds = typer.Option(
    "--cv",
    metavar="N",
    help="How rows are split: 5 (shuffled folds), time:5 (each fold predicts rows from those above them) or "
    "group:COLUMN:5 (rows with the same value in COLUMN stay together; it is then no feature). [default: 5]",
)
Repeats = typer.Option(
    "--repeats",
    parser=_whole_number,
    metavar="N",
    help="How often to split the rows into folds, each time shuffled anew. [default: 1]",
)
Margin = typer.Option(
    "--margin",
    parser=_number,
    metavar="X",
    help="Score differences up to this are negligible. [default: 0.02 where 1 is the best score]",
)
Bootstraps = typer.Option(
    "--bootstraps",
    parser=_whole_number,
    metavar="N",
    help="With --evaluate: also search on N bootstrap samples, to see how stable the sets are.",
)
Jobs = typer.Option(
    "--jobs", parser=_whole_number, metavar="N", help="Folds to run in parallel; -1: one per processor."
)
Sets = typer.Option(
    "--sets",
    metavar="FILE",
    help="The sets: what find --json has printed, or a text file with COL[,COL] in each line.",
)
Judge = typer.Option(
    "--estimator",
    metavar="NAME",
    help="The model used to score the sets: tree, forest, boosting, linear, neighbors, svm, or a class by its "
    "full name. [default: tree]",
)
JudgeScoring = typer.Option(
    "--scoring",
    metavar="NAME[,NAME]",
    help="How predictions are scored: scikit-learn scorers. [default: matthews_corrcoef, or r2 for numeric targets]",
)

# --- The study -----------------------------------------------------------------------------------------


def _duration(text: str) -> float:
    units = {"s": 1, "m": 60, "h": 3600}
    unit = units.get(text[-1:])
    return _seconds(text) if unit is None else unit * _seconds(text[:-1])


DataFolder = typer.Option(
    "--data",
    metavar="DIR",
    help="The folder with the data sets. [default: a folder in your cache, into which missing ones are downloaded]",
)
ResultsFolder = typer.Option(
    "--out",
    metavar="DIR",
    help="The folder for results: a new one, or that of a run that was ended, which then goes on.",
    show_default=False,
)
StudyData = typer.Option("--datasets", metavar="NAME[,NAME]", help="Only these data sets. [default: all 30]")
Methods = typer.Option(
    "--methods",
    metavar="NAME[,NAME]",
    help="Only these methods: mutual_info, fcbf, mrmr, model_gain, greedy_wrapper; also any --quality of altsets find. "
    "[default: these five]",
)
StudyFolds = typer.Option("--folds", metavar="N[,N]", help="Only these folds. [default: 0,1,2,3,4]")
Sizes = typer.Option("--k", metavar="N[,N]", help="Features in each set. [default: 5,10]")
SecondsPerSet = typer.Option(
    "--seconds-per-set",
    metavar="[METHOD:K=]SECONDS",
    help="The time limit of a search for each of its sets, for all or for one method and size (mrmr:10=1); may be "
    "repeated. [default: 60, as in the paper]",
)
InformationSource = typer.Option(
    "--information",
    metavar="NAME",
    help="How mutual information is estimated: paper (as the paper's study did) or altsets (as altsets find does).",
)
Scheduler = typer.Option(
    "--scheduler",
    metavar="ADDRESS",
    help="Run on a Dask cluster, such as tcp://host:8786, not on this machine.",
)
TimeBudget = typer.Option(
    "--time-budget",
    parser=_duration,
    metavar="TIME",
    help="Begin nothing new after this time: 90 (seconds), 30m or 8h.",
)
StudyJobs = typer.Option(
    "--jobs", parser=_whole_number, metavar="N", help="Tasks at a time; -1: one per processor."
)
