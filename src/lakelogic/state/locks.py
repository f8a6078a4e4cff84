"""One writer for a target at a time, whichever contract it runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from lakelogic.errors import RunBusy
from lakelogic.state import files
from lakelogic.state.owner import Heartbeat, Owner


@contextmanager
def target_lock(state: Path, target: str, contract: str) -> Iterator[None]:
    """Hold a target; a lock whose holder is gone is taken over.

    Raises:
        RunBusy: another process, or another contract in this one, writes to it.
    """
    folder = state / "targets" / hashlib.sha256(target.encode()).hexdigest()[:12]
    held = _take(folder, target, contract)
    beat = Heartbeat(held)
    try:
        yield
    finally:
        beat.stop()
        files.put(held, {**asdict(Owner.nobody()), "contract": contract, "since": _now()})


def _take(folder: Path, target: str, contract: str) -> Path:
    """The next numbered file of the folder: only one process can create it, and it tells who that is."""
    earlier = sorted(folder.glob("*.json"))
    if earlier and (held := files.get(earlier[-1])) and (owner := Owner.read(held)).is_alive(earlier[-1]):
        since = datetime.fromisoformat(held["since"]).strftime("%Y-%m-%d %H:%M:%S UTC")
        raise RunBusy(
            f"{target} is being written by a run of '{held['contract']}', "
            f"which is at work on {owner.host} (process {owner.pid}) since {since}.",
            cure="Wait for it to end, or pass --wait SECONDS.",
        )
    number = int(earlier[-1].stem) + 1 if earlier else 1
    path = folder / f"{number:08d}.json"
    if not files.put_if_absent(path, {**asdict(Owner.me()), "contract": contract, "since": _now()}):
        raise _late(target)
    if any(other.name > path.name for other in folder.glob("*.json")):
        # Others came and went between the look and the file: the number was free because it had been used.
        path.unlink()
        raise _late(target)
    for old in earlier:
        old.unlink(missing_ok=True)
    return path


def _late(target: str) -> RunBusy:
    return RunBusy(f"another process has just begun to write {target}.", cure="Run again when it has ended.")


def _now() -> str:
    return datetime.now(UTC).isoformat()
