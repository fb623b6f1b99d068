"""The data sets of the study: loaded only if they are PMLB's, and downloaded whatever the server does."""

from __future__ import annotations

import errno
import gzip
import hashlib
import os
import re
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from shared_data import DATASETS as FOLDER
from shared_data import needs_datasets

from altsets.errors import InputError, TableError
from altsets_study import download as downloading
from altsets_study.datasets import DATASETS, LFS_POINTER, StudyRecord, cache_folder, known_names, load
from altsets_study.download import BLOCK, Retries


def tsv_of(seed, n_rows, header):
    """A small table as PMLB writes them: targets 1 and 2, a constant column, numbers in several spellings."""
    rng = np.random.default_rng(seed)
    lines = ["\t".join(header)]
    for row in range(n_rows):
        numbers = [repr(float(value)) for value in rng.normal(size=len(header) - 3)]
        lines.append("\t".join([*numbers, "7", f"{rng.integers(100)}.0", str(1 + row % 2)]))
    return ("\n".join(lines) + "\n").encode()


#: The text of three data sets; the last one takes many blocks to send.
TABLES = {
    "small": tsv_of(0, 6, ["0", "1", "a b", "?", "target"]),
    "Other.1": tsv_of(1, 9, ["x", "y", "z", "target"]),
    "large": tsv_of(2, 4000, [*(f"f{i}" for i in range(8)), "target"]),
}
#: The same as PMLB would send it.
PACKED = {name: gzip.compress(content, mtime=0) for name, content in TABLES.items()}


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def record_of(name):
    lines = TABLES[name].splitlines()
    return StudyRecord(len(lines) - 1, lines[0].count(b"\t"), sha256(TABLES[name]), sha256(PACKED[name]))


RECORDS = {name: record_of(name) for name in TABLES}

POINTER = LFS_POINTER + b"v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n"


def sentence(caught):
    """What an error says, if it is one sentence."""
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith((".", "?"))
    assert len(re.findall(r"[.?] [A-Z]", text)) == 0
    return text


# What is known of the data sets


def test_the_study_has_thirty_data_sets():
    assert len(DATASETS) == 30
    assert list(DATASETS) == sorted(DATASETS, key=str.lower)
    # The paper: between 106 and 9822 rows, between 15 and 168 features.
    assert {min(r.n_rows for r in DATASETS.values()), max(r.n_rows for r in DATASETS.values())} == {106, 9822}
    assert {min(r.n_features for r in DATASETS.values()), max(r.n_features for r in DATASETS.values())} == {
        15,
        168,
    }
    sums = [checksum for r in DATASETS.values() for checksum in (r.tsv_sha256, r.gz_sha256)]
    assert len(set(sums)) == 60
    assert all(re.fullmatch("[0-9a-f]{64}", checksum) for checksum in sums)


def test_names_are_put_into_the_order_of_the_study():
    assert known_names() == known_names([]) == tuple(DATASETS)
    assert known_names(["wdbc", "backache", "wdbc"]) == ("backache", "wdbc")
    assert known_names("sonar") == ("sonar",)
    assert known_names(iter(["large", "small"]), records=RECORDS) == ("small", "large")


@pytest.mark.parametrize(
    ("asked", "meant"),
    [("sonarr", "'sonar'"), ("WDBC", "'wdbc'"), ("hill_valley", "'Hill_Valley_with_noise'")],
)
def test_unknown_names_are_guessed(asked, meant, snapshot):
    with pytest.raises(InputError, match=re.escape(repr(asked))) as caught:
        known_names(["wdbc", asked])
    assert sentence(caught) == snapshot


def test_names_like_no_other_are_answered_with_all(snapshot):
    with pytest.raises(InputError) as caught:
        known_names(["zzz"], records=RECORDS)
    assert sentence(caught) == snapshot


