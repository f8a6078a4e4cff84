"""How good the data is: the report of one contract, and a summary of all layers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from lakelogic.contract import LoadedContract
from lakelogic.driver.nodes import Node
from lakelogic.errors import SourceError
from lakelogic.observe.history import RunDetail
from lakelogic.plan import names
from lakelogic.quarantine.lifecycle import Quarantine
from lakelogic.quarantine.rows import QuarantinedRow, Wanted
from lakelogic.serve.answers import NotFound
from lakelogic.serve.reading.project import FIRST_RUN, Contracts, Served
from lakelogic.serve.reading.rules import DeclaredRule, condition_in, declared_rules
from lakelogic.serve.reading.runs import judged_rows
from lakelogic.serve.reading.tables import TableRows, table_rows

_REJECTED = 50
_KPIS = 500
_NUMBERS = ("int", "bigint", "smallint", "tinyint", "long", "integer", "float", "double", "decimal", "numeric")


@dataclass(frozen=True)
class Expectation:
    """A rule, and how many rows of the last run met it; what is not known is None."""

    name: str
    layer: str | None
    passed: int | None
    failed: int | None
    rule: str


@dataclass(frozen=True)
class QualityReport:
    """How the last run of a contract that succeeded has judged its rows."""

    contract: str
    run_id: str
    generated_at: datetime
    accepted: int | None
    failed: int | None
    expectations: tuple[Expectation, ...]
    rejected: tuple[Mapping[str, object], ...]

    @property
    def pass_rate(self) -> float | None:
        """Share of judged rows that are good, in percent."""
        if self.accepted is None or self.failed is None:
            return None
        judged = self.accepted + self.failed
        return round(100 * self.accepted / judged, 2) if judged else 100.0


def report_node(contracts: Contracts, named: str | None) -> Node:
    """The contract that the report is about: as the project says, else the last of layer silver that has rules.

    Raises:
        NotFound: there is no such contract.
    """
    if named is not None:
        return contracts.node(named)
    silver = [node for node in contracts.layers.get("silver", ()) if declared_rules(node.contract)]
    ruled = silver or [node for node in contracts if declared_rules(node.contract)] or list(contracts)
    if not ruled:
        raise contracts.problem or NotFound("there is no contract yet.", cure="Write one: lakelogic template")
    return ruled[-1]


def quality_report(served: Served) -> QualityReport:
    """The report, made anew when a run was logged or a contract was changed.

    Raises:
        SourceError: the contract has not run yet.
        NotFound: there is no contract to report about.
    """
    return served.answers.get("quality", served.stamp, lambda: _report(served))


def _report(served: Served) -> QualityReport:
    node = report_node(served.contracts, served.project.serve.get("quality"))
    found = served.runs.last_judged(node.name)
    if found is None:
        raise SourceError(
            f"'{node.name}' has not run yet.",
            cure=f"Run it and what it reads: {FIRST_RUN}",
        )
    judged, bad = judged_rows(found.run), found.run.counts_quarantined
    return QualityReport(
        contract=node.name,
        run_id=found.run.run_id,
        generated_at=datetime.now(UTC),
        accepted=judged - bad if judged is not None and bad is not None else found.run.counts_good,
        failed=bad,
        expectations=_expectations(node, found),
        rejected=tuple(_rejected(node, found.run.run_id)),
    )


def _expectations(node: Node, found: RunDetail) -> tuple[Expectation, ...]:
    """The rules of the contract, then what else its model asks of values where rows have failed it."""
    declared = {rule.name: rule for rule in _expected(node.contract)}
    judged = judged_rows(found.run)
    rules: list[Expectation] = []
    others: list[Expectation] = []
    for rule in found.report.get("rules", ()):
        name, failed = str(rule["name"]), rule["failed"]
        said = declared.get(name)
        text = (said.description or said.condition) if said else condition_in(rule["message"], name)
        passed = None if judged is None or failed is None else judged - failed
        (rules if said else others).append(Expectation(name, node.layer, passed, failed, text))
    return (*rules, *(each for each in others if each.failed))


def _expected(contract: LoadedContract) -> tuple[DeclaredRule, ...]:
    """Rules that have a name; where none has, all of them."""
    declared = declared_rules(contract)
    return tuple(rule for rule in declared if rule.named) or declared


def _rejected(node: Node, run_id: str) -> Iterator[dict[str, object]]:
    """The first bad rows of a run: their key, the columns that rules judge, and the reason."""
    contract = node.contract
    if not contract.model.quarantine.enabled:
        return
    rows = Quarantine(contract).rows(Wanted(run=run_id, state="active"), limit=_REJECTED)
    judged = {name.lower() for rule in _expected(contract) for name in rule.about}
    shown = {*judged, *(key.lower() for key in contract.primary_key)}
    types = {item.name.lower(): item.type for item in contract.model.model.fields}
    for row in sorted(rows, key=lambda row: _order(contract, row)):
        kept = {name: _typed(value, types.get(name.lower())) for name, value in row.values.items()}
        told = {name: value for name, value in kept.items() if name.lower() in shown or not shown}
        yield {**told, names.REASON: row.reason or (row.rules[0] if row.rules else None)}


def _order(contract: LoadedContract, row: QuarantinedRow) -> tuple[str, ...]:
    return (*(str(row.values.get(key) or "") for key in contract.primary_key), f"{row.position or 0:020d}", row.id)


def _typed(value: object, declared: str | None) -> object:
    """Quarantine holds text, as it was read; a number that is one is shown as one."""
    if not isinstance(value, str) or not (declared or "").lower().startswith(_NUMBERS):
        return value
    try:
        number = float(value)
    except ValueError:
        return value
    return number


@dataclass(frozen=True)
class LayerRows:
    """How many rows the tables of a layer hold together; None where one of them is not known or not there."""

    layer: str
    rows: int | None


@dataclass(frozen=True)
class PipelineSummary:
    """All layers in a few numbers, and the rows of the last table of the last layer."""

    layers: tuple[LayerRows, ...]
    expectations: int
    without_failure: int
    rejected: int | None
    last_table: TableRows


def pipeline_summary(served: Served) -> PipelineSummary:
    """The summary, made anew when a run was logged or a contract was changed.

    Raises:
        SourceError: nothing has run yet, or the last table can't be read now.
    """
    report, contracts = quality_report(served), served.contracts
    if not contracts.layers:
        raise NotFound("no contract has a layer.", cure="Name it: target_layer, in info of the contract.")
    totals = [LayerRows(layer, _total(served, nodes)) for layer, nodes in contracts.layers.items()]
    last = list(contracts.layers.values())[-1][-1]
    failed = [rule for rule in report.expectations if rule.failed]
    return PipelineSummary(
        tuple(totals),
        len(report.expectations),
        len(report.expectations) - len(failed),
        report.failed,
        table_rows(served, last, _KPIS),
    )


def _total(served: Served, nodes: Sequence[Node]) -> int | None:
    total = 0
    for node in nodes:
        try:
            rows = table_rows(served, node, 1).total
        except SourceError:
            return None
        if rows is None:
            return None
        total += rows
    return total
