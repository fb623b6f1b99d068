"""Measures of tables that are larger than memory, or on a cluster: sums and counts of parts of the rows, merged."""
