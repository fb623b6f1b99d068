"""``python -m altsets`` is the command ``altsets``."""

from altsets.cli import main

main()
