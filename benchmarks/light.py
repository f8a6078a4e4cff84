"""The same orders without Spark: by hand with DuckDB and with Polars, and the product on either."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.orders import COLUMNS, REQUIRED, RULES, write_contract
from benchmarks.ways import Written

if TYPE_CHECKING:
    import polars as pl

LightWay = Callable[[None, Path, Path], Written]

# Spark's files do not say that their moments are in UTC; without it, Delta gets another type.
_MOMENTS = ("ordered_at", "shipped_at")
_RUN = "20260101T000000Z-0123abcd"


def _checks() -> dict[str, str]:
    return {f"{name} is required": f"{name} IS NOT NULL" for name in REQUIRED} | dict(RULES)


def _categories() -> list[str]:
    return ["completeness"] * len(REQUIRED) + ["correctness"] * len(RULES)


def _messages() -> list[str]:
    return [f"Rule failed: {name} ({sql})" for name, sql in _checks().items()]


def duckdb_bare(_: None, source: Path, out: Path) -> Written:
    """One predicate, good rows, then bad rows with their errors, streamed into Delta."""
    return _with_duckdb(source, out, f"SELECT {', '.join(COLUMNS)}, {_failed(list(_checks()))} AS errors FROM bad")


def duckdb_by_hand(_: None, source: Path, out: Path) -> Written:
    """The same, with bad rows as the product stores them: as text, with reasons, origin, id and original."""
    texts = ", ".join(f"CAST({name} AS VARCHAR) AS {name}" for name in COLUMNS)
    original = ", ".join(f"{name} := {name}" for name in COLUMNS)
    record = f"""
        SELECT {texts}, {_failed(_categories())} AS _lakelogic_categories, {_failed(_messages())} AS _lakelogic_errors,
               {_failed(list(_checks()))} AS _lakelogic_rules, _lakelogic_rules[1] AS rejection_reason,
               'active' AS quarantine_state, false AS quarantine_reprocessed, filename AS _lakelogic_source_file,
               file_row_number AS _lakelogic_source_position, '{_RUN}' AS _lakelogic_run_id,
               now() AS _lakelogic_quarantined_at, CAST(to_json(struct_pack({original})) AS VARCHAR) AS _lakelogic_raw,
               sha256(concat_ws('|', '{_RUN}', filename, file_row_number))[:24] AS _lakelogic_row_id,
               '{_RUN}' AS _lakelogic_state_run
        FROM bad"""
    return _with_duckdb(source, out, record)


def _with_duckdb(source: Path, out: Path, record: str) -> Written:
    import duckdb
    from deltalake import write_deltalake

    passes = " AND ".join(f"({sql})" for sql in _checks().values())
    moments = ", ".join(f"make_timestamptz(epoch_us({name})) AS {name}" for name in _MOMENTS)
    files = f"read_parquet('{source}/*.parquet', filename = true, file_row_number = true)"
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET preserve_insertion_order = false")
    connection.execute(f"CREATE VIEW orders AS SELECT * REPLACE ({moments}) FROM {files}")
    good = connection.sql(f"SELECT {', '.join(COLUMNS)} FROM orders WHERE {passes}").to_arrow_reader()
    write_deltalake(out / "good", good, mode="append")
    connection.execute(f"CREATE TEMP TABLE bad AS FROM orders WHERE NOT coalesce({passes}, false)")
    write_deltalake(out / "bad", connection.sql(record).to_arrow_reader(), mode="append")
    return Written(rows_of(out / "good"), rows_of(out / "bad"))


def _failed(texts: list[str]) -> str:
    """What is said of the checks that a row fails."""
    said = [text.replace("'", "''") for text in texts]
    marks = [f"CASE WHEN {sql} THEN NULL ELSE '{text}' END" for text, sql in zip(said, _checks().values(), strict=True)]
    return f"list_filter([{', '.join(marks)}], lambda e: e IS NOT NULL)"


def polars_bare(_: None, source: Path, out: Path) -> Written:
    """The same with Polars' own expressions, collected by its streaming engine."""
    return _with_polars(source, out, lambda bad, failed: bad.select(*COLUMNS, failed(list(_checks())).alias("errors")))


def polars_by_hand(_: None, source: Path, out: Path) -> Written:
    """The same, with bad rows as the product stores them; for want of a digest in Polars, their ids are plain text."""
    import polars as pl

    def record(bad: pl.LazyFrame, failed: Callable[[list[str]], pl.Expr]) -> pl.LazyFrame:
        return bad.select(
            *(pl.col(name).cast(pl.String) for name in COLUMNS),
            failed(_categories()).alias("_lakelogic_categories"),
            failed(_messages()).alias("_lakelogic_errors"),
            failed(list(_checks())).alias("_lakelogic_rules"),
            failed(list(_checks())).list.first().alias("rejection_reason"),
            pl.lit("active").alias("quarantine_state"),
            pl.lit(value=False).alias("quarantine_reprocessed"),
            pl.col("filename").alias("_lakelogic_source_file"),
            pl.col("file_row_number").alias("_lakelogic_source_position"),
            pl.lit(_RUN).alias("_lakelogic_run_id"),
            pl.lit(datetime.now(UTC)).alias("_lakelogic_quarantined_at"),
            pl.struct(*COLUMNS).struct.json_encode().alias("_lakelogic_raw"),
            pl.format("{}|{}|{}", pl.lit(_RUN), "filename", "file_row_number").alias("_lakelogic_row_id"),
            pl.lit(_RUN).alias("_lakelogic_state_run"),
        )

    return _with_polars(source, out, record)


def _with_polars(source: Path, out: Path, record: Callable[..., pl.LazyFrame]) -> Written:
    import polars as pl

    moments = [pl.col(name).dt.replace_time_zone("UTC") for name in _MOMENTS]
    files = pl.scan_parquet(source / "*.parquet", include_file_paths="filename", row_index_name="file_row_number")
    orders = files.with_columns(moments)
    checks = [pl.sql_expr(sql).fill_null(value=False) for sql in _checks().values()]

    def failed(texts: list[str]) -> pl.Expr:
        marks = [pl.when(check).then(None).otherwise(pl.lit(text)) for text, check in zip(texts, checks, strict=True)]
        return pl.concat_list(marks).list.drop_nulls()

    passes = pl.all_horizontal(checks)
    good = orders.select(*COLUMNS).filter(passes)
    good.collect(engine="streaming").write_delta(str(out / "good"), mode="append")
    bad = record(orders.filter(~passes), failed)
    bad.collect(engine="streaming").write_delta(str(out / "bad"), mode="append")
    return Written(rows_of(out / "good"), rows_of(out / "bad"))


def product_on(engine: str) -> LightWay:
    """The product on a light engine, from loading the contract to the row of the run log."""

    def run(_: None, source: Path, out: Path) -> Written:
        from lakelogic import DataProcessor

        result = DataProcessor(write_contract(out), engine).run_source(str(source), target=str(out / "good"))
        return Written(result.counts.good, result.counts.quarantined)

    return run


def rows_of(table: Path) -> int:
    """The rows that a Delta table has."""
    from deltalake import DeltaTable

    return int(DeltaTable(table).count())
