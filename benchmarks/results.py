"""What was measured, kept as results.json, and what it says: one line for each way, one for each goal."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATH = Path(__file__).with_name("results.json")

Results = dict[str, Any]

TITLES = {
    "floor": "plain Spark: read parquet, write Delta",
    "by_hand": "the rules, split and two writes by hand",
    "product": "LakeLogic",
}
LIGHT_TITLES = {"duckdb": "DuckDB", "polars": "Polars"}
# Memory that differs by less than this is the same memory: collections come when they come.
_FLAT = 1.2


@dataclass(frozen=True)
class Line:
    """A way with its best time; None where it did not come to its end."""

    key: str
    title: str
    rows: int
    seconds: float | None
    cpu_seconds: float | None
    ratio: float | None
    note: str = ""


@dataclass(frozen=True)
class Goal:
    """Something promised, what was measured, and whether it is kept."""

    title: str
    wanted: str
    measured: str
    met: bool


def load() -> Results:
    """The results as they are kept; empty where nothing was measured yet."""
    found: Results = json.loads(PATH.read_text(encoding="utf-8")) if PATH.exists() else {"format": 1}
    return found


def save(results: Results) -> None:
    PATH.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


def lines(results: Results) -> list[Line]:
    """The ways, from the floor to the slowest peer."""
    ways = results.get("speed", {}).get("ways", {})
    rows = results.get("speed", {}).get("rows", 0)
    own = [_line(key, TITLES[key], rows, found, ways["floor"]) for key, found in ways.items()]
    return own + [_peer_line(key, peer) for key, peer in results.get("peers", {}).items()]


def goals(results: Results) -> list[Goal]:
    """The promises on speed, as far as they were measured."""
    told = [_speed_goals(results), _jobs_goal(results), _planning_goal(results)]
    told += [_memory_goals(results), _overhead_goal(results), _help_goal(results), _light_goals(results)]
    told += [_light_peer_goal(results), _strategy_goals(results), _listing_goals(results), _driver_goals(results)]
    told += [_bootstrap_goals(results), _lab_goals(results), _serve_goals(results)]
    return [goal for group in told for goal in group]


def _line(key: str, title: str, rows: int, found: Results, floor: Results, note: str = "") -> Line:
    best = min(found["seconds"], default=None)
    base = min(floor["seconds"], default=None)
    ratio = best / base if best and base else None
    return Line(key, title, rows, best, min(found["cpu_seconds"], default=None), ratio, note)


def _peer_line(key: str, peer: Results) -> Line:
    tried = peer["tries"][-1]
    ways = tried["ways"]
    if ways.get("peer", {}).get("seconds"):
        note = "" if len(peer["tries"]) == 1 else _unfinished(peer["tries"][:-1])
        return _line(key, peer["title"], tried["rows"], ways["peer"], ways["floor"], note)
    return Line(key, peer["title"], tried["rows"], None, None, None, _unfinished(peer["tries"]))


def _unfinished(tries: list[Results]) -> str:
    return "; ".join(_unmeasured(tried) for tried in tries)


def _unmeasured(tried: Results) -> str:
    cold = tried["ways"].get("peer", {}).get("cold_seconds")
    ended = f"only a cold run of {cold:.0f} s" if cold else "no run"
    return f"{tried['rows']:,} rows: {ended} in {tried['limit']:.0f} s"


def _speed_goals(results: Results) -> list[Goal]:
    best = {line.key: line for line in lines(results)}
    product, hand = best.get("product"), best.get("by_hand")
    if product is None or hand is None or not (product.seconds and hand.seconds and product.ratio):
        return []
    return [
        _at_most("LakeLogic against hand-written Spark", product.seconds / hand.seconds, 1.10, "×"),
        _at_most("LakeLogic against the floor", product.ratio, 1.6, "×"),
    ]


def _jobs_goal(results: Results) -> list[Goal]:
    if "jobs" not in results:
        return []
    counts = results["jobs"]["jobs"]
    measured = ", ".join(f"{jobs} jobs for {rules} rules" for rules, jobs in counts.items())
    return [Goal("Spark jobs of a run", "the same for 60 rules as for 6", measured, len(set(counts.values())) == 1)]


def _planning_goal(results: Results) -> list[Goal]:
    if "planning" not in results:
        return []
    rules = results["planning"]["rules"]
    return [_at_most(f"plan of {rules} rules, session warm", min(results["planning"]["seconds"]), 2.0, "s")]


def _memory_goals(results: Results) -> list[Goal]:
    if "memory" not in results:
        return []
    small, large = results["memory"]["runs"]
    hand = results["memory"]["by_hand"]
    python = f"{small['python_mb']} MB at {small['rows']:,} rows, {large['python_mb']} MB at {large['rows']:,}"
    heaps = [run["heap_after_gc_mb"] for run in (small, large, hand)]
    heap = f"{heaps[0]} MB at {small['rows']:,} rows, {heaps[1]} MB at {large['rows']:,}; by hand {heaps[2]} MB"
    return [
        Goal("Python's memory, peak", "flat", python, large["python_mb"] <= _FLAT * small["python_mb"]),
        Goal("JVM heap in use, peak", "that of code by hand", heap, heaps[1] <= _FLAT * heaps[2]),
    ]


def _overhead_goal(results: Results) -> list[Goal]:
    if "overhead" not in results:
        return []
    ways = results["overhead"]["ways"]
    added = min(ways["product"]["seconds"]) - min(ways["by_hand"]["seconds"])
    return [_at_most(f"added to a run of {results['overhead']['rows']:,} rows, session warm", added, 1.0, "s")]


def _listing_goals(results: Results) -> list[Goal]:
    if "listing" not in results:
        return []
    found = results["listing"]
    told = [_at_most(f"{found['files']:,} files diffed", min(found["diff_seconds"]), 10.0, "s")]
    sources = {"csv": "files", "delta": "a Delta table"}
    return told + [
        _at_most(f"second run on {sources[kind]} with nothing new, session warm", min(seconds), 2.0, "s")
        for kind, seconds in found["nothing_new_seconds"].items()
    ]


def _driver_goals(results: Results) -> list[Goal]:
    if "in_a_row" not in results.get("driver", {}):
        return []
    found = results["driver"]
    faster = found["one_by_one_seconds"] / found["side_by_side_seconds"]
    slower = found["last_seconds"] / found["first_seconds"]
    return [
        _at_most(
            f"{found['contracts']:,} contracts loaded, checked and put in order", found["load_seconds"], 15.0, "s"
        ),
        _at_most("the same, parsed before", found["cached_load_seconds"], 3.0, "s"),
        _at_most("added by the driver to each contract", found["overhead_seconds"], 0.1, "s"),
        Goal(f"{found['together']} contracts side by side", "≥ 1.5 × faster", f"{faster:.2f} ×", faster >= 1.5),
        Goal(
            f"contract {found['in_a_row']} in one Spark", f"≤ {_FLAT} × the first", f"{slower:.2f} ×", slower <= _FLAT
        ),
    ]


def _bootstrap_goals(results: Results) -> list[Goal]:
    if "all" not in results.get("bootstrap", {}):
        return []
    found = results["bootstrap"]
    what = f"contracts for {found['files']:,} csv files of {found['megabytes']:,} MB, all rows looked at"
    return [
        _at_most(what, found["all"]["seconds"], 60.0, "s"),
        _at_most("the same, peak memory", found["all"]["peak_mb"], 1024.0, "MB"),
    ]


def _lab_goals(results: Results) -> list[Goal]:
    if "lab" not in results:
        return []
    found = results["lab"]
    return [
        _at_most("the orders lab, three layers, session warm", min(found["seconds"]), 15.0, "s"),
        Goal("Spark jobs of the orders lab", "≤ 25", str(max(found["jobs"])), max(found["jobs"]) <= 25),
    ]


def _serve_goals(results: Results) -> list[Goal]:
    if "soak" not in results.get("serve", {}):
        return []
    found, soak = results["serve"], results["serve"]["soak"]
    report = found["routes"]["quality-report"]
    rate, clients = report["requests_per_second"], found["clients"]
    memory = f"{soak['before_mb']} MB before, {soak['after_mb']} MB after {soak['requests']:,} requests"
    over = f"over {found['runs']:,} runs, {clients} clients"
    return [
        _at_most("`lakelogic serve` until its first answer", found["ready_seconds"], 1.0, "s"),
        Goal(f"quality reports a second {over}", "≥ 300", f"{rate:.0f}", rate >= 300),
        _at_most(f"99 of 100 quality reports {over}", report["p99_ms"], 50, "ms"),
        Goal(
            f"memory of the server in {soak['seconds']:g} s without a pause",
            "flat",
            memory,
            soak["after_mb"] <= _FLAT * soak["before_mb"],
        ),
    ]


def _help_goal(results: Results) -> list[Goal]:
    if "greeting" not in results:
        return []
    return [_at_most("`lakelogic --help`", min(results["greeting"]["seconds"]), 0.4, "s")]


def light_lines(results: Results) -> list[Line]:
    """The ways without Spark; each engine is compared with code by hand for it."""
    found = results.get("light", {})
    out = []
    for engine, ways in found.get("engines", {}).items():
        titles = {
            "bare": f"{LIGHT_TITLES[engine]} by hand, bad rows with their errors only",
            "by_hand": f"{LIGHT_TITLES[engine]} by hand, the same tables",
            "product": f"LakeLogic on {engine}",
        }
        for way, taken in ways.items():
            out.append(_line(f"{engine}_{way}", titles[way], found["rows"], taken, ways["by_hand"]))
    return out


def _light_goals(results: Results) -> list[Goal]:
    told = [
        _at_most(f"{line.title} against code by hand", line.ratio, 1.2, "×")
        for line in light_lines(results)
        if line.key.endswith("_product") and line.ratio
    ]
    if seconds := results.get("light", {}).get("command_seconds"):
        told.append(_at_most("`lakelogic run` of 1,000 rows on duckdb, start included", min(seconds), 1.0, "s"))
    return told


@dataclass(frozen=True)
class Lead:
    """A peer without Spark and the product on the same rows; the peer's time is None where it came to no end."""

    title: str
    rows: int
    peer_seconds: float | None
    own_seconds: float
    limit: float

    @property
    def times(self) -> float:
        """How many times as long the peer takes, at least."""
        return (self.peer_seconds or self.limit) / self.own_seconds


