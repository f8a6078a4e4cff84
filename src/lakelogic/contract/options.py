"""How files are read: the closed set of options that each format has."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from lakelogic.contract.values import Scalar
from lakelogic.models import Model, Name


class Options(Model):
    """How the source is read; which options apply depends on its format and type."""

    delimiter: Name = Field(default=",", description="csv: character between values.")
    encoding: Name = Field(default="utf-8", description="csv, json: character set of the files.")
    skip_rows: int = Field(default=0, ge=0, description="csv: lines to skip before the header.")
    has_header: bool = Field(default=True, description="csv: whether the first line names the columns.")
    quote_char: str = Field(default='"', max_length=1, description="csv: character around values with delimiters.")
    null_values: tuple[str, ...] = Field(default=("",), description="csv: texts that mean NULL.")
    comment_prefix: str | None = Field(default=None, max_length=1, description="csv: character that begins a comment.")
    multiline: bool | None = Field(
        default=None,
        description="json: whether documents span lines; found out when absent. csv: false lets big files be split.",
    )
    sheet_name: Name | None = Field(default=None, description="excel: sheet to read; the first when absent.")
    header_row: int | None = Field(default=None, ge=0, description="excel: row that names the columns.")
    skip_footer: int = Field(default=0, ge=0, description="excel: rows to leave out at the end.")
    row_tag: Name | None = Field(default=None, description="xml: element that is one row.")
    columns: tuple[Mapping[str, Scalar], ...] = Field(
        default=(), description="fixed_width: name, start and width of each column."
    )
    record_length: int | None = Field(default=None, ge=1, description="fixed_width: length of a record.")
    fetch_size: int | None = Field(default=None, ge=1, description="database: rows fetched at a time.")
    partition_column: Name | None = Field(default=None, description="database: column by which a read is split.")
    partition_num: int | None = Field(default=None, ge=1, description="database: number of parallel reads.")
    partition_lower: Scalar | None = Field(default=None, description="database: lowest value of the split column.")
    partition_upper: Scalar | None = Field(default=None, description="database: highest value of the split column.")
    cdc_provider: Name | None = Field(default=None, description="database: change feed to read.")
    brokers: Name | None = Field(default=None, description="stream: addresses of the Kafka brokers.")
    topic: Name | None = Field(default=None, description="stream: topic to read.")
    checkpoint: Name | None = Field(default=None, description="stream: folder of the checkpoint.")
    trigger: Name | None = Field(default=None, description="stream: how often a batch starts.")
    archive_member: Name | None = Field(default=None, description="Pattern of the files to read inside an archive.")
    implied_decimals: Mapping[str, int] = Field(
        default={}, description="Digits after an unwritten decimal point, by column."
    )
    date_formats: Mapping[str, str] = Field(default={}, description="Format of dates and timestamps, by column.")
    decimal_comma: bool = Field(default=False, description="Whether numbers are written with a decimal comma.")
    engine_options: Mapping[str, Scalar] = Field(
        default={}, description="Options handed to the engine's reader as they are."
    )


_ANY = frozenset({"archive_member", "implied_decimals", "date_formats", "decimal_comma", "engine_options"})
_OF_KIND: Mapping[str, frozenset[str]] = {
    "csv": frozenset(
        {"delimiter", "encoding", "skip_rows", "has_header", "quote_char", "null_values", "comment_prefix", "multiline"}
    ),
    "json": frozenset({"multiline", "encoding"}),
    "excel": frozenset({"sheet_name", "header_row", "skip_footer"}),
    "xml": frozenset({"row_tag"}),
    "fixed_width": frozenset({"columns", "record_length"}),
    "database": frozenset(
        {"fetch_size", "partition_column", "partition_num", "partition_lower", "partition_upper", "cdc_provider"}
    ),
    "stream": frozenset({"brokers", "topic", "checkpoint", "trigger"}),
}


def options_for(*kinds: str | None) -> frozenset[str]:
    """The options that a source of these formats or types may carry."""
    return _ANY.union(*(_OF_KIND[kind] for kind in kinds if kind is not None and kind in _OF_KIND))
