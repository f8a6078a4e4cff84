"""A project that is served, for tests that look at it with a browser."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from lakelogic.serve import create_app
from tests.scenarios.light import light_project

TOKEN = "a token that nobody guesses"
HOSTILE = "<script>document.title='taken'</script>"

_ORDERS = """
    info: {title: Orders as they come, owner: sales@example.com, description: Each order once.}
    dataset: bronze_orders
    layer: bronze
    source: {path: ../landing/*.csv, load_mode: incremental}
    primary_key: [order_id]
    model:
      fields:
        - {name: order_id, type: int, required: true, description: Number of the order}
        - {name: customer, type: string, required: true, pii: true}
        - {name: note, type: string}
        - {name: amount, type: double}
    quality:
      row_rules:
        - {name: positive_amount, sql: amount > 0}
        - {name: short_note, sql: length(note) < 80, severity: warning}
      dataset_rules: [{row_count_between: {min: 1}}]
    service_levels: {freshness_hours: 24}
    materialization: {strategy: append, target_path: ../output/orders}
"""
_SALES = """
    info: {title: Sales of a customer}
    dataset: silver_sales
    layer: silver
    upstream: [bronze_orders]
    source: {type: delta, path: ../output/orders}
    model:
      fields:
        - {name: order_id, type: int}
        - {name: amount, type: double}
    transformations: [{filter: {sql: order_id < 1000}}]
    materialization: {strategy: overwrite, target_path: ../output/sales}
"""


def shop(root: Path, *, bad: int = 30) -> Path:
    """Two contracts that have run, and one that has not; the second file has rows that fail, hostile ones among them."""
    project = light_project(root)
    project.file("lakelogic.toml", 'engine = "duckdb"\n')
    project.contract(_ORDERS, "contracts/orders.yaml")
    project.contract(_SALES, "contracts/sales.yaml")
    project.contract(
        _SALES.replace("silver_sales", "gold_never").replace("output/sales", "output/never"), "contracts/x.yaml"
    )
    project.file("landing/1.csv", "order_id,customer,note,amount\n1,Ann,ok,5\n2,Ben,ok,7\n")
    project.run(name="contracts/orders.yaml")
    rows = [f"{100 + at},Cem,row {at},-1" for at in range(bad)]
    project.file(
        "landing/2.csv", "\n".join(["order_id,customer,note,amount", "3,Dee,ok,9", f"4,Eve,{HOSTILE},-2", *rows])
    )
    project.run(name="contracts/orders.yaml")
    project.run(name="contracts/sales.yaml")
    return root


@contextmanager
def served(project: Path, token: str | None = None) -> Iterator[str]:
    """The address of a project that is served on this machine."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(create_app(project, token=token), log_level="error", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)
