"""One set: the best ones under a quality and all rules for one set, the ones above a threshold, or just any."""
