"""What a rule is: a model of its YAML, and a pure function to checks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import Field
from sqlglot import exp

from lakelogic.models import Model
from lakelogic.registry import Registry
from lakelogic.sql.types import Columns

Severity = Literal["error", "warning", "info"]
Phase = Literal["pre", "post"]
Category = str

row_rules: Registry[type[RowRule]] = Registry("row_rule", "lakelogic.rules")
dataset_rules: Registry[type[DatasetRule]] = Registry("dataset_rule", "lakelogic.rules")


@dataclass(frozen=True)
class Lookup:
    """A link in which a value must be found: the plan joins it and hands `flag` to the predicate."""

    link: str
    column: str
    key: str
    flag: str


@dataclass(frozen=True)
class Check:
    """One judgement of a row: `predicate` is true for a good row; false and NULL are failures."""

    name: str
    predicate: exp.Expression
    message: str
    category: Category
    severity: Severity = "error"
    phase: Phase | None = None
    label: str | None = None
    lookup: Lookup | None = None


@dataclass(frozen=True)
class Audit:
    """One judgement of all good rows: `measure` is one aggregate expression; the value must lie within the bounds.

    `query` is given in place of `measure` when the user wrote a whole SELECT that yields one value.
    """

    name: str
    message: str
    category: Category
    measure: exp.Expression | None = None
    query: exp.Expression | None = None
    low: float | None = None
    high: float | None = None
    low_open: bool = False
    high_open: bool = False
    severity: Severity = "error"

    def passes(self, value: float | None) -> bool:
        """Whether a measured value lies within the bounds; no value fails."""
        if value is None:
            return False
        low_ok = self.low is None or (value > self.low if self.low_open else value >= self.low)
        high_ok = self.high is None or (value < self.high if self.high_open else value <= self.high)
        return low_ok and high_ok


@dataclass(frozen=True)
class RuleExample:
    """Values of a column for which a rule passes and fails; `arguments` is the rule's YAML body."""

    arguments: Any
    column_type: str = "string"
    column: str = "value"
    passes: tuple[Any, ...] = ()
    fails: tuple[Any, ...] = ()


@dataclass(frozen=True)
class AuditExample:
    """A column of good rows with the value an audit measures on it, and whether that passes."""

    arguments: Any
    rows: tuple[Any, ...]
    measured: float
    passed: bool
    column_type: str = "string"
    column: str = "value"


class RuleModel(Model):
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


class RowRule(RuleModel):
    """A rule that judges each row by itself."""

    phase: Phase | None = Field(None, description="pre: before the split (default); post: after the transformations.")
    label: str | None = Field(None, description="Fills rejection_reason in quarantine when this rule fails first.")

    examples: ClassVar[tuple[RuleExample, ...]] = ()

    @abstractmethod
    def predicates(self, columns: Columns) -> Mapping[str, exp.Expression]:
        """Machine name → predicate, for each column that the rule judges."""

    def lookup(self) -> Lookup | None:
        """The link this rule needs, if any."""
        return None

    def message(self, name: str, predicate: exp.Expression) -> str:
        """What a reader of the quarantine table sees."""
        return f"Rule failed: {name} ({predicate.sql('spark')})"

    def checks(self, columns: Columns) -> tuple[Check, ...]:
        """The rule's checks, ready for the plan."""
        predicates = self.predicates(columns)
        single = len(predicates) == 1
        return tuple(
            Check(
                name=(self.name if self.name and single else f"{self.name}_{machine}" if self.name else machine),
                predicate=predicate,
                message=self.message(self.name if self.name and single else machine, predicate),
                category=self.category or self.default_category,
                severity=self.severity,
                phase=self.phase,
                label=self.label,
                lookup=self.lookup(),
            )
            for machine, predicate in predicates.items()
        )


class DatasetRule(RuleModel):
    """A rule that judges all good rows together."""

    examples: ClassVar[tuple[AuditExample, ...]] = ()

    @abstractmethod
    def audit(self, columns: Columns) -> Audit:
        """The aggregate to measure and the bounds it must keep."""

