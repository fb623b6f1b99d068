"""Sets of a quality that can only be asked.

``exhaustive`` evaluates every set there is, and proves. ``greedy-wrapper`` is the hill climbing of the paper.
``local-search`` gets further with as many evaluations.
"""
