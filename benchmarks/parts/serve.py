"""The server over a long run log: how soon it is there, how many requests it answers, and whether its memory stays flat."""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
import sys
import time
import urllib.request
from datetime import timedelta
from pathlib import Path
from statistics import quantiles

from benchmarks.orders import WORK
from benchmarks.processes import Measured, Tell, answer_with
from benchmarks.ways import emptied

_CONTRACT = """
dataset: silver_orders
layer: silver
primary_key: [id]
source: {path: ../landing/*.csv}
model:
  fields:
    - {name: id, type: bigint}
    - {name: customer, type: string}
    - {name: amount, type: double}
quality:
  row_rules:
    - {name: customer_present, sql: customer IS NOT NULL}
    - {name: positive_amount, sql: amount > 0}
materialization: {strategy: overwrite, target_path: ../tables/silver}
"""
_ROUTES = ("quality-report", "table-preview/silver", "pipeline-summary")
_WARM_SECONDS = 2


def measure(runs: int, clients: int, seconds: float, soak_seconds: float, tell: Tell) -> Measured:
    """Seconds until the first answer; requests a second and their latencies for each route; memory before and after."""
    project = _project(emptied(WORK / "out" / "serve"), runs)
    server, url, ready = _started(project)
    try:
        found: Measured = {"runs": runs, "clients": clients, "ready_seconds": ready, "routes": {}}
        for route in _ROUTES:
            path = f"/api/runtime/{route}"
            asyncio.run(_load(url, path, clients, _WARM_SECONDS))
            found["routes"][route] = _told(asyncio.run(_load(url, path, clients, seconds)), seconds)
            tell(found)
        before = _resident_mb(server.pid)
        taken = asyncio.run(_load(url, "/api/runtime/quality-report", clients, soak_seconds))
        found["soak"] = {
            "seconds": soak_seconds,
            "requests": len(taken),
            "before_mb": before,
            "after_mb": _resident_mb(server.pid),
        }
        return found
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()


def _project(folder: Path, runs: int) -> Path:
    """A project that has run once, with a log as if it had run very often: one large file, and what came after it."""
    import pyarrow as pa
    from deltalake import write_deltalake

    from lakelogic import DataProcessor
    from lakelogic.state.runlog import RunLog

    for name in ("landing", "contracts"):
        (folder / name).mkdir(parents=True)
    (folder / "lakelogic.toml").touch()
    lines = (f"{number},{'' if number % 100 == 7 else 'c'},{number % 50}" for number in range(1_000))
    (folder / "landing" / "orders.csv").write_text("\n".join(["id,customer,amount", *lines, ""]), encoding="utf-8")
    contract = folder / "contracts" / "silver.yaml"
    contract.write_text(_CONTRACT, encoding="utf-8")
    DataProcessor(contract, "duckdb").run()
    log = RunLog(folder / ".lakelogic")
    row = log.arrow().to_pylist()[0]
    earlier = [
        {
            **row,
            "run_id": f"earlier-{number:06d}",
            "started_at": row["started_at"] - timedelta(minutes=number + 1),
            "ended_at": row["ended_at"] - timedelta(minutes=number + 1),
        }
        for number in range(runs - 1)
    ]
    last = 50
    for part in (earlier[last:], *([each] for each in earlier[:last])):
        write_deltalake(str(log.path), pa.Table.from_pylist(part, log.arrow().schema), mode="append")
    return folder


def _started(project: Path) -> tuple[subprocess.Popen[str], str, float]:
    began = time.perf_counter()
    command = [sys.executable, "-m", "lakelogic", "serve", str(project), "--port", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    line = server.stderr.readline()
    place = re.search(r"http://[\d.]+:\d+", line)
    if place is None:
        raise SystemExit(f"the server did not start: {line}")
    with urllib.request.urlopen(f"{place[0]}/health") as answer:
        answer.read()
    return server, place[0], round(time.perf_counter() - began, 3)


async def _load(url: str, path: str, clients: int, seconds: float) -> list[float]:
    """Seconds of every answer that clients got which ask again and again over connections that stay open."""
    host, _, port = url.removeprefix("http://").rpartition(":")
    request = f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode()
    until = time.perf_counter() + seconds

    async def ask() -> list[float]:
        reader, writer = await asyncio.open_connection(host, int(port))
        taken = []
        while (began := time.perf_counter()) < until:
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
            if not head.startswith(b"HTTP/1.1 200") or length is None:
                raise SystemExit(f"{path} was answered with {head!r}")
            await reader.readexactly(int(length[1]))
            taken.append(time.perf_counter() - began)
        writer.close()
        await writer.wait_closed()
        return taken

    return [each for found in await asyncio.gather(*(ask() for _ in range(clients))) for each in found]


def _told(taken: list[float], seconds: float) -> Measured:
    cuts = quantiles(taken, n=100)
    return {
        "requests_per_second": round(len(taken) / seconds, 1),
        "p50_ms": round(1000 * cuts[49], 2),
        "p99_ms": round(1000 * cuts[98], 2),
        "slowest_ms": round(1000 * max(taken), 2),
    }


def _resident_mb(pid: int) -> float:
    shown = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], check=True, capture_output=True, text=True)
    return round(int(shown.stdout) / 1024, 1)


if __name__ == "__main__":
    answer_with(measure)
