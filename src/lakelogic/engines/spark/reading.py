"""Reading files and tables with Spark: declared columns, nothing inferred that a contract declares."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

from lakelogic.engines.spark.types import columns_of, spark_schema
from lakelogic.formats.base import Layout
from lakelogic.formats.json import is_document
from lakelogic.plan.locations import Location
from lakelogic.plan.names import FILE, MALFORMED, POSITION
from lakelogic.sources.read import FilesToRead, TableToRead
from lakelogic.sql.types import STRING, Column, Columns, is_nested, type_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession
    from pyspark.sql.types import StructType


def with_json_columns(session: SparkSession, wanted: FilesToRead) -> FilesToRead:
    """Find the columns of JSON files by looking at all of them: a sample would miss some."""
    documents, lines = _json_groups(wanted)
    found = Columns()
    layouts = []
    for files, document in ((documents, True), (lines, False)):
        if files:
            inferred = columns_of(_json_reader(session, wanted, document).json(list(files)).schema)
            columns = _declared_as_text(inferred.without([MALFORMED.name]), wanted.as_text)
            found = found.with_(*columns)
            layouts.append(Layout(columns, files))
    return replace(wanted, columns=found, layouts=tuple(layouts))


def read_files(session: SparkSession, wanted: FilesToRead) -> DataFrame:
    """All files of the source as one frame, with the hidden columns of origin."""
    if not wanted.layouts:
        return session.createDataFrame([], spark_schema(_all_columns(wanted)))
    frames = [_aligned(_read_layout(session, wanted, layout), layout, wanted) for layout in wanted.layouts]
    return reduce(lambda left, right: left.unionAll(right), frames)


def read_table(session: SparkSession, wanted: TableToRead) -> DataFrame:
    """A table at its pinned version."""
    if wanted.is_name:
        version = f" VERSION AS OF {wanted.version}" if wanted.version is not None else ""
        return session.sql(f"SELECT * FROM {quoted_name(wanted.location)}{version}")
    reader = session.read.format("delta")
    if wanted.version is not None:
        reader = reader.option("versionAsOf", wanted.version)
    return reader.load(wanted.location)


def quoted(name: str) -> str:
    """A name as Spark SQL reads it whatever is in it."""
    return "`" + name.replace("`", "``") + "`"


def quoted_name(name: str) -> str:
    """A catalog name with each part quoted."""
    return ".".join(quoted(part) for part in Location(name, is_name=True).parts)


def _all_columns(wanted: FilesToRead) -> Columns:
    malformed = (MALFORMED,) if wanted.kind.may_be_malformed else ()
    return Columns((*wanted.columns, *(Column(p, STRING) for p in wanted.partitions), FILE, POSITION, *malformed))


def _read_layout(session: SparkSession, wanted: FilesToRead, layout: Layout) -> DataFrame:
    files = list(layout.files)
    if wanted.format == "json":
        return _json_reader(session, wanted, is_document(files[0], wanted.options)).schema(_schema(layout)).json(files)
    reader = session.read.option("basePath", wanted.root) if wanted.partitions else session.read
    if wanted.format == "csv":
        return _csv_options(reader, wanted).schema(_schema(layout)).csv(files)
    return reader.schema(spark_schema(layout.columns)).format(wanted.format).load(files)


def _aligned(frame: DataFrame, layout: Layout, wanted: FilesToRead) -> DataFrame:
    """The frame with the columns of all layouts, in one order and with one type each."""
    from pyspark.sql import functions as F

    out = []
    for column in wanted.columns:
        own = layout.columns.find(column.name)
        if own is None:
            out.append(F.lit(None).cast(type_name(column.type)).alias(column.name))
            continue
        value = F.col(quoted(own.name))
        if wanted.format == "csv":
            value = F.when(value.isin(*wanted.options.null_values), None).otherwise(value)
        if type_name(own.type) != type_name(column.type):
            value = F.to_json(value) if is_nested(own.type) else value.cast(type_name(column.type))
        out.append(value.alias(column.name))
    out += [F.col(quoted(name)).cast("string").alias(name) for name in wanted.partitions]
    out.append(F.col("_metadata.file_path").alias(FILE.name))
    position = F.col("_metadata.row_index") if wanted.kind.tells_positions else F.lit(None)
    out.append(position.cast("bigint").alias(POSITION.name))
    if wanted.kind.may_be_malformed:
        out.append(F.col(MALFORMED.name))
    return frame.select(*out)


def _schema(layout: Layout) -> StructType:
    return spark_schema(Columns((*layout.columns, MALFORMED)))


def _csv_options(reader: DataFrameReader, wanted: FilesToRead) -> DataFrameReader:
    options = wanted.options
    chosen = reader.options(
        sep=options.delimiter,
        header=options.header,
        quote=options.quote,
        # A quote inside a quoted value is doubled (RFC 4180); Spark's own default is a backslash.
        escape=options.quote,
        encoding=options.encoding,
        mode="PERMISSIVE",
        columnNameOfCorruptRecord=MALFORMED.name,
        # A quoted value may hold a line end, so a file can't be cut at any line unless the contract says so.
        multiLine=options.multiline is not False,
    )
    return chosen.option("comment", options.comment) if options.comment else chosen


def _json_reader(session: SparkSession, wanted: FilesToRead, document: bool) -> DataFrameReader:
    reader = session.read.option("basePath", wanted.root) if wanted.partitions else session.read
    return reader.options(
        multiLine=document,
        encoding=wanted.options.encoding,
        mode="PERMISSIVE",
        columnNameOfCorruptRecord=MALFORMED.name,
        samplingRatio=1.0,
    )


def _json_groups(wanted: FilesToRead) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Files that are one document each, and files of lines."""
    paths = [file.path for file in wanted.files if file.size]
    documents = {path for path in paths if is_document(path, wanted.options)}
    return tuple(p for p in paths if p in documents), tuple(p for p in paths if p not in documents)


def _declared_as_text(columns: Columns, names: tuple[str, ...]) -> Columns:
    present = {c.name.lower(): c for c in columns}
    declared = [Column(present[n.lower()].name if n.lower() in present else n, STRING) for n in names]
    return columns.with_(*declared)
