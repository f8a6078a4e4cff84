"""Which process holds a claim, and whether it is still alive."""

from __future__ import annotations

import os
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

BEAT_SECONDS = 5.0
# A holder on another machine is given up after it has missed many beats, never after one.
LEASE_SECONDS = 60.0
# Long enough to see a living holder's beat, whatever its clock says.
WATCH_SECONDS = 2 * BEAT_SECONDS + 1


@dataclass(frozen=True)
class Owner:
    """A process, told apart from a later one with the same number by the time it began."""

    host: str
    pid: int
    began: str

    @staticmethod
    def me() -> Owner:
        return Owner(socket.gethostname(), os.getpid(), _began(os.getpid()) or "")

    @staticmethod
    def nobody() -> Owner:
        """The holder of a claim that was let go."""
        return Owner("", 0, "")

    @staticmethod
    def read(data: dict[str, Any]) -> Owner:
        return Owner(str(data["host"]), int(data["pid"]), str(data["began"]))

    def is_alive(self, beat: Path) -> bool:
        """Whether the process still runs; one on another machine is judged by its heartbeat.

        A beat that looks old, or comes from the future, may only tell that clocks differ: then it is watched for a while.
        """
        if self == Owner.nobody():
            return False
        if self.host == socket.gethostname():
            return _began(self.pid) == self.began if self.began else _exists(self.pid)
        try:
            last = beat.stat().st_mtime_ns
            if 0 <= time.time() - last / 1e9 < LEASE_SECONDS:
                return True
            return _changes(beat, last)
        except FileNotFoundError:
            return False


class Heartbeat:
    """Touches a file while a run goes on, so that other machines see its holder alive."""

    def __init__(self, beat: Path) -> None:
        self._beat = beat
        self._stop = Event()
        self._thread = Thread(target=self._run, name="lakelogic-heartbeat", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.wait(BEAT_SECONDS):
            try:
                os.utime(self._beat)
            except FileNotFoundError:
                return

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()


def _changes(beat: Path, last: int) -> bool:
    """Whether somebody touches the file while it is watched."""
    ends = time.monotonic() + WATCH_SECONDS
    while time.monotonic() < ends:
        if beat.stat().st_mtime_ns != last:
            return True
        time.sleep(min(0.2, WATCH_SECONDS))
    return False


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _began(pid: int) -> str | None:
    """When a process began, as the system tells it; empty where the system has no /proc."""
    stat = Path(f"/proc/{pid}/stat")
    try:
        # The process name may hold spaces and parentheses; the fields follow its last parenthesis.
        fields = stat.read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return None if Path("/proc/self/stat").exists() or not _exists(pid) else ""
    # A process that has ended but was not yet waited for holds nothing any more.
    return None if fields[0] == "Z" else fields[19]
