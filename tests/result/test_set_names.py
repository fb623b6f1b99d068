"""Sets with names: in words, frames, documents, plots and reports."""

import json
import pickle

import pytest

import altsets
from altsets import SelectAlternatives, quality
from altsets.errors import InputError
from altsets.report import summarise
from altsets.views import sets as set_views


def found(n_alternatives=1):
    scores = quality.Additive([9, 8, 7, 3], feature_names=["width", "length", "angle", "curve"])
    return altsets.find(scores, n_features=2, n_alternatives=n_alternatives, tau=1)


def test_names_are_shown_wherever_sets_are(snapshot):
    plain = found()
    result = plain.with_names(["size", "shape"])
    assert plain.set_names == ()
    assert result == plain
    assert [result.label(0), plain.label(1)] == ["set 0 (size)", "set 1"]
    assert str(result.verdict) == snapshot
    assert "(" not in str(plain.verdict)
    assert list(result.to_frame()["name"]) == ["size", "shape"]
    assert list(result.to_frame(tidy=True)["name"]) == ["size", "size", "shape", "shape"]
    assert "name" not in plain.to_frame().columns
    assert "name" not in plain.to_frame(tidy=True).columns
    assert set_views.qualities(result).labels == ("set 0 (size)", "set 1 (shape)")
    assert set_views.membership(result).set_names == ("set 0 (size)", "set 1 (shape)")
    assert set_views.overlaps(plain).rows == ("set 0", "set 1")


def test_names_are_in_documents(refused):
    result = found().with_names(["size", "shape"])
    document = json.loads(result.to_json())
    assert [entry["name"] for entry in document["sets"]] == ["size", "shape"]
    assert altsets.Result.from_json(result.to_json()).set_names == ("size", "shape")
    assert pickle.loads(pickle.dumps(result)).set_names == ("size", "shape")
    assert "name" not in json.loads(found().to_json())["sets"][0]
    assert result.with_names([]).set_names == ()
    del document["sets"][1]["name"]
    with refused(InputError):
        altsets.Result.from_json(json.dumps(document))


def test_names_are_in_reports_and_notebooks(tmp_path, snapshot):
    result = found().with_names(["size", "<shape>"])
    page = tmp_path / "named.html"
    result.report(page)
    assert "set 1 (<shape>)" not in page.read_text(encoding="utf-8")
    summary = json.dumps(summarise(result=result))
    for shown in ('"0 (size)"', '"1 (<shape>)"', "set 1 (<shape>)", "Set 1 (<shape>) keeps"):
        assert shown in summary, shown
    selector = SelectAlternatives([3, 2, 1, 0], n_features=1, n_alternatives=1).fit([[1, 2, 3, 4]])
    selector.result_ = selector.result_.with_names(["one", "two"])
    assert repr(selector) == snapshot


@pytest.mark.parametrize(("names", "said"), [
    (["size"], r"must hold one name for each of 2 sets, not 1\."),
    ("size", r"must hold one name for each of 2 sets, not 1\."),
    (["size", 3], "must hold text, not 3"),
    (["size", " "], "must hold text, not ' '"),
    (["size", "size"], "must all be different"),
])  # fmt: skip
def test_names_that_do_not_fit_are_refused(names, said):
    with pytest.raises(InputError, match=said):
        found().with_names(names)
