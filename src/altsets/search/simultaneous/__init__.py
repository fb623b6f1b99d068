"""Several sets of any quality: which of the good sets go together."""
