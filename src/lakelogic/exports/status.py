"""What is known of exports without sending any: which systems are set up, and their last receipts."""

from __future__ import annotations

import os

from lakelogic.exports.base import Environment, export_targets
from lakelogic.project import Project
from lakelogic.state.exportlog import ExportLog

NOT_SET = "(not set)"
_SHOWN = ("contract", "target", "status", "error", "rows", "table_version", "run_id", "statements")


def export_status(project: Project, environment: Environment | None = None) -> dict[str, dict[str, object]]:
    """Every kind of system: whether it is set up, where it is, and the last export to it, if there was one."""
    variables = os.environ if environment is None else environment
    newest = {row["kind"]: row for row in ExportLog(project.state_dir).rows()}
    found: dict[str, dict[str, object]] = {}
    for kind, target in export_targets:
        told: dict[str, object] = {
            "configured": not target.missing(variables),
            target.about: target.address(variables) or NOT_SET,
        }
        if (last := newest.get(kind)) is not None:
            told["last_export"] = {name: last[name] for name in _SHOWN} | {"ended_at": last["ended_at"].isoformat()}
        found[kind] = told
    return found
