"""How well a decision tree predicts with the features of a set alone, on training and on test rows."""

from __future__ import annotations

from altsets.experiments.folds import StudyFold
from altsets.measures.models import fresh_model
from altsets.measures.trees import as_columns, fit_tree, matthews, predicted_by

__all__ = ["TreePredictions"]


class TreePredictions:
    """Matthews correlations of trees, each set fitted once, however many searches return it.

    Parameters
    ----------
    fold : StudyFold
    seed : int
        Of the trees.
    """

    def __init__(self, fold: StudyFold, seed: int) -> None:
        self._train, self._test = (
            (as_columns(rows.X), rows.y.astype(int)) for rows in (fold.train, fold.test)
        )
        self._n_classes = int(max(fold.train.y.max(), fold.test.y.max())) + 1
        self._tree = fresh_model(None, True, seed)
        self._known: dict[tuple[int, ...], tuple[float, float]] = {}

    def __call__(self, chosen: tuple[int, ...]) -> tuple[float, float]:
        """The correlation on training rows and on test rows."""
        if chosen not in self._known:
            features = list(chosen)
            columns, classes = self._train
            tree = fit_tree(self._tree, columns[features], classes)
            on_train, on_test = (
                matthews(classes, predicted_by(tree, columns[features]), self._n_classes)
                for columns, classes in (self._train, self._test)
            )
            self._known[chosen] = on_train, on_test
        return self._known[chosen]