@pytest.mark.parametrize(
    ("environment", "platform", "expected"),
    [
        ({"ALTSETS_CACHE": "/a", "XDG_CACHE_HOME": "/b"}, "linux", "/a/pmlb"),
        ({"ALTSETS_CACHE": "", "XDG_CACHE_HOME": "/b"}, "linux", "/b/altsets/pmlb"),
        ({"XDG_CACHE_HOME": "/b"}, "darwin", "/b/altsets/pmlb"),
        ({"XDG_CACHE_HOME": ""}, "linux", "HOME/.cache/altsets/pmlb"),
        ({"LOCALAPPDATA": "/d"}, "linux", "HOME/.cache/altsets/pmlb"),
        ({}, "darwin", "HOME/Library/Caches/altsets/pmlb"),
        ({"LOCALAPPDATA": "/d", "XDG_CACHE_HOME": "/b"}, "win32", "/d/altsets/pmlb"),
        ({}, "win32", "HOME/AppData/Local/altsets/pmlb"),
    ],
)
def test_the_cache_is_where_the_system_keeps_caches(environment, platform, expected):
    assert cache_folder(environment, platform) == Path(expected.replace("HOME", str(Path.home())))


def test_without_a_home_a_folder_has_to_be_chosen(monkeypatch):
    def homeless(path):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", homeless)
    with pytest.raises(InputError, match="ALTSETS_CACHE") as caught:
        cache_folder({}, "linux")
    sentence(caught)


# Loading


def with_commas(content):
    return content.replace(b"\t", b",")


@pytest.mark.parametrize(
    ("ending", "packed"),
    [
        (".csv.gz", lambda content: gzip.compress(with_commas(content))),
        (".csv", with_commas),
        (".tsv.gz", gzip.compress),
        (".tsv", lambda content: content),
    ],
)
def test_tables_are_loaded_number_for_number(tmp_path, ending, packed):
    (tmp_path / f"small{ending}").write_bytes(packed(TABLES["small"]))
    table = load("small", tmp_path, records=RECORDS)
    rows = [line.split(b"\t") for line in TABLES["small"].splitlines()[1:]]
    assert table.name == "small"
    assert table.X.tolist() == [[float(text) for text in row[:-1]] for row in rows]
    assert table.X.dtype == np.float64
    assert table.X.flags.c_contiguous
    # The target keeps its values; the constant column stays.
    assert table.y.tolist() == [1, 2, 1, 2, 1, 2]
    assert np.issubdtype(table.y.dtype, np.integer)
    assert set(table.X[:, 2]) == {7.0}
    assert table.feature_names == ("0", "1", "a b", "?")


def test_without_a_folder_the_cache_is_used(tmp_path, monkeypatch, snapshot):
    monkeypatch.setenv("ALTSETS_CACHE", str(tmp_path))
    with pytest.raises(TableError) as caught:
        load("small", records=RECORDS)
    assert str(caught.value) == snapshot
    assert str(tmp_path / "pmlb") in sentence(caught)
    (tmp_path / "pmlb").mkdir()
    (tmp_path / "pmlb" / "small.tsv.gz").write_bytes(PACKED["small"])
    assert load("small", records=RECORDS).X.shape == (6, 4)


def test_a_missing_file_is_said_with_its_folder(tmp_path, snapshot):
    (tmp_path / "small.tsv.gz.part").write_bytes(PACKED["small"])
    with pytest.raises(TableError) as caught:
        load("small", tmp_path, records=RECORDS)
    assert str(caught.value) == snapshot
    assert f"{tmp_path} " in sentence(caught)
    assert "small.tsv.gz" in str(caught.value)


def test_an_unknown_name_is_no_missing_file(tmp_path, refused):
    with refused(InputError):
        load("smal", tmp_path, records=RECORDS)


def flipped(content):
    place = content.index(b"7")
    return content[:place] + b"8" + content[place + 1 :]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (flipped(TABLES["small"]), "is not PMLB's table small, or was changed"),
        (TABLES["small"] + b"\n", "is not PMLB's table small, or was changed"),
        (TABLES["Other.1"], "is not PMLB's table small, or was changed"),
        (b"", "is not PMLB's table small, or was changed"),
        (b"\xff\xfe\0\0binary", "is not PMLB's table small, or was changed"),
        (POINTER, "is a Git LFS pointer"),
        (PACKED["small"][:-9], "cannot read .*ended before"),
    ],
    ids=["digit", "newline", "other", "empty", "binary", "pointer", "damaged"],
)
def test_what_is_not_the_table_is_refused(tmp_path, content, said):
    path = tmp_path / "small.tsv.gz"
    path.write_bytes(content)
    with pytest.raises(TableError, match=said) as caught:
        load("small", tmp_path, records=RECORDS)
    assert str(path) in sentence(caught)


