"""What the help says of options about quality, models and engines, which not all commands take alike."""

from __future__ import annotations

#: Engines that need scores, but no model of each set.
ENGINES = "Search engine; auto picks one. The others: additive, enumerate, milp, greedy"


def describe_quality(models: str = "") -> str:
    """What is said of --quality, with the qualities that fit a model to each set."""
    return (
        "What a good set is. The sum of its features' scores: mutual_info, f, pearson, spearman, chi2, "
        "symmetrical_uncertainty, relief, importance, permutation or shap; for survival concordance, cox or "
        "logrank. Features that say much about the target and little about each other: mrmr, fcbf or cfs. What "
        f"a linear model explains: linear_fit.{models} [default: mutual_info; for survival concordance]"
    )


def _describe_model(behind: str, scored: str) -> dict[str, dict[str, str]]:
    """How options of a command that scores features with a model are described."""
    models = "tree, forest, boosting, linear, neighbors, svm, or a class by its full name. [default: tree]"
    default = "a scikit-learn scorer. [default: matthews_corrcoef, or r2 for numeric targets]"
    return {
        "estimator": {"help": f"The model behind importance, permutation{behind}: {models}"},
        "scoring": {
            "metavar": "NAME",
            "help": f"How to score predictions, for permutation{scored}: {default}",
        },
    }


#: Of commands that search, and evaluate sets on request.
SCORING_MODEL = _describe_model(
    ", shap, wrapper and embedded, and with --evaluate the one that scores the sets",
    ", wrapper, embedded and --evaluate",
)
#: Of those that need a share as tau.
SHARES = {
    "dissimilarity": {
        "help": "What --tau refers to: dice, jaccard or groups (those of --feature-groups or --feature-groups-by). "
        "[default: dice]"
    }
}
#: Of those that only search.
MODEL_OF_SEARCHES = _describe_model(", shap, wrapper and embedded", ", wrapper and embedded")
#: Without embedded models, which choose the size of sets.
MODEL_OF_SCORES = {
    **_describe_model(", shap and wrapper", " and wrapper"),
    "quality": {"help": describe_quality(" How well a model predicts: wrapper.")},
}
#: Without wrappers either, which cannot be bounded.
ONLY_SCORES = {
    **_describe_model(" and shap", ""),
    "quality": {"help": describe_quality()},
    "engine": {"help": f"{ENGINES}."},
}
