"""Writes a typed tree as DuckDB SQL, from tables of renderings; what stands in no table is refused."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn, TypeVar

from sqlglot import exp

from lakelogic.sql.duckdb.patterns import NotPortable
from lakelogic.sql.duckdb.refusal import refusal
from lakelogic.sql.duckdb.types import duckdb_type
from lakelogic.sql.plain import call_name
from lakelogic.sql.types import UNKNOWN, is_unknown
from lakelogic.sql.typing.lattice import NULL, named

Cast = Callable[["Writer", str, exp.DataType, exp.DataType, exp.Expr], str]
NodeRendering = Callable[["Writer", exp.Expr], str]
CallRendering = Callable[["Writer", exp.Anonymous], str]
Read = TypeVar("Read")


@dataclass(frozen=True)
class Renderings:
    """Everything that can be written: kinds of nodes, calls by name or `name/arguments`, and casts."""

    nodes: Mapping[type[exp.Expr], NodeRendering]
    calls: Mapping[str, str | CallRendering]
    explicit: Cast
    implicit: Cast


# The parts of nodes that renderings look at.
_PARTS = frozenset(
    """
    alias catalog columns db default desc distinct end end_side expression expressions false from_ group having high ifs
    is_string joins kind laterals limit low negate nulls_first on order outer over partition_by position qualify query
    quoted safe side spec start start_side table this to true unit using view where with_
    """.split()
)


class Writer:
    """Turns nodes into text."""

    def __init__(self, renderings: Renderings) -> None:
        self._known = renderings
        self._unsigned: frozenset[str] = frozenset()
        self.variables: Mapping[str, str] = {}

    def sql(self, node: exp.Expr | None) -> str:
        """The text of a node, of the same value and type as in Spark."""
        if node is None:
            return ""
        written = self._written(node)
        return f"({written} + 0)" if self._unsigned and node.sql() in self._unsigned else written

    @contextmanager
    def unsigned(self, keys: Sequence[str]) -> Iterator[None]:
        """Within it, these expressions have no negative zero."""
        before, self._unsigned = self._unsigned, frozenset(keys)
        yield
        self._unsigned = before

    @contextmanager
    def variable(self, name: str, written: str) -> Iterator[None]:
        """Within it, a variable of a lambda is written in this way."""
        before, self.variables = self.variables, {**self.variables, name.lower(): written}
        yield
        self.variables = before

    def _written(self, node: exp.Expr) -> str:
        if isinstance(node, exp.Anonymous):
            return self._call(node)
        rendering = self._known.nodes.get(type(node))
        # A part that nobody looks at would be lost in silence.
        if rendering is None or not {key for key, value in node.args.items() if value} <= _PARTS:
            self.refuse(node, f"{type(node).__name__.upper()} is not portable")
        return rendering(self, node)

    def list(self, nodes: Sequence[exp.Expr], separator: str = ", ") -> str:
        return separator.join(self.sql(node) for node in nodes)

    def as_(self, node: exp.Expr, target: str | exp.DataType) -> str:
        """The text of a node as another type, as Spark converts it where a function wants it."""
        wanted = named(target) if isinstance(target, str) else target
        found = kind(node)
        if is_unknown(wanted):
            return self.sql(node)
        if found == wanted:
            return self.sql(node)
        if found.this == NULL.this:
            return f"CAST(NULL AS {duckdb_type(wanted)})"
        if is_unknown(found):
            self.refuse(node, "its type is not known")
        return self._known.implicit(self, self.sql(node), found, wanted, node)

    def cast(self, value: str, source: exp.DataType, target: exp.DataType, node: exp.Expr) -> str:
        """A value as another type, as TRY_CAST converts it."""
        return self._known.explicit(self, value, source, target, node)

    def refuse(self, node: exp.Expr, reason: str, cure: str | None = None) -> NoReturn:
        """Say why a part of the SQL can't be written."""
        raise refusal(node, reason, cure)

    def written_out(
        self, node: exp.Expr, written: exp.Expr, read: Callable[[str], Read], what: str, *, cure: str, simpler: str
    ) -> Read:
        """A pattern or format out of the text that the contract has for it, if all engines read it alike."""
        source = constant(written)
        if source is None:
            self.refuse(written, f"the {what} is not written out", cure)
        try:
            return read(source)
        except NotPortable as error:
            self.refuse(node, f"the {what} has {error}, which engines read differently", simpler)

    def _call(self, node: exp.Anonymous) -> str:
        name = call_name(node)
        rendering = self._known.calls.get(f"{name}/{len(node.expressions)}") or self._known.calls.get(name)
        if rendering is None:
            self.refuse(node, f"{name} is not portable")
        if isinstance(rendering, str):
            return self.fill(rendering, node)
        return rendering(self, node)

    def fill(self, template: str, node: exp.Anonymous) -> str:
        """A template: `{0}` is an argument, `{0:string}` the argument as that type, `{*}` all of them."""
        parts: list[str] = []
        for fixed, place, wanted, _ in string.Formatter().parse(template):
            parts.append(fixed)
            if place is not None:
                parts.append(self._filled(node, place, wanted or ""))
        return "".join(parts)

    def _filled(self, node: exp.Anonymous, place: str, wanted: str) -> str:
        chosen = node.expressions if place == "*" else [node.expressions[int(place)]]
        written = [self._wanted(node, argument, wanted) for argument in chosen]
        return ", ".join(written)

    def _wanted(self, call: exp.Anonymous, argument: exp.Expr, wanted: str) -> str:
        if not wanted:
            return self.sql(argument)
        return self.as_(argument, kind(call) if wanted == "result" else wanted)


def kind(node: exp.Expr | None) -> exp.DataType:
    """The type of a typed node."""
    found = node.type if node is not None else None
    return found if isinstance(found, exp.DataType) else UNKNOWN


def constant(node: exp.Expr) -> str | None:
    """The text of a string literal."""
    return node.name if isinstance(node, exp.Literal) and node.is_string else None


def whole(node: exp.Expr) -> int | None:
    """The value of a literal whole number."""
    sign = 1
    while isinstance(node, (exp.Neg, exp.Paren)):
        sign = -sign if isinstance(node, exp.Neg) else sign
        node = node.this
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
        return sign * int(node.name)
    return None
