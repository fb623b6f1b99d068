"""What diagnosis may spend: nobody waits long for a reason."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DIAGNOSIS_LIMITS", "DiagnosisLimits"]


@dataclass(frozen=True)
class DiagnosisLimits:
    """Steps (see :attr:`altsets.Result.steps`) for what is asked after a search without an answer."""

    #: For each smaller request that may be possible when the one asked for is not.
    probe_steps: int = 400
    #: To find out which constraints rule each other out, each of which is left out in turn.
    conflict_steps: int = 1_000


#: What holds where nobody says otherwise.
DIAGNOSIS_LIMITS = DiagnosisLimits()
