"""Transformations that turn rows into groups and back; their meaning is not built yet."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from lakelogic.errors import NotSupportedYet
from lakelogic.sql.build import Scalar
from lakelogic.sql.types import Columns
from lakelogic.transforms.base import Names, Step, Transform, transform


@transform("rollup")
class Rollup(Transform):
    """One row for each group, with aggregates and the keys of the rows it was made of."""

    group_by: Names = Field(description="The columns that make a group.", min_length=1)
    aggregations: Mapping[str, str] = Field(default={}, description="Column: aggregate expression.")
    keys: Names = Field((), description="The key columns of the rows that make up a group.")
    key_expr: str | None = Field(None, description="An expression for the key, in place of keys.")
    rollup_keys_column: str | None = Field(None, description="The column for the list of keys.")
    rollup_keys_count_column: str | None = Field(None, description="The column for the number of keys.")
    upstream_run_id_column: str | None = Field(None, description="The column that holds the run id of each row.")
    upstream_run_ids_column: str | None = Field(None, description="The column for the list of those run ids.")
    distinct: bool = Field(True, description="Whether each key and run id is listed once.")

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        raise NotSupportedYet("the transformation rollup")


@transform("pivot")
class Pivot(Transform):
    """Values of a column become columns."""

    id_vars: Names = Field(description="The columns that identify a row of the result.", min_length=1)
    pivot_col: str = Field(description="The column whose values become column names.")
    value_col: str | None = Field(None, description="The column with the values.")
    value_cols: Names = Field((), description="Several columns with values.")
    values: tuple[Scalar, ...] = Field((), description="The values that become columns.")
    agg: str = Field("first", description="What is done with several values for one place.")
    aggs: Mapping[str, str] = Field(default={}, description="The same for each value column.")
    fill_value: Scalar | None = Field(None, description="The value where there is none.")
    separator: str = Field("_", description="Between the parts of a column name.")
    name_template: str | None = Field(None, description="How column names are made.")
    value_aliases: Mapping[str, str] = Field(default={}, description="Value: the name it gets.")

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        raise NotSupportedYet("the transformation pivot")


@transform("unpivot")
class Unpivot(Transform):
    """Columns become rows of names and values."""

    id_vars: Names = Field(description="The columns that are repeated on each row.")
    value_vars: Names = Field(description="The columns that become rows.", min_length=1)
    key_field: str = Field("key", description="The column for the names.")
    value_field: str = Field("value", description="The column for the values.")
    include_nulls: bool = Field(False, description="Whether NULL gives a row.")

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        raise NotSupportedYet("the transformation unpivot")
