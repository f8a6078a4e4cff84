"""What a rule is: a model of its YAML, and a pure function to checks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self, TypeVar

from pydantic import Field
from sqlglot import exp

from lakelogic.errors import Place, SqlError, did_you_mean
from lakelogic.registry import Registry
from lakelogic.sql.build import named, readable, ref
from lakelogic.sql.source_names import ReadsSource
from lakelogic.sql.types import UNKNOWN, Columns

Severity = Literal["error", "warning", "info"]
Phase = Literal["pre", "post"]
Category = str

KEY = "_ll_k"
FOUND = "_ll_found"

row_rules: Registry[type[RowRule]] = Registry("row_rule", "lakelogic.rules")
dataset_rules: Registry[type[DatasetRule]] = Registry("dataset_rule", "lakelogic.rules")


@dataclass(frozen=True)
class Lookup:
    """A link in which a value must be found: the plan joins it and hands `flag` to the predicate."""

    link: str
    column: str
    key: str
    flag: str
    key_type: exp.DataType = UNKNOWN

    def spelt(self, links: Mapping[str, Columns]) -> Self:
        """The same lookup, with the key as the link has it.

        Raises:
            SqlError: there is no such link, or it has no such column.
        """
        key = self._of(links).get(self.key)
        return replace(self, key=key.name, key_type=key.type)

    def found(self) -> exp.Select:
        """What the link tells of each key, in one row: the key, and what `told` needs."""
        keys = exp.select(named(KEY, ref(self.key)), named(FOUND, exp.true())).distinct()
        return keys.from_(exp.Table(this=exp.to_identifier(self.link, quoted=True)))

    def told(self, source: str, alias: str) -> exp.Expr:
        """The flag of a row of the source, beside which stands what was found for its key, or NULL."""
        return exp.Coalesce(this=ref(FOUND, alias), expressions=[exp.false()])

    def _of(self, links: Mapping[str, Columns]) -> Columns:
        if self.link not in links:
            raise SqlError(f"link '{self.link}' is unknown.", cure=did_you_mean(self.link, links))
        return links[self.link]


@dataclass(frozen=True)
class Check:
    """One judgement of a row: `predicate` is true for a good row; false and NULL are failures."""

    name: str
    predicate: exp.Expr
    message: str
    category: Category
    severity: Severity = "error"
    phase: Phase | None = None
    label: str | None = None
    lookup: Lookup | None = None
    place: Place | None = None


@dataclass(frozen=True)
class Audit:
    """One judgement of all good rows: `measure` is one aggregate expression; the value must lie within the bounds.

    `query` is given in place of `measure` when the user wrote a whole SELECT that yields one value.
    """

    name: str
    message: str
    category: Category
    measure: exp.Expr | None = None
    query: exp.Query | None = None
    low: float | None = None
    high: float | None = None
    low_open: bool = False
    high_open: bool = False
    severity: Severity = "error"
    place: Place | None = None

    @property
    def tree(self) -> exp.Expr:
        """What is measured, whichever way it was written."""
        tree = self.measure or self.query
        if tree is None:
            raise ValueError(f"the audit '{self.name}' measures nothing")
        return tree

    def passes(self, value: float | None) -> bool:
        """Whether a measured value lies within the bounds; no value fails."""
        return within(value, self.low, self.high, low_open=self.low_open, high_open=self.high_open)


def within(
    value: float | None, low: float | None, high: float | None, *, low_open: bool = False, high_open: bool = False
) -> bool:
    """Whether a value lies within bounds, of which either may be absent or open; no value does not."""
    if value is None:
        return False
    low_ok = low is None or (value > low if low_open else value >= low)
    high_ok = high is None or (value < high if high_open else value <= high)
    return low_ok and high_ok


def bounds_raised(low: Any, high: Any, before_low: Any, before_high: Any) -> bool | None:
    """Whether bounds, of which either may be absent, keep out what earlier ones let in; None if they can't be compared."""
    try:
        above = low is not None and (before_low is None or low > before_low)
        return above or (high is not None and (before_high is None or high < before_high))
    except TypeError:
        return None


@dataclass(frozen=True)
class RuleExample:
    """Values of a column for which a rule passes and fails; `arguments` is the rule's YAML body.

    `links` holds, for each link that the rule reads, the values of its columns. With `types`, the rule looks at several
    columns: `passes` and `fails` are whole rows.
    """

    arguments: Any
    column_type: str = "string"
    column: str = "value"
    passes: tuple[Any, ...] = ()
    fails: tuple[Any, ...] = ()
    links: Mapping[str, Mapping[str, tuple[Any, ...]]] | None = None
    types: Mapping[str, str] | None = None
    link_types: Mapping[str, str] | None = None


