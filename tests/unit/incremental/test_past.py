"""What was read before: from the claims, and from an index that never knows better than they do."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lakelogic.errors import StateError
from lakelogic.plan.rows import RowWindow, Slice
from lakelogic.sources.files import SourceFile
from lakelogic.state import files
from lakelogic.state.claims import Claim, Claims, CleanUp, Pinned
from lakelogic.state.past import RunsBefore
from tests.unit.incremental.builders import file


def _commit(claims: Claims, *read: SourceFile, status: str = "succeeded", **pinned: object) -> Claim:
    last = claims.last()
    given = Pinned("/in", "files", read)
    claim = Claim(
        sequence=last + 1,
        run_id=f"r{last + 1}",
        pipeline_run_id="p",
        started=datetime(2026, 1, 1, tzinfo=UTC),
        fingerprint="plan",
        contract="contract",
        reason="new",
        mode="incremental",
        input=replace(given, **pinned),  # type: ignore[arg-type]
        previous=last,
    )
    created = claims.create(claim)
    claims.finish(created, status)
    return created


def _past(claims: Claims) -> RunsBefore:
    return RunsBefore(claims, "/in")


def _indexed(folder: Path, runs: int = 10) -> Claims:
    """So many runs of a file each, and an index of them."""
    claims = Claims(folder)
    for number in range(runs):
        _commit(claims, file(f"{number}"))
    _past(claims).keep()
    assert (folder / "seen.json").exists()
    return claims


def test_only_what_succeeded_was_read(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    assert (_past(claims).is_empty, _past(claims).newest_ns) == (True, None)
    _commit(claims, file("a", 5))
    _commit(claims, file("b", 9), status="failed")
    past = _past(claims)
    assert (past.has(file("a", 5)), past.has(file("a", 6)), past.has(file("b", 9))) == (True, False, False)
    assert (past.has_path("/in/a"), past.newest_ns) == (True, 5)


def test_with_an_index_old_lists_are_not_read_again(tmp_path: Path) -> None:
    claims = _indexed(tmp_path)
    for manifest in tmp_path.glob("input-*.json"):
        manifest.write_text("nobody looks here")
    assert all(_past(claims).has(file(f"{number}")) for number in range(10))
    _commit(claims, file("later"))
    assert _past(claims).has(file("later"))


@pytest.mark.parametrize("text", ["", "{", '{"format": 1}', '{"format": 99, "through": 3}'])
def test_an_index_that_is_damaged_or_of_another_release_is_made_anew(tmp_path: Path, text: str) -> None:
    claims = _indexed(tmp_path)
    (tmp_path / "seen.json").write_text(text)
    assert _past(claims).has(file("3"))
    _past(claims).keep()
    assert json.loads((tmp_path / "seen.json").read_text())["through"] == 10


def test_an_index_of_another_history_is_not_believed(tmp_path: Path) -> None:
    claims = _indexed(tmp_path)
    index = (tmp_path / "seen.json").read_text()
    for path in tmp_path.iterdir():
        path.unlink()
    (tmp_path / "seen.json").write_text(index)
    assert _past(claims).is_empty
    _commit(claims, file("x"))
    assert (_past(claims).has(file("x")), _past(claims).has(file("3"))) == (True, False)


def test_what_a_reset_has_forgotten_is_not_remembered_by_the_index(tmp_path: Path) -> None:
    claims = _indexed(tmp_path)
    claims.forget(_commit(claims, kind="reset"))
    assert _past(claims).is_empty
    _commit(claims, file("3"))
    assert (_past(claims).has(file("3")), _past(claims).has(file("4"))) == (True, False)


def test_a_claim_or_an_ending_that_was_lost_is_missed(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    for number in range(3):
        _commit(claims, file(f"{number}"))
    ending = tmp_path / "00000002.done.json"
    text = ending.read_text()
    ending.unlink()
    with pytest.raises(StateError, match="how run 2 ended is not known") as caught:
        _past(claims).has(file("1"))
    assert caught.value.cure is not None and "Restore" in caught.value.cure
    ending.write_text(text)
    (tmp_path / "00000002.claim.json").unlink()
    with pytest.raises(StateError, match="run 2 came before run 3, and its claim is gone"):
        _past(claims).has(file("1"))


def test_a_slice_that_was_processed_again_moves_nothing(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    window = RowWindow("at", None, "5")
    _commit(claims, kind="table", rows=window)
    _commit(claims, kind="table", version=7, table_id="t")
    _commit(claims, kind="table", version=9, rows=RowWindow("at", None, "8"), slice=Slice("day", "2026-01-01"))
    past = _past(claims)
    assert (past.window("AT"), past.window("other"), past.version, past.table_id) == (window, None, 7, "t")
    assert RunsBefore(claims, "/elsewhere").version is None


def test_the_end_of_a_range_that_was_asked_for_is_no_watermark(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    _commit(claims, kind="table", rows=RowWindow("at", "1", "9", low_included=True, high_included=False))
    assert _past(claims).window("at") is None


def test_the_pinned_rows_of_a_claim_are_read_back_as_they_were(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    part = Slice("c", values=("x", "y"))
    made = _commit(claims, file("a"), rows=RowWindow("at", "1", "2"), slice=part, after=3, version=4)
    assert claims.read(1).input == made.input
    plain = replace(made.input, rows=None)
    assert made.input.digest != plain.digest != replace(plain, slice=None).digest


def test_what_is_to_be_cleared_away_is_known_until_it_was(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    first = replace(_claimed(claims), clean_up=CleanUp("/in", "/archive"))
    claims.finish(claims.create(first), "succeeded")
    claims.finish(claims.create(replace(first, sequence=2, run_id="r2")), "failed")
    assert [claim.clean_up for claim in claims.to_clean()] == [CleanUp("/in", "/archive")]
    claims.cleaned(first)
    assert list(claims.to_clean()) == []


def _claimed(claims: Claims) -> Claim:
    other = Claims(claims.folder / "other")
    return _commit(other, file("a"))


def test_state_of_an_earlier_release_is_read(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    _commit(claims, file("a"))
    path = tmp_path / "00000001.claim.json"
    data = json.loads(path.read_text())
    for key in ("clean_up", "previous"):
        del data[key]
    data["input"] = {key: data["input"][key] for key in ("location", "kind", "files", "version", "batch_id")}
    del data["format"]
    files.put(path, data)
    assert _past(claims).has(file("a"))
