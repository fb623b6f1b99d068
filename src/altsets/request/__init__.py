"""A request as one frozen record that needs no table.

Every verb (:func:`altsets.find`, :func:`altsets.frontier`, ...), the selector and every command build a
:class:`Request` and derive from it. Its way through the house::

    request = Request(n_features=5, tau=0.5, constraints=[Forbid("id")])     # checks itself
    request.check(names)                  # Problem: what can be said before a table is measured
    request.quality_on(features, y)       # Quality: scores of the columns of a table
    request.bind(names, features)         # Problem: names are indices, "spearman" is a matrix, tau is exact

``result.request`` is the request of an answer. It writes itself: :meth:`Request.to_json`, :meth:`Request.to_python`,
:meth:`Request.to_command`; what cannot be written (functions, matrices) raises
:class:`altsets.errors.NotExpressedError`, which says why.
"""

from altsets.request._fields import (
    DEFAULT_SEED,
    DEFAULT_SIZE,
    ENGINE_NAMES,
    checked_seconds,
    uses_groups,
)
from altsets.request._request import Request
from altsets.request._writing import (
    DEFINITION,
    arguments,
    call,
    named_quality,
    option_words,
    python_lines,
    shell_line,
    table_arguments,
    with_imports,
)

__all__ = [
    "DEFAULT_SEED",
    "DEFAULT_SIZE",
    "DEFINITION",
    "ENGINE_NAMES",
    "Request",
    "arguments",
    "call",
    "checked_seconds",
    "named_quality",
    "option_words",
    "python_lines",
    "shell_line",
    "table_arguments",
    "uses_groups",
    "with_imports",
]
