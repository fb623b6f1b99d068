"""The fixtures that the tests of altsets have as well."""

from fixtures import closed_figures, ctrl_c, refused, run, snapshot, warned  # noqa: F401

# Doctests are looked for in every file, and a second module of this name could not be imported for them.
collect_ignore = ["conftest.py"]
