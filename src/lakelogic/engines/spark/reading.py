"""Reading files and tables with Spark: declared columns, nothing inferred that a contract declares."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial, reduce
from typing import TYPE_CHECKING

from sqlglot import exp

from lakelogic.engines.spark.types import columns_of, spark_schema
from lakelogic.errors import SourceError
from lakelogic.formats.base import Layout, refuse_repeated, union_of
from lakelogic.formats.bytes import is_uri
from lakelogic.formats.encodings import known_encoding
from lakelogic.formats.json import is_document
from lakelogic.formats.odd_text import refuse_mixed_ends, refuse_wrong_bytes
from lakelogic.plan.locations import Location
from lakelogic.plan.names import FILE, MALFORMED, POSITION
from lakelogic.sources.read import FilesToRead, TableToRead
from lakelogic.sql.build import quoted
from lakelogic.sql.types import STRING, Column, Columns, is_nested, type_name

if TYPE_CHECKING:
    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession
    from pyspark.sql.types import StructType

_CASE = "spark.sql.caseSensitive"
# The file of a row as people write it: Spark tells it as an encoded address, and decoding takes a plus for a space.
_FILE_PATH = "regexp_replace(url_decode(regexp_replace(_metadata.file_path, '[+]', '%2B')), '^file:(//)?', '')"
_GLOB = re.compile(r"([\[\]{}*?\\])")
_JAVA_CHARSETS = {
    "utf-8-sig": "utf-8",
    "ascii": "us-ascii",
    "utf-16-le": "utf-16le",
    "utf-16-be": "utf-16be",
    "utf-32-le": "utf-32le",
    "utf-32-be": "utf-32be",
}


def with_json_columns(session: SparkSession, wanted: FilesToRead) -> FilesToRead:
    """Find the columns of JSON files by looking at all of them: a sample would miss some."""
    layouts = []
    files_only = replace(wanted, partitions=())
    declared = tuple(name for name in wanted.as_text if name not in wanted.partitions)
    for files, document in zip(_json_groups(wanted), (True, False), strict=True):
        if files:
            inferred = _inferred(session, files_only, files, document)
            refuse_repeated(files[0] if len(files) == 1 else wanted.root, inferred)
            layouts.append(Layout(_declared_as_text(inferred.without([MALFORMED.name]), declared), files))
    return replace(wanted, columns=union_of(layouts), layouts=tuple(layouts))


def _inferred(session: SparkSession, wanted: FilesToRead, files: tuple[str, ...], document: bool) -> Columns:
    """The columns of some files; names that differ in case only are found, so that they can be told."""
    session.conf.set(_CASE, "true")
    try:
        return columns_of(_json_reader(session, wanted, document).json(_literal(files)).schema)
    finally:
        session.conf.set(_CASE, "false")


def read_files(session: SparkSession, wanted: FilesToRead) -> DataFrame:
    """All files of the source as one frame, with the hidden columns of origin."""
    if not wanted.layouts:
        return session.createDataFrame([], spark_schema(_all_columns(wanted)))
    if wanted.kind.may_be_malformed and not is_uri(wanted.root):
        with ThreadPoolExecutor(max_workers=8) as pool:
            list(pool.map(partial(_refuse_odd, wanted), (file for layout in wanted.layouts for file in layout.files)))
    frames = [_aligned(_read_layout(session, wanted, layout), layout, wanted) for layout in wanted.layouts]
    return reduce(lambda left, right: left.unionAll(right), frames)


def _refuse_odd(wanted: FilesToRead, path: str) -> None:
    """Spark puts a sign in the place of bytes that are no text, and takes a stray line end for a part of the value."""
    refuse_wrong_bytes(path, wanted.options.encoding)
    if wanted.format == "csv":
        refuse_mixed_ends(path, wanted.options)


def read_table(session: SparkSession, wanted: TableToRead) -> DataFrame:
    """A table at its pinned version."""
    if wanted.is_name:
        version = f" VERSION AS OF {wanted.version}" if wanted.version is not None else ""
        return session.sql(f"SELECT * FROM {quoted_name(wanted.location)}{version}")
    reader = session.read.format("delta")
    if wanted.version is not None:
        reader = reader.option("versionAsOf", wanted.version)
    return reader.load(wanted.location)


def column(name: str) -> SparkColumn:
    """A column of a frame, whatever is in its name."""
    from pyspark.sql import functions as F

    return F.col(quoted(name))


def quoted_name(name: str) -> str:
    """A catalog name with each part quoted."""
    return ".".join(quoted(part) for part in Location(name, is_name=True).parts)


def _all_columns(wanted: FilesToRead) -> Columns:
    malformed = (MALFORMED,) if wanted.kind.may_be_malformed else ()
    return Columns((*wanted.columns, *(Column(p, STRING) for p in wanted.partitions), FILE, POSITION, *malformed))


def _read_layout(session: SparkSession, wanted: FilesToRead, layout: Layout) -> DataFrame:
    files = _literal(layout.files)
    if wanted.format == "json":
        reader = _json_reader(session, wanted, is_document(layout.files[0], wanted.options))
        return reader.schema(_schema(layout)).json(files)
    reader = session.read.option("basePath", wanted.root) if wanted.partitions else session.read
    if wanted.format == "csv":
        return _csv_options(reader, wanted).schema(_schema(layout)).csv(files)
    return reader.schema(spark_schema(layout.columns)).format(wanted.format).load(files)


def _literal(paths: Sequence[str]) -> list[str]:
    """Paths that mean one file each, whatever characters are in them.

    Raises:
        SourceError: Spark has no way to name one.
    """
    if unnamed := next((path for path in paths if ":" in path.rpartition("/")[2]), None):
        raise SourceError(f"{unnamed} has a ':' in its name, which Spark can't read.", cure="Rename it.")
    return [_GLOB.sub(r"\\\1", path) for path in paths]


def _aligned(frame: DataFrame, layout: Layout, wanted: FilesToRead) -> DataFrame:
    """The frame with the columns of all layouts, in one order and with one type each.

    As text: a column made by calls goes to Spark and back several times.
    """
    out = [_value(column, layout.columns.find(column.name), wanted) for column in wanted.columns]
    out += [f"CAST({quoted(name)} AS STRING) AS {quoted(name)}" for name in wanted.partitions]
    out.append(f"{_FILE_PATH} AS {FILE.name}")
    position = "_metadata.row_index" if wanted.kind.tells_positions else "NULL"
    out.append(f"CAST({position} AS BIGINT) AS {POSITION.name}")
    if wanted.kind.may_be_malformed:
        out.append(f"{_malformed(layout)} AS {MALFORMED.name}")
    return frame.selectExpr(*out)


def _value(column: Column, own: Column | None, wanted: FilesToRead) -> str:
    if own is None:
        return f"CAST(NULL AS {type_name(column.type)}) AS {quoted(column.name)}"
    value = quoted(own.name)
    if wanted.format == "csv" and wanted.options.null_values:
        texts = ", ".join(exp.Literal.string(text).sql("spark") for text in wanted.options.null_values)
        value = f"CASE WHEN {value} IN ({texts}) THEN NULL ELSE {value} END"
    if type_name(own.type) != type_name(column.type):
        value = f"to_json({value})" if is_nested(own.type) else f"CAST({value} AS {type_name(column.type)})"
    return f"{value} AS {quoted(column.name)}"


def _malformed(layout: Layout) -> str:
    """The text of a record that could not be read. Spark refuses to read that alone, so a column stands beside it."""
    beside = f"CAST({quoted(_first(layout).name)} AS STRING)"
    # Bytes that are no text would be written as they are, and nobody else could read the table.
    return f"coalesce(make_valid_utf8({MALFORMED.name}), CASE WHEN {beside} IS NULL THEN {beside} END)"


def _schema(layout: Layout) -> StructType:
    columns = layout.columns if layout.columns.items else Columns((_first(layout),))
    return spark_schema(Columns((*columns, MALFORMED)))


def _first(layout: Layout) -> Column:
    """The first column; files without a single readable record have one that is never there."""
    return next(iter(layout.columns), Column("_ll_nothing", STRING))


def _csv_options(reader: DataFrameReader, wanted: FilesToRead) -> DataFrameReader:
    options = wanted.options
    chosen = reader.options(
        sep=options.delimiter,
        header=options.header,
        quote=options.quote,
        # A quote inside a quoted value is doubled (RFC 4180); Spark's own default is a backslash.
        escape=options.quote,
        encoding=_charset(options.encoding),
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
        encoding=_charset(wanted.options.encoding),
        mode="PERMISSIVE",
        columnNameOfCorruptRecord=MALFORMED.name,
        samplingRatio=1.0,
    )


def _charset(encoding: str) -> str:
    """Java's name of an encoding that Python knows.

    Raises:
        SourceError: nobody knows it.
    """
    name = known_encoding(encoding)
    return _JAVA_CHARSETS.get(name, name)


def _json_groups(wanted: FilesToRead) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Files that are one document each, and files of lines."""
    paths = [file.path for file in wanted.files if file.size]
    documents = {path for path in paths if is_document(path, wanted.options)}
    return tuple(p for p in paths if p in documents), tuple(p for p in paths if p not in documents)


def _declared_as_text(columns: Columns, names: tuple[str, ...]) -> Columns:
    present = {c.name.lower(): c for c in columns}
    declared = [Column(present[n.lower()].name if n.lower() in present else n, STRING) for n in names]
    return columns.with_(*declared)
