"""docs/benchmarks.md, written from results.json alone."""

from __future__ import annotations

from pathlib import Path

from benchmarks.orders import REQUIRED, RULES
from benchmarks.results import Results, goals, lead, light_lines, lines
from benchmarks.table import number

PATH = Path(__file__).parent.parent / "docs" / "benchmarks.md"


def write(results: Results) -> Path:
    """Write the page."""
    PATH.write_text(markdown(results), encoding="utf-8")
    return PATH


def markdown(results: Results) -> str:
    """The page as text."""
    told = [
        _opening(results),
        _ways(results),
        _what_is_compared(),
        _goals(results),
        _reasons(),
        _light(results),
        _light_peer(results),
        _crossover(results),
        _spread(results),
        _machine(results),
    ]
    return "\n\n".join(part for part in told if part) + "\n"


def _opening(results: Results) -> str:
    repeat = results.get("repeat", 3)
    return f"""# Benchmarks

<!-- Written by `python -m benchmarks` from benchmarks/results.json. Do not edit. -->

```
python -m benchmarks
```

makes the orders, runs every way on them in turns on one warm Spark, takes the best of {repeat}, and writes this page.
Times depend on the machine; the ratios are what to compare.

![Time of each way as a multiple of plain Spark](images/benchmark.svg)"""


def _ways(results: Results) -> str:
    rows = [["way", "rows", "seconds", "CPU seconds", "× floor"]]
    for line in lines(results):
        told = [number(line.seconds), number(line.cpu_seconds), number(line.ratio)]
        rows.append([f"{line.title}; {line.note}" if line.note else line.title, f"{line.rows:,}", *told])
    return _table(rows)


def _what_is_compared() -> str:
    rules = "\n".join(f"- `{sql}`" for sql in RULES.values())
    required = ", ".join(f"`{name}`" for name in REQUIRED)
    return f"""## What is compared

Orders of 12 columns, of which 4 % break a rule. {required} are required, and six rules hold:

{rules}

Every way but the floor writes good rows to one Delta table, and bad rows with the names of the rules they broke to
another. The code by hand is what an expert writes: one combined predicate, two writes, counts from Delta's own
metrics. LakeLogic does the same from a contract, and in the same time loads and plans it, claims the run, keeps the
original of every bad row, counts failures for each rule, reads the counts back from the commits and writes the run
log. Ways that count their rows must agree on them, or nothing is reported. Each peer runs in an environment of its
own, on the same Spark and the same settings, next to a floor of its own that its ratio refers to."""


def _goals(results: Results) -> str:
    rows = [["goal", "wanted", "measured", ""]]
    rows += [[g.title, g.wanted, g.measured, "met" if g.met else "**missed**"] for g in goals(results)]
    heap = results.get("memory", {}).get("runs", [{}])[0].get("heap_limit", "1g")
    return f"""## Goals

{_table(rows)}

Memory is that of a run in a process of its own with a heap of {heap}. A local Spark runs its tasks in the driver's JVM,
so its heap holds what executors would hold elsewhere: mostly the row groups of parquet files that are being written,
which are as large as a file has rows, up to 128 MB each. What is left after a garbage collection counts as in use."""


def _reasons() -> str:
    return """## Why some are missed

- **Against the floor and code by hand.** Where rows are bad, the source is read twice, by hand as well: that alone is
  most of the distance to the floor. Beyond it, LakeLogic turns every bad row into text, keeps its original as JSON with
  an id made from it, and counts each rule. How well a JVM compiles the queries differs from start to start, so
  that both ratios change by a tenth and more when all is measured again.
- **Histories.** By hand, one commit ends versions and a second one adds rows, for rows that are newer than all others.
  LakeLogic works the versions of every key of the batch out anew, so that late and repeated rows are right, and writes
  them in one commit, so that nobody ever sees a key with two current versions or none. For that the table's rows and the
  changes meet in a full outer join, which shuffles the table; by hand, changes are only looked up while rows are copied.
  That shuffle, and reading the versions of the batch's keys before it, are most of the distance.
- **Appends.** So that a repeated write is known again, every commit carries a transaction, and before it Delta asks the
  table for those it has: it puts the table's state together from its log, in three Spark jobs that a write by hand does
  without. With planning, claiming and logging the run that is a second or so, which weighs more the shorter the append.
- **A run of 1,000 rows from the shell.** Importing Arrow, DuckDB, delta-rs, pydantic and sqlglot alone takes 0.4 s of it.
- **DuckDB by hand.** Bad rows as text in the same words on every engine, and the run's own tables."""


def _light(results: Results) -> str:
    found = light_lines(results)
    if not found:
        return ""
    rows = [["way", "rows", "seconds", "CPU seconds", "× by hand"]]
    rows += [
        [line.title, f"{line.rows:,}", number(line.seconds), number(line.cpu_seconds), number(line.ratio)]
        for line in found
    ]
    return f"## Without Spark\n\nThe same orders, in one process; what all write is Delta.\n\n{_table(rows)}"


def _light_peer(results: Results) -> str:
    if (found := lead(results)) is None:
        return ""
    peer = number(found.peer_seconds) if found.peer_seconds else f"no end in {found.limit:.0f}"
    rows = [["way", "rows", "seconds"], [found.title, f"{found.rows:,}", peer]]
    return _table([*rows, ["LakeLogic on polars", f"{found.rows:,}", number(found.own_seconds)]])


def _crossover(results: Results) -> str:
    if not (sizes := results.get("crossover", {}).get("sizes")):
        return ""
    engines = list(sizes[0]["seconds"])
    rows = [["rows", "MB", *engines]]
    for size in sizes:
        best = [number(min(size["seconds"][engine])) for engine in engines]
        rows.append([f"{size['rows']:,}", f"{size['bytes'] / 2**20:.0f}", *best])
    told = "Seconds of `lakelogic run` from the shell, the start of the process and of the engine included."
    return f"## Which engine for which size\n\n{told}\n\n{_table(rows)}"


def _spread(results: Results) -> str:
    ways = results.get("speed", {}).get("ways", {})
    if not ways:
        return ""
    rows = [["way", "first run, cold", "seconds of each round"]]
    for key, found in ways.items():
        rows.append([key, number(found["cold_seconds"]), ", ".join(f"{second:.2f}" for second in found["seconds"])])
    return f"## Every round\n\n{_table(rows)}"


def _machine(results: Results) -> str:
    facts = "\n".join(f"- {name}: {value}" for name, value in results.get("machine", {}).items())
    parts: dict[str, list[str]] = {}
    for name, commit in results.get("commits", {}).items():
        parts.setdefault(commit, []).append(name)
    told = "; ".join(f"{', '.join(names)} at commit {commit}" for commit, names in parts.items())
    return f"## Machine\n\n{facts}\n\nEach part was measured at the commit that is named here, the last on {results.get('measured', '?')}: {told}."


def _table(rows: list[list[str]]) -> str:
    head, *body = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([head, "|" + "---|" * len(rows[0]), *body])
