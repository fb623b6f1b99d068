"""Mutual information of columns: estimated from neighbours, from counts, and with missing values."""
