"""Which parts there are, and with what each is measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.orders import folder_of, is_made
from benchmarks.peers.environment import PEERS, WITHOUT_SPARK, Peer, python_of
from benchmarks.processes import Measured, measure_apart
from benchmarks.session import settings

_FEW = 1_000
_SOME = 100_000
# What a peer that does not finish is tried with again.
_SMALLEST = 1_000


@dataclass(frozen=True)
class MeasuringOrder:
    """How many rows, how often, how long a peer may take, and how long the server is asked without a pause."""

    rows: int
    repeat: int
    limit: float
    soak: float = 60


def measure(part: str, order: MeasuringOrder) -> Measured:
    """Measure one part, in processes of its own.

    Raises:
        MeasurementFailed: a measuring process ended with an error.
    """
    return PARTS[part](order)


def _speed(order: MeasuringOrder) -> Measured:
    return _told("speed", rows=order.rows, repeat=order.repeat)


def _jobs(order: MeasuringOrder) -> Measured:
    return _told("jobs", rows=min(order.rows, _SOME), rules=[6, 60])


def _planning(order: MeasuringOrder) -> Measured:
    return _told("planning", rows=_FEW, rules=100, repeat=order.repeat)


def _memory(order: MeasuringOrder) -> Measured:
    runs = [_told("memory", rows=rows, way="product") for rows in (order.rows // 10, order.rows)]
    return {"runs": runs, "by_hand": _told("memory", rows=order.rows, way="by_hand")}


def _overhead(order: MeasuringOrder) -> Measured:
    return _told("overhead", rows=_FEW, repeat=2 * order.repeat)


def _greeting(order: MeasuringOrder) -> Measured:
    return _told("greeting", repeat=2 * order.repeat)


def _listing(order: MeasuringOrder) -> Measured:
    return _told("listing", files=_SOME, repeat=order.repeat)


def _driver(_: MeasuringOrder) -> Measured:
    return _told("driver", contracts=_FEW, rows=_FEW, in_a_row=300)


def _bootstrap(_: MeasuringOrder) -> Measured:
    return _told("bootstrap", files=200, megabytes=1024)


def _lab(order: MeasuringOrder) -> Measured:
    return _told("lab", repeat=order.repeat)


def _serve(order: MeasuringOrder) -> Measured:
    return _told("serve", runs=10_000, clients=8, seconds=10, soak_seconds=order.soak)


def _light(order: MeasuringOrder) -> Measured:
    return _told("light", source=_orders(order.rows), few=_orders(_FEW), rows=order.rows, repeat=order.repeat)


def _crossover(order: MeasuringOrder) -> Measured:
    sizes = [order.rows // 100, order.rows // 10, order.rows]
    return _told("crossover", sources={rows: _orders(rows) for rows in sizes}, repeat=order.repeat)


def _light_peer(order: MeasuringOrder) -> Measured:
    """A peer without Spark, with all rows or as many as it can take, and the product on as many."""
    python, found = python_of(WITHOUT_SPARK), {"title": WITHOUT_SPARK.title, "tries": list[Measured]()}
    for rows in dict.fromkeys((order.rows, order.rows // 10, _SMALLEST)):
        arguments = {"source": _orders(rows), "repeat": order.repeat}
        answer = measure_apart(WITHOUT_SPARK.module, arguments, python=python, limit=order.limit)
        own = _told("product", engine="polars", source=_orders(rows), repeat=order.repeat)
        found["tries"].append({"rows": rows, "limit": order.limit, "ways": {**answer.told, **own}})
        if answer.told.get("peer", {}).get("seconds"):
            break
    return found


def _orders(rows: int) -> str:
    """The folder of that many orders, made if need be."""
    folder = folder_of(rows)
    if not is_made(folder):
        _told("generating", rows=rows)
    return str(folder)


def _strategies(order: MeasuringOrder) -> Measured:
    return _told("strategies", rows=order.rows, repeat=order.repeat)


def _peers(order: MeasuringOrder) -> Measured:
    return {peer.key: {"title": peer.title, "tries": _tries(peer, order)} for peer in PEERS}


def _tries(peer: Peer, order: MeasuringOrder) -> list[Measured]:
    """With all rows, and where that does not come to an end, once more with few."""
    python = python_of(peer)
    tries: list[Measured] = []
    for rows in dict.fromkeys((order.rows, _SMALLEST)):
        arguments = {"source": _orders(rows), "conf": settings(), "repeat": order.repeat}
        answer = measure_apart(peer.module, arguments, python=python, limit=order.limit)
        tries.append({"rows": rows, "limit": order.limit, "finished": answer.finished, "ways": answer.told})
        if answer.told.get("peer", {}).get("seconds"):
            break
    return tries


def _told(part: str, **arguments: Any) -> Measured:
    return measure_apart(f"benchmarks.parts.{part}", arguments).told


PARTS: dict[str, Callable[[MeasuringOrder], Measured]] = {
    "greeting": _greeting,
    "planning": _planning,
    "jobs": _jobs,
    "overhead": _overhead,
    "listing": _listing,
    "driver": _driver,
    "bootstrap": _bootstrap,
    "lab": _lab,
    "serve": _serve,
    "speed": _speed,
    "memory": _memory,
    "light": _light,
    "light_peer": _light_peer,
    "crossover": _crossover,
    "strategies": _strategies,
    "peers": _peers,
}
