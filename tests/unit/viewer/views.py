"""Views to draw: made by hand, without contracts."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

from lakelogic.observe.history import Run
from lakelogic.viewer.runs import Runs
from lakelogic.viewer.view import SOURCES, Arrow, Box, BoxColumn, View

NOW = datetime(2026, 3, 28, 12, 0, tzinfo=UTC)
HOSTILE = "</script><script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\">"


def ran(status: str = "succeeded", *, good: int | None = 1200, hours: float = 2, quarantined: int = 0) -> Runs:
    """The runs of a contract whose last one ended some hours ago."""
    run = Run(
        "r1",
        status=status,
        reason="load_mode is full",
        ended_at=NOW - timedelta(hours=hours),
        duration_seconds=1.5,
        counts_source=1210,
        counts_good=good,
        counts_quarantined=quarantined,
    )
    fine = status in ("succeeded", "no_new_data")
    return Runs(run, run if status == "succeeded" else None, run.ended_at if fine else None)


def small(name: str = "silver_orders") -> View:
    """A file, two contracts and a reference."""
    columns = (
        BoxColumn("id", "bigint", "identity", (("bronze_orders", "id"),)),
        BoxColumn("total", "double", "transformation", (("bronze_orders", "amount"), ("reference_rates", "rate"))),
        BoxColumn("email", "string", "masked", (("bronze_orders", "email"),), private=True),
    )
    bronze = tuple(
        BoxColumn(each, "string", "identity", (("sources:in.csv", each),)) for each in ("id", "amount", "email")
    )
    boxes = (
        Box("sources:in.csv", "landing/in.csv", SOURCES, "source", location="landing/in.csv"),
        Box("reference_rates", "reference_rates", "reference", columns=(BoxColumn("rate", "double", "generated"),)),
        Box("bronze_orders", "bronze_orders", "bronze", runs=ran(), columns=bronze),
        Box(name, name, "silver", owner="me", runs=ran("failed", good=None), columns=columns, note=None),
    )
    arrows = (
        Arrow("sources:in.csv", "bronze_orders", ("source",), 1210),
        Arrow("bronze_orders", name, ("source",), 1200),
        Arrow("reference_rates", name, ("link rates",)),
    )
    return View(boxes, arrows, (SOURCES, "reference", "bronze", "silver"), NOW)


def mesh(contracts: int, columns: int = 16) -> View:
    """A lakehouse of many contracts: each silver one reads one of bronze, each gold one several of silver."""
    chance = random.Random(7)
    third = contracts // 3
    layers = ["bronze"] * third + ["silver"] * third + ["gold"] * (contracts - 2 * third)
    boxes = [Box(f"sources:{n}", f"landing/feed_{n}.csv", SOURCES, "source") for n in range(third // 4)]
    arrows = []
    of: dict[str, list[str]] = {"bronze": [], "silver": [], "gold": []}
    for number, layer in enumerate(layers):
        name = f"{layer}_{('sales', 'claims', 'stock', 'people')[number % 4]}_entity_{number:03d}"
        if layer == "bronze":
            reads = [boxes[number % (third // 4)].name]
        elif layer == "silver":
            reads = [of["bronze"][number - third], *chance.sample(of["bronze"], number % 2)]
        else:
            reads = chance.sample(of["silver"], 1 + number % 3)
        made = tuple(
            BoxColumn(
                f"column_{c:02d}", "decimal(12,2)", "transformation", tuple((each, f"column_{c:02d}") for each in reads)
            )
            for c in range(columns)
        )
        state = chance.choice([ran(), ran("no_new_data"), ran("failed", good=None), Runs()])
        boxes.append(Box(name, name, layer, owner="team@example.com", runs=state, columns=made))
        of[layer].append(name)
        arrows += [Arrow(each, name, ("source",) if at == 0 else ("link x",), 1000 + number if at == 0 else None)
                   for at, each in enumerate(dict.fromkeys(reads))]  # fmt: skip
    return View(tuple(boxes), tuple(arrows), (SOURCES, "bronze", "silver", "gold"), NOW)
