"""Two runs beside each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from lakelogic.cli.screen.layout import headed, indented, line, section
from lakelogic.cli.screen.runs import ending, moment, sign
from lakelogic.observe.comparing import Comparison, Pair, Value
from lakelogic.observe.history import Run
from lakelogic.wording import measured, one_line, seconds, share, shortened

_WIDEST = 40
# More is worse in these, and better in the others.
_BAD = {"quarantined", "quarantine_ratio"}
_NEUTRAL = {"source", "expanded", "filtered", "deduplicated"}
_LABELS = {
    "quarantine_ratio": "quarantine ratio",
    "quality_score": "quality score",
    "contract_version": "contract version",
    "target_version": "target version",
}

Shown = Callable[[Value], str]


def comparison_view(compared: Comparison, console: Console) -> RenderableType:
    """What differs, in the order in which one would ask for it."""
    parts: list[RenderableType] = [_head("A", compared.a.run, console), _head("B", compared.b.run, console)]
    about = [pair for pair in compared.about if pair.differs]
    if about:
        parts.append(section("What differs", _texts(about)))
    ratio, score = compared.shares
    rows = _numbers((*compared.counts, score), _number, _tone)
    _add(rows, ratio, _share, _tone)
    parts.append(section("Rows", rows))
    rules = [pair for pair in (*compared.rules, *compared.dataset_rules) if pair.differs or pair.a or pair.b]
    if rules:
        quiet = len(compared.rules) + len(compared.dataset_rules) - len(rules)
        note = f"and {quiet} that no row failed in either" if quiet else ""
        parts.append(section("Rules", _numbers(rules, _number, _worse), note=note))
    parts.append(section("Time", _numbers(compared.times, _seconds, lambda _: "")))
    parts.append(section("Columns of the target", *_columns(compared)))
    return Group(*parts)


def _head(letter: str, run: Run, console: Console) -> Text:
    name = (one_line(run.contract), "bold")
    told = f"  {ending(run)} · {moment(run.started_at)} UTC · {run.engine or '-'}"
    return Text.assemble((letter, "bold cyan"), " ", sign(run, console), " ", name, (told, "dim"))


def _texts(pairs: Iterable[Pair]) -> Table:
    table = headed(("", "left"), ("A", "wrap"), ("B", "wrap"))
    for pair in pairs:
        table.add_row(_name(pair), *(line(_text(value)) for value in (pair.a, pair.b)))
    return table


def _numbers(pairs: Iterable[Pair], shown: Shown, tone: Callable[[Pair], str]) -> Table:
    table = headed(("", "left"), ("A", "right"), ("B", "right"), ("Change", "right"))
    for pair in pairs:
        _add(table, pair, shown, tone)
    return table


def _add(table: Table, pair: Pair, shown: Shown, tone: Callable[[Pair], str]) -> None:
    table.add_row(_name(pair), shown(pair.a), shown(pair.b), Text(_change(pair, shown), style=tone(pair)))


def _name(pair: Pair) -> Text:
    """Names of rules and columns stay as they are."""
    return Text(_LABELS.get(pair.name) or shortened(one_line(pair.name), _WIDEST))


def _columns(compared: Comparison) -> Iterator[RenderableType]:
    if compared.columns is None:
        yield line("unknown: the target keeps no versions that tell them", "dim")
    elif not compared.columns:
        yield line("the same", "dim")
    else:
        yield indented(_texts(compared.columns), 0)


def _change(pair: Pair, shown: Shown) -> str:
    if (change := pair.change) is None:
        return ""
    # What reads the same is the same.
    return "=" if shown(pair.a) == shown(pair.b) else f"{'+' if change > 0 else '-'}{shown(abs(change))}"


def _tone(pair: Pair) -> str:
    if pair.name in _NEUTRAL:
        return ""
    return _worse(pair) if pair.name in _BAD else _better(pair)


def _worse(pair: Pair) -> str:
    change = pair.change or 0
    return "red" if change > 0 else "green" if change < 0 else "dim"


def _better(pair: Pair) -> str:
    change = pair.change or 0
    return "green" if change > 0 else "red" if change < 0 else "dim"


def _number(value: Value) -> str:
    return "-" if value is None else measured(float(value))


def _share(value: Value) -> str:
    return "-" if value is None else share(float(value), 1)


def _seconds(value: Value) -> str:
    return "-" if value is None else seconds(float(value))


def _text(value: Value) -> str:
    return "-" if value is None else shortened(str(value), _WIDEST)
