"""What features seem to be worth, learned from sets that were evaluated."""

from __future__ import annotations

import numpy as np

from altsets.arrays import Floats
from altsets.problem import FeatureSet

__all__ = ["Surrogate"]

#: The prior variance of a feature's value, and of the constant that all sets share, in units of the noise.
SPREAD, CONSTANT = 1.0, 100.0
#: Above this many features their covariances are left out, as the matrix grows with the square.
MANY_FEATURES = 1_000


class Surrogate:
    """A linear model of quality, updated set by set: a constant plus a value for each feature of the set.

    No black box is so simple, but the values say which features are worth trying first. This is ridge regression, in
    its recursive form; where features are many, without the covariances.

    Parameters
    ----------
    n_features : int
        How many features there are.

    Examples
    --------
    >>> values = Surrogate(3)
    >>> for chosen, quality in (((0, 1), 1.0), ((1, 2), 0.0), ((0, 2), 1.0)):
    ...     values.learn(chosen, quality)
    >>> int(values.values.argmax())
    0
    """

    def __init__(self, n_features: int) -> None:
        self._n = n_features
        self._all = np.zeros(n_features + 1)
        self.n_learned = 0
        variances = np.full(n_features + 1, SPREAD)
        variances[-1] = CONSTANT
        self._full = n_features <= MANY_FEATURES
        self._covariance = np.diag(variances) if self._full else variances

    @property
    def values(self) -> Floats:
        """One number for each feature."""
        return self._all[:-1]

    def learn(self, chosen: FeatureSet, quality: float) -> None:
        """Take one more set into account."""
        places = [*chosen, self._n]
        surprise = quality - float(self._all[places].sum())
        self.n_learned += 1
        if not self._full:
            known = self._covariance[places]
            gain = known / (1.0 + known.sum())
            self._all[places] += gain * surprise
            self._covariance[places] = known * (1.0 - gain)
            return
        shared = self._covariance[:, places].sum(axis=1)
        gain = shared / (1.0 + float(shared[places].sum()))
        self._all += gain * surprise
        self._covariance -= np.outer(gain, shared)
