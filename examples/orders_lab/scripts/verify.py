"""Starts the API over what was built, asks every route, compares the answers, and stops it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from app.resource_pack import LAB, quality_gates

_PATIENCE_SECONDS = 30
_EXPECTED = json.loads((LAB / "tests" / "expected.json").read_text(encoding="utf-8"))


def main() -> int:
    """Check every route; 0 if all answer as they must."""
    with served() as address:
        checks = [*named_checks(address), *other_checks(address)]
    wrong = [(path, problem) for path, problem in checks if problem]
    for path, problem in checks:
        print(f"{'FAIL' if problem else 'ok':4}  {path}  {problem or ''}".rstrip())
    print(f"{len(checks) - len(wrong)} of {len(checks)} checks passed.")
    return 1 if wrong else 0


@contextmanager
def served() -> Iterator[str]:
    """The address of the API in a process of its own, which ends with the block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "app.main:app", "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen([*command, "--log-level", "warning"], cwd=LAB) as server:
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(address, server)
            yield address
        finally:
            server.terminate()


def named_checks(address: str) -> Iterator[tuple[str, str | None]]:
    """The five routes of the lab, against the expected values."""
    for path, holds in {
        "/health": lambda found: found["ok"] is True and found["links"] == _EXPECTED["api"]["/health"]["links"],
        "/api/runtime/quality-report": _is_the_report,
        "/api/runtime/table-preview/bronze": lambda found: len(found["rows"]) == _EXPECTED["counts"]["bronze"],
        "/api/runtime/table-preview/silver": lambda found: len(found["rows"]) == _EXPECTED["counts"]["silver"],
        "/api/runtime/table-preview/gold": lambda found: _by_region(found["rows"]) == _EXPECTED["gold_region_kpis"],
        "/api/runtime/pipeline-summary": _is_the_summary,
        "/api/runtime/export-status": lambda found: {"snowflake", "databricks", "s3"} <= found.keys(),
    }.items():
        status, body = _get(address + path)
        right = status == 200 and holds(json.loads(body))
        yield path, None if right else f"{status} {body[:200]!r}"
    path = "/api/runtime/table-preview/platinum"
    status, body = _get(address + path)
    yield path, None if (status, json.loads(body)) == (404, {"detail": "Unknown layer"}) else f"{status} {body[:200]!r}"


def other_checks(address: str) -> Iterator[tuple[str, str | None]]:
    """Every other route that reads: it answers, and not with an error."""
    report = json.loads(_get(f"{address}/api/runtime/quality-report")[1])
    rejected = json.loads(_get(f"{address}/api/quarantine")[1])["rows"]
    known = {"name": report["contract"], "contract": report["contract"], "run_id": report["runId"], "layer": "gold"}
    known["row_id"] = rejected[0]["id"]
    paths = json.loads(_get(f"{address}/openapi.json")[1])["paths"]
    asked = [_filled(path, ways["get"], known) for path, ways in paths.items() if "get" in ways]
    for path in ["/", "/docs", *sorted(path for path in asked if not path.startswith(("/api/runtime/", "/health")))]:
        status, body = _get(address + path)
        yield path, None if status == 200 else f"{status} {body[:200]!r}"


def _filled(path: str, route: dict[str, Any], known: dict[str, str]) -> str:
    """A route with its parameters, as far as they must be given."""
    needed = [each["name"] for each in route.get("parameters", []) if each["in"] == "query" and each.get("required")]
    query = urllib.parse.urlencode({name: known[name] for name in needed})
    return path.format_map(known) + (f"?{query}" if query else "")


def _is_the_report(found: dict[str, Any]) -> bool:
    wanted = _EXPECTED["api"]["/api/runtime/quality-report"]
    counted = [{key: each[key] for key in ("name", "layer", "passed", "failed")} for each in found["expectations"]]
    asked = [{key: each[key] for key in ("name", "layer", "passed", "failed")} for each in wanted["expectations"]]
    labels = {row["rejection_reason"] for row in found["rejectedPreview"]}
    return found["summary"] == wanted["summary"] and counted == asked and labels == set(quality_gates().values())


def _is_the_summary(found: dict[str, Any]) -> bool:
    wanted = _EXPECTED["api"]["/api/runtime/pipeline-summary"]
    rows = {layer: told["rows"] for layer, told in found["layers"].items()}
    counted = {key: found["quality"][key] for key in wanted["quality"]}
    asked = {layer: told["rows"] for layer, told in wanted["layers"].items()}
    return (rows, counted, _by_region(found["gold_kpis"])) == (asked, wanted["quality"], _EXPECTED["gold_region_kpis"])


def _by_region(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: row["region"])


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(_PATIENCE_SECONDS * 10):
        if server.poll() is not None:
            raise SystemExit(f"The API ended with exit code {server.returncode}.")
        try:
            if _get(f"{address}/health")[0] == 200:
                return
        except urllib.error.URLError:
            pass
        time.sleep(0.1)
    raise SystemExit(f"The API did not answer within {_PATIENCE_SECONDS} s.")


def _get(url: str) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


if __name__ == "__main__":
    raise SystemExit(main())
