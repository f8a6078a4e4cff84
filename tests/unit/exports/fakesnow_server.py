"""fakesnow, a Snowflake on this machine, as a server in an environment of its own: it pins other versions than we do."""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[3]
LOCK = ROOT / "requirements/fakesnow.txt"
_START_SECONDS = 60


def environment() -> Path:
    """The Python of fakesnow; its packages are fetched once for each state of the lock."""
    name = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]
    folder = ROOT / "build" / f"fakesnow-{name}"
    python = folder / "bin/python"
    if not (folder / "complete").is_file():
        uv = Path(sys.executable).parent / "uv"
        subprocess.run([uv, "venv", "--quiet", "--allow-existing", "--python", sys.executable, folder], check=True)
        install: list[str | Path] = [
            uv,
            "pip",
            "install",
            "--quiet",
            "--require-hashes",
            "--python",
            python,
            "-r",
            LOCK,
        ]
        subprocess.run(install, check=True, env={**os.environ, **_index()})
        (folder / "complete").touch()
    return python


@contextmanager
def fakesnow() -> Iterator[str]:
    """The address of a server that is there as long as it is needed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command: list[str | Path] = [environment(), Path(__file__).with_name("fakesnow_program.py"), str(port)]
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=alone) as server:
        try:
            _wait_for(port, server)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and server.poll() is None:
        with socket.socket() as door:
            if door.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("fakesnow did not start")


def _index() -> dict[str, str]:
    """Where pip is told to look, which uv does not read."""
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    index = os.environ.get("PIP_INDEX_URL") or told
    return {"UV_DEFAULT_INDEX": index} if index else {}
