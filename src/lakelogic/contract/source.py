"""Where rows come from: `source`, its older spelling `server`, `environments` and `links`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from lakelogic.contract.one_of import OneOf
from lakelogic.contract.options import Options
from lakelogic.contract.values import DateText, Duration, Scalar
from lakelogic.formats.base import formats
from lakelogic.models import Model, Name, Names

SourceType = Literal["landing", "file", "table", "delta", "iceberg", "database", "stream", "dlt", "sftp"]
_OTHER_FORMATS = ("jsonl", "ndjson", "delta", "iceberg", "avro", "xml", "excel", "fixed_width")


def format_names() -> list[str]:
    """Every format that a contract may name."""
    return sorted({*formats.names(), *_OTHER_FORMATS})


SourceFormat = Annotated[str, OneOf("format", format_names)]
WatermarkStrategy = Literal[
    "pipeline_log",
    "max_target",
    "manifest",
    "file_mtime",
    "lookback",
    "date_range",
    "delta_version",
    "watermark_field",
    "none",
]


class PostIngestion(Model):
    """What happens to source files after they were read."""

    action: Literal["retain", "archive", "delete"] = Field(
        default="retain", description="What to do with files already read."
    )
    archive_path: Name | None = Field(default=None, description="Folder that archived files are moved to.")
    cleanup_is_blocking: bool = Field(default=False, description="Whether a failed clean-up fails the run.")


class PartitionWindow(Model):
    """Dated folders or files to read, by their names."""

    format: Name | None = Field(default=None, description="Date format of the folder names, such as year=%Y/month=%m.")
    lookback_days: int | None = Field(default=None, ge=0, description="Days back from today to read.")
    start_date: DateText | None = Field(default=None, description="First day to read.")
    end_date: DateText | None = Field(default=None, description="Last day to read.")
    file_pattern: Name | None = Field(default=None, description="Pattern of the files inside a partition.")

    @property
    def of_all_days(self) -> PartitionWindow:
        """The same folders, whatever their days."""
        return self.model_copy(update={"lookback_days": None, "start_date": None, "end_date": None})


class Dlt(Model):
    """A dlt source."""

    source: Name | None = Field(default=None, description="Name of a dlt source.")
    base_url: Name | None = Field(default=None, description="Address of a REST API.")
    resource: Name | None = Field(default=None, description="Resource of the dlt source.")
    endpoints: tuple[str | Mapping[str, object], ...] = Field(default=(), description="Endpoints of the REST API.")
    credentials: str | Mapping[str, object] | None = Field(default=None, description="Where the credentials are found.")


class Source(Model):
    """Where rows are read from, and which of them."""

    type: SourceType | None = Field(default=None, description="Kind of source; from the path when absent.")
    path: Name | None = Field(default=None, description="File, folder, pattern, address or catalog name.")
    pattern: Name | None = Field(default=None, description="Pattern of file names inside the path, such as *.csv.")
    format: SourceFormat | None = Field(default=None, description="File format; from the path's ending when absent.")
    options: Options = Field(default=Options.model_construct(), description="How files of this format are read.")
    query: Name | None = Field(default=None, description="Query sent to a database.")
    load_mode: Literal["full", "incremental", "cdc"] = Field(
        default="full", description="full reads all; incremental only what is new; cdc applies changes."
    )
    watermark_strategy: WatermarkStrategy | None = Field(
        default=None, description="How what is new is told from what is not."
    )
    watermark_field: Name | None = Field(default=None, description="Column whose values tell new rows.")
    watermark_date_parts: Names = Field(
        default=(), description="Columns that form the watermark's date, such as year, month."
    )
    lookback: Duration | None = Field(
        default=None, description="Time before the watermark that is read again, such as 7 days."
    )
    from_date: DateText | None = Field(default=None, description="First day of a date range.")
    to_date: DateText | None = Field(default=None, description="Last day of a date range.")
    manifest_path: Name | None = Field(default=None, description="File that lists the files to read.")
    pipeline_log_table: Name | None = Field(default=None, description="Run log table that holds the watermark.")
    cdc_op_field: Name | None = Field(default=None, description="Column that holds the kind of change.")
    cdc_delete_values: tuple[str, ...] = Field(default=(), description="Values of cdc_op_field that mean a delete.")
    cdc_timestamp_field: Name | None = Field(default=None, description="Column that orders the changes.")
    partition: PartitionWindow | None = Field(default=None, description="Dated folders or files to read.")
    partition_filters: Mapping[str, Scalar | tuple[Scalar, ...]] = Field(
        default={}, description="Values of partition columns to read."
    )
    flatten_nested: bool | Names = Field(
        default=False, description="Whether, or which, structs become columns of their own."
    )
    empty_behavior: Literal["skip", "fail"] = Field(default="skip", description="What a source without new data does.")
    post_ingestion: PostIngestion | None = Field(
        default=None, description="What happens to files after they were read."
    )
    fetch_size: int | None = Field(default=None, ge=1, description="Rows fetched from a database at a time.")
    dlt: Dlt | None = Field(default=None, description="The dlt source, with type dlt.")


class Server(Model):
    """The older spelling of source: where data is stored."""

    type: Name | None = Field(default=None, description="Storage, such as s3, local or table.")
    mode: Literal["validate", "ingest"] = Field(default="validate", description="Both read the path.")
    path: Name | None = Field(default=None, description="File, folder, pattern, address or catalog name.")
    format: SourceFormat | None = Field(default=None, description="File format; from the path's ending when absent.")
    cast_to_string: bool = Field(default=False, description="Whether every column is read as text.")
    schema_policy: Literal["strict", "quarantine", "allow"] | None = Field(
        default=None, description="Short form of schema_policy."
    )
    schema_evolution: str | None = Field(default=None, description="Old name of schema_policy.evolution.")
    allow_schema_drift: bool | None = Field(default=None, description="Old switch for schema_policy.evolution.")
    post_ingestion: PostIngestion | None = Field(
        default=None, description="What happens to files after they were read."
    )


class Environment(Model):
    """What another environment reads in place of the source's path."""

    path: Name | None = Field(default=None, description="Path in this environment.")
    format: SourceFormat | None = Field(default=None, description="Format in this environment.")


class Link(Model):
    """A reference dataset that SQL, rules, lookups and joins can name as a table."""

    name: Name = Field(description="Name under which SQL and rules see the dataset.")
    path: Name | None = Field(default=None, description="File, folder or pattern to read.")
    table: Name | None = Field(default=None, description="Catalog table to read.")
    type: Literal["csv", "json", "parquet", "orc", "delta", "iceberg", "table"] | None = Field(
        default=None, description="Format of the path, or table; from the path's ending when absent."
    )
    columns: Names = Field(default=(), description="Columns to read; all when absent.")
    filter: Name | None = Field(default=None, description="SQL condition on the rows to read.")
    query: Name | None = Field(default=None, description="SELECT over the dataset that takes its place.")
    broadcast: bool = Field(
        default=False, description="Whether the dataset is small enough to be sent to every worker."
    )
