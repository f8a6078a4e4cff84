"""Claims: who may run which number, and what is left of a process that is gone."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Timer

import pytest

from lakelogic.errors import RunBusy, StateError
from lakelogic.sources.files import SourceFile
from lakelogic.state import files, owner
from lakelogic.state.claims import QUARANTINE, RESET, Claim, Claims, Pinned, digest_of
from lakelogic.state.owner import LEASE_SECONDS, Owner

_FILES = (SourceFile("/in/1.csv", 10, 111), SourceFile("/in/2.csv", 20, 222))


def _claim(sequence: int = 1, run_id: str = "r1") -> Claim:
    return Claim(
        sequence=sequence,
        run_id=run_id,
        pipeline_run_id="p1",
        started=datetime(2026, 3, 28, 12, tzinfo=UTC),
        fingerprint="plan",
        contract="digest",
        reason="all files are new",
        mode="incremental",
        input=Pinned("/in", "files", _FILES),
        quarantine=("silver.q", True),
    )


def _gone(claims: Claims, claim: Claim) -> None:
    """Make the holder of a claim look like a process that is no more."""
    held = claims.folder / f"{claim.sequence:08d}.owner-{claim.attempt:03d}.json"
    data = json.loads(held.read_text())
    held.write_text(json.dumps({**data, "pid": 2**22 + 1, "began": "1"}))


def test_a_claim_is_read_back_as_it_was_made(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    with claims.at_work(claims.create(_claim())) as claim:
        assert claim == _claim()
        assert Claims(tmp_path).read(1) == _claim()
        assert (Claims(tmp_path).last(), Claims(tmp_path).unfinished()) == (1, _claim())


def test_a_number_is_claimed_once(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    claims.finish(claims.create(_claim()), "succeeded")
    with pytest.raises(RunBusy, match="has just begun"):
        Claims(tmp_path).create(_claim(run_id="r2"))
    assert Claims(tmp_path).read(1).run_id == "r1"
    assert not list(tmp_path.glob("input-r2*"))


def test_a_claim_whose_holder_is_alive_is_not_taken_over(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    claim = claims.create(_claim())
    with pytest.raises(RunBusy, match=f"run r1 is at work on .* \\(process {os.getpid()}\\)"):
        Claims(tmp_path).hold(claim)
    claims.finish(claim, "succeeded")


def test_a_claim_whose_holder_is_gone_is_taken_over_with_its_input(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    first = claims.create(_claim())
    _gone(claims, first)
    later = Claims(tmp_path)
    left = later.unfinished()
    assert left is not None
    second = later.hold(left)
    assert (second.attempt, second.input, second.run_id) == (2, first.input, "r1")
    with pytest.raises(RunBusy, match="is at work on"):
        Claims(tmp_path).hold(left)
    later.finish(second, "succeeded")
    assert Claims(tmp_path).unfinished() is None
    claims.finish(first, "succeeded")


def test_only_one_process_takes_over(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    _gone(claims, claims.create(_claim()))
    script = (
        "import sys; from pathlib import Path; from lakelogic.errors import RunBusy;"
        "from lakelogic.state.claims import Claims; claims = Claims(Path(sys.argv[1])); left = claims.unfinished()\n"
        "sys.stdin.readline()\n"
        "try: print(claims.hold(left).attempt, flush=True)\n"
        "except RunBusy: print('busy', flush=True)\n"
        "sys.stdin.readline()"
    )
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    said = []
    for racer in racers:
        assert racer.stdout is not None
        said.append(racer.stdout.readline().strip())
    for racer in racers:
        racer.communicate("end\n", timeout=30)
    assert sorted(said) == ["2", "busy", "busy", "busy"]


def test_what_is_not_finished_is_released_to_the_next(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    with pytest.raises(ZeroDivisionError), claims.at_work(claims.create(_claim())):
        raise ZeroDivisionError
    later = Claims(tmp_path)
    left = later.unfinished()
    assert left is not None
    assert later.hold(left).attempt == 2
    later.finish(left, "failed")


def test_only_succeeded_runs_are_committed(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    for sequence, status in enumerate(["succeeded", "failed", "given_up", "succeeded"], 1):
        claims.finish(claims.create(_claim(sequence, f"r{sequence}")), status)
    assert [claim.run_id for claim, _ in claims.committed()] == ["r1", "r4"]
    digest = _claim().input.digest
    assert claims.has_committed(digest, "plan", "an edited title", "") == "r4"
    assert claims.has_committed(digest, "another plan", "another contract", "") is None
    assert claims.has_committed("another input", "plan", "digest", "") is None


def test_another_plan_for_the_same_contract_and_code_is_no_reason_to_add_rows_again(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    claims.finish(claims.create(_claim()), "succeeded")
    claims.finish(claims.create(replace(_claim(2, "r2"), code="code")), "succeeded")
    digest = _claim().input.digest
    assert claims.has_committed(digest, "as a later version plans it", "digest", "") == "r1"
    assert claims.has_committed(digest, "as a later version plans it", "digest", "code") == "r2"
    assert claims.has_committed(digest, "what changed code makes of it", "digest", "other code") is None


def test_input_is_told_apart_by_every_file_and_by_version_and_batch() -> None:
    base = Pinned("/in", "files", _FILES)
    changed = replace(_FILES[0], modified_ns=112)
    others = [
        replace(base, location="/other"),
        replace(base, files=(changed, _FILES[1])),
        replace(base, files=_FILES[:1]),
        replace(base, version=3),
        replace(base, batch_id="b"),
    ]
    assert len({pinned.digest for pinned in (base, *others)}) == 6
    assert base.digest == Pinned("/in", "files", _FILES).digest


def test_a_document_digest_ignores_the_order_of_keys() -> None:
    assert digest_of({"a": 1, "b": [2]}) == digest_of({"b": [2], "a": 1}) != digest_of({"a": 1, "b": [3]})


@pytest.mark.parametrize("text", ["", "{", "[]", '{"sequence": 1}'])
def test_a_damaged_state_file_is_named_with_a_cure(tmp_path: Path, text: str) -> None:
    path = tmp_path / "00000001.claim.json"
    path.write_text(text)
    with pytest.raises(StateError, match=r"00000001.claim.json") as caught:
        Claims(tmp_path).read(1)
    assert caught.value.cure


def test_a_state_file_of_a_newer_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    files.put(path, {"a": 1})
    assert files.get(path) == {"format": files.FORMAT, "a": 1}
    path.write_text(json.dumps({"format": files.FORMAT + 1}))
    with pytest.raises(StateError, match="newer version") as caught:
        files.get(path)
    assert caught.value.cure is not None and "Upgrade" in caught.value.cure


def test_a_missing_list_of_input_files_is_told(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    claims.finish(claims.create(_claim()), "succeeded")
    (tmp_path / "input-r1.json").unlink()
    with pytest.raises(StateError, match="the input of run r1 is unknown"):
        claims.read(1)


def test_a_folder_that_cant_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    with pytest.raises(StateError, match="can't write state") as caught:
        Claims(tmp_path / "state" / "runs").create(_claim())
    assert caught.value.cure


def test_files_are_whole_or_absent_and_leave_no_litter(tmp_path: Path) -> None:
    path = tmp_path / "claim.json"
    assert files.get(path) is None
    assert files.put_if_absent(path, {"a": 1}) is True
    assert files.put_if_absent(path, {"a": 2}) is False
    assert files.get(path) == {"format": files.FORMAT, "a": 1}
    assert [entry.name for entry in tmp_path.iterdir()] == ["claim.json"]


@pytest.mark.parametrize("hours", [-1, 1], ids=["old", "from the future"])
def test_a_holder_on_another_machine_is_judged_by_its_heartbeat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    monkeypatch.setattr(owner, "WATCH_SECONDS", 0.3)
    beat = tmp_path / "owner.json"
    beat.touch()
    elsewhere = Owner("another-machine", 1, "1")
    assert elsewhere.is_alive(beat)
    moved = beat.stat().st_mtime + hours * 3600
    os.utime(beat, (moved, moved))
    assert not elsewhere.is_alive(beat)
    assert not elsewhere.is_alive(tmp_path / "gone.json")


def test_a_holder_whose_clock_is_wrong_is_seen_by_its_next_beat(tmp_path: Path) -> None:
    beat = tmp_path / "owner.json"
    beat.touch()
    wrong = beat.stat().st_mtime - 2 * LEASE_SECONDS
    os.utime(beat, (wrong, wrong))
    next_beat = Timer(0.3, lambda: os.utime(beat, (wrong + 5, wrong + 5)))
    next_beat.start()
    assert Owner("another-machine", 1, "1").is_alive(beat)
    next_beat.join()


def test_a_claim_of_a_machine_that_is_gone_is_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claims = Claims(tmp_path)
    monkeypatch.setattr(socket, "gethostname", lambda: "machine-a")
    first = claims.create(_claim())
    monkeypatch.setattr(socket, "gethostname", lambda: "machine-b")
    with pytest.raises(RunBusy, match="run r1 is at work on machine-a"):
        Claims(tmp_path).hold(first)
    claims._stop_beating()
    monkeypatch.setattr(owner, "WATCH_SECONDS", 0.1)
    monkeypatch.setattr(owner, "LEASE_SECONDS", 0.0)
    later = Claims(tmp_path)
    assert later.hold(first).attempt == 2
    later.finish(first, "succeeded")


def test_what_was_read_before_a_reset_counts_no_more(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    claims.finish(claims.create(_claim()), "succeeded")
    reset = claims.create(replace(_claim(2, "r2"), input=Pinned("/out", RESET)))
    claims.forget(reset)
    claims.finish(reset, "succeeded")
    assert ([claim.run_id for claim, _ in claims.committed()], list(claims.newest()), claims.last()) == ([], [], 2)
    assert claims.has_committed(_claim().input.digest, "plan", "digest", "") is None
    claims.finish(claims.create(_claim(3, "r3")), "succeeded")
    assert [claim.run_id for claim, _ in claims.committed()] == ["r3"]


def test_rows_of_quarantine_are_pinned_by_their_ids_and_are_no_source(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    pinned = Pinned("/q", QUARANTINE, version=3, ids=("a", "b"))
    claims.finish(claims.create(replace(_claim(), input=pinned)), "succeeded")
    assert claims.read(1).input == pinned
    assert list(claims.committed()) == []
    assert pinned.digest != replace(pinned, ids=("a",)).digest


def test_a_process_with_a_number_that_was_used_before_is_not_the_same(tmp_path: Path) -> None:
    me = Owner.me()
    assert me.is_alive(tmp_path)
    assert not replace(me, began="1").is_alive(tmp_path)
