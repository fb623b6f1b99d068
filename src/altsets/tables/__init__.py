"""In-memory tables of any kind in one form: frames and arrays, categories and missing values, targets, weights, checks.

A frame, an array or a list becomes :class:`~altsets.tables.feature_matrix.Features` in ``conversion`` and, column by
column, in ``column_conversion``; tables from files come from :mod:`altsets.files`.

The target is checked in ``target``, weights of rows in ``weights``. Columns that hold one value only
(``constant_columns``) or the same as others (``copies``) and rows that a measure leaves out (``left_out``) are
reported to the user. Models that take numbers alone get categories as columns of 0 and 1 (``encoded``).
"""
