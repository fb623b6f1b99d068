"""Engines for a quality that can only be evaluated: ``exhaustive``, ``local-search`` and ``greedy-wrapper``."""
