"""Files and documents that hold anything but what they should: one sentence, exit status 2, no traceback."""

import copy
import inspect
import json
import os
import random
import socket

import pytest
from portions import mostly_slow
from typer.testing import CliRunner

import altsets
from altsets import quality
from altsets.cli import app
from altsets.documents import document_in
from altsets.errors import InputError

DEEP = "[" * 100_000 + "]" * 100_000
LONG = "9" * 10_000
#: Before click 8.2, errors are mixed with output unless one says otherwise.
SEPARATE = {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}

RESULT = altsets.find(
    quality.Additive([4, 3, 2, 1], feature_names=list("abcd")), n_features=2, n_alternatives=1, tau=0.5
)
EVALUATION = altsets.evaluate(
    [[0], [1]], [[0, 1], [1, 1], [0, 2], [1, 3]] * 5, ["no", "yes"] * 10, n_repeats=1
)

NO_DOCUMENTS = {
    "deep lists": DEEP,
    "deep objects": '{"a":' * 50_000 + "1" + "}" * 50_000,
    "lists that python still reads": '{"schema": 1, "x": ' + "[" * 300 + "]" * 300 + "}",
    "a whole number of 10,000 digits": '{"schema": ' + LONG + "}",
    "a negative one": '{"schema": -' + LONG + "}",
    "a number beyond floats": '{"schema": 1e999}',
    "minus infinity": '{"schema": -Infinity}',
    "nan": '{"schema": NaN}',
    "the same key twice": '{"schema": 1, "schema": 1}',
    "nothing": "",
    "half a document": '{"schema": 1, "status": "opt',
    "two documents": "{} {}",
    "a list": "[1]",
    "null": "null",
}


@pytest.mark.parametrize("text", NO_DOCUMENTS.values(), ids=NO_DOCUMENTS)
@pytest.mark.parametrize("reader", [altsets.Result, altsets.results.Evaluation])
def test_what_is_no_document_is_refused_in_one_sentence(reader, text):
    with pytest.raises(InputError) as caught:
        reader.from_json(text)
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [RESULT, EVALUATION], ids=["result", "evaluation"])
def test_a_byte_order_mark_is_no_fault(value):
    assert type(value).from_json("\ufeff" + value.to_json()) == value


def test_a_document_must_be_text(refused):
    with refused(InputError):
        document_in(b"{}")


def damaged(document, rng):
    """The document with one part of it replaced or left out."""
    document = copy.deepcopy(document)
    places = []

    def walk(entry):
        parts = entry.items() if isinstance(entry, dict) else enumerate(entry)
        for key, part in parts:
            places.append((entry, key))
            if isinstance(part, dict | list):
                walk(part)

    walk(document)
    entry, key = rng.choice(places)
    wrong = [None, "no", -1, 1.5, True, 10**300, 1e300, [], {}, [[]], [None], [1, "a"], {"a": 1}]
    replacement = rng.choice([*wrong, "leave out"])
    if replacement == "leave out":
        del entry[key]
    else:
        entry[key] = replacement
    return document


@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
@pytest.mark.parametrize(
    "value", [RESULT, pytest.param(EVALUATION, marks=pytest.mark.slow)], ids=["result", "evaluation"]
)
def test_a_damaged_document_is_refused_or_makes_a_whole_answer(value):
    rng = random.Random(1)
    refusals = []
    n_tries = 1_000 if value is RESULT else 400
    for _ in range(n_tries):
        text = json.dumps(damaged(value.to_dict(), rng))
        try:
            found = type(value).from_json(text)
        except InputError as error:
            refusals.append(str(error))
        else:
            # What was read can be told again.
            assert type(value).from_json(found.to_json()).to_dict() == found.to_dict()
            str(found)
            if value is RESULT:
                found.explain()
    assert len(refusals) > 0.3 * n_tries
    assert max(map(len, refusals)) < 400


# --- Files on the command line ------------------------------------------------------------------------
TABLE = "a,b,c,d,y\n" + "".join(f"{i},{i % 3},{i % 5},{i % 7},{i % 2}\n" for i in range(40))

