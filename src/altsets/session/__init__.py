"""A search in steps: require, forbid, pin and reject, ask for more, take steps back; each step is an exact search.

A :class:`altsets.Session` scores the table once. Its state is a plain record (``SessionState``), and a step goes to
another state; what a state asks for is a :class:`altsets.Request`, and its answer is that of :func:`altsets.find`.
"""

from altsets.session._comparison import SessionComparison
from altsets.session._session import Session
from altsets.session._state import PARTS, SessionStep

__all__ = ["PARTS", "Session", "SessionComparison", "SessionStep"]
