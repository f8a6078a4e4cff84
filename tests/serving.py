"""A small lakehouse for tests of the server: three layers, built on DuckDB, with rows that fail."""

from __future__ import annotations

import textwrap
from pathlib import Path

from starlette.testclient import TestClient

from lakelogic import DataProcessor
from lakelogic.serve import create_app

TOKEN = "a-token-of-tests-that-nobody-knows"

ORDERS = """\
order_id,customer,email,region,amount
O-1,C-1,a@x.com,NORTH,10.50
O-2,,b@x.com,NORTH,20.00
O-3,C-3,c@x.com,SOUTH,-5
O-4,C-4,d@x.com,SOUTH,7.25
O-5,,e@x.com,,many
"""
BRONZE = """
dataset: bronze_orders
layer: bronze
source: {path: ../landing/*.csv}
model:
  fields:
    - {name: order_id, type: string}
    - {name: email, type: string, pii: true}
materialization: {strategy: overwrite, target_path: ../tables/bronze}
"""
SILVER = """
info: {title: Orders, owner: sales, description: Orders that can be trusted.}
dataset: silver_orders
layer: silver
upstream: [bronze_orders]
primary_key: [order_id]
source: {path: ../tables/bronze, format: delta}
model:
  fields:
    - {name: order_id, type: string}
    - {name: customer, type: string}
    - {name: email, type: string, pii: true}
    - {name: region, type: string}
    - {name: amount, type: "decimal(18,2)"}
quality:
  row_rules:
    - {name: customer_present, sql: customer IS NOT NULL, label: missing_customer, description: Somebody has ordered.}
    - {name: positive_amount, sql: amount > 0, label: non_positive_amount}
materialization: {strategy: overwrite, target_path: ../tables/silver}
service_levels: {freshness_hours: 24}
"""
GOLD = """
dataset: gold_regions
layer: gold
upstream: [silver_orders]
primary_key: [region]
source: {path: ../tables/silver, format: delta}
transformations:
  - {sql: "SELECT region, SUM(amount) AS revenue, COUNT(*) AS orders FROM source GROUP BY region"}
materialization: {strategy: overwrite, target_path: ../tables/gold}
"""
CONTRACTS = {"bronze": BRONZE, "silver": SILVER, "gold": GOLD}


def lakehouse(folder: Path, *, run: bool = True) -> Path:
    """A project of three contracts; its tables are there unless asked otherwise."""
    (folder / "landing").mkdir(parents=True)
    (folder / "contracts").mkdir()
    (folder / "lakelogic.toml").write_text('[serve]\nservice = "shop"\n')
    (folder / "landing" / "orders.csv").write_text(ORDERS)
    for name, text in CONTRACTS.items():
        path = folder / "contracts" / f"{name}.yaml"
        path.write_text(textwrap.dedent(text).lstrip())
        if run:
            DataProcessor(path, "duckdb").run()
    return folder


def visitor(folder: Path, token: str | None = None) -> TestClient:
    """Somebody on this machine who asks a server of the project; `token` is what the server asks for."""
    app = create_app(folder, token=token)
    return TestClient(app, base_url="http://127.0.0.1:8096", client=("127.0.0.1", 50_000))