def test_a_folder_instead_of_a_file_is_refused(tmp_path):
    (tmp_path / "small.csv").mkdir()
    with pytest.raises(TableError, match="Is a directory") as caught:
        load("small", tmp_path, records=RECORDS)
    sentence(caught)


def test_a_folder_that_cannot_be_looked_into_is_refused(tmp_path, monkeypatch, snapshot):
    def refuse(path):
        raise PermissionError(errno.EACCES, "Permission denied", path)

    # For the administrator, there is no such folder.
    monkeypatch.setattr(os, "listdir", refuse)
    with pytest.raises(TableError) as caught:
        load("small", tmp_path, records=RECORDS)
    assert str(caught.value) == snapshot
    assert str(tmp_path) in sentence(caught)


def test_a_link_to_nothing_is_refused(tmp_path, snapshot):
    try:
        (tmp_path / "small.tsv").symlink_to(tmp_path / "gone")
    except OSError:
        pytest.skip("this system does not let everybody make links")
    with pytest.raises(TableError) as caught:
        load("small", tmp_path, records=RECORDS)
    assert str(caught.value) == snapshot
    sentence(caught)


# The real ones


@needs_datasets
@pytest.mark.parametrize("name", DATASETS)
def test_the_data_sets_are_as_described(name):
    table = load(name, FOLDER)
    record = DATASETS[name]
    assert table.X.shape == (record.n_rows, record.n_features)
    assert np.isfinite(table.X).all()
    assert len(set(table.feature_names)) == record.n_features
    assert "target" not in table.feature_names
    assert set(table.y.tolist()) == ({1, 2} if name in ("hepatitis", "horse_colic") else {0, 1})


@needs_datasets
def test_quirks_of_pmlb_are_kept():
    assert np.bincount(load("hepatitis", FOLDER).y).tolist() == [0, 32, 123]
    assert np.bincount(load("horse_colic", FOLDER).y).tolist() == [0, 232, 136]
    ionosphere = load("ionosphere", FOLDER)
    assert ionosphere.feature_names == tuple(map(str, range(34)))
    assert set(ionosphere.X[:, 1]) == {0.0}
    assert "phone number" in load("churn", FOLDER).feature_names


@needs_datasets
def test_one_changed_digit_in_a_real_table_is_refused(tmp_path, refused):
    content = gzip.decompress((FOLDER / "sonar.csv.gz").read_bytes())
    (tmp_path / "sonar.csv").write_bytes(content)
    assert load("sonar", tmp_path).X.shape == (208, 60)
    (tmp_path / "sonar.csv").write_bytes(content[:-3] + bytes([content[-3] ^ 1]) + content[-2:])
    with refused(TableError):
        load("sonar", tmp_path)


# Downloading


class Server:
    """A server for one test: what it does with each request, in turn, and what it was asked."""

    def __init__(self):
        #: Each takes a request and the content that it is for; when they are used up, requests are simply answered.
        self.faults = []
        #: The names asked for, each with the Range header (or None).
        self.asked = []
        #: Set at the end, so that no request is left hanging.
        self.closing = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                name = self.path.removeprefix("/v1/").removesuffix(".tsv.gz")
                server.asked.append((name, self.headers.get("Range")))
                act = server.faults.pop(0) if server.faults else answer
                act(self, PACKED[name])

            def log_message(self, *args):
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.closing = self.closing
        self.host = f"http://127.0.0.1:{self._http.server_port}"
        self.url = f"{self.host}/v1/{{name}}.tsv.gz"
        self._thread = threading.Thread(target=partial(self._http.serve_forever, poll_interval=0.01))
        self._thread.start()

    def stop(self):
        self.closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


def send(request, status, body, length=None, **headers):
    request.send_response(status)
    request.send_header("Content-Length", str(len(body) if length is None else length))
    for name, value in headers.items():
        request.send_header(name.replace("_", "-"), value)
    request.end_headers()
    request.wfile.write(body)