def lead(results: Results) -> Lead | None:
    """The last try of the peer: the one with the most rows that it could take."""
    if "light_peer" not in results:
        return None
    tried = results["light_peer"]["tries"][-1]
    ways = tried["ways"]
    peer = min(ways.get("peer", {}).get("seconds", ()), default=None)
    title, own = results["light_peer"]["title"], min(ways["product"]["seconds"])
    return Lead(title, tried["rows"], peer, own, tried["limit"])


def _light_peer_goal(results: Results) -> list[Goal]:
    if (found := lead(results)) is None:
        return []
    measured = f"{'' if found.peer_seconds else 'more than '}{found.times:.1f} ×"
    return [Goal(f"{found.title}, against LakeLogic on polars", "≥ 3 ×", measured, found.times >= 3)]


def _strategy_goals(results: Results) -> list[Goal]:
    limits = {"append": 1.15, "merge": 1.2, "scd2": 1.3}
    found = results.get("strategies", {})
    told = []
    for strategy, ways in found.get("strategies", {}).items():
        ratio = min(ways["product"]["seconds"]) / min(ways["by_hand"]["seconds"])
        what = "as many" if strategy == "append" else f"{found['changes']:,} changes"
        title = f"{strategy} of {what} into {found['rows']:,} rows, against Delta by hand"
        told.append(_at_most(title, ratio, limits[strategy], "×"))
    return told


def _at_most(title: str, measured: float, limit: float, unit: str) -> Goal:
    return Goal(title, f"≤ {limit:g} {unit}", f"{measured:.2f} {unit}", measured <= limit)
