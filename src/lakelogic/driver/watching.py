"""Who hears what a driver does, and how a contract is stopped from outside."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from threading import Event
from typing import Protocol

from lakelogic.driver.nodes import Node
from lakelogic.driver.summary import Outcome
from lakelogic.errors import RunStopped
from lakelogic.run.processor import DataProcessor

# Once the target is being written, a run is better brought to its end.
_TOO_LATE = ("writing target", "accounting")


class Listener(Protocol):
    """Hears what happens; called from several threads."""

    def planned(self, nodes: Sequence[Node], waits_for: Mapping[str, Collection[str]], window: str) -> None: ...
    def began(self, node: Node, window: str) -> None: ...
    def doing(self, node: Node, what: str) -> None: ...
    def ended(self, outcome: Outcome) -> None: ...


class Nobody:
    """Hears nothing."""

    def planned(self, nodes: Sequence[Node], waits_for: Mapping[str, Collection[str]], window: str) -> None: ...
    def began(self, node: Node, window: str) -> None: ...
    def doing(self, node: Node, what: str) -> None: ...
    def ended(self, outcome: Outcome) -> None: ...


class Everyone:
    """Passes on what it hears."""

    def __init__(self, *listeners: Listener) -> None:
        self._listeners = listeners

    def planned(self, nodes: Sequence[Node], waits_for: Mapping[str, Collection[str]], window: str) -> None:
        for listener in self._listeners:
            listener.planned(nodes, waits_for, window)

    def began(self, node: Node, window: str) -> None:
        for listener in self._listeners:
            listener.began(node, window)

    def doing(self, node: Node, what: str) -> None:
        for listener in self._listeners:
            listener.doing(node, what)

    def ended(self, outcome: Outcome) -> None:
        for listener in self._listeners:
            listener.ended(outcome)


class Watch:
    """Follows one contract at work. It stops between two phases, and what the engine is doing is cancelled."""

    def __init__(self, node: Node, listener: Listener) -> None:
        self.why: str | None = None
        self.stopped = Event()
        self._node = node
        self._listener = listener
        self._processor: DataProcessor | None = None
        self._late = False

    def follow(self, processor: DataProcessor) -> None:
        self._processor = processor

    def __call__(self, what: str) -> None:
        self._late = what in _TOO_LATE
        if self.why is not None and not self._late:
            raise RunStopped(self.why)
        self._listener.doing(self._node, what)

    def stop(self, why: str) -> None:
        """Ask the contract to stop; called from another thread."""
        self.why = self.why or why
        self.stopped.set()
        if self._processor is not None and not self._late:
            self._processor.stop()
