"""The search for alternatives; :func:`altsets.find` is its one door."""
