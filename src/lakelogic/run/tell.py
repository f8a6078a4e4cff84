"""A run told to people and kept for machines: log lines and the row of the run log."""

from __future__ import annotations

import getpass
import socket
from datetime import datetime
from typing import TYPE_CHECKING, Any

from loguru import logger

from lakelogic.contract import LoadedContract
from lakelogic.run.result import RunResult
from lakelogic.state.claims import Pinned
from lakelogic.state.runlog import as_text
from lakelogic.wording import share

if TYPE_CHECKING:
    from loguru import Logger

Instants = tuple[datetime | None, datetime | None]

# A library is quiet unless its host asks: logger.enable("lakelogic").
logger.disable("lakelogic")


def tell(result: RunResult) -> None:
    """The log lines of a run that has ended."""
    log = logger.bind(run_id=result.run_id, contract=result.contract, layer=result.layer, engine=result.engine)
    if result.status == "no_new_data":
        log.info("Nothing new for '{}': {}", result.contract, result.reason)
        _tell_service_levels(log, result)
        return
    if result.mode in ("drop", "reset"):
        log.info("{} of '{}' is done: {}", result.mode.capitalize(), result.contract, result.reason)
        return
    counts = result.counts
    if counts.quarantined:
        total = counts.source
        log.bind(alert=True).warning(
            "LakeLogic Alert: {} quarantined in '{}'. Total: {}",
            _counted(counts.quarantined, "record"),
            result.contract,
            total,
        )
    for note in result.notes:
        log.warning(note)
    if result.quarantine is not None and counts.quarantined:
        log.info("Wrote {} to {}", _counted(counts.quarantined, "quarantined row"), result.quarantine.location)
    for table in result.secondary:
        log.info("Wrote {} to {}", _counted(table.rows, "valid row"), table.location)
    if result.target is not None:
        log.info("Wrote {} to {}{}", _counted(counts.good, "valid row"), result.target.location, _merged(result))
    for rule in result.dataset_rules:
        if rule.status != "passed":
            log.warning("{} (measured {})", rule.message, rule.value)
    _tell_service_levels(log, result)
    log.info(
        "Run complete [layer={}] | Total: {} | Good: {} | Quarantine: {} | Ratio: {}",
        result.layer or "-",
        counts.source,
        counts.good,
        counts.quarantined,
        share(counts.ratio, 1),
    )


def _tell_service_levels(log: Logger, result: RunResult) -> None:
    for level in result.service_levels:
        if level.status != "passed":
            log.warning("Service level '{}' {}: {}", level.name, level.status, level.message)


def _counted(number: int | None, noun: str) -> str:
    """A count without separators: programs read log lines, too."""
    return f"the {noun}s" if number is None else f"{number} {noun}{'' if number == 1 else 's'}"


def _merged(result: RunResult) -> str:
    target = result.target
    if target is None or target.inserted is None or target.updated is None:
        return ""
    return f" ({target.inserted} inserted, {target.updated} updated)"


def log_row(
    loaded: LoadedContract, result: RunResult, pinned: Pinned, window: Instants = (None, None)
) -> dict[str, Any]:
    """The run as a row of the run log; `window` is the time that was asked for."""
    data = result.to_dict()
    counts = result.counts
    return {
        "run_id": result.run_id,
        "pipeline_run_id": result.pipeline_run_id,
        "sequence": result.sequence,
        "attempt": result.attempt,
        "contract": result.contract,
        "contract_file": str(loaded.path) if loaded.path else None,
        "contract_version": loaded.model.info.version,
        "dataset": result.contract,
        "layer": result.layer,
        "domain": loaded.domain,
        "system": loaded.system,
        "environment": loaded.environment or loaded.model.metadata.environment,
        "engine": result.engine,
        "plan": result.fingerprint,
        "mode": result.mode,
        "reason": result.reason,
        "status": result.status,
        "error": result.error,
        "window_start": window[0],
        "window_end": window[1],
        "started_at": result.started,
        "ended_at": result.ended,
        "duration_seconds": (result.ended - result.started).total_seconds(),
        "source": result.location,
        "input": pinned.digest,
        "input_files": len(pinned.files) if pinned.kind == "files" else None,
        "watermark": _watermark(pinned),
        "counts_source": counts.source,
        "counts_expanded": counts.expanded,
        "counts_good": counts.good,
        "counts_quarantined": counts.quarantined,
        "counts_filtered": counts.filtered,
        "counts_deduplicated": counts.deduplicated,
        "quarantine_ratio": result.quarantine_ratio,
        "quality_score": result.quality_score,
        "target": result.target.location if result.target else None,
        "target_version": result.target.version if result.target else None,
        "quarantine": result.quarantine.location if result.quarantine else None,
        "quarantine_version": result.quarantine.version if result.quarantine else None,
        "rules": data["rules"],
        "dataset_rules": data["dataset_rules"],
        "service_levels": data["service_levels"],
        "report": as_text(data),
        "actor": actor(),
    }


def actor() -> str:
    """Who runs this, and where."""
    try:
        return f"{getpass.getuser()}@{socket.gethostname()}"
    except (KeyError, OSError):
        return f"unknown@{socket.gethostname()}"


def _watermark(pinned: Pinned) -> str | None:
    """Up to where the source was read; a slice that was processed again moves nothing."""
    if pinned.slice is not None:
        return None
    if pinned.rows is not None:
        return f"{pinned.rows.column} {pinned.rows.high}" if pinned.rows.high is not None else None
    if pinned.version is not None:
        return f"version {pinned.version}"
    if pinned.files:
        newest = max(file.modified_ns for file in pinned.files)
        return f"newest file {newest}"
    return None
