"""From which columns of which relations a query makes each of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from sqlglot import exp

from lakelogic.sql.shape import bare_aggregate

Kind = Literal["generated", "identity", "transformation", "aggregation"]
# The more is done to a value on its way, the later its kind stands here.
_KINDS: tuple[Kind, ...] = ("generated", "identity", "transformation", "aggregation")
OWN = "_ll_"
"""How the names of columns begin that a run makes for itself."""


@dataclass(frozen=True)
class Traced:
    """The (relation, column) pairs that a value comes from, and what became of it on the way; `generated` comes from none."""

    inputs: frozenset[tuple[str, str]] = frozenset()
    kind: Kind = "generated"

    def at_least(self, kind: Kind) -> Traced:
        """The same value with something more done to it."""
        return Traced(self.inputs, max(self.kind, kind, key=_KINDS.index))


@dataclass(frozen=True)
class Relation:
    """The columns of a relation. One with a `name` is where tracing ends: each column that is asked for is its own."""

    columns: tuple[tuple[str, Traced], ...] = ()
    name: str | None = None

    def find(self, column: str) -> Traced | None:
        """The column of this name; case makes no difference."""
        if self.name is not None and not column.lower().startswith(OWN):
            return Traced(frozenset({(self.name, column)}), "identity")
        return self._by_name.get(column.lower())

    @cached_property
    def _by_name(self) -> Mapping[str, Traced]:
        return {name.lower(): traced for name, traced in self.columns}


Relations = Mapping[str, Relation]
Output = list[tuple[str, Traced]]


def trace(query: exp.Query, relations: Relations, outer: Relations | None = None) -> Output:
    """Each output column, as it is spelt, with what it is made of; `outer` is what a sub-query may refer to."""
    known = {name.lower(): relation for name, relation in relations.items()}
    for cte in query.ctes:
        known[cte.alias.lower()] = _aliased(trace(cte.this, known, outer), cte)
    if isinstance(query, exp.SetOperation):
        left, right = trace(query.this, known, outer), trace(query.expression, known, outer)
        return [(name, _merged([mine, theirs])) for (name, mine), (_, theirs) in zip(left, right, strict=False)]
    if isinstance(query, exp.Select):
        return _Selecting(query, known, outer or {}).outputs()
    return trace(query.this, known, outer) if isinstance(query.this, exp.Query) else []


class _Selecting:
    """One SELECT, with the relations that it names."""

    def __init__(self, select: exp.Select, known: Relations, outer: Relations) -> None:
        self._select = select
        self._known = known
        self._scope: dict[str, Relation] = {}
        self._outer = outer
        self._made: dict[str, Traced] = {}
        group = select.args.get("group")
        self._keys = {key.name.lower() for key in group.find_all(exp.Column)} if group else None
        self._add_sources()

    def outputs(self) -> Output:
        out: Output = []
        for item in self._select.expressions:
            found = list(self._starred(item)) if item.is_star else [(item.output_name, self._output(item))]
            self._made.update((name.lower(), traced) for name, traced in found)
            out += found
        return out

    def _add_sources(self) -> None:
        select = self._select
        from_ = select.args.get("from_")
        parts = [*([from_.this] if from_ else []), *(join.this for join in select.args.get("joins") or ())]
        parts += [lateral for part in parts for lateral in part.args.get("laterals") or ()]
        for part in (*parts, *(select.args.get("laterals") or ())):
            self._scope[part.alias_or_name.lower()] = self._relation(part)

    def _relation(self, part: exp.Expr) -> Relation:
        if isinstance(part, exp.Table) and not isinstance(part.this, exp.Func):
            return self._known.get(part.name.lower(), Relation())
        inner = part.this if isinstance(part, (exp.Lateral, exp.Subquery)) else part
        if isinstance(inner, exp.Query):
            return _aliased(trace(inner, self._known, {**self._outer, **self._scope}), part)
        # A function that gives rows: whatever it calls its columns, they come from its arguments.
        made = self._value(inner).at_least("transformation")
        alias = part.args.get("alias")
        return Relation(tuple((column.name, made) for column in (alias.columns if alias else ())))

    def _starred(self, item: exp.Expr) -> Iterator[tuple[str, Traced]]:
        star = item.find(exp.Star)
        left_out = {part.name.lower() for part in (star.args.get("except_") or ())} if star else set()
        table = item.table.lower() if isinstance(item, exp.Column) else ""
        for alias, relation in self._scope.items():
            if not table or table == alias:
                yield from ((name, traced) for name, traced in relation.columns if name.lower() not in left_out)

    def _output(self, item: exp.Expr) -> Traced:
        # A lookup takes the smallest of several values: one of them, as it is.
        if item.output_name.startswith(OWN) and isinstance(item.unalias(), exp.Min):
            return self._value(item.unalias().this)
        value = self._value(item.unalias())
        # A group is known by its keys; of anything else it has many values, whatever the function is called that takes one.
        keys = self._keys
        if keys is None or item.output_name.lower() in keys:
            return value
        of_many = any(column.name.lower() not in keys for column in item.find_all(exp.Column))
        return value.at_least("aggregation") if of_many else value

    def _value(self, node: exp.Expr) -> Traced:
        if isinstance(node, exp.Paren):
            return self._value(node.this)
        if isinstance(node, exp.Column):
            return self._column(node)
        if isinstance(node, exp.Query):
            return _merged([traced for _, traced in trace(node, self._known, {**self._outer, **self._scope})])
        made = _merged(list(self._parts(node)))
        if bare_aggregate(node) is not None:
            return made.at_least("aggregation")
        return made.at_least("transformation") if made.inputs else made

    def _parts(self, node: exp.Expr) -> Iterator[Traced]:
        for part in node.walk(prune=lambda each: isinstance(each, (exp.Query, exp.Column))):
            if isinstance(part, (exp.Column, exp.Query)):
                yield self._value(part)

    def _column(self, node: exp.Column) -> Traced:
        """A column, which may be a member of a struct: `a.b` is column b of relation a, or member b of column a."""
        names = [part.name for part in node.parts]
        for scope in (self._scope, self._outer):
            owner = scope.get(names[0].lower()) if len(names) > 1 else None
            if owner is not None and (found := owner.find(names[1])) is not None:
                return found.at_least("transformation") if len(names) > 2 else found
            if (found := self._unqualified(names[0], scope)) is not None:
                return found.at_least("transformation") if len(names) > 1 else found
        return self._made.get(names[0].lower(), Traced())

    @staticmethod
    def _unqualified(name: str, scope: Relations) -> Traced | None:
        found = (relation.find(name) for relation in sorted(scope.values(), key=lambda each: each.name is not None))
        return next((each for each in found if each is not None), None)


def _aliased(output: Output, part: exp.Expr) -> Relation:
    """The columns under the names that an alias gives them: `(SELECT …) AS t(a, b)`."""
    alias = part.args.get("alias")
    names = [column.name for column in alias.columns] if isinstance(alias, exp.TableAlias) else []
    names += [name for name, _ in output[len(names) :]]
    return Relation(tuple((name, traced) for name, (_, traced) in zip(names, output, strict=False)))


def _merged(parts: list[Traced]) -> Traced:
    inputs = frozenset(pair for part in parts for pair in part.inputs)
    return Traced(inputs, max((part.kind for part in parts), key=_KINDS.index, default="generated"))
