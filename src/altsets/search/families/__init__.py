"""Families of compatible sets that are all good enough: whether there is one, and how far that goes."""
