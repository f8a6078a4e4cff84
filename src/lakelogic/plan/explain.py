"""A plan told in full: its passes over the data, its SQL, its writes, and what it can't promise."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from lakelogic.formats.base import formats
from lakelogic.plan.model import ChangesPlan, Plan, StagePlan, TablePlan
from lakelogic.write.operations import MergeRows, ReplaceRows, ReplaceSlices

FORMAT = 1


@dataclass(frozen=True)
class Pass:
    """One time that the rows are gone through. `over` is what is read: the source, or rows kept from an earlier pass."""

    purpose: str
    because: str
    over: str = "source"


@dataclass(frozen=True)
class Statement:
    """A piece of SQL, and what it is for."""

    title: str
    sql: str


@dataclass(frozen=True)
class Write:
    """A table that is written, and the name under which its transactions are known."""

    role: str
    table: TablePlan
    writer: str
    how: str


@dataclass(frozen=True)
class Explained:
    """A plan with everything that follows from it."""

    plan: Plan
    passes: tuple[Pass, ...]
    statements: tuple[Statement, ...]
    writes: tuple[Write, ...]
    weaker_promises: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """Plain data, for `--json`."""
        return {
            "format": FORMAT,
            "contract": self.plan.contract,
            "layer": self.plan.layer,
            "engine": self.plan.engine,
            "fingerprint": self.plan.fingerprint,
            "passes": [asdict(each) for each in self.passes],
            "writes": [
                {"role": write.role, "location": write.table.location, "how": write.how, "transactions": write.writer}
                for write in self.writes
            ],
            "weaker_promises": list(self.weaker_promises),
            "plan": asdict(self.plan),
        }


def explained(plan: Plan) -> Explained:
    """Everything that a plan says, in the order in which it happens."""
    return Explained(plan, tuple(_passes(plan)), tuple(_statements(plan)), tuple(_writes(plan)), _weaker(plan))


def not_pinned(plan: Plan) -> tuple[str, ...]:
    """What is lost where a table keeps no versions."""
    return (f"{plan.read.location} keeps no versions: a run that is repeated after a crash may read other rows.",)


def _passes(plan: Plan) -> list[Pass]:
    splits = plan.pre.splits or plan.post.splits
    keeps = plan.keeps_rows
    passes = []
    if plan.read.kind == "files" and formats.get(plan.read.format).needs_engine:
        because = f"{plan.read.format} files do not declare them, and a sample would miss some"
        passes.append(Pass("learn the columns", because))
    if code := dict(plan.read.options).get("external_logic"):
        passes.append(Pass("make the rows", f"{code} is called, and the rows that it returns are kept"))
    if plan.fail_on_quarantine and splits:
        passes.append(Pass("count the bad rows", "the contract allows none, so nothing may be written before"))
    if plan.measures_first:
        passes.append(Pass("measure the good rows", _measured(plan, keeps)))
    queries = [audit.name for audit in plan.audits if audit.whole_query]
    if queries:
        because = f"dataset rules that are queries of their own: {', '.join(queries)}"
        passes.append(Pass("answer queries", because, "good rows"))
    if plan.quarantine is not None and splits:
        passes.append(Pass("write the bad rows", "with the reasons of each"))
    if plan.target.changes is not None:
        because = "what is merged follows from the good rows and from what the table holds of their keys"
        passes.append(Pass("compare with the table", because, "good rows that were kept"))
    kept = keeps and plan.measures_first
    for table in plan.secondary:
        passes.append(
            Pass("copy the good rows", f"to {table.location}", "good rows that were kept" if kept else "source")
        )
        kept = True
    counted = "rows and warnings are counted on the way"
    passes.append(Pass("write the good rows", counted, "good rows that were kept" if kept else "source"))
    return passes


def _measured(plan: Plan, keeps: bool) -> str:
    reasons = []
    if plan.audits:
        reasons.append(f"dataset rules: {', '.join(audit.name for audit in plan.audits)}")
    if plan.unique_by:
        once = ", and each once" if plan.each_once else ""
        reasons.append(f"keys must be there{once}: {', '.join(plan.unique_by)}")
    return "; ".join(reasons) + ("; the rows are kept for the write" if keeps else "")


def _statements(plan: Plan) -> list[Statement]:
    statements = [Statement(f"link {link.name}", link.sql) for link in plan.links]
    for stage, when in ((plan.pre, "before the split"), (plan.post, "after the split")):
        statements += [Statement(f"step {step.name} ({when})", step.sql) for step in stage.steps]
        statements += _split_statements(stage, when)
    statements += [Statement(f"dataset rule {audit.name}", audit.sql) for audit in plan.audits]
    return [*statements, Statement("good rows, as they are stored", plan.publish), *_merged(plan.target.changes)]


def _merged(changes: ChangesPlan | None) -> list[Statement]:
    """What is worked out of the good rows and the table before they are merged."""
    if changes is None:
        return []
    told = [
        ("share of the table that is gone", changes.share_gone),
        ("deletes to remember", changes.deletes),
        ("rows to merge", changes.rows),
    ]
    return [Statement(title, sql) for title, sql in told if sql is not None]


def _split_statements(stage: StagePlan, when: str) -> list[Statement]:
    told = [
        (f"good rows ({when})", stage.good),
        (f"bad rows with their reasons ({when})", stage.bad),
        (f"bad rows, as they are stored ({when})", stage.quarantine),
    ]
    return [Statement(title, sql) for title, sql in told if sql is not None]


def _writes(plan: Plan) -> list[Write]:
    """In the order in which they are written."""
    writes = [Write("good", table, plan.writer(role), _how(table)) for role, table in plan.written]
    if plan.target.changes is not None and (deleted := plan.target.changes.deleted) is not None:
        writes.insert(0, Write("deletes", deleted, plan.writer("deleted"), "keys and times, each once"))
    if plan.quarantine is not None:
        writes.insert(0, Write("quarantined", plan.quarantine, plan.writer("quarantine"), _how(plan.quarantine)))
    return writes


def _how(table: TablePlan) -> str:
    parts = [table.strategy] if table.format == "delta" else [table.format, table.strategy]
    if table.operation.unique_by:
        parts.append(f"by {', '.join(table.operation.unique_by)}")
    if isinstance(table.operation, ReplaceSlices) and table.operation.where is not None:
        parts.append(f"in place of rows where {table.operation.where}")
    if table.partition_by:
        parts.append(f"partitioned by {', '.join(table.partition_by)}")
    if table.cluster_by:
        parts.append(f"clustered by {', '.join(table.cluster_by)}")
    if not table.evolve:
        parts.append("its columns stay as they are")
    return ", ".join(parts)


def _weaker(plan: Plan) -> tuple[str, ...]:
    tables = [table for _, table in plan.written] + ([plan.quarantine] if plan.quarantine else [])
    return (*_updated_anyway(plan), *(told for table in tables for told in _by_format(table)))


def _by_format(table: TablePlan) -> tuple[str, ...]:
    """What tables of a format can't promise."""
    if table.format == "delta" or (table.format == "iceberg" and table.is_name):
        return ()
    if table.format == "iceberg":
        return (f"{table.location} is in no catalog: nothing keeps other writers out.",)
    told = f"{table.location} is plain {table.format} files: no earlier version can be read"
    if isinstance(table.operation, ReplaceRows):
        return (f"{told}, and a reader may see old and new rows side by side for a moment.",)
    return (f"{told}, and nothing keeps other writers out.",)


def _updated_anyway(plan: Plan) -> tuple[str, ...]:
    operation = plan.target.operation
    if not isinstance(operation, MergeRows) or operation.compare is not None:
        return ()
    sealed = [name for name, kind in plan.masks if kind == "encrypt"]
    if sealed:
        told = f"{', '.join(sealed)} is encrypted anew each time; 'masking_mode: deterministic' would tell"
    else:
        told = "a column has a type that can't be compared"
    return (f"Every row whose key is there is updated, changed or not: {told}.",)
