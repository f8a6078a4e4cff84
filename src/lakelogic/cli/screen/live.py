"""A run of the driver while it goes on: layers, contracts, counts, and what waits for what."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Lock
from time import monotonic

from loguru import logger
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from lakelogic.cli.screen.consoles import animates
from lakelogic.cli.screen.driver import STATUS_TEXTS, kind_of
from lakelogic.cli.screen.layout import grid, indented, joined, line, mark
from lakelogic.driver.nodes import Node
from lakelogic.driver.summary import Outcome
from lakelogic.driver.watching import Nobody
from lakelogic.wording import one_line, rounded, seconds, shortened

_BAR_WIDTH = 20
_NAME_WIDTH = 32
# Lines around those of contracts: the end of the log, the total, the prompt to come.
_MARGIN = 4
# What a line has beside a name and what is told of it: indent, mark, gaps, seconds.
_AROUND = 20


@dataclass(frozen=True)
class Entry:
    """A contract on the board: it waits, works, or has come to its outcome."""

    name: str
    layer: str
    waits_for: tuple[str, ...] = ()
    doing: str | None = None
    since: float | None = None
    outcome: Outcome | None = None

    @property
    def works(self) -> bool:
        return self.since is not None and self.outcome is None


@dataclass
class Board:
    """Hears which contracts there are, which are at work, on what, and how each ended."""

    clock: Callable[[], float] = monotonic
    window: str = ""
    _entries: dict[str, Entry] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)
    began_at: float | None = None

    def planned(self, nodes: Sequence[Node], waits_for: Mapping[str, Collection[str]], window: str) -> None:
        """A pass begins, with these contracts in this order."""
        with self._lock:
            self.window = window
            self.began_at = self.began_at if self.began_at is not None else self.clock()
            self._entries = {
                node.name: Entry(node.name, node.layer or "-", tuple(waits_for[node.name])) for node in nodes
            }

    def began(self, node: Node, window: str) -> None:
        self._set(node.name, node.layer, doing="beginning", since=self.clock())

    def doing(self, node: Node, what: str) -> None:
        self._set(node.name, node.layer, doing=what)

    def ended(self, outcome: Outcome) -> None:
        self._set(outcome.contract, outcome.layer, outcome=outcome)

    def _set(self, name: str, layer: str | None, **changes: object) -> None:
        with self._lock:
            entry = self._entries.get(name) or Entry(name, layer or "-")
            self._entries[name] = replace(entry, **changes)  # type: ignore[arg-type]

    @property
    def entries(self) -> tuple[Entry, ...]:
        with self._lock:
            return tuple(self._entries.values())

    def unsettled(self, names: Iterable[str]) -> list[str]:
        """Those of the names that have not ended yet."""
        with self._lock:
            known = self._entries
            return [name for name in names if name in known and known[name].outcome is None]


class Lines(Nobody):
    """Logs how each contract ended, for where nothing can be drawn over."""

    def __init__(self) -> None:
        self._total = 0
        self._done = 0

    def planned(self, nodes: Sequence[Node], waits_for: Mapping[str, Collection[str]], window: str) -> None:
        self._total, self._done = len(nodes), 0

    def ended(self, outcome: Outcome) -> None:
        self._done += 1
        told = joined([_status(outcome), _counts([outcome]), seconds(outcome.seconds) if outcome.seconds else ""], ", ")
        logger.info("{} of {}: '{}' {}", self._done, self._total, outcome.contract, told)


@contextmanager
def drawn(console: Console, *, draws: bool = True) -> Iterator[Board | Lines]:
    """Who hears of the run: a board that is drawn while the body runs and leaves nothing behind, or a line for each."""
    if not draws or not animates(console):
        yield Lines()
        return
    board = Board()
    with Live(BoardView(board), console=console, transient=True, refresh_per_second=8, redirect_stdout=False):
        yield board


class BoardView:
    """The board as a picture of the moment."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._spinner = Spinner("dots", style="cyan")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        entries = self._board.entries
        if not entries:
            return
        layers = list(dict.fromkeys(entry.layer for entry in entries))
        room = max(console.height - len(layers) - _MARGIN, 1)
        shown = {entry.name for entry in _most_telling(entries, room)}
        width = max(len(layer) for layer in layers)
        for layer in layers:
            own = [entry for entry in entries if entry.layer == layer]
            yield _layer(layer.ljust(width), own)
            if lines := [entry for entry in own if entry.name in shown]:
                yield self._contracts(lines, console)
        yield self._total(entries, left_out=sum(_is_telling(entry) for entry in entries) - len(shown))

    def _contracts(self, entries: Sequence[Entry], console: Console) -> RenderableType:
        table = grid("left", "left", "left", "right")
        names = max(min(len(entry.name), _NAME_WIDTH) for entry in entries)
        for entry in entries:
            sign, told, took = self._told(entry, console)
            told.truncate(max(console.width - names - _AROUND, 1), overflow="ellipsis")
            name = Text(shortened(one_line(entry.name), _NAME_WIDTH), style="bold" if entry.works else "")
            table.add_row(sign, name, told, took)
        return indented(table)

    def _told(self, entry: Entry, console: Console) -> tuple[RenderableType, Text, str]:
        if entry.outcome is not None:
            outcome = entry.outcome
            why = "" if outcome.status == "blocked" else f": {outcome.reason}"
            told = line(f"{_status(outcome)}{why}", "red" if kind_of(outcome) == "bad" else "yellow")
            return mark(console, kind_of(outcome)), told, ""
        if entry.since is not None:
            return self._spinner, line(entry.doing, "cyan"), seconds(self._board.clock() - entry.since)
        needs = self._board.unsettled(entry.waits_for)
        waits = f"waits for {_some(needs)}" if needs else "waits for the layers before"
        return mark(console, "idle"), line(waits, "dim"), ""

    def _total(self, entries: Sequence[Entry], left_out: int) -> Text:
        done = [entry.outcome for entry in entries if entry.outcome is not None]
        since = self._board.began_at
        more = f"{left_out} more at work or waiting" if left_out > 0 else ""
        window = self._board.window if " to " in self._board.window else ""
        took = seconds(self._board.clock() - since) if since is not None else ""
        return line(joined([f"{len(done)} of {len(entries)} contracts", window, _counts(done), took, more]), "dim")


