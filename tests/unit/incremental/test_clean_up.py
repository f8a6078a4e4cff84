"""Source files after their run: archived or deleted once, never overwritten, never before the commit."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from loguru import logger

from lakelogic.contract import LoadedContract
from lakelogic.errors import ContractError, WriteError
from lakelogic.run.clean_up import clean_up_of, clear_away
from lakelogic.sources.discover import source_of
from lakelogic.sources.files import list_files
from lakelogic.state.claims import Claim, Claims, CleanUp, Pinned
from tests.unit.contract.builders import contract


def _loaded(action: str, more: str = "") -> LoadedContract:
    return contract(f"source: {{path: in, format: csv, post_ingestion: {{action: {action}{more}}}}}")


def _run(root: Path, wanted: CleanUp, sequence: int = 1) -> Claims:
    """The state that a run leaves which has ended before it could clear its files away."""
    claims = Claims(root / "state")
    read = Pinned("in", "files", list_files(str(root / "in")).files)
    run = f"r{sequence}"
    claim = Claim(sequence, run, run, datetime.now(UTC), "plan", "contract", "new", "full", read, clean_up=wanted)
    claims.finish(claims.create(claim), "succeeded")
    return claims


def _write(root: Path, *names: str, text: str = "x") -> None:
    for name in names:
        path = root / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_files_are_deleted_and_those_that_changed_since_stay(tmp_path: Path) -> None:
    _write(tmp_path, "a.csv", "b.csv")
    claims = _run(tmp_path, CleanUp(str(tmp_path / "in")))
    _write(tmp_path, "b.csv", text="other rows")
    for _ in range(2):
        clear_away(_loaded("delete"), claims)
        assert _files(tmp_path / "in") == ["b.csv"]


def test_files_are_archived_below_the_same_folders(tmp_path: Path) -> None:
    _write(tmp_path, "a.csv", "day=1/a.csv")
    claims = _run(tmp_path, CleanUp(str(tmp_path / "in"), str(tmp_path / "archive")))
    clear_away(_loaded("archive"), claims)
    assert (_files(tmp_path / "in"), _files(tmp_path / "archive")) == ([], ["a.csv", "day=1/a.csv"])
    assert list(claims.to_clean()) == []


def test_the_archive_is_never_overwritten(tmp_path: Path) -> None:
    wanted = CleanUp(str(tmp_path / "in"), str(tmp_path / "archive"))
    for sequence, text in enumerate(("first", "second"), 1):
        _write(tmp_path, "a.csv", text=text)
        clear_away(_loaded("archive"), _run(tmp_path, wanted, sequence))
    kept = {path.name: path.read_text() for path in (tmp_path / "archive").iterdir()}
    assert kept == {"a.csv": "first", "a.r2.csv": "second"}


def test_an_archive_that_was_half_done_is_completed(tmp_path: Path) -> None:
    _write(tmp_path, "a.csv", "b.csv")
    claims = _run(tmp_path, CleanUp(str(tmp_path / "in"), str(tmp_path / "archive")))
    (tmp_path / "archive").mkdir()
    os.link(tmp_path / "in/a.csv", tmp_path / "archive/a.csv")
    clear_away(_loaded("archive"), claims)
    assert (_files(tmp_path / "in"), _files(tmp_path / "archive")) == ([], ["a.csv", "b.csv"])


def test_a_clean_up_that_fails_is_said_or_fails_the_run_and_is_tried_again(tmp_path: Path) -> None:
    _write(tmp_path, "a.csv")
    (tmp_path / "archive").write_text("a file where the folder should be")
    claims = _run(tmp_path, CleanUp(str(tmp_path / "in"), str(tmp_path / "archive")))
    told: list[str] = []
    logger.enable("lakelogic")
    sink = logger.add(lambda message: told.append(message.record["message"]), level="WARNING")
    try:
        clear_away(_loaded("archive"), claims)
    finally:
        logger.remove(sink)
        logger.disable("lakelogic")
    assert len(told) == 1 and "could not be cleared away" in told[0]
    with pytest.raises(WriteError, match="could not be cleared away"):
        clear_away(_loaded("archive", ", cleanup_is_blocking: true"), claims)
    (tmp_path / "archive").unlink()
    clear_away(_loaded("archive"), claims)
    assert _files(tmp_path / "archive") == ["a.csv"]


def test_what_a_contract_wants_is_found_or_refused() -> None:
    assert _wanted(_loaded("retain")) is None
    deleted = _wanted(_loaded("delete"))
    assert deleted is not None and deleted.archive is None
    with pytest.raises(ContractError, match="needs archive_path"):
        _wanted(_loaded("archive"))


def test_an_archive_inside_the_source_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    loaded = replace(_loaded("archive", ", archive_path: in/done"), directory=tmp_path)
    with pytest.raises(ContractError, match="lies in the source"):
        _wanted(loaded)


def _wanted(loaded: LoadedContract) -> CleanUp | None:
    return clean_up_of(loaded, source_of(loaded))
