"""The driver: many contracts loaded and put in order, run side by side and one by one, and very many after each other."""

from __future__ import annotations

import json
import time
from pathlib import Path
from statistics import median

from benchmarks.orders import WORK
from benchmarks.processes import Measured, Tell, answer_with
from benchmarks.session import settings, start
from benchmarks.ways import emptied

_CONTRACT = """
dataset: bronze_bench_{number:04d}
layer: bronze
source: {{path: ../landing, pattern: '*.csv'}}
model:
  fields:
    - {{name: id, type: bigint, required: true}}
    - {{name: name, type: string, required: true}}
    - {{name: amount, type: double}}
quality:
  row_rules:
    - {{name: named, sql: "length(name) > 1"}}
    - {{name: paid, sql: "amount >= 0"}}
materialization: {{strategy: overwrite, target_path: ../tables/{number:04d}}}
"""
_TOGETHER = 8


def measure(contracts: int, rows: int, in_a_row: int, tell: Tell) -> Measured:
    """Seconds to load and order the contracts; to run eight of them one by one and side by side; and of each of many."""
    from lakelogic.contract.yaml_cache import remembered
    from lakelogic.driver.drive import Settings, drive
    from lakelogic.driver.graph import build_graph
    from lakelogic.driver.nodes import Selection, open_lakehouse

    folder = emptied(WORK / "out" / "driver")
    registry = _lakehouse(folder, contracts, rows)

    def load() -> float:
        began = time.perf_counter()
        with remembered(folder / "contracts.json"):
            build_graph(open_lakehouse(Selection(registries=(registry,))).nodes)
        return round(time.perf_counter() - began, 3)

    found: Measured = {"contracts": contracts, "load_seconds": load(), "cached_load_seconds": load()}
    tell(found)

    start(settings())

    def run(count: int, workers: int) -> tuple[float, list[float]]:
        names = tuple(f"e{number:04d}" for number in range(count))
        summary = drive(Selection(registries=(registry,), entities=names), Settings("spark", max_workers=workers))
        if summary.exit_code:
            raise SystemExit("a contract failed")
        return (summary.ended - summary.started).total_seconds(), [each.seconds for each in summary.outcomes]

    run(_TOGETHER, 1)
    loading = load()
    alone, each = run(_TOGETHER, 1)
    together, _ = run(_TOGETHER, 4)
    found |= {
        "together": _TOGETHER,
        "one_by_one_seconds": round(alone - loading, 3),
        "side_by_side_seconds": round(together - loading, 3),
        "overhead_seconds": round((alone - loading - sum(each)) / _TOGETHER, 3),
    }
    tell(found)
    _, many = run(in_a_row, 1)
    found |= {"in_a_row": in_a_row, "first_seconds": median(many[:10]), "last_seconds": median(many[-10:])}
    return found


def _lakehouse(folder: Path, contracts: int, rows: int) -> Path:
    listed = folder / "contracts"
    listed.mkdir(parents=True)
    (folder / "lakelogic.toml").touch()
    (folder / "landing").mkdir()
    lines = (f"{number},name{number},{number}.5" for number in range(rows))
    (folder / "landing" / "rows.csv").write_text("\n".join(["id,name,amount", *lines, ""]), encoding="utf-8")
    entries = []
    for number in range(contracts):
        (listed / f"c{number:04d}.yaml").write_text(_CONTRACT.format(number=number), encoding="utf-8")
        entries.append({"entity": f"e{number:04d}", "contracts": {"bronze": f"c{number:04d}.yaml"}})
    registry = listed / "_registry.yaml"
    registry.write_text(json.dumps({"entries": entries}), encoding="utf-8")
    return registry


if __name__ == "__main__":
    answer_with(measure)
