"""How files are read: the closed set of options that each format has."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from lakelogic.contract.values import Name, Scalar
from lakelogic.models import Model


class AnyFormatOptions(Model):
    """Options of every format."""

    archive_member: Name | None = Field(
        None, description="Pattern of the files to read inside an archive."
    )
    implied_decimals: Mapping[str, int] = Field(
        {}, description="Digits after an unwritten decimal point, by column."
    )
    date_formats: Mapping[str, str] = Field(
        {}, description="Format of dates and timestamps, by column."
    )
    decimal_comma: bool = Field(
        False, description="Whether numbers are written with a decimal comma."
    )
    engine_options: Mapping[str, Scalar] = Field(
        {}, description="Options handed to the engine's reader as they are."
    )


class CsvOptions(AnyFormatOptions):
    """Options of delimited text."""

    delimiter: Name = Field(",", description="Character between values.")
    encoding: Name = Field("utf-8", description="Character set of the files.")
    skip_rows: int = Field(0, ge=0, description="Lines to skip before the header.")
    has_header: bool = Field(
        True, description="Whether the first line names the columns."
    )
    quote_char: str = Field(
        '"',
        max_length=1,
        description="Character around values that hold the delimiter.",
    )
    null_values: tuple[str, ...] = Field(("",), description="Texts that mean NULL.")
    comment_prefix: str | None = Field(
        None, max_length=1, description="Character that begins a comment line."
    )


class JsonOptions(AnyFormatOptions):
    """Options of JSON."""

    multiline: bool | None = Field(
        None, description="Whether a document spans lines; found out when absent."
    )
    encoding: Name = Field("utf-8", description="Character set of the files.")


class ExcelOptions(AnyFormatOptions):
    """Options of spreadsheets."""

    sheet_name: Name | None = Field(
        None, description="Sheet to read; the first when absent."
    )
    header_row: int | None = Field(
        None, ge=0, description="Row that names the columns."
    )
    skip_footer: int = Field(0, ge=0, description="Rows to leave out at the end.")


class XmlOptions(AnyFormatOptions):
    """Options of XML."""

    row_tag: Name | None = Field(None, description="Element that is one row.")


class FixedWidthOptions(AnyFormatOptions):
    """Options of fixed-width text."""

    columns: tuple[Mapping[str, Scalar], ...] = Field(
        (), description="Name, start and width of each column."
    )
    record_length: int | None = Field(
        None, ge=1, description="Length of a record without line ends."
    )


class DatabaseOptions(AnyFormatOptions):
    """Options of a database."""

    fetch_size: int | None = Field(None, ge=1, description="Rows fetched at a time.")
    partition_column: Name | None = Field(
        None, description="Column by which a read is split."
    )
    partition_num: int | None = Field(
        None, ge=1, description="Number of parallel reads."
    )
    partition_lower: Scalar | None = Field(
        None, description="Lowest value of the split column."
    )
    partition_upper: Scalar | None = Field(
        None, description="Highest value of the split column."
    )
    cdc_provider: Name | None = Field(None, description="Change feed of the database.")


class StreamOptions(AnyFormatOptions):
    """Options of a stream."""

    brokers: Name | None = Field(None, description="Addresses of the Kafka brokers.")
    topic: Name | None = Field(None, description="Topic to read.")
    checkpoint: Name | None = Field(
        None, description="Folder of the stream's checkpoint."
    )
    trigger: Name | None = Field(None, description="How often a batch starts.")


class Options(
    CsvOptions,
    JsonOptions,
    ExcelOptions,
    XmlOptions,
    FixedWidthOptions,
    DatabaseOptions,
    StreamOptions,
):
    """All options; which of them apply depends on the source's format and type."""


OPTIONS_OF: Mapping[str, type[AnyFormatOptions]] = {
    "csv": CsvOptions,
    "json": JsonOptions,
    "excel": ExcelOptions,
    "xml": XmlOptions,
    "fixed_width": FixedWidthOptions,
    "database": DatabaseOptions,
    "stream": StreamOptions,
}


def options_for(*kinds: str | None) -> frozenset[str]:
    """The options that a source of these formats or types may carry."""
    models = [OPTIONS_OF[kind] for kind in kinds if kind in OPTIONS_OF]
    return frozenset(AnyFormatOptions.model_fields).union(
        *(model.model_fields for model in models)
    )
