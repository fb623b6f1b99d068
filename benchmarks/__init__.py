"""Measurements against the reference implementation and against the project's own targets."""
