"""The same orders without Spark: by hand with DuckDB and with Polars, and the product on either."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.orders import REQUIRED, RULES, write_contract
from benchmarks.ways import Written

LightWay = Callable[[None, Path, Path], Written]

# Spark's files do not say that their moments are in UTC; without it, Delta gets another type.
_MOMENTS = ("ordered_at", "shipped_at")


def _checks() -> dict[str, str]:
    return {f"{name} is required": f"{name} IS NOT NULL" for name in REQUIRED} | dict(RULES)


def duckdb_by_hand(_: None, source: Path, out: Path) -> Written:
    """One predicate, good rows, then bad rows with their errors, streamed into Delta."""
    import duckdb
    from deltalake import write_deltalake

    checks = _checks()
    passes = " AND ".join(f"({sql})" for sql in checks.values())
    errors = ", ".join(f"CASE WHEN {sql} THEN NULL ELSE '{name}' END" for name, sql in checks.items())
    failed = f"list_filter([{errors}], lambda e: e IS NOT NULL) AS errors"
    moments = ", ".join(f"make_timestamptz(epoch_us({name})) AS {name}" for name in _MOMENTS)
    orders = f"(SELECT * REPLACE ({moments}) FROM read_parquet('{source}/*.parquet'))"
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET preserve_insertion_order = false")
    good = connection.sql(f"SELECT * FROM {orders} WHERE {passes}").to_arrow_reader()
    write_deltalake(out / "good", good, mode="append")
    bad = connection.sql(f"SELECT *, {failed} FROM {orders} WHERE NOT coalesce({passes}, false)").to_arrow_reader()
    write_deltalake(out / "bad", bad, mode="append")
    return Written(rows_of(out / "good"), rows_of(out / "bad"))


def polars_by_hand(_: None, source: Path, out: Path) -> Written:
    """The same with Polars' own expressions, collected by its streaming engine."""
    import polars as pl

    moments = [pl.col(name).dt.replace_time_zone("UTC") for name in _MOMENTS]
    orders = pl.scan_parquet(source / "*.parquet").with_columns(moments)
    checks = {name: pl.sql_expr(sql) for name, sql in _checks().items()}
    passes = pl.all_horizontal([check.fill_null(value=False) for check in checks.values()])
    marks = [pl.when(check.fill_null(value=False)).then(None).otherwise(pl.lit(name)) for name, check in checks.items()]
    orders.filter(passes).collect(engine="streaming").write_delta(str(out / "good"), mode="append")
    failed = pl.concat_list(marks).list.drop_nulls().alias("errors")
    orders.filter(~passes).with_columns(failed).collect(engine="streaming").write_delta(str(out / "bad"), mode="append")
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
