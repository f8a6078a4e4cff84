"""`lakelogic serve` as a user starts and ends it."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from lakelogic.cli.main import main
from tests.serving import lakehouse


@contextmanager
def _serving(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server in a process of its own, and where it is."""
    command = [sys.executable, "-m", "lakelogic", "serve", "--port", "0", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"http://\S+:\d+", line)
        assert found, line + process.stderr.read()
        yield process, found[0]
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_answers_soon_and_ends_well(tmp_path: Path, how: signal.Signals) -> None:
    began = time.monotonic()
    with _serving(str(lakehouse(tmp_path / "shop", run=False))) as (process, url):
        with httpx.Client(base_url=url, timeout=60) as client:
            assert client.get("/health").json()["ok"]
            assert time.monotonic() - began < 10
            assert len(client.get("/api/contracts").json()["contracts"]) == 3
            assert "server" not in client.get("/docs").headers
        process.send_signal(how)
        assert process.wait(timeout=20) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_token_that_is_made_up_is_printed_once_and_works(tmp_path: Path) -> None:
    with _serving(str(tmp_path), "--generate-token", "--host", "0.0.0.0") as (process, url):
        assert process.stdout is not None
        token = process.stdout.readline().strip()
        assert len(token) >= 32
        there = url.replace("0.0.0.0", "127.0.0.1")
        assert httpx.get(f"{there}/api/runs", timeout=60).status_code == 401
        assert (
            httpx.get(f"{there}/api/runs", headers={"Authorization": f"Bearer {token}"}, timeout=60).status_code == 200
        )
        process.send_signal(signal.SIGINT)
        said, told = process.communicate(timeout=20)
        assert token not in said + told


def test_no_jvm_and_no_engine_is_loaded_before_it_is_needed(tmp_path: Path) -> None:
    code = (
        "import sys; from lakelogic.serve import create_app; create_app(sys.argv[1]); "
        "print({'pyspark', 'duckdb', 'deltalake', 'pyarrow', 'polars', 'pandas'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"


def test_another_host_without_a_token_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LAKELOGIC_SERVE_TOKEN", raising=False)
    assert main(["serve", str(tmp_path), "--host", "0.0.0.0"]) == 2
    assert "--generate-token" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["none"], "is not a folder"),
        ([".", "--token", "x", "--generate-token"], "exclude each other"),
        ([".", "--port", "70000"], "65535"),
        ([".", "--host", "no such host", "--generate-token"], "can't listen"),
    ],
)
def test_a_mistake_is_told_in_a_line(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", *arguments]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert "Traceback" not in error


def test_a_port_that_is_taken_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["serve", str(tmp_path), "--port", str(taken.getsockname()[1])]) == 2
    assert "Choose another --port" in capsys.readouterr().err