def answer(request, content, sent=None):
    """As a server should; ``sent`` cuts the body short after so many bytes."""
    wanted = re.fullmatch(r"bytes=(\d+)-", request.headers.get("Range", ""))
    start = int(wanted[1]) if wanted else 0
    if start >= len(content):
        return send(request, 416, b"", Content_Range=f"bytes */{len(content)}")
    headers = {"Content_Range": f"bytes {start}-{len(content) - 1}/{len(content)}"} if wanted else {}
    rest = content[start:]
    return send(request, 206 if wanted else 200, rest[:sent], len(rest), **headers)


def cut_after(sent):
    return partial(answer, sent=sent)


def failing(status):
    return lambda request, content: send(request, status, b"no such luck")


def always(body):
    """All of ``body`` from the start, as servers do that know nothing of ranges."""
    return lambda request, content: send(request, 200, body)


def without_ranges(request, content):
    send(request, 200, content)


def hanging_up(request, content):
    """No answer at all."""
    request.close_connection = True


def silent(request, content):
    """A part of the answer, and then nothing."""
    answer(request, content, sent=20_000)
    request.wfile.flush()
    request.server.closing.wait(20)


def chunked(request, content):
    """One piece of many, without the end."""
    request.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n" + content[:3])


def another_range(request, content):
    send(request, 206, content[1:], Content_Range=f"bytes 1-{len(content) - 1}/{len(content)}")


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    server = Server()
    yield server
    server.stop()


class Fetching:
    """Downloads from a server to a folder, with the pauses that were made."""

    def __init__(self, server, folder):
        self.server = server
        self.folder = folder
        self.pauses = []

    def __call__(self, *names, attempts=4, timeout=5.0, **options):
        retries = Retries(attempts=attempts, timeout=timeout, longest_pause=3.0, sleep=self.pauses.append)
        return downloading.download(
            names, self.folder, **{"url": self.server.url, "retries": retries, "records": RECORDS, **options}
        )

    def refused(self, *names, **options):
        """The sentence with which a download ends."""
        with pytest.raises(TableError) as caught:
            self(*names, **options)
        return sentence(caught)

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())


@pytest.fixture
def fetch(server, tmp_path):
    return Fetching(server, tmp_path / "a" / "b")


def put(fetch, name, content):
    fetch.folder.mkdir(parents=True, exist_ok=True)
    (fetch.folder / name).write_bytes(content)


def test_all_that_is_missing_is_fetched_once(server, fetch):
    expected = [fetch.folder / f"{name}.tsv.gz" for name in RECORDS]
    assert fetch() == expected
    assert [path.read_bytes() for path in expected] == list(PACKED.values())
    assert server.asked == [("small", None), ("Other.1", None), ("large", None)]
    assert load("large", fetch.folder, records=RECORDS).X.shape == (4000, 8)
    assert fetch() == expected
    assert len(server.asked) == 3
    assert fetch.files() == sorted(path.name for path in expected)
    assert fetch.pauses == []


def test_tables_in_other_forms_are_not_fetched_again(server, fetch):
    put(fetch, "small.csv", with_commas(TABLES["small"]))
    assert fetch("Other.1", "small") == [fetch.folder / "small.csv", fetch.folder / "Other.1.tsv.gz"]
    assert server.asked == [("Other.1", None)]


def test_without_a_folder_the_cache_is_filled(server, fetch, monkeypatch):
    monkeypatch.setenv("ALTSETS_CACHE", str(fetch.folder))
    retries = Retries(attempts=1)
    found = downloading.download("small", url=server.url, retries=retries, records=RECORDS)
    assert found == [fetch.folder / "pmlb" / "small.tsv.gz"]
    assert load("small", records=RECORDS).X.shape == (6, 4)


def test_redirections_are_followed_with_the_range(server, fetch):
    def elsewhere(request, content):
        send(request, 302, b"", Location=f"{server.host}/v1/small.tsv.gz")

    put(fetch, "small.tsv.gz.part", PACKED["small"][:50])
    server.faults = [elsewhere]
    fetch("small")
    assert server.asked == [("small", "bytes=50-")] * 2
    assert fetch.files() == ["small.tsv.gz"]


