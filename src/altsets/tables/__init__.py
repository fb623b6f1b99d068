"""In-memory tables in one form: frames and arrays, categories and missing values, targets, weights, checks.

``conversion`` turns a frame, an array or a list into :class:`~altsets.tables.feature_matrix.Features`; tables from
files come from :mod:`altsets.files`. ``target`` and ``weights`` check the target and the weights of rows, ``checks``
finds constant columns and copies, and ``encoding`` turns categories into columns of 0 and 1 for models.
"""
