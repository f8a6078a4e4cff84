"""The plan: what a run will do, as frozen data that can be shown, compared and stored."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import Literal

from lakelogic.rules.base import Severity
from lakelogic.write.operations import Operation

FORMAT = 1
# The option of reading under which the digest of the user's own code stands.
CODE = "external_logic_code"
# What a table is to a run; part of the name under which its transactions are known.
# target, quarantine, deleted, undo, or secondary/ and the place of one of the others.
Role = str


def writer_of(identity: str, role: Role) -> str:
    """Under which name the transactions of a contract stand in a table."""
    return f"lakelogic/{identity}/{role}"


@dataclass(frozen=True)
class StepPlan:
    """One SELECT over `source` (the step before) and links."""

    name: str
    sql: str
    links: tuple[str, ...] = ()
    effect: str | None = None
    row_wise: bool = True


@dataclass(frozen=True)
class CheckPlan:
    """One judgement of a row, as SQL that is true for a good row."""

    name: str
    sql: str
    message: str
    category: str
    severity: Severity = "error"
    label: str | None = None
    stage: Literal["pre", "post"] = "pre"
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class AuditPlan:
    """One judgement of all good rows: a value and its bounds."""

    name: str
    sql: str
    message: str
    category: str
    severity: Severity
    low: float | None
    high: float | None
    low_open: bool
    high_open: bool
    whole_query: bool = False


@dataclass(frozen=True)
class StagePlan:
    """Steps, then the checks on what they yield, then the split.

    `good` and `bad` are SELECTs over what the steps yield; `quarantine` is one over the bad rows, as they are stored.
    """

    steps: tuple[StepPlan, ...] = ()
    checks: tuple[CheckPlan, ...] = ()
    good: str | None = None
    bad: str | None = None
    quarantine: str | None = None

    @property
    def splits(self) -> bool:
        """Whether any row can fail here."""
        return self.bad is not None

    @property
    def warnings(self) -> tuple[CheckPlan, ...]:
        return tuple(check for check in self.checks if check.severity != "error")


@dataclass(frozen=True)
class QuestionsPlan:
    """SELECTs that a run asks beside its writes: of the good rows, the bad rows, and what quarantine holds of it."""

    measure: str | None = None
    repeated_keys: str | None = None
    any_bad: str | None = None
    tally: str | None = None
    quarantined: str | None = None
    failed_before: str | None = None


@dataclass(frozen=True)
class ReadPlan:
    """What is read, and why all of it or only a part."""

    kind: Literal["files", "table", "frame", "quarantine"]
    location: str
    format: str
    mode: Literal["full", "incremental", "cdc", "replay", "release"]
    reason: str
    columns: tuple[tuple[str, str], ...]
    options: tuple[tuple[str, str], ...] = ()
    pattern: str | None = None


@dataclass(frozen=True)
class LinkPlan:
    """A reference table that SQL, lookups and rules may name."""

    name: str
    location: str
    format: str
    sql: str
    broadcast: bool = False


Evolution = Literal["strict", "append", "merge", "overwrite", "compatible", "allow"]


@dataclass(frozen=True)
class UpkeepPlan:
    """What is done for a table's files after a commit; `vacuum_hours` is how long files out of use are kept."""

    compact: bool = False
    vacuum_hours: float | None = None


@dataclass(frozen=True)
class TablePlan:
    """Where rows go and how.

    `columns` are those of the rows with their types, as far as they are known. `stored` is a SELECT over the rows, where
    the format can't hold them as they are. `storage` is where a catalog is to keep a table that it does not have yet.
    """

    location: str
    is_name: bool
    strategy: str
    operation: Operation
    partition_by: tuple[str, ...] = ()
    properties: tuple[tuple[str, str], ...] = ()
    evolution: Evolution = "allow"
    changes: ChangesPlan | None = None
    format: str = "delta"
    cluster_by: tuple[str, ...] = ()
    storage: str | None = None
    upkeep: UpkeepPlan | None = None
    columns: tuple[tuple[str, str], ...] = ()
    stored: str | None = None

    @property
    def evolve(self) -> bool:
        """Whether columns may be added."""
        return self.evolution != "strict"

    @property
    def takes_columns(self) -> bool:
        """Whether a table whose rows are all replaced gets the columns of the new ones, and no others."""
        return self.evolution in ("allow", "overwrite")

    @property
    def widens(self) -> bool:
        """Whether a column may get a wider type."""
        return self.evolution == "compatible"


