"""Several sets of an additive quality: what ``simultaneous`` can do as well, but faster."""
