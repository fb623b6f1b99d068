"""Fixtures that the tests of altsets and of the study share: the command line, tables of words, Ctrl-C, figures."""

from __future__ import annotations

import os
import re
import signal
import sys
import tempfile
from contextlib import contextmanager

import pytest
from syrupy.extensions.amber import AmberSnapshotExtension

from altsets import cli


@pytest.fixture(scope="session", autouse=True)
def ctrl_c():
    """Shells let commands in the background ignore Ctrl-C, and so would all that these tests start."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Pictures are drawn, not shown.
os.environ.setdefault("MPLBACKEND", "Agg")


@pytest.fixture(autouse=True)
def closed_figures():
    """Figures that are left open are counted, and too many are a warning."""
    _close_figures()
    yield
    _close_figures()


def _close_figures():
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")


class Words(AmberSnapshotExtension):
    """Words that users read: one table for each module of tests, without folders, ports and seconds of a run."""

    def serialize(self, data, **options):
        text = super().serialize(data, **options)
        text = re.sub(rf"{re.escape(tempfile.gettempdir())}/([\w./=-]*/|altsets-\w+)", ".../", text)
        text = re.sub(r"\b127\.0\.0\.1:\d+", "127.0.0.1:...", text)
        return re.sub(r"\b(in|after) [\d.,]+ (ms|s)\b", r"\1 ... s", text)


@pytest.fixture
def snapshot(snapshot):
    return snapshot.use_extension(Words)


@pytest.fixture
def refused(snapshot):
    """Expect an error, whose message is in the table of words."""

    @contextmanager
    def refused(error):
        with pytest.raises(error) as caught:
            yield
        assert str(caught.value) == snapshot

    return refused


@pytest.fixture
def warned(snapshot):
    """Expect warnings, whose messages are in the table of words."""

    @contextmanager
    def warned(kind):
        with pytest.warns(kind) as caught:
            yield
        assert [str(one.message) for one in caught] == snapshot

    return warned


class Command:
    """The command in this process: called, it returns the exit status and what went to both outputs."""

    def __init__(self, monkeypatch, capsys):
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def __call__(self, *args):
        self.monkeypatch.setattr(sys, "argv", ["altsets", *map(str, args)])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        printed = self.capsys.readouterr()
        return caught.value.code, printed.out, printed.err

    def output(self, *args):
        """What a command prints that succeeds."""
        code, out, _ = self(*args)
        assert code == 0
        return out

    def printed(self, *args):
        """What a command prints that succeeds without a message."""
        code, out, err = self(*args)
        assert (code, err) == (0, "")
        return out

    def error(self, *args, code=2):
        """The message of a command that ends with this exit status and prints nothing else."""
        status, out, err = self(*args)
        assert (status, out) == (code, "")
        return err


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command; on a machine with a lot else to do it takes long, but writes no lines about that."""
    monkeypatch.setattr("altsets.cli.printing.SECONDS_PER_LINE", 1e6)
    return Command(monkeypatch, capsys)
