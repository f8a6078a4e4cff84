"""The SQL that brings rows from a staging table into their target; two systems speak it alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lakelogic.exports.base import ExportPlan

Quote = Callable[[str], str]


@dataclass(frozen=True)
class Merge:
    """A target, the staging table as it stands after USING, and how names are quoted."""

    plan: ExportPlan
    target: str
    staged: str
    quote: Quote

    @property
    def columns(self) -> str:
        return ", ".join(map(self.quote, self.plan.columns.names))

    @property
    def upsert(self) -> str:
        """MERGE by key; where the key is all there is, a row that is there is the same."""
        names = self.plan.columns.names
        keys = {key.lower() for key in self.plan.keys}
        changes = ", ".join(f"{self.quote(name)} = s.{self.quote(name)}" for name in names if name.lower() not in keys)
        update = f" WHEN MATCHED THEN UPDATE SET {changes}" if changes else ""
        values = ", ".join(f"s.{self.quote(name)}" for name in names)
        return (
            f"MERGE INTO {self.target} AS t USING {self.staged} AS s ON {self.same_key}{update}"
            f" WHEN NOT MATCHED THEN INSERT ({self.columns}) VALUES ({values})"
        )

    @property
    def same_key(self) -> str:
        """The key never holds NULL: that is looked at before anything is sent."""
        named = self.names_of(self.plan.keys)
        return " AND ".join(f"t.{self.quote(name)} = s.{self.quote(name)}" for name in named)

    def names_of(self, keys: Sequence[str]) -> list[str]:
        """Columns as the table calls them."""
        return [self.plan.columns.get(key).name for key in keys]


def definition(columns: Sequence[tuple[str, str]], quote: Quote) -> str:
    """Columns with their types, as CREATE TABLE wants them."""
    return ", ".join(f"{quote(name)} {kind}" for name, kind in columns)
