import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname, urlopen

import pytest
from explorers import HANGING, Page
from typer.testing import CliRunner

from altsets.cli import app
from altsets.cli.options import Given

runner = CliRunner()


class Command:
    """The command in a process of its own."""

    def __init__(self, *words, temporary):
        environment = os.environ | {"TMPDIR": str(temporary)}
        code = (
            # Whoever runs the tests may ignore these.
            "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
            "signal.signal(signal.SIGHUP, signal.SIG_DFL); "
            "from altsets.cli import main; sys.exit(main())"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, "explore", "--no-browser", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.address = self.process.stdout.readline().rstrip("\n")
        self.port = int(re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=[\w-]{40,}", self.address)[1])

    def end(self, number):
        """Send a signal; the exit status and what else was printed."""
        self.process.send_signal(number)
        printed = self.process.communicate()
        return self.process.returncode, *printed


@pytest.fixture
def started(tmp_path):
    commands = []

    def start(*words):
        temporary = tmp_path / "temporary"
        temporary.mkdir()
        commands.append(Command(*words, temporary=temporary))
        return commands[-1]

    yield start
    for command in commands:
        if command.process.poll() is None:
            command.process.kill()
        command.process.communicate()


def assert_ends(command, number, folder):
    """A signal is the usual end, after which nothing is left; returns what was said."""
    code, out, err = command.end(number)
    assert (code, out) == (0, ""), err
    assert "Traceback" not in err
    assert not list((folder / "temporary").iterdir())
    return err


@pytest.mark.slow
def test_ctrl_c_ends_everything(started, tmp_path, snapshot):
    command = started()
    page = Page(command)
    reply = page.follow(page.ask(state={"n_features": 3}))
    assert reply["error"] is None
    assert reply["state"]["n_features"] == 3
    # Threads that search and fit are no reason to wait.
    hard = {"quality": "mrmr", "n_features": 12, "n_alternatives": 5, "search": "simultaneous"}
    page.ask(state=hard)
    page.ask("evaluate", state=hard)
    assert assert_ends(command, signal.SIGINT, tmp_path) == snapshot


@pytest.mark.slow
def test_options_are_what_the_page_begins_with(started, tmp_path):
    path = tmp_path / "small.csv"
    lines = [f"{i % 7},{i % 5},{i % 3},{i % 2},{'yes' if i % 7 > 3 else 'no'}" for i in range(60)]
    path.write_text("\n".join(["a,b,c,d,ill", *lines]))
    command = started(
        str(path), "-t", "ill", "-k", "2", "-a", "1", "--tau", "1", "--quality", "f", "--forbid", "d"
    )
    page = Page(command)
    _, reply = page.post("ask", {"client": "x", "number": 1, "verb": "answer", "state": None, "with": {}})
    page.name = "x"
    reply = page.follow(reply)
    assert reply["state"]["quality"] == "f"
    assert (reply["state"]["n_features"], reply["state"]["n_alternatives"], reply["state"]["tau"]) == (
        2,
        1,
        1.0,
    )
    # The page can take it back.
    assert reply["state"]["forbid"] == ["d"]
    assert "d" not in [name for one in reply["view"]["sets"] for name in one["features"]]
    # The window of the terminal is closed.
    assert_ends(command, signal.SIGHUP, tmp_path)


@pytest.mark.slow
def test_survival_is_explored(started, tmp_path, snapshot):
    path = tmp_path / "patients.csv"
    lines = [
        f"{i % 7},{i % 5},{i % 3},{10 * (i % 7) + i % 4},{'dead' if i % 3 else 'alive'}" for i in range(60)
    ]
    path.write_text("\n".join(["a,b,c,days,status", *lines]))
    command = started(str(path), "--time", "days", "--event", "status=dead", "-k", "1", "-a", "1")
    page = Page(command)
    reply = page.follow(page.ask())
    assert reply["state"]["quality"] == "concordance"
    assert reply["view"]["sets"][0]["features"] == ["a"]
    assert reply["view"]["subtitle"] == snapshot
    evaluated = page.follow(page.ask(verb="evaluate", state=reply["state"]))
    assert evaluated["view"]["words"][0] == snapshot
    body = json.dumps({"client": page.name, "state": reply["state"], "kind": "command"}).encode()
    _, _, content = page.send("POST", "/api/download", page.headers(), body)
    assert b" --time=days --event=status=dead " in content
    assert_ends(command, signal.SIGTERM, tmp_path)


def test_mistakes_are_said_before_there_is_an_address(tmp_path, monkeypatch):
    path = tmp_path / "small.csv"
    path.write_text("a,b,ill\n1,2,yes\n2,1,no\n3,1,no\n")
    for words, said in [
        (["nowhere.csv", "-t", "x"], "nowhere.csv"),
        ([str(path)], "use --target to name the column"),
        ([str(path), "-t", "sick"], "sick"),
        ([str(path), "-t", "ill", "-k", "9"], "9"),
        ([str(path), "-t", "ill", "--forbid", "z"], "'z'"),
        (["--quality", "nonsense"], "nonsense"),
        (["--port", "x"], "'x' is not a whole number"),
        (["--port", "99999"], "--port 99999 cannot be used"),
        (["--target", "x"], "give a TABLE"),
    ]:
        result = runner.invoke(app, ["explore", "--no-browser", *words])
        assert result.exit_code == 2, words
        assert result.stdout == ""
        assert said in result.stderr, words


def test_the_token_is_not_among_the_arguments_of_the_browser(monkeypatch):
    """Every user of the machine may see what programs are given."""
    opened, given = threading.Event(), []

    def browser(address):
        given.append((address, urlopen(address).read().decode()))
        opened.set()

    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("webbrowser.open", browser)
    monkeypatch.setattr("altsets.app.server.Explorer.run", lambda explorer: opened.wait(HANGING))
    result = runner.invoke(app, ["explore"])
    assert result.exit_code == 0, result.stderr
    [(address, page)] = given
    token = result.stdout.strip().partition("token=")[2]
    assert len(token) >= 40
    assert token not in address
    assert result.stdout.strip() in page
    folder = Path(url2pathname(urlsplit(address).path)).parent
    assert not folder.exists()


def test_the_missing_extra_is_one_sentence(monkeypatch, snapshot):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    result = runner.invoke(app, ["explore", "--no-browser"])
    assert result.exit_code == 2
    assert result.stderr == snapshot


def test_options_are_those_of_find():
    result = runner.invoke(app, ["explore", "--help-all"])
    assert "--port" in result.stdout
    for name in ("--save-scores", "--existing", "--output", "--evaluate", "--engine"):
        assert name not in result.stdout
    assert Given().of("explore") == {"port": 0, "no_browser": False}


def test_the_help_of_commands_loads_no_server():
    heavy = ("uvicorn", "starlette", "numpy")
    code = f"import sys; from altsets import cli; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
