"""Values as they were before the split, kept beside those that later steps make of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from lakelogic.rules.base import Check
from lakelogic.sql.build import ref
from lakelogic.sql.types import Column, Columns
from lakelogic.transforms.base import Step, project

_PREFIX = "_ll_pre_"


def kept_name(name: str) -> str:
    """Where the value that a column had before the split is kept."""
    return f"{_PREFIX}{name}"


@dataclass(frozen=True)
class KeptValues:
    """A step that copies columns, and expressions over the copies."""

    step: Step
    _copied: Columns

    @staticmethod
    def of(columns: Columns) -> KeptValues:
        """Copies of all that checks may read; flags of links are no one's to change, and stay."""
        copied = Columns(tuple(c for c in columns if not c.hidden or c.name.startswith("_ll_read_")))
        copies = [Column(kept_name(column.name), column.type, hidden=True) for column in copied]
        step = project(columns, {copy.name: ref(column) for copy, column in zip(copies, copied, strict=True)})
        return KeptValues(replace(step, columns=columns.with_(*copies)), copied)

    @property
    def columns(self) -> Columns:
        return self.step.columns

    def name(self, name: str) -> str:
        return kept_name(found.name) if (found := self._copied.find(name)) else name

    def expression(self, tree: exp.Expr) -> exp.Expr:
        """The same expression over the copies."""
        return tree.copy().transform(lambda node: ref(self.name(node.name)) if isinstance(node, exp.Column) else node)

    def check(self, check: Check) -> Check:
        return replace(check, predicate=self.expression(check.predicate), phase="pre")
