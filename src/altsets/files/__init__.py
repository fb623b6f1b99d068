"""Tables, scores and answers in files: CSV (also gzipped), Parquet, Excel and AnnData.

``dataset`` holds :func:`altsets.read_table`, which reads a file (``contents``, ``parsing``) and
decides what its columns mean (``columns``). ``cells`` reads and writes AnnData. ``feature_files``
reads scores, costs and groups of features, ``writing`` writes answers.
"""
