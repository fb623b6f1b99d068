"""The study of the paper: its data sets, its design, its runs, and its tables and figures."""