CONTENTS = {
    "deep": DEEP.encode(),
    "deep object": NO_DOCUMENTS["deep objects"].encode(),
    "long number": b'{"schema": ' + LONG.encode() + b"}",
    "long cells": ("a,y\n" + f"{LONG},1\n" * 30).encode(),
    "infinite": b"feature,score\na,1e999\nb,2\nc,3\nd,4\n",
    "nan": b"feature,score\na,nan\nb,2\nc,3\nd,4\n",
    "nan token": b'{"schema": NaN}',
    "empty": b"",
    "blank": b"  \n \n",
    "zeros": b"\0" * 1_000,
    "no utf-8": b"a,b\n\xff\xfe\xfa,2\n",
    "half utf-16": "a,b\n1,2\n".encode("utf-16")[:-1],
    "marks alone": b"\xef\xbb\xbf",
    "broken gzip": b"\x1f\x8b\x08\x00abcdef",
    "broken parquet": b"PAR1" + b"x" * 100 + b"PAR1",
    "open quote": b'a,y\n"1,2\n3,4\n',
    "one long line": b"a" * 300_000,
    "damaged result": b'{"schema": 1, "status": "optimal", "sets": 5}',
    "cells too long": b'a,y\n"' + b"x" * 200_000 + b'",2\n',
}

COMMANDS = {
    "table": "find {odd} -t y -k 1",
    "sets": "evaluate {table} -t y --sets {odd}",
    "scores": "find --scores {odd} -k 2",
    "budget": "find {table} -t y --budget 3:{odd}",
    "group": "find {table} -t y --exclusive {odd}",
}


def ask(command, tmp_path, odd):
    (tmp_path / "table.csv").write_text(TABLE)
    words = [word.format(odd=odd, table=tmp_path / "table.csv") for word in command.split()]
    outcome = CliRunner(**SEPARATE).invoke(app, words)
    assert outcome.exception is None or isinstance(outcome.exception, SystemExit), outcome.exception
    return outcome


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("content", mostly_slow(CONTENTS.values(), 4), ids=CONTENTS)
def test_files_that_hold_anything_else(command, content, tmp_path):
    odd = tmp_path / "odd"
    odd.write_bytes(content)
    outcome = ask(command, tmp_path, odd)
    assert outcome.exit_code == 2
    assert outcome.stderr.startswith("Error: ")
    assert outcome.stderr.count("\n") == 1
    assert len(outcome.stderr) < 1_000


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("kind", ["directory", "pipe", "socket", "device"])
def test_what_is_no_file(command, kind, tmp_path):
    odd = tmp_path / "odd"
    if kind == "directory":
        odd.mkdir()
    elif kind == "pipe":
        os.mkfifo(odd)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(odd))
    else:
        # It never ends.
        odd = "/dev/zero"
    outcome = ask(command, tmp_path, odd)
    assert outcome.exit_code == 2
    assert outcome.stderr.count("\n") == 1


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="there are no pipes with names of this kind here")
@pytest.mark.parametrize(
    ("command", "content"),
    [("find {odd} -t y -k 1 -a 0", TABLE), ("evaluate {table} -t y --cv 2 --sets {odd}", "a, b\nc\n")],
)
def test_a_pipe_that_a_shell_has_opened_is_read(tmp_path, command, content):
    # As in altsets find <(zcat table.csv.gz).
    reading, writing = os.pipe()
    os.write(writing, content.encode())
    os.close(writing)
    outcome = ask(command, tmp_path, f"/dev/fd/{reading}")
    os.close(reading)
    assert outcome.exit_code == 0


def test_sets_of_a_json_document_with_a_mark_and_in_utf_16(tmp_path):
    for encoding in ("utf-8-sig", "utf-16"):
        odd = tmp_path / "sets.json"
        odd.write_bytes(RESULT.to_json().encode(encoding))
        assert ask("evaluate {table} -t y --sets {odd} --cv 2", tmp_path, odd).exit_code == 0
