"""In-memory tables in one form: frames and arrays, categories and missing values, targets, weights, checks.

``conversion`` turns a frame, an array or a list into :class:`~altsets.tables.feature_matrix.Features`, ``sparse`` does
the same for sparse tables; tables from files come from :mod:`altsets.files`. ``feature_matrix`` also encodes categories
for models, and finds constant columns and copies. ``target`` and ``survival`` check targets, ``weights`` checks what
else goes with the rows.
"""
