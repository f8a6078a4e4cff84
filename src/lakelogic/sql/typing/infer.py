"""The exact Spark type of every node of a plain tree, or unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from lakelogic.sql.plain import call_name
from lakelogic.sql.types import UNKNOWN, Column, Columns
from lakelogic.sql.typing.calls import type_of_call
from lakelogic.sql.typing.lattice import (
    common,
    element,
    is_map,
    is_struct,
    map_parts,
    named,
    normal,
)
from lakelogic.sql.typing.nodes import known_type, type_of_node


@dataclass
class Scope:
    """What names mean at a place: the columns of relations, and variables of lambdas."""

    relations: dict[str, Columns] = field(default_factory=dict)
    variables: dict[str, exp.DataType] = field(default_factory=dict)
    outer: Scope | None = None

    def find(self, table: str, name: str) -> exp.DataType | None:
        """The type of a column or variable."""
        if not table and name.lower() in self.variables:
            return self.variables[name.lower()]
        for alias, columns in self.relations.items():
            if (not table or alias == table.lower()) and (column := columns.find(name)):
                return normal(column.type)
        return self.outer.find(table, name) if self.outer else None

    def has(self, relation: str) -> bool:
        return relation.lower() in self.relations or bool(self.outer and self.outer.has(relation))

    def columns(self) -> Iterator[tuple[str, Column]]:
        for alias, columns in self.relations.items():
            yield from ((alias, column) for column in columns)


class Typer:
    """Finds types from the leaves up."""

    def __init__(self, tables: Mapping[str, Columns]) -> None:
        self._tables = {name.lower(): columns for name, columns in tables.items()}

    def query(self, node: exp.Expr, outer: Scope | None = None, ctes: Mapping[str, Columns] | None = None) -> Columns:
        """Types a query and returns its output columns."""
        known = dict(ctes or {})
        with_ = node.args.get("with_")
        for cte in with_.expressions if with_ else ():
            known[cte.alias.lower()] = _renamed(self.query(cte.this, outer, known), cte.args.get("alias"))
        if isinstance(node, exp.Subquery):
            return self.query(node.this, outer, known)
        if isinstance(node, exp.SetOperation):
            left, right = self.query(node.left, outer, known), self.query(node.right, outer, known)
            pairs = zip(left, right, strict=False)
            return Columns(tuple(Column(a.name, common([a.type, b.type])) for a, b in pairs))
        return self._select(node, outer, known)

    def _select(self, node: exp.Expr, outer: Scope | None, ctes: dict[str, Columns]) -> Columns:
        scope = Scope(outer=outer)
        from_ = node.args.get("from_")
        joins = node.args.get("joins") or ()
        for relation in ([from_.this] if from_ else []) + [join.this for join in joins]:
            self._relation(relation, scope, ctes)
        for lateral in node.args.get("laterals") or ():
            self._lateral(lateral, scope)
        for join in joins:
            self._each(join, scope, ctes, skip=("this",))
        outputs: list[Column] = []
        for item in node.expressions:
            outputs += self._output(item, scope, ctes)
        # ORDER BY, GROUP BY and HAVING may name outputs.
        named_outputs = Scope({"": Columns(tuple(c for c in outputs if c.name))}, outer=scope)
        for key in ("where", "group", "having", "qualify", "order", "windows", "distinct"):
            if part := node.args.get(key):
                self._walk(part, scope if key == "where" else named_outputs, ctes)
        return Columns(tuple(outputs))

    def _relation(self, node: exp.Expr, scope: Scope, ctes: dict[str, Columns]) -> None:
        if isinstance(node, exp.Table):
            name = node.name.lower()
            columns = ctes.get(name) or self._tables.get(name) or Columns()
        elif isinstance(node, exp.Subquery):
            columns = self.query(node, scope, ctes)
        else:
            columns = Columns()
        alias = node.args.get("alias")
        scope.relations[(node.alias or node.name).lower()] = _renamed(columns, alias)
        for join in node.args.get("joins") or ():
            self._relation(join.this, scope, ctes)
            self._each(join, scope, ctes, skip=("this",))

    def _lateral(self, node: exp.Expr, scope: Scope) -> None:
        inner = node.this
        self._walk(inner, scope, {})
        alias = node.args.get("alias")
        names = [column.name for column in alias.columns] if alias else []
        kinds = _generated(inner)
        columns = tuple(Column(name, kind) for name, kind in zip(names, kinds, strict=False))
        scope.relations[(alias.name if alias else "").lower()] = Columns(columns)

    def _output(self, item: exp.Expr, scope: Scope, ctes: dict[str, Columns]) -> list[Column]:
        if isinstance(item, exp.Star):
            return [column for _, column in scope.columns()]
        if isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
            return [column for alias, column in scope.columns() if alias == item.table.lower()]
        found = self._walk(item, scope, ctes)
        return [Column(item.alias_or_name, found)]

    def expression(self, node: exp.Expr, columns: Columns) -> exp.DataType:
        """Types an expression over some columns."""
        return self._walk(node, Scope({"source": columns}), {})

    def _walk(self, node: exp.Expr, scope: Scope, ctes: dict[str, Columns]) -> exp.DataType:
        found = self._typed(node, scope, ctes)
        node.type = found
        return found

    def _typed(self, node: exp.Expr, scope: Scope, ctes: dict[str, Columns]) -> exp.DataType:
        if isinstance(node, exp.Query):
            outputs = list(self.query(node, scope, ctes))
            return outputs[0].type if len(outputs) == 1 else UNKNOWN
        if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
            return self._column(node, scope, ctes)
        if isinstance(node, exp.Identifier):
            return scope.find("", node.name) or UNKNOWN
        if isinstance(node, exp.Lambda):
            return self._walk(node.this, scope, ctes)
        if isinstance(node, exp.Anonymous):
            return self._call(node, scope, ctes)
        self._each(node, scope, ctes, skip=("to", "unit") if isinstance(node, (exp.Cast, exp.Interval)) else ())
        return type_of_node(node)

    def _column(self, node: exp.Column, scope: Scope, ctes: dict[str, Columns]) -> exp.DataType:
        """A column of a relation; `a.b` may also be a member of a struct, and is then written as one."""
        first, *rest = node.parts
        is_relation = bool(rest) and scope.has(first.name)
        if len(rest) == int(is_relation):
            return scope.find(node.table, node.name) or UNKNOWN
        path: exp.Expr = exp.Column(this=first)
        if is_relation:
            path, rest = exp.Column(this=rest[0], table=first), rest[1:]
        for part in rest:
            path = exp.Dot(this=path, expression=part.copy())
        node.replace(path)
        return self._walk(path, scope, ctes)

    def _each(self, node: exp.Expr, scope: Scope, ctes: dict[str, Columns], skip: tuple[str, ...] = ()) -> None:
        for key, value in node.args.items():
            if key in skip:
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, exp.Expr) and not isinstance(child, exp.Var):
                    self._walk(child, scope, ctes)

    def _call(self, node: exp.Anonymous, scope: Scope, ctes: dict[str, Columns]) -> exp.DataType:
        name = call_name(node)
        types: list[exp.DataType] = []
        for argument in node.expressions:
            inner = scope
            if isinstance(argument, exp.Lambda):
                inner = _with_variables(name, argument, types, scope)
            types.append(self._walk(argument, inner, ctes))
        return type_of_call(name, node, types)


def _with_variables(name: str, function: exp.Lambda, types: list[exp.DataType], scope: Scope) -> Scope:
    names = [variable.name.lower() for variable in function.expressions]
    return Scope(variables=dict(zip(names, _variables(name, types, len(names)), strict=False)), outer=scope)


def _variables(name: str, types: list[exp.DataType], count: int) -> list[exp.DataType]:
    """The types of a lambda's variables, from the arguments before it."""
    first = types[0] if types else UNKNOWN
    if name in {"aggregate", "reduce"}:
        # The accumulator keeps the type of its start.
        return [types[1], element(first)] if len(types) == 2 else [types[2] if len(types) > 2 else UNKNOWN]
    if name == "zip_with":
        return [element(types[0]), element(types[1])]
    if is_map(first):
        key, value = map_parts(first)
        if name == "map_zip_with":
            return [key, value, map_parts(types[1])[1]]
        return [key, value]
    inner = element(first)
    return [inner, inner] if name == "array_sort" and count == 2 else [inner, named("int")]


def _generated(node: exp.Expr) -> list[exp.DataType]:
    """The types of the columns that a generator yields."""
    held = known_type(node.expressions[0]) if node.expressions else UNKNOWN
    name = call_name(node)
    kinds = list(map_parts(held)) if is_map(held) else [element(held)]
    if name.startswith("inline"):
        return [normal(part.args["kind"]) for part in element(held).expressions] if is_struct(element(held)) else []
    return [named("int"), *kinds] if name.startswith("posexplode") else kinds


def _renamed(columns: Columns, alias: exp.Expr | None) -> Columns:
    names = [column.name for column in alias.args.get("columns") or ()] if isinstance(alias, exp.TableAlias) else []
    if not names:
        return columns
    return Columns(tuple(Column(name, column.type) for name, column in zip(names, columns, strict=False)))
