"""Texts of others stay texts, and pages keep to their policy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from lakelogic.serve import create_app

HOSTILE = """"><script>alert(1)</script>/../'{{7*7}}"""
PATHS = ("/", f"/contracts/{quote(HOSTILE, safe='')}", "/runs", "/dag", "/review", f"/?q={quote(HOSTILE)}")


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Somebody on this machine who looks at a contract that was named by an enemy."""
    folder = tmp_path_factory.mktemp("<b>folder")
    text = (
        "dataset: NAME\ninfo: {title: NAME, owner: NAME, description: NAME}\nsource: {path: in.csv}\n"
        "model: {fields: [{name: id, type: int, description: NAME}]}\n"
        "quality: {row_rules: [{name: NAME, sql: id > 0}]}\nmaterialization: {strategy: append, target_path: out}\n"
    )
    quoted = '"' + HOSTILE.replace('"', '\\"') + '"'
    (folder / "contract.yaml").write_text(text.replace("NAME", quoted), encoding="utf-8")
    yield TestClient(create_app(folder), base_url="http://127.0.0.1", client=("127.0.0.1", 1))


@pytest.mark.parametrize("path", PATHS)
def test_a_hostile_name_is_shown_as_text(visitor: TestClient, path: str) -> None:
    answer = visitor.get(path)
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
    assert 'value=""><' not in answer.text
    assert ">49" not in answer.text


@pytest.mark.parametrize("path", [*PATHS, "/runs/none", "/contracts/none", "/review?contract=none", "/runs?offset=x"])
def test_a_page_has_no_script_style_or_handler_of_its_own(visitor: TestClient, path: str) -> None:
    answer = visitor.get(path)
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    tags = re.findall(r"<[a-zA-Z][^>]*>", re.sub(r'"[^"]*"', '""', answer.text))
    assert not [tag for tag in tags if re.search(r"\son\w+=|\sstyle=", tag)]
    assert all("src=" in tag for tag in tags if tag.startswith("<script"))
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", answer.text)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/runs?offset=x", 422),
        ("/runs?offset=-5", 200),
        ("/?shown=99999999999999999999", 200),
        ("/?health=%00", 200),
        ("/review?contract=none&state=%27", 404),
        ("/review/row?contract=none&id=x", 404),
        ("/review/jobs/none", 404),
        ("/static/none.css", 404),
        ("/static/..%2froutes.py", 404),
        ("/contracts/..%2f..%2fetc%2fpasswd", 404),
    ],
)
def test_an_odd_address_gets_an_answer_that_fits(visitor: TestClient, path: str, status: int) -> None:
    assert visitor.get(path).status_code == status


def test_assets_may_be_kept_and_pages_may_not(visitor: TestClient) -> None:
    page = visitor.get("/")
    assert page.headers["cache-control"] == "no-store"
    for address in re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text):
        kept = visitor.get(address)
        assert kept.status_code == 200
        assert "immutable" in kept.headers["cache-control"]


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({}, "that is no decision"),
        ({"action": "delete", "note": "x", "row": "1"}, "that is no decision"),
        ({"action": "drop", "row": "1"}, "the note is missing"),
        ({"action": "drop", "note": "x" * 501, "row": "1"}, "the note is missing or too long"),
        ({"action": "drop", "note": "x"}, "no row is chosen"),
        ({"action": "drop", "note": "x", "row": "1", "contract": "../../etc"}, "is unknown"),
    ],
)
def test_a_decision_that_says_too_little_is_refused_with_the_cure(
    visitor: TestClient, sent: dict[str, str], told: str
) -> None:
    holder = TestClient(
        create_app(visitor.app.state.served.folder, token="t" * 20),  # type: ignore[attr-defined]
        base_url="http://127.0.0.1",
        headers={"Authorization": f"Bearer {'t' * 20}", "HX-Request": "true"},
    )
    answer = holder.post("/review/act", data=sent)
    assert answer.status_code == 200
    assert told in answer.text
    assert 'role="alert"' in answer.text
