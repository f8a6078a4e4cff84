"""The manifest of a run: its input with hashes, its plan, its counts, and its rows counted again from storage."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lakelogic.engines.base import Engine
from lakelogic.engines.opening import EngineSettings, light_engine, open_engine
from lakelogic.errors import SourceError, UsageError
from lakelogic.formats.bytes import is_uri
from lakelogic.plan.locations import locate
from lakelogic.project import Project
from lakelogic.sources.files import SourceFile
from lakelogic.sources.read import TableToRead
from lakelogic.state import files
from lakelogic.state.claims import Claim, Claims
from lakelogic.state.runlog import RunLog

FORMAT = 1
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Check:
    """One thing that must be so; `holds` is None where it can't be told any more."""

    name: str
    holds: bool | None
    told: str


def manifest(project: Project, run_id: str, engine: str | None = None) -> dict[str, object]:
    """Everything that is known of a run, and counted again.

    Raises:
        UsageError: the run log of the project has no such run.
    """
    run = _logged(project, run_id)
    report = json.loads(run["report"])
    claim = _claim(project, run_id)
    settings = EngineSettings(engine or light_engine(), spark=project.spark, warehouse=project.root / "warehouse")
    opened = open_engine(settings, lambda _: None)
    try:
        tables = {role: _table(opened, project, report[role]) for role in ("target", "quarantine") if report.get(role)}
    finally:
        opened.close()
    return {
        "format": FORMAT,
        "run_id": run_id,
        "made_at": datetime.now(UTC).isoformat(),
        "run": {name: _plain(run[name]) for name in _RUN if run.get(name) is not None},
        "input": _input(claim) if claim else {"digest": run["input"]},
        "counts": report["counts"],
        "tables": tables,
        "identity": _identity(report["counts"]),
    }


_RUN = (
    "contract contract_file contract_version layer engine plan mode reason status sequence attempt started_at ended_at "
    "actor input"
).split()


def checks(said: Mapping[str, Any]) -> list[Check]:
    """What a manifest claims, judged by its own figures."""
    found = [Check("every row is accounted for", said["identity"]["holds"], said["identity"]["told"])]
    for role, table in said["tables"].items():
        committed, counted = table["committed"], table["counted"]
        told = ", ".join(f"{name} {number}" for name, number in committed.items() if number is not None)
        now = f"{_said(counted['before'])} rows before, {_said(counted['rows'])} after"
        found.append(Check(f"{role}: rows in storage", _agrees(table), f"committed {told or 'unknown'}; counted {now}"))
    return found


def _logged(project: Project, run_id: str) -> dict[str, Any]:
    found = RunLog(project.state_dir).rows(run_id=run_id)
    wanted = [row for row in found if row["status"] == "succeeded"] or found
    if not wanted:
        raise UsageError(
            f"no run {run_id} is in the log of {project.state_dir}.", cure="`lakelogic runs` lists the runs."
        )
    return wanted[-1]


def _claim(project: Project, run_id: str) -> Claim | None:
    """What the run has recorded of its input before it began to write."""
    for listed in (project.state_dir / "runs").glob(f"*/input-{run_id}.json"):
        for path in listed.parent.glob("*.claim.json"):
            data = files.get(path)
            if data is not None and data["run_id"] == run_id:
                return Claims(listed.parent).read(int(data["sequence"]))
    return None


def _input(claim: Claim) -> dict[str, object]:
    pinned = claim.input
    told: dict[str, object] = {"kind": pinned.kind, "location": pinned.location, "digest": pinned.digest}
    if pinned.version is not None:
        told["version"] = pinned.version
    if pinned.ids:
        told["rows"] = len(pinned.ids)
    if pinned.files:
        told["files"] = [file_facts(file) for file in pinned.files]
    return told


def file_facts(file: SourceFile) -> dict[str, object]:
    """A file as it was read, and the hash of its content if it is still the same."""
    told: dict[str, object] = {"path": file.path, "size": file.size, "modified_ns": file.modified_ns}
    if is_uri(file.path):
        return {**told, "sha256": None, "now": "not on this machine"}
    path = Path(file.path)
    try:
        seen = path.stat()
        if (seen.st_size, seen.st_mtime_ns) != (file.size, file.modified_ns):
            return {**told, "sha256": None, "now": "changed since"}
        return {**told, "sha256": hashed(path), "now": "unchanged"}
    except OSError:
        return {**told, "sha256": None, "now": "gone"}


def hashed(path: Path) -> str:
    """The SHA-256 of a file's content."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _table(engine: Engine[Any], project: Project, committed: Mapping[str, Any]) -> dict[str, object]:
    version = committed["version"]
    after = count_rows(engine, project, committed["location"], version)
    # The first version of a table had nothing before it.
    before = 0 if version == 0 else count_rows(engine, project, committed["location"], _before(version))
    return {
        "location": committed["location"],
        "version": version,
        "operation": committed["operation"],
        "committed": {name: committed.get(name) for name in ("rows", "inserted", "updated", "deleted")},
        "counted": {"before": before, "rows": after},
    }


def _agrees(table: Mapping[str, Any]) -> bool | None:
    """Whether a table has grown as its commit says, or holds what replaced everything; None where it can't be told."""
    committed, before, after = table["committed"], table["counted"]["before"], table["counted"]["rows"]
    added = committed["inserted"] if table["operation"] == "MERGE" else committed["rows"]
    if before is None or after is None or added is None:
        return None
    if table["operation"] != "MERGE" and after == added:
        return True
    return bool(after - before == added - (committed["deleted"] or 0))


def count_rows(engine: Engine[Any], project: Project, location: str, version: int | None) -> int | None:
    """The rows of a table at a version, counted from its files; None where they are no longer there."""
    if version is None:
        return None
    found = locate(location, project.root)
    try:
        frame = engine.read_table(TableToRead(found.text, found.is_name, version))
        return int(str(engine.measure("SELECT count(1) AS n FROM source", {"source": frame})["n"]))
    except SourceError:
        return None


def _before(version: int | None) -> int | None:
    return None if version is None else version - 1


def _identity(counts: Mapping[str, int | None]) -> dict[str, object]:
    """Promise 1: rows read + expanded = good + quarantined + filtered + deduplicated."""
    left = ("source", "expanded")
    right = ("good_at_split", "quarantined_at_split", "filtered", "deduplicated")
    known = all(counts.get(name) is not None for name in (*left, *right))
    sides = [sum(counts.get(name) or 0 for name in side) for side in (left, right)]
    told = " = ".join(" + ".join(_named(name, counts.get(name)) for name in side) for side in (left, right))
    return {"holds": sides[0] == sides[1] if known else None, "told": told}


def _named(name: str, value: int | None) -> str:
    return f"{name.removesuffix('_at_split')} {_said(value)}"


def _said(value: object) -> str:
    return "unknown" if value is None else str(value)


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value
