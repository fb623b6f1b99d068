"""Several sets of an additive quality: what packing can do as well, but faster."""
