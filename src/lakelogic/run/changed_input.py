"""Input that was replaced while it was read: what was written of it is taken back."""

from __future__ import annotations

from typing import Any

from lakelogic.engines.base import Engine
from lakelogic.errors import SourceChanged
from lakelogic.plan.model import Plan
from lakelogic.run.begin import Beginning
from lakelogic.sources.discover import list_source, source_of
from lakelogic.state.claims import Claim, Pinned


def take_back_changed(beginning: Beginning, plan: Plan, claim: Claim, engine: Engine[Any]) -> None:
    """Undo every commit of a run, the target's first, if a file of its input is not the one that was pinned.

    Raises:
        SourceChanged: it was so; the tables are as they were.
        WriteError: a table has been written by others since, and stays as it is.
    """
    changed = _changed(beginning, claim.input)
    if changed is None:
        return
    deleted = plan.target.changes.deleted if plan.target.changes else None
    before = (table for _, table in reversed(plan.others))
    for table in (plan.target, *before, deleted, plan.quarantine):
        if table is not None:
            engine.undo(table, claim.run_id)
    raise SourceChanged(
        f"{changed} was replaced while it was read; what this run had written was taken back.",
        cure="Run again: the file is read as it is now.",
    )


def _changed(beginning: Beginning, pinned: Pinned) -> str | None:
    """A file that is there with another size or time; one that is gone was read to its end, or the read has failed."""
    if pinned.kind != "files":
        return None
    there = {file.path: file.identity for file in list_source(source_of(beginning.loaded, beginning.ask.source)).files}
    return next((file.path for file in pinned.files if there.get(file.path, file.identity) != file.identity), None)
