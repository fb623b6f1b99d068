"""What features seem to be worth, learned from sets that were evaluated."""

from __future__ import annotations

import numpy as np

from altsets.arrays import Floats
from altsets.problem import FeatureSet
from altsets.search.black_box.limits import BLACK_BOX_LIMITS, BlackBoxLimits

__all__ = ["Surrogate"]


class Surrogate:
    """A linear model of quality, updated set by set: a constant plus a coefficient for each feature of the set.

    No black box is so simple, but the coefficients say which features are worth trying first. This is ridge regression,
    in its recursive form; where features are many, without the covariances.

    Parameters
    ----------
    n_features : int
        How many features there are.
    limits : BlackBoxLimits, optional

    Examples
    --------
    >>> surrogate = Surrogate(3)
    >>> for chosen, quality in (((0, 1), 1.0), ((1, 2), 0.0), ((0, 2), 1.0)):
    ...     surrogate.update(chosen, quality)
    >>> int(surrogate.coefficients.argmax())
    0
    """

    def __init__(self, n_features: int, limits: BlackBoxLimits = BLACK_BOX_LIMITS) -> None:
        limits = limits
        self.n_updates = 0
        # The last entry is the constant.
        self._means = np.zeros(n_features + 1)
        variances = np.full(n_features + 1, limits.coefficient_variance)
        variances[-1] = limits.constant_variance
        self._has_covariances = n_features <= limits.max_covariance_features
        self._covariance = np.diag(variances) if self._has_covariances else variances

    @property
    def coefficients(self) -> Floats:
        """One number for each feature."""
        return self._means[:-1]

    def update(self, chosen: FeatureSet, quality: float) -> None:
        """Take one more set into account."""
        places = [*chosen, len(self._means) - 1]
        residual = quality - float(self._means[places].sum())
        self.n_updates += 1
        if not self._has_covariances:
            variances = self._covariance[places]
            gain = variances / (1.0 + variances.sum())
            self._means[places] += gain * residual
            self._covariance[places] = variances * (1.0 - gain)
            return
        shared = self._covariance[:, places].sum(axis=1)
        gain = shared / (1.0 + float(shared[places].sum()))
        self._means += gain * residual
        self._covariance -= np.outer(gain, shared)
