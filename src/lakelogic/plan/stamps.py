"""The columns that tell where a row came from."""

from __future__ import annotations

import getpass

from sqlglot import exp

from lakelogic.contract import LoadedContract
from lakelogic.plan import names
from lakelogic.plan.model import ReadPlan
from lakelogic.sql.build import ref
from lakelogic.sql.render import NOW, PIPELINE_RUN_ID, RUN_ID
from lakelogic.sql.types import STRING, TIMESTAMP, Columns


def lineage_columns(
    loaded: LoadedContract, read: ReadPlan, columns: Columns
) -> tuple[dict[str, exp.Expr], tuple[str, ...]]:
    """Column → value for each origin that the contract asks for, and those that only a row's first write sets."""
    wanted = loaded.model.lineage
    if not wanted.enabled:
        return {}, ()
    file = ref(names.FILE) if names.FILE.name in columns else _text(read.location)
    run = PIPELINE_RUN_ID if wanted.run_id_source == "pipeline_run_id" else RUN_ID
    version = f"{loaded.path.name if loaded.path else loaded.name} (v{loaded.model.info.version})"
    now = exp.cast(exp.Literal.string(NOW), TIMESTAMP)
    values: list[tuple[bool, str, exp.Expr]] = [
        (wanted.capture_source_path, wanted.source_path_column_name, file),
        (wanted.capture_timestamp, wanted.timestamp_column_name, now),
        (wanted.capture_run_id, wanted.run_id_column_name, exp.Literal.string(run)),
        (wanted.capture_contract_name, wanted.contract_name_column_name, _text(version)),
        (wanted.capture_domain, wanted.domain_column_name, _text(loaded.domain)),
        (wanted.capture_system, wanted.system_column_name, _text(loaded.system)),
        (wanted.capture_created_at, wanted.created_at_column_name, now.copy()),
        (wanted.capture_created_by, wanted.created_by_column_name, _text(wanted.created_by_override or _user())),
    ]
    first_write = {wanted.created_at_column_name, wanted.created_by_column_name}
    stamps = {name: value for captured, name, value in values if captured}
    return stamps, tuple(name for name in stamps if name in first_write)


def _text(value: str | None) -> exp.Expr:
    return exp.cast(exp.null(), STRING) if value is None else exp.Literal.string(value)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
