"""Sets of a quality that can only be asked."""
