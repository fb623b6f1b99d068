"""Imported by the process that workers are forked from, so that each of them starts in a moment and shares memory."""

# The settings must come before the imports they are for.
# ruff: noqa: E402, F401

from __future__ import annotations

import os
import signal

# Ctrl-C reaches every process; the server handles it.
signal.signal(signal.SIGINT, signal.SIG_IGN)
# Before NumPy is loaded: processes of several clients share the machine. Also, a process is not forked while it has
# threads.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import altsets.app.views
import altsets.search
import altsets.session