def _layer(name: str, entries: Sequence[Entry]) -> Table:
    """A layer as a line: how far it is, and what its contracts came to."""
    done = [entry.outcome for entry in entries if entry.outcome is not None]
    wrong = any(outcome.exit_code for outcome in done)
    style = "red" if wrong else "green" if len(done) == len(entries) else "cyan"
    bar = ProgressBar(len(entries), len(done), _BAR_WIDTH, complete_style=style, finished_style=style)
    table = grid("left", "left", "right", "left")
    table.add_row(line(name, "bold"), bar, f"{len(done)} of {len(entries)}", line(_counts(done), "dim"))
    return table


def _most_telling(entries: Sequence[Entry], room: int) -> list[Entry]:
    """What is worth a line of its own, as far as there is room: at work first, then what went wrong, then what waits."""
    telling = [entry for entry in entries if _is_telling(entry)]
    return sorted(telling, key=lambda entry: (not entry.works, entry.outcome is None))[:room]


def _is_telling(entry: Entry) -> bool:
    return entry.outcome is None or bool(entry.outcome.exit_code)


def _status(outcome: Outcome) -> str:
    if outcome.blocked_by:
        return f"blocked by {outcome.blocked_by}"
    return STATUS_TEXTS.get(outcome.status, outcome.status)


def _counts(outcomes: Iterable[Outcome]) -> str:
    """Rows that were written, as far as they are known."""
    counts = [outcome.result.counts for outcome in outcomes if outcome.result is not None]
    good = sum(count.good or 0 for count in counts)
    bad = sum(count.quarantined or 0 for count in counts)
    return joined([f"{rounded(good)} good" if counts else "", f"{rounded(bad)} quarantined" if bad else ""])


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "")
