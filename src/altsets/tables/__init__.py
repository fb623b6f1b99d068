"""What a table is, however it came: files and frames, categories and holes, targets, weights, checks.

Two roads lead to :class:`~altsets.tables.feature_matrix.Features`, which everybody above works with:

- From a file: ``files`` reads it (``file_contents``, ``csv_tables``, ``parquet_tables``) into a ``table`` of columns,
  ``dataset`` takes the target apart, ``file_columns`` decides which columns are numbers and which are categories.
- From a frame, an array or a list: ``conversion`` and, column by column, ``column_conversion``.

The target is checked in ``target``, weights of rows in ``weights``. Columns that hold one value only
(``constant_columns``) or the same as others (``copies``) and rows that a measure leaves out (``left_out``) are told to
the user. Models that take numbers alone get categories as columns of 0 and 1 (``encoded``).
"""