def test_progress_is_told(server, fetch):
    told = []
    fetch("large", callback=lambda *news: told.append(news))
    total = len(PACKED["large"])
    assert told[-1] == ("large", total, total)
    assert len(told) > 2
    sizes = [size for _, size, _ in told]
    assert sizes == sorted(set(sizes))


@pytest.mark.parametrize(
    "fault",
    [failing(500), failing(503), failing(429), hanging_up, chunked, another_range],
    ids=["500", "503", "429", "hanging-up", "chunked", "another-range"],
)
def test_faults_that_pass_are_survived(server, fetch, fault):
    put(fetch, "large.tsv.gz.part", PACKED["large"][:10])
    server.faults = [fault, fault]
    assert fetch("large")[0].read_bytes() == PACKED["large"]
    assert fetch.pauses == [1.0, 2.0]
    assert fetch.files() == ["large.tsv.gz"]


def test_a_body_that_is_cut_short_is_continued(server, fetch):
    server.faults = [cut_after(70_000), cut_after(1000)]
    assert fetch("large")[0].read_bytes() == PACKED["large"]
    assert server.asked == [("large", None), ("large", "bytes=70000-"), ("large", "bytes=71000-")]
    assert fetch.pauses == [1.0, 2.0]


def test_a_silent_server_is_not_waited_for(server, fetch):
    server.faults = [silent]
    fetch("large", timeout=1.0)
    assert fetch.files() == ["large.tsv.gz"]
    # Whole blocks are kept.
    assert server.asked[:2] == [("large", None), ("large", f"bytes={20_000 // BLOCK * BLOCK}-")]


def test_a_server_that_never_recovers_is_given_up(server, fetch, snapshot):
    server.faults = [failing(500)] * 9
    text = fetch.refused("small", attempts=4)
    assert text == snapshot
    assert "small.tsv.gz" in text
    assert len(server.asked) == 4
    assert fetch.pauses == [1.0, 2.0, 3.0]
    assert fetch.files() == []


def test_nobody_at_the_address(server, fetch, snapshot):
    server.stop()
    text = fetch.refused("small", attempts=2)
    assert text == snapshot
    assert "<urlopen" not in text
    assert fetch.pauses == [1.0]


def test_an_interrupted_download_is_resumed_by_the_next_call(server, fetch):
    server.faults = [answer, cut_after(66_000)]
    text = fetch.refused("small", "large", attempts=1)
    assert f"66000 of {len(PACKED['large'])} bytes" in text
    assert fetch.files() == ["large.tsv.gz.part", "small.tsv.gz"]
    assert (fetch.folder / "large.tsv.gz.part").read_bytes() == PACKED["large"][:66_000]
    told = []
    fetch("small", "large", attempts=1, callback=lambda *news: told.append(news))
    assert server.asked[2:] == [("large", "bytes=66000-")]
    assert told[0][1] > 66_000
    assert told[-1][1:] == (len(PACKED["large"]),) * 2
    assert fetch.files() == ["large.tsv.gz", "small.tsv.gz"]


