"""How many sets are nearly as good as the best one, which features they have, and what they look like."""
