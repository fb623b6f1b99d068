"""Several sets of an additive quality: faster ways to what packing can do as well."""
