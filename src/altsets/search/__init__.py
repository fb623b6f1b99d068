"""The search for alternatives, behind :func:`altsets.find` and the other verbs."""