@dataclass(frozen=True)
class AuditExample:
    """A column of good rows with the value an audit measures on it, and whether that passes."""

    arguments: Any
    rows: tuple[Any, ...]
    measured: float | None
    passed: bool
    column_type: str = "string"
    column: str = "value"


class RuleModel(ReadsSource):
    """Keys that every rule may carry."""

    name: str | None = Field(None, description="The rule's name in reports; derived when absent.")
    category: str | None = Field(None, description="The quality dimension; derived from the kind when absent.")
    description: str | None = Field(None, description="What the rule protects, in words.")
    severity: Severity = Field("error", description="error quarantines; warning and info keep the row and report it.")

    kind: ClassVar[str]
    default_category: ClassVar[Category]

    @classmethod
    def from_yaml(cls, body: Any) -> Any:
        """The short forms of the YAML body (a name, a list) as the mapping that the model reads."""
        return body

    def refuses_more_than(self, before: Self) -> bool | None:
        """Whether it refuses something that an earlier version of it let pass; None where that can't be told."""
        return None


class RowRule(RuleModel):
    """A rule that judges each row by itself."""

    phase: Phase | None = Field(None, description="pre: before the split (default); post: after the transformations.")
    label: str | None = Field(None, description="Fills rejection_reason in quarantine when this rule fails first.")

    examples: ClassVar[tuple[RuleExample, ...]] = ()

    @abstractmethod
    def predicates(self, columns: Columns) -> Mapping[str, exp.Expr]:
        """Machine name → predicate, for each column that the rule judges.

        Raises:
            SqlError: it names a column that is not there.
        """

    def lookup(self, columns: Columns) -> Lookup | None:
        """The link this rule needs, if any."""
        return None

    def condition(self, predicate: exp.Expr) -> str:
        """What a good row meets, as a reader of the quarantine table sees it."""
        return readable(predicate)

    def message(self, name: str, predicate: exp.Expr) -> str:
        """What is told of a row that fails."""
        return f"Rule failed: {name} ({self.condition(predicate)})"

    def checks(self, columns: Columns) -> tuple[Check, ...]:
        """The rule's checks, ready for the plan."""
        predicates = self.predicates(columns)
        return tuple(
            self._check(self._named(machine, len(predicates)), predicate, columns)
            for machine, predicate in predicates.items()
        )

    def _named(self, machine: str, count: int) -> str:
        if self.name is None:
            return machine
        return self.name if count == 1 else f"{self.name}_{machine}"

    def _check(self, name: str, predicate: exp.Expr, columns: Columns) -> Check:
        return Check(
            name=name,
            predicate=predicate,
            message=self.message(name, predicate),
            category=self.category or self.default_category,
            severity=self.severity,
            phase=self.phase,
            label=self.label,
            lookup=self.lookup(columns),
        )


class DatasetRule(RuleModel):
    """A rule that judges all good rows together."""

    examples: ClassVar[tuple[AuditExample, ...]] = ()

    @abstractmethod
    def audit(self, columns: Columns, links: Mapping[str, Columns] | None = None) -> Audit:
        """The aggregate to measure and the bounds it must keep.

        Raises:
            SqlError: it names a column or link that is not there.
        """

    def _measured(
        self,
        machine: str,
        condition: str,
        measure: exp.Expr,
        *,
        low: float | None = None,
        high: float | None = None,
    ) -> Audit:
        name = self.name or machine
        return Audit(
            name=name,
            message=f"Rule failed: {name} ({condition})",
            category=self.category or self.default_category,
            measure=measure,
            low=low,
            high=high,
            severity=self.severity,
        )


RowKind = TypeVar("RowKind", bound=RowRule)
DatasetKind = TypeVar("DatasetKind", bound=DatasetRule)


def row_rule(kind: str) -> Callable[[type[RowKind]], type[RowKind]]:
    """Registers a row rule under the key that contracts use for it.

    Raises:
        NameTaken: the kind is registered already.
    """

    def register(rule: type[RowKind]) -> type[RowKind]:
        rule.kind = kind
        row_rules.add(kind)(rule)
        return rule

    return register


def dataset_rule(kind: str) -> Callable[[type[DatasetKind]], type[DatasetKind]]:
    """Registers a dataset rule under the key that contracts use for it.

    Raises:
        NameTaken: the kind is registered already.
    """

    def register(rule: type[DatasetKind]) -> type[DatasetKind]:
        rule.kind = kind
        dataset_rules.add(kind)(rule)
        return rule

    return register
