"""Curves of sets: what difference, shared features, a better worst set or lower costs cost in quality."""