def test_ctrl_c_keeps_what_has_arrived(server, fetch):
    def impatient(name, size, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch("large", callback=impatient)
    assert fetch.files() == ["large.tsv.gz.part"]
    here = (fetch.folder / "large.tsv.gz.part").stat().st_size
    assert 0 < here < len(PACKED["large"])
    fetch("large")
    assert server.asked[1:] == [("large", f"bytes={here}-")]


def test_a_server_without_ranges_starts_again(server, fetch):
    put(fetch, "large.tsv.gz.part", PACKED["large"][:5000])
    server.faults = [without_ranges]
    assert fetch("large")[0].read_bytes() == PACKED["large"]
    assert server.asked == [("large", "bytes=5000-")]


def test_a_whole_part_needs_no_server(server, fetch):
    put(fetch, "small.tsv.gz.part", PACKED["small"])
    fetch("small")
    assert server.asked == []
    assert fetch.files() == ["small.tsv.gz"]


@pytest.mark.parametrize(
    "part",
    [PACKED["small"] + b"more", b"x" * len(PACKED["small"]), b"x" * 20],
    ids=["too-long", "as-long", "wrong"],
)
def test_a_part_that_leads_nowhere_is_given_up(server, fetch, part):
    put(fetch, "small.tsv.gz.part", part)
    fetch("small")
    assert server.asked == [("small", f"bytes={len(part)}-"), ("small", None)]
    assert fetch.files() == ["small.tsv.gz"]
    assert fetch.pauses == []


def test_a_wrong_checksum_is_a_reason_to_try_once_more(server, fetch):
    server.faults = [always(PACKED["Other.1"])]
    assert fetch("small")[0].read_bytes() == PACKED["small"]
    assert server.asked == [("small", None)] * 2


def test_a_wrong_checksum_twice_is_the_end(server, fetch, snapshot):
    server.faults = [always(PACKED["Other.1"])] * 9
    text = fetch.refused("small")
    assert text == snapshot
    assert server.asked == [("small", None)] * 2
    assert fetch.files() == []


def test_a_pointer_instead_of_data_is_recognised(server, fetch, snapshot):
    server.faults = [always(POINTER)] * 9
    text = fetch.refused("small")
    assert text == snapshot
    assert len(server.asked) == 1
    assert fetch.files() == []


@pytest.mark.parametrize("status", [404, 403, 416])
def test_what_does_not_pass_is_said_at_once(server, fetch, status):
    server.faults = [failing(status)] * 9
    text = fetch.refused("small")
    assert f"{status} " in text
    assert f"{server.host}/v1/small.tsv.gz" in text
    assert len(server.asked) == 1
    assert fetch.pauses == []


def test_certificates_are_no_matter_of_patience(server, fetch, monkeypatch, snapshot):
    def refuse(*args, **options):
        error = downloading.ssl.SSLCertVerificationError(1, "certificate verify failed")
        error.verify_message = "certificate has expired"
        raise downloading.URLError(error)

    monkeypatch.setattr(downloading, "urlopen", refuse)
    assert fetch.refused("small") == snapshot
    assert fetch.pauses == []


@pytest.mark.parametrize("name", ["small.tsv.gz", "small.csv"])
def test_a_wrong_file_is_never_overwritten(server, fetch, name, snapshot):
    put(fetch, name, flipped(TABLES["small"]))
    text = fetch.refused()
    assert str(fetch.folder / name) in text
    assert text == snapshot
    assert (fetch.folder / name).read_bytes() == flipped(TABLES["small"])
    assert server.asked == []


def test_an_unknown_name_fetches_nothing(server, fetch, refused):
    with refused(InputError):
        fetch("small", "larg")
    assert server.asked == []
    assert not fetch.folder.exists()


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/{name}",
        "https://",
        "https://example.org/x",
        "http://[/{name}",
        "http://h:x/{name}",
        "http://h/ä{name}",
    ],
)
def test_addresses_that_cannot_be_are_refused(fetch, url, snapshot):
    with pytest.raises(InputError) as caught:
        fetch("small", url=url)
    assert str(caught.value) == snapshot
    sentence(caught)
    assert fetch.pauses == []


def test_a_folder_that_cannot_be_made(fetch, tmp_path):
    (tmp_path / "a").write_text("a file")
    text = fetch.refused("small")
    assert f"cannot write {fetch.folder}" in text


def test_a_part_that_cannot_be_written(server, fetch):
    (fetch.folder / "small.tsv.gz.part").mkdir(parents=True)
    text = fetch.refused("small")
    assert "cannot write" in text
    assert "small.tsv.gz.part" in text
    assert fetch.pauses == []


def test_a_full_disk(server, fetch):
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    # To a process that may write no larger files, it is the same.
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
    try:
        text = fetch.refused("small", "large")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert os.strerror(errno.EFBIG) in text
    assert "large.tsv.gz.part" in text
    assert fetch.pauses == []
    assert fetch.files() == ["large.tsv.gz.part", "small.tsv.gz"]
    assert (fetch.folder / "large.tsv.gz.part").read_bytes() == PACKED["large"][:50_000]
    # With room again, the rest follows.
    fetch()
    assert server.asked[2:] == [("Other.1", None), ("large", "bytes=50000-")]
