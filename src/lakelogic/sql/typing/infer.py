"""The exact Spark type of every node of a plain tree, or unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from lakelogic.sql.plain import call_name
from lakelogic.sql.types import UNKNOWN, Column, Columns, is_unknown
from lakelogic.sql.typing import results
from lakelogic.sql.typing.documents import parsed_type
from lakelogic.sql.typing.lattice import (
    INTERVAL,
    MOMENTS,
    NULL,
    array_of,
    common,
    decimal,
    digits_of,
    element,
    is_array,
    is_decimal,
    is_integer,
    is_map,
    is_numeric,
    is_string,
    is_struct,
    map_of,
    map_parts,
    member,
    named,
    normal,
    struct_of,
)
from lakelogic.sql.typing.operands import operand_types

_Type = exp.DType
_CONDITIONS = (
    exp.And, exp.Or, exp.Xor, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ,
    exp.NullSafeNEQ, exp.Is, exp.In, exp.Between, exp.Like, exp.ILike, exp.RegexpLike, exp.RegexpILike,
    exp.Boolean, exp.Exists, exp.Escape,
)  # fmt: skip
_ARITHMETIC: dict[type[exp.Expr], str] = {
    exp.Add: "try_add",
    exp.Sub: "try_subtract",
    exp.Mul: "try_multiply",
    exp.Div: "try_divide",
    exp.Mod: "try_mod",
    exp.IntDiv: "div",
}
_BINARY = frozenset({*_ARITHMETIC.values(), "mod", "pmod"})
_INT_LIMIT, _LONG_LIMIT = 2**31, 2**63


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
        return _of_node(node)

    def _column(self, node: exp.Column, scope: Scope, ctes: dict[str, Columns]) -> exp.DataType:
        """A column of a relation; `a.b` may also be a member of a struct, and is then written as one."""
        first, *rest = node.parts
        if not rest or scope.has(first.name):
            return scope.find(node.table, node.name) or UNKNOWN
        path: exp.Expr = exp.Column(this=first)
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
        return _of_call(name, node, types)


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


def _of_call(name: str, node: exp.Anonymous, types: list[exp.DataType]) -> exp.DataType:
    if special := _CALLS.get(name):
        return special(node, types)
    if name in _BINARY and len(types) == 2:
        return results.result(name, operand_types(*node.expressions))
    return results.result(name, types)


def _of_node(node: exp.Expr) -> exp.DataType:
    if isinstance(node, _CONDITIONS):
        return named("boolean")
    if type(node) in _ARITHMETIC:
        return _arithmetic(node)
    special = _NODES.get(type(node))
    return special(node) if special else UNKNOWN


def _type(node: exp.Expr | None) -> exp.DataType:
    found = node.type if node is not None else None
    return found if isinstance(found, exp.DataType) else UNKNOWN


def _arithmetic(node: exp.Expr) -> exp.DataType:
    left, right = _type(node.this), _type(node.expression)
    moment = next((t for t in (left, right) if t.this in MOMENTS), None)
    if moment is None:
        return results.result(_ARITHMETIC[type(node)], operand_types(node.this, node.expression))
    other = right if moment is left else left
    if moment.this == _Type.DATE and is_integer(other):
        return moment
    if other.this == _Type.INTERVAL:
        span = node.expression if moment is left else node.this
        return named("timestamp") if moment.this == _Type.DATE and _has_time(span) else moment
    return UNKNOWN


def _has_time(span: exp.Expr) -> bool:
    interval = span if isinstance(span, exp.Interval) else span.find(exp.Interval)
    unit = interval.args.get("unit") if interval else None
    return unit is None or unit.name.upper().rstrip("S") in {"HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND"}


def _literal(node: exp.Expr) -> exp.DataType:
    if node.is_string:
        return named("string")
    text = node.name.lower()
    if "e" in text:
        return named("double")
    if "." in text:
        whole, _, fraction = text.partition(".")
        return decimal(max(len(whole.lstrip("0")) + len(fraction), 1), len(fraction))
    number = int(text)
    if number < _INT_LIMIT:
        return named("int")
    return named("bigint") if number < _LONG_LIMIT else decimal(len(text.lstrip("0")), 0)


def _bracket(node: exp.Expr) -> exp.DataType:
    held = _type(node.this)
    return map_parts(held)[1] if is_map(held) else element(held)


def _dot(node: exp.Expr) -> exp.DataType:
    held = _type(node.this)
    if is_array(held):
        inner = member(element(held), node.expression.name)
        return inner if is_unknown(inner) else array_of(inner)
    return member(held, node.expression.name)


def _case(node: exp.Expr) -> exp.DataType:
    branches = [_type(branch.args["true"]) for branch in node.args["ifs"]]
    return common([*branches, _type(node.args["default"]) if node.args.get("default") else NULL])


def _if(node: exp.Expr) -> exp.DataType:
    false = node.args.get("false")
    return common([_type(node.args["true"]), _type(false) if false else NULL])


def _of_this(node: exp.Expr) -> exp.DataType:
    return _type(node.this)


def _extract(node: exp.Expr) -> exp.DataType:
    return named("decimal(8,6)" if node.name.upper() in {"SECOND", "SECONDS"} else "int")


def _negative(node: exp.Expr) -> exp.DataType:
    # A literal's minus belongs to it: -2147483648 is an int.
    if isinstance(node.this, exp.Literal) and not node.this.is_string and node.this.name in {str(_INT_LIMIT)}:
        return named("int")
    if isinstance(node.this, exp.Literal) and node.this.name == str(_LONG_LIMIT):
        return named("bigint")
    return _type(node.this)


def _bitwise(node: exp.Expr) -> exp.DataType:
    return common([_type(node.this), _type(node.expression)]) if node.args.get("expression") else _type(node.this)


_NODES: dict[type[exp.Expr], Callable[[exp.Expr], exp.DataType]] = {
    exp.Literal: _literal,
    exp.Null: lambda _: NULL,
    exp.Cast: lambda node: normal(node.args["to"]),
    exp.TryCast: lambda node: normal(node.args["to"]),
    exp.Bracket: _bracket,
    exp.Dot: _dot,
    exp.Case: _case,
    exp.If: _if,
    exp.Neg: _negative,
    exp.Trim: lambda _: named("string"),
    exp.Extract: _extract,
    exp.Interval: lambda _: INTERVAL,
    exp.HexString: lambda _: named("binary"),
    exp.Distinct: lambda node: _type(node.expressions[0]) if node.expressions else UNKNOWN,
    exp.DPipe: lambda node: results.result("concat", [_type(node.this), _type(node.expression)]),
    **dict.fromkeys(
        (exp.Paren, exp.Alias, exp.Ordered, exp.Filter, exp.Window, exp.IgnoreNulls, exp.RespectNulls,
         exp.WithinGroup, exp.Subquery, exp.Collate, exp.AtTimeZone), _of_this
    ),
    **dict.fromkeys((exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot), _bitwise),
}  # fmt: skip


def _number_of(node: exp.Expr) -> int | None:
    negative = isinstance(node, exp.Neg)
    plain = node.this if negative else node
    if isinstance(plain, exp.Literal) and not plain.is_string and plain.name.isdigit():
        return -int(plain.name) if negative else int(plain.name)
    return None


def _rounded(node: exp.Anonymous, types: list[exp.DataType]) -> exp.DataType:
    if len(types) < 2 or not is_decimal(types[0]):
        return results.result("round", types)
    places = _number_of(node.expressions[1])
    if places is None:
        return UNKNOWN
    digits, scale = digits_of(types[0])
    whole = digits - scale + 1
    if places < 0:
        return decimal(max(whole, -places + 1), 0)
    kept = min(scale, places)
    return decimal(whole + kept, kept)


def _struct(node: exp.Anonymous, types: list[exp.DataType]) -> exp.DataType:
    names = [item.alias_or_name or f"col{i + 1}" for i, item in enumerate(node.expressions)]
    return struct_of(zip(names, types, strict=True))


def _named_struct(node: exp.Anonymous, types: list[exp.DataType]) -> exp.DataType:
    names = node.expressions[0::2]
    if not all(isinstance(name, exp.Literal) for name in names):
        return UNKNOWN
    return struct_of(zip((name.name for name in names), types[1::2], strict=True))


def _transformed(_: exp.Anonymous, types: list[exp.DataType]) -> exp.DataType:
    return array_of(types[1]) if len(types) == 2 else UNKNOWN


def _aggregated(_: exp.Anonymous, types: list[exp.DataType]) -> exp.DataType:
    return types[3] if len(types) == 4 else types[1]


def _from_json(node: exp.Anonymous, _: list[exp.DataType]) -> exp.DataType:
    schema = node.expressions[1] if len(node.expressions) > 1 else None
    return parsed_type(schema.name) if isinstance(schema, exp.Literal) else UNKNOWN


def _date_add(node: exp.Anonymous, types: list[exp.DataType]) -> exp.DataType:
    # DATE_ADD(unit, number, moment) is another name of TIMESTAMPADD.
    if len(node.expressions) != 3:
        return named("date")
    moment = types[2]
    return named("timestamp") if moment.this == _Type.DATE or is_string(moment) else moment


def _date_diff(node: exp.Anonymous, _: list[exp.DataType]) -> exp.DataType:
    return named("bigint" if len(node.expressions) == 3 else "int")


def _date_part(node: exp.Anonymous, _: list[exp.DataType]) -> exp.DataType:
    unit = node.expressions[0]
    return named("decimal(8,6)" if unit.name.upper().startswith("SEC") else "int")


def _of_map(node: exp.Anonymous, types: list[exp.DataType]) -> exp.DataType:
    key, value = map_parts(types[0])
    return map_of(types[1], value) if call_name(node) == "transform_keys" else map_of(key, types[1])


def _generated(node: exp.Expr) -> list[exp.DataType]:
    """The types of the columns that a generator yields."""
    held = _type(node.expressions[0]) if node.expressions else UNKNOWN
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


_CALLS: dict[str, Callable[[exp.Anonymous, list[exp.DataType]], exp.DataType]] = {
    "round": _rounded,
    "bround": _rounded,
    "struct": _struct,
    "named_struct": _named_struct,
    "transform": _transformed,
    "zip_with": lambda _, types: array_of(types[2]) if len(types) == 3 else UNKNOWN,
    "aggregate": _aggregated,
    "reduce": _aggregated,
    "from_json": _from_json,
    "date_add": _date_add,
    "dateadd": _date_add,
    "timestampadd": _date_add,
    "datediff": _date_diff,
    "date_diff": _date_diff,
    "date_part": _date_part,
    "datepart": _date_part,
    "transform_keys": _of_map,
    "transform_values": _of_map,
}


def is_number_node(node: exp.Expr) -> bool:
    """Whether a typed node is a number."""
    return is_numeric(_type(node))
