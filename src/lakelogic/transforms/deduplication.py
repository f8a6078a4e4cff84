"""Transformations that keep one row of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Self

from pydantic import AliasChoices, Field, model_validator
from sqlglot import exp

from lakelogic.rules.base import Check
from lakelogic.sql.build import any_of, is_null, is_text, orderable
from lakelogic.sql.types import BOOLEAN, Column, Columns, is_unknown
from lakelogic.transforms.base import (
    SOURCE,
    VALID,
    Names,
    Step,
    Transform,
    TransformExample,
    named,
    pick,
    ref,
    transform,
)

Order = Literal["asc", "desc"]

_RANK = "_ll_rank"
_BLANK = "_ll_blank"
_KEPT = any_of(exp.EQ(this=ref(_RANK), expression=exp.Literal.number(1)), ref(_BLANK))
_TYPES = {"id": "string", "at": "int", "v": "string"}


@transform("deduplicate")
class Deduplicate(Transform):
    """Keeps one row of each key: the first by sort_by; what is dropped is counted."""

    on: Names = Field(
        description="The key columns (also written 'by').", min_length=1, validation_alias=AliasChoices("on", "by")
    )
    sort_by: Names = Field(description="The columns that decide which row is kept.", min_length=1)
    order: Order = Field("desc", description="desc keeps the largest, asc the smallest; NULL loses in both.")
    blank_keys: Literal["keep", "quarantine"] = Field(
        "keep", description="What happens to rows whose key is NULL or blank; they are never grouped."
    )
    dropped: Literal["count", "quarantine"] = Field(
        "count", description="quarantine keeps the dropped rows there, under the step's name and label."
    )
    prefer: Literal["any", "valid"] = Field(
        "any", description="valid: a row that fails a rule never beats one that passes."
    )
    name: str | None = Field(None, description="The step's name in quarantine.")
    label: str | None = Field(None, description="Fills rejection_reason of dropped rows.")

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            {"on": ["id"], "sort_by": ["at"]},
            before=(
                {"id": "a", "at": 1, "v": "old"},
                {"id": "a", "at": 2, "v": "new"},
                {"id": "a", "at": None, "v": "unknown"},
                {"id": "b", "at": None, "v": "only"},
            ),
            after=({"id": "a", "at": 2, "v": "new"}, {"id": "b", "at": None, "v": "only"}),
            types=_TYPES,
        ),
        TransformExample(
            {"by": "id", "sort_by": "at", "order": "asc"},
            before=({"id": "a", "at": 1, "v": "x"}, {"id": "a", "at": None, "v": "y"}, {"id": "a", "at": 2, "v": "z"}),
            after=({"id": "a", "at": 1, "v": "x"},),
            types=_TYPES,
        ),
        TransformExample(
            {"on": ["id"], "sort_by": ["at"]},
            before=({"id": None, "at": 1, "v": "x"}, {"id": None, "at": 1, "v": "x"}, {"id": " ", "at": 2, "v": "z"}),
            after=({"id": None, "at": 1, "v": "x"}, {"id": None, "at": 1, "v": "x"}, {"id": " ", "at": 2, "v": "z"}),
            types=_TYPES,
        ),
        TransformExample(
            {"on": ["id"], "sort_by": ["at"]},
            before=({"id": "a", "at": 1, "v": None}, {"id": "a", "at": 1, "v": "y"}, {"id": "a", "at": 1, "v": "x"}),
            after=({"id": "a", "at": 1, "v": "x"},),
            types=_TYPES,
        ),
    )

    @model_validator(mode="after")
    def _label_has_a_use(self) -> Self:
        if self.dropped == "count" and (self.name or self.label):
            raise ValueError("deduplicate has a use for name and label only with dropped: quarantine")
        return self

    @property
    def waits_for_rules(self) -> bool:
        return self.prefer == "valid"

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        ranked = _ranked(columns, self.on, self.sort_by, self.order)
        if self.dropped == "count":
            return _only_kept(ranked, columns)
        flag = Column(_flag(columns, last=False), BOOLEAN, hidden=True)
        marked = exp.select(*(ref(column) for column in columns), named(flag.name, _KEPT.copy()))
        select = marked.from_(ranked.subquery(SOURCE))
        return Step(select, columns.with_(flag), row_wise=False, marks_dropped=True)

    def checks(self, columns: Columns) -> tuple[Check, ...]:
        blank = [_key_check(columns.visible.get(name)) for name in self.on] if self.blank_keys == "quarantine" else []
        return (*blank, self._kept_check(columns)) if self.dropped == "quarantine" else tuple(blank)

    def _kept_check(self, columns: Columns) -> Check:
        keys = [columns.visible.get(name).name for name in self.on]
        name = self.name or f"{'_'.join(keys)}_deduplicate"
        return Check(
            name=name,
            predicate=ref(_flag(columns, last=True)),
            message=f"Rule failed: {name} (another row of the same {', '.join(keys)} is kept)",
            category="uniqueness",
            label=self.label,
        )


@transform("deduplicate_by_latest")
class DeduplicateByLatest(Transform):
    """Keeps the newest row of each key; an older spelling of deduplicate."""

    key_columns: Names = Field(description="The key columns.", min_length=1)
    timestamp_column: str = Field(description="The column that tells which row is the newest.")

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            {"key_columns": ["id"], "timestamp_column": "at"},
            before=({"id": "a", "at": 1, "v": "x"}, {"id": "a", "at": 2, "v": "y"}, {"id": "a", "at": None, "v": "z"}),
            after=({"id": "a", "at": 2, "v": "y"},),
            types=_TYPES,
        ),
        TransformExample(
            {"key_columns": "id", "timestamp_column": "at"},
            before=({"id": None, "at": 1, "v": "x"}, {"id": None, "at": 2, "v": "y"}),
            after=({"id": None, "at": 1, "v": "x"}, {"id": None, "at": 2, "v": "y"}),
            types=_TYPES,
        ),
    )

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        return _only_kept(_ranked(columns, self.key_columns, (self.timestamp_column,), "desc"), columns)


def _ranked(columns: Columns, keys: Sequence[str], sort_by: Sequence[str], order: Order) -> exp.Select:
    """The rows, each with its place among those of its key, and whether that key is blank."""
    key_columns = [columns.visible.get(name) for name in keys]
    sorting = [
        exp.Ordered(this=ref(columns.visible.get(name)), desc=order == "desc", nulls_first=False) for name in sort_by
    ]
    # Hidden columns have no say: ordering by the text of whole rows would cost more than all the rest.
    ties = [exp.Ordered(this=orderable(column), desc=False, nulls_first=False) for column in columns.visible]
    valid = [exp.Ordered(this=ref(VALID), desc=True, nulls_first=False)] if VALID.name in columns else []
    rank = exp.Window(
        this=exp.RowNumber(),
        partition_by=[ref(column) for column in key_columns],
        order=exp.Order(expressions=[*valid, *sorting, *ties]),
    )
    blank = any_of(*(is_blank(column) for column in key_columns))
    return pick(columns).select(named(_RANK, rank), named(_BLANK, blank))


def _only_kept(ranked: exp.Select, columns: Columns) -> Step:
    """One row of each key; rows with a blank key are all kept."""
    select = exp.select(*(ref(column) for column in columns)).from_(ranked.subquery(SOURCE)).where(_KEPT.copy())
    return Step(select, columns, row_wise=False, effect="deduplicated")


def is_blank(column: Column) -> exp.Expr:
    """Whether a key is NULL or holds nothing but white space."""
    missing = is_null(ref(column))
    if not is_text(column.type) and not is_unknown(column.type):
        return missing
    bare = exp.Trim(this=ref(column), expression=exp.Literal.string(" \t\r\n"), position="BOTH")
    return any_of(missing, exp.EQ(this=bare, expression=exp.Literal.string("")))


def _flag(columns: Columns, *, last: bool) -> str:
    """The hidden column that tells which rows a deduplication keeps: the last one there is, or the next."""
    number = 1
    while f"_ll_kept_{number}" in columns:
        number += 1
    return f"_ll_kept_{number - 1 if last else number}"


def _key_check(column: Column) -> Check:
    return Check(
        name=f"{column.name}_required_for_dedup",
        predicate=exp.Not(this=exp.Paren(this=is_blank(column))),
        message=f"Rule failed: {column.name}_required_for_dedup ({column.name} is not blank)",
        category="completeness",
    )