@dataclass(frozen=True)
class ChangesPlan:
    """SELECTs that tell what a merge is to do, over the batch and what the table holds; see `write.base.Changes`.

    `deletes` are remembered in the table `deleted`; `share_gone` counts rows that a full batch takes out.
    """

    shape: str
    rows: str
    deletes: str | None = None
    deletes_shape: str | None = None
    deleted: TablePlan | None = None
    share_gone: str | None = None
    max_share_gone: float = 1.0


@dataclass(frozen=True)
class PolicyPlan:
    """Something that a policy pack brought, where the pack says it, and why it is left out, if it is."""

    pack: str
    what: str
    place: str
    left_out: str | None = None


@dataclass(frozen=True)
class Plan:
    """Everything a run will do. Two runs with one fingerprint treat the same input the same way.

    `key_id` names the masking key where rows of the target are found by values that it has masked.
    """

    contract: str
    layer: str | None
    identity: str
    engine: str
    read: ReadPlan
    links: tuple[LinkPlan, ...]
    pre: StagePlan
    post: StagePlan
    audits: tuple[AuditPlan, ...]
    publish: str
    target: TablePlan
    quarantine: TablePlan | None
    secondary: tuple[TablePlan, ...] = ()
    questions: QuestionsPlan = field(default_factory=QuestionsPlan)
    masks: tuple[tuple[str, str], ...] = ()
    lineage: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    key_id: str | None = None
    fail_on_quarantine: bool = False
    max_quarantine_ratio: float | None = None
    audits_block_write: bool = False
    hide: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    policies: tuple[PolicyPlan, ...] = ()
    format: int = field(default=FORMAT)

    @property
    def fingerprint(self) -> str:
        """A short hash of everything that decides what happens to a given input."""
        data = asdict(self)
        data.pop("notes")
        # What packs brought stands among the rules and steps already.
        data.pop("policies")
        data["read"].pop("reason")
        canonical = json.dumps(data, sort_keys=True, separators=(",", ":"), default=str)
        return hashlib.sha256(canonical.encode()).hexdigest()[:16]

    @property
    def code(self) -> str:
        """A digest of the user's own code, which may change while the contract says the same; empty where there is none."""
        return dict(self.read.options).get(CODE, "")

    def writer(self, role: Role) -> str:
        """Under which name the contract's transactions stand in a table."""
        return writer_of(self.identity, role)

    @property
    def others(self) -> tuple[tuple[Role, TablePlan], ...]:
        """The secondary targets with their roles: told by place, so that one more or less leaves the others as they are."""
        return tuple((f"secondary/{table.location}", table) for table in self.secondary)

    @property
    def written(self) -> tuple[tuple[Role, TablePlan], ...]:
        """The tables that good rows go to, with their roles, in the order in which they are written."""
        return (*self.others, ("target", self.target))

    @property
    def unique_by(self) -> tuple[str, ...]:
        """Columns whose values must be there in every good row."""
        return next((table.operation.unique_by for _, table in self.written if table.operation.unique_by), ())

    @property
    def each_once(self) -> bool:
        """Whether a repeated key is refused."""
        return any(table.operation.each_once for _, table in self.written)

    @property
    def keeps_rows(self) -> bool:
        """Whether good rows are gone over more than once, so that they are kept."""
        return bool(self.secondary) or self.target.operation.reads_rows_twice

    @property
    def checks(self) -> tuple[CheckPlan, ...]:
        return (*self.pre.checks, *self.post.checks)

    @property
    def measures_first(self) -> bool:
        """Whether an aggregate over the good rows comes before the write."""
        return bool(self.audits or self.unique_by)
