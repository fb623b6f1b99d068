"""How Sphinx builds the guide and the reference; ``make docs`` runs it."""

import re

import altsets

project = "altsets"
author = "The altsets developers"
project_copyright = author
version = release = altsets.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["_build", "_templates"]
templates_path = ["_templates"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

# The reference is what the docstrings say, in the order in which the source has it.
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autosummary_generate = True
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False

# A name of altsets that leads nowhere is a fault. Other words in the place of a type are plain English.
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!altsets).*")]
# Sphinx takes a word such as n_sets in "array of shape (n_sets,)" for an attribute, and wonders whose.
suppress_warnings = ["ref.python"]

html_theme = "furo"
html_title = f"altsets {version}"
# Nothing is fetched from elsewhere, neither while building nor while reading.
html_theme_options = {"source_view_link": ""}
html_show_sourcelink = False


def escape_trailing_underscores(app, what, name, thing, options, lines):
    """Fitted attributes of scikit-learn end in an underscore, which reStructuredText takes for a link."""
    lines[:] = [re.sub(r"((?:\(|, )\w+)_(?=[,)])", r"\1\\_", line) for line in lines]


def setup(app):
    """Come before napoleon, which reads types."""
    app.connect("autodoc-process-docstring", escape_trailing_underscores, priority=400)


html_static_path = ["_static"]
html_css_files = ["pages.css", "print.css"]
