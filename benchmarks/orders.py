"""The orders that every way reads, and the rules that every way applies. Needs nothing but Spark."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WORK = Path(__file__).parent / ".work"

COLUMNS: Mapping[str, str] = {
    "order_id": "bigint",
    "customer_id": "string",
    "ordered_at": "timestamp",
    "shipped_at": "timestamp",
    "status": "string",
    "channel": "string",
    "country": "string",
    "email": "string",
    "quantity": "int",
    "unit_price": "double",
    "discount": "double",
    "amount": "double",
}

REQUIRED = ("order_id", "customer_id", "ordered_at")

RULES: Mapping[str, str] = {
    "quantity_in_range": "quantity BETWEEN 1 AND 100",
    "price_is_positive": "unit_price > 0",
    "discount_is_sane": "discount >= 0 AND discount <= 0.5",
    "status_is_known": "status IN ('placed', 'paid', 'shipped', 'delivered', 'returned', 'cancelled')",
    "email_has_a_domain": "email LIKE '%@%.%'",
    "amount_adds_up": "abs(amount - quantity * unit_price * (1 - discount)) < 0.01",
}

# Each flaw hits one row in 225, so that nine of them make 4 % of the rows bad.
_ONE_IN = 225
_FLAWS = 9
_ROWS_PER_FILE = 1_250_000


def folder_of(rows: int) -> Path:
    """Where that many orders are."""
    return WORK / f"orders-{rows}"


def is_made(folder: Path) -> bool:
    """Whether orders are there, and all of them."""
    return (folder / "_SUCCESS").exists()


def generate(spark: SparkSession, rows: int) -> Path:
    """Write the orders as parquet, unless they are there already. The same number gives the same rows everywhere."""
    folder = folder_of(rows)
    if is_made(folder):
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    files = max(2, rows // _ROWS_PER_FILE)
    spark.range(0, rows, 1, files).createOrReplaceTempView("ids")
    facts = spark.sql(
        f"""
        SELECT id, {_pick("flaw", _ONE_IN)} AS flaw,
               1 + {_pick("quantity", 100)} AS quantity,
               (100 + {_pick("price", 49_900)}) / 100.0D AS unit_price,
               {_pick("discount", 51)} / 100.0D AS discount,
               timestamp_seconds(1735689600 + {_pick("moment", 365 * 86_400)}) AS ordered_at,
               {_pick("customer", max(rows // 10, 1))} AS customer
        FROM ids
        """
    )
    facts.createOrReplaceTempView("facts")
    spark.sql(_ORDERS).write.parquet(str(folder))
    return folder


def bad_rows(rows: int) -> float:
    """About how many of the rows break a rule."""
    return rows * _FLAWS / _ONE_IN


def contract(rules: int = len(RULES)) -> dict[str, Any]:
    """The contract that the product runs; more rules than six are ones that every row meets."""
    more = {f"quantity_is_not_{1000 + i}": f"quantity <> {1000 + i}" for i in range(rules - len(RULES))}
    return {
        "dataset": "orders",
        "source": {"path": "orders", "format": "parquet"},
        "model": {
            "fields": [
                {"name": name, "type": kind, **({"required": True} if name in REQUIRED else {})}
                for name, kind in COLUMNS.items()
            ]
        },
        "quality": {"row_rules": [{"name": name, "sql": sql} for name, sql in {**RULES, **more}.items()]},
        "materialization": {"strategy": "append", "target_path": "out/orders"},
    }


def write_contract(folder: Path, rules: int = len(RULES)) -> Path:
    """The contract as a file of its own project; JSON is YAML."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "contract.yaml"
    path.write_text(json.dumps(contract(rules), indent=2), encoding="utf-8")
    return path


def _pick(what: str, choices: int) -> str:
    """A number below `choices` that depends on the row's id alone."""
    return f"CAST(pmod(xxhash64(id, '{what}'), {choices}) AS INT)"


def _one_of(what: str, *values: str) -> str:
    return f"element_at(array({', '.join(map(repr, values))}), 1 + {_pick(what, len(values))})"


_ORDERS = f"""
    SELECT IF(flaw = 0, NULL, id) AS order_id,
           IF(flaw = 1, NULL, format_string('C%08d', customer)) AS customer_id,
           IF(flaw = 2, NULL, ordered_at) AS ordered_at,
           ordered_at + make_interval(0, 0, 0, {_pick("days", 10)}) AS shipped_at,
           IF(flaw = 3, 'lost', {_one_of("status", "placed", "paid", "shipped", "delivered", "returned", "cancelled")})
               AS status,
           {_one_of("channel", "web", "app", "shop", "phone")} AS channel,
           {_one_of("country", "DE", "FR", "IT", "ES", "NL", "PL", "SE", "AT")} AS country,
           IF(flaw = 4, 'nobody', format_string('user%d@mail%d.example', customer, {_pick("mail", 40)})) AS email,
           IF(flaw = 5, 0, quantity) AS quantity,
           IF(flaw = 6, -1.0D, unit_price) AS unit_price,
           IF(flaw = 7, 0.9D, discount) AS discount,
           IF(flaw = 8, -5.0D, 1.0D) * quantity * unit_price * (1 - discount) AS amount
    FROM facts
"""
