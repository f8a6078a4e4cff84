"""YAML events built into nodes, without recursion and within bounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from io import StringIO

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.reader import ReaderError

from lakelogic.errors import ContractError, ContractInvalid, Place

MAX_DEPTH = 50
MAX_NODES = 50_000
_CHECK = "Check indentation, colons and quotes on this line and the one above."


@dataclass
class Scalar:
    """A value without parts; a plain one was written without quotes."""

    text: str
    plain: bool
    place: Place


@dataclass
class Sequence:
    """A list."""

    place: Place
    items: list[Node] = field(default_factory=list)


@dataclass
class Mapping:
    """Keys and values, in order."""

    place: Place
    entries: list[tuple[Node, Node]] = field(default_factory=list)


Node = Scalar | Sequence | Mapping


def invalid(message: str, place: Place, cure: str | None = None) -> ContractInvalid:
    """One problem that keeps the rest of the file from being read."""
    return ContractInvalid([ContractError(message, cure=cure, place=place)])


class NodeBuilder:
    """Builds nodes from events without recursion, so that hostile nesting can't exhaust the stack."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.anchors: dict[str, Node] = {}
        self.open: list[tuple[Sequence | Mapping, str | None]] = []
        self.keys: list[Node | None] = []
        self.root: Node | None = None
        self.nodes = 0

    def build(self, text: str) -> Node | None:
        documents = 0
        try:
            for event in YAML(typ="safe", pure=True).parse(StringIO(text)):
                documents += isinstance(event, DocumentStartEvent)
                if documents > 1:
                    raise invalid("a file holds one contract.", self._place(event), "Remove everything from '---' on.")
                self._take(event)
        except MarkedYAMLError as error:
            raise self._syntax(error) from None
        except ReaderError as error:
            raise self._unprintable(text, error) from None
        except (YAMLError, ValueError, NotImplementedError) as error:
            raise invalid(f"not YAML: {str(error).splitlines()[0]}", Place(self.file)) from None
        return self.root

    def _take(self, event: Event) -> None:
        if isinstance(event, (SequenceEndEvent, MappingEndEvent)):
            node, anchor = self.open.pop()
            self.keys.pop()
            if anchor:
                self.anchors[anchor] = node
        elif isinstance(event, AliasEvent):
            self._place_node(self._aliased(event))
        elif isinstance(event, (ScalarEvent, SequenceStartEvent, MappingStartEvent)):
            self._start(event)

    def _start(self, event: ScalarEvent | SequenceStartEvent | MappingStartEvent) -> None:
        place = self._place(event)
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise invalid(f"more than {MAX_NODES:,} values.", place, "A contract has fewer; is it data?")
        if event.tag is not None:
            raise invalid(f"tag '{event.tag[:60]}' is not allowed.", place, "Remove it; quote the value if it is text.")
        if isinstance(event, ScalarEvent):
            scalar = Scalar(event.value, plain=event.style is None or event.style == "", place=place)
            if event.anchor:
                self.anchors[event.anchor] = scalar
            self._place_node(scalar)
            return
        node: Sequence | Mapping = Sequence(place) if isinstance(event, SequenceStartEvent) else Mapping(place)
        self._place_node(node)
        if len(self.open) >= MAX_DEPTH:
            raise invalid(f"nested deeper than {MAX_DEPTH} levels.", place)
        self.open.append((node, event.anchor))
        self.keys.append(None)

    def _aliased(self, event: AliasEvent) -> Node:
        if event.anchor not in self.anchors:
            raise invalid(f"alias '*{event.anchor}' names no anchor before it.", self._place(event))
        return self.anchors[event.anchor]

    def _place_node(self, node: Node) -> None:
        if not self.open:
            self.root = node
            return
        parent, key = self.open[-1][0], self.keys[-1]
        if isinstance(parent, Sequence):
            parent.items.append(node)
        elif key is None:
            self.keys[-1] = node
        else:
            parent.entries.append((key, node))
            self.keys[-1] = None

    def _place(self, event: Event) -> Place:
        return Place(self.file, event.start_mark.line + 1, event.start_mark.column + 1)

    def _syntax(self, error: MarkedYAMLError) -> ContractInvalid:
        # A quote or bracket that is never closed is found at the end, but stands where it was opened.
        unclosed = "end of stream" in str(error.problem) or "<stream end>" in str(error.problem)
        mark = (unclosed and error.context_mark) or error.problem_mark or error.context_mark
        place = Place(self.file, mark.line + 1, mark.column + 1) if mark else Place(self.file)
        reason = " ".join(str(error.problem or error.context or "can't be read").split())
        tab = r"character '\t'" in reason
        cure = "Indent with spaces, not with tabs." if tab else _CHECK
        return invalid(f"not YAML: {reason}.", place, cure)

    def _unprintable(self, text: str, error: ReaderError) -> ContractInvalid:
        code = error.character if isinstance(error.character, int) else ord(error.character)
        before = text[: text.find(chr(code))]
        place = Place(self.file, before.count("\n") + 1, len(before) - before.rfind("\n"))
        return invalid(f"character U+{code:04X} is not allowed in YAML.", place, "Remove it.")
