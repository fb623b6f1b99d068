"""The study of the paper whose problem this library solves, run again from end to end."""
