"""What a table is, however it came: files and frames, categories and holes, targets, weights, checks."""
