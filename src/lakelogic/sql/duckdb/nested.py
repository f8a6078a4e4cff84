"""Lists, maps, structs, and functions over their elements."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.sql.duckdb.types import duckdb_type, quoted
from lakelogic.sql.duckdb.writer import CallRendering, NodeRendering, Writer, constant, kind, whole
from lakelogic.sql.plain import call_name
from lakelogic.sql.types import is_unknown, type_name
from lakelogic.sql.typing.lattice import (
    array_of,
    common,
    element,
    is_array,
    is_fraction,
    is_integer,
    is_known,
    is_map,
    is_struct,
    map_parts,
)

_Type = exp.DType


def array(w: Writer, node: exp.Anonymous) -> str:
    inner = element(kind(node))
    if not node.expressions or not is_known(inner):
        w.refuse(node, "the type of its elements is not known", "Cast one of them.")
    return f"[{', '.join(w.as_(value, inner) for value in node.expressions)}]"


def map_(w: Writer, node: exp.Anonymous) -> str:
    if not node.expressions or not is_known(kind(node)):
        w.refuse(node, "the types of its keys and values are not known", "Cast them.")
    key, value = map_parts(kind(node))
    pairs = zip(node.expressions[0::2], node.expressions[1::2], strict=True)
    return f"MAP {{{', '.join(f'{w.as_(k, key)}: {w.as_(v, value)}' for k, v in pairs)}}}"


def struct(w: Writer, node: exp.Anonymous) -> str:
    return f"struct_pack({', '.join(f'{quoted(name)} := {w.sql(held)}' for name, held in made_members(node))})"


def named_struct(w: Writer, node: exp.Anonymous) -> str:
    if any(constant(name) is None for name in node.expressions[0::2]):
        w.refuse(node, "the names of its members are not written out")
    return struct(w, node)


def made_members(node: exp.Expr) -> list[tuple[str, exp.Expr]]:
    """The members that STRUCT or NAMED_STRUCT is given: their names and values."""
    given = node.expressions
    if call_name(node) == "named_struct":
        return [(name.name, held) for name, held in zip(given[0::2], given[1::2], strict=True)]
    return [(item.alias_or_name or f"col{place + 1}", item.unalias()) for place, item in enumerate(given)]


def lambda_(w: Writer, node: exp.Expr) -> str:
    names = ", ".join(quoted(variable.name) for variable in node.expressions)
    return f"lambda {names}: {w.sql(node.this)}"


def bracket(w: Writer, node: exp.Expr) -> str:
    """`list[i]` counts from 0; a place that is not there is NULL."""
    held, index = node.this, node.expressions[0]
    if is_map(kind(held)):
        return f"map_extract_value({w.sql(held)}, {w.as_(index, map_parts(kind(held))[0])})"
    if not is_array(kind(held)) or not is_integer(kind(index)):
        w.refuse(node, "the type of what is looked into is not known")
    place = whole(index)
    if place is not None:
        return f"({w.sql(held)})[{place + 1}]" if place >= 0 else f"CAST(NULL AS {duckdb_type(kind(node))})"
    return f"ll_item({w.sql(held)}, {w.sql(index)})"


def element_at(w: Writer, node: exp.Anonymous) -> str:
    """ELEMENT_AT counts from 1, or from the end below 0."""
    held, index = node.expressions
    if is_map(kind(held)):
        return f"map_extract_value({w.sql(held)}, {w.as_(index, map_parts(kind(held))[0])})"
    if not is_array(kind(held)) or whole(index) == 0:
        w.refuse(node, "there is no element 0, or the list's type is not known")
    return f"list_extract({w.sql(held)}, {w.sql(index)})"


def get(w: Writer, node: exp.Anonymous) -> str:
    held, index = node.expressions
    return f"ll_item({w.sql(held)}, {w.sql(index)})"


def size(w: Writer, node: exp.Anonymous) -> str:
    """SIZE of NULL is -1 where Spark isn't ANSI."""
    value = node.expressions[0]
    if is_map(kind(value)):
        return f"CAST(coalesce(cardinality({w.sql(value)}), -1) AS INTEGER)"
    if not is_array(kind(value)):
        w.refuse(node, "size needs a list or a map")
    return f"CAST(coalesce(len({w.sql(value)}), -1) AS INTEGER)"


def higher(function: str) -> CallRendering:
    """A function of a list and a lambda."""

    def render(w: Writer, node: exp.Anonymous) -> str:
        held, body = node.expressions
        if not is_array(kind(held)) or not isinstance(body, exp.Lambda):
            w.refuse(node, "it needs a list and a lambda of known types")
        indexed = len(body.expressions) == 2
        return f"{function}({w.sql(held)}, {_zero_based(w, body) if indexed else w.sql(body)})"

    return render


def _zero_based(w: Writer, body: exp.Lambda) -> str:
    item, index = (variable.name for variable in body.expressions)
    with w.variable(index, f"CAST({quoted(index)} - 1 AS INTEGER)"):
        return f"lambda {quoted(item)}, {quoted(index)}: {w.sql(body.this)}"


def any_element(w: Writer, node: exp.Anonymous) -> str:
    """EXISTS: true if one is, else NULL if one is unknown."""
    return f"ll_any(list_transform({w.sql(node.expressions[0])}, {w.sql(node.expressions[1])}))"


def all_elements(w: Writer, node: exp.Anonymous) -> str:
    return f"ll_all(list_transform({w.sql(node.expressions[0])}, {w.sql(node.expressions[1])}))"


def reduce_(w: Writer, node: exp.Anonymous) -> str:
    held, start, merge = node.expressions[:3]
    if len(node.expressions) > 3 or not is_known(kind(start)) or not isinstance(merge, exp.Lambda):
        w.refuse(node, "aggregate with a last step, or over unknown types, is not portable")
    if kind(merge.this) != kind(start):
        w.refuse(merge, f"it yields {type_name(kind(merge.this))} and starts with {type_name(kind(start))}", "Cast it.")
    names = ", ".join(quoted(variable.name) for variable in merge.expressions)
    if element(kind(held)) != kind(start):
        w.refuse(node, "the start is of another type than the elements", "Cast the start.")
    return f"list_reduce({w.sql(held)}, lambda {names}: {w.sql(merge.this)}, {w.sql(start)})"


def alike_lists(template: str) -> CallRendering:
    """A function of two lists, as lists of one type."""

    def render(w: Writer, node: exp.Anonymous) -> str:
        wanted = common([kind(value) for value in node.expressions])
        if not is_known(wanted):
            w.refuse(node, "its lists have no common type")
        if is_fraction(element(wanted)):
            w.refuse(node, "whether 0.0 and -0.0 are one element is not the same everywhere", "Cast to decimals.")
        return template.format(*(w.as_(value, wanted) for value in node.expressions))

    return render


def with_element(template: str) -> CallRendering:
    """A function of a list and a value, in one type."""

    def render(w: Writer, node: exp.Anonymous) -> str:
        held, value = node.expressions
        inner = common([element(kind(held)), kind(value)])
        if not is_known(inner):
            w.refuse(node, "the list and the value have no common type", "Cast one of them.")
        return template.format(w.as_(held, array_of(inner)), w.as_(value, inner))

    return render


def joined(w: Writer, node: exp.Anonymous) -> str:
    held, separator = node.expressions[:2]
    texts = w.as_(held, "array<string>")
    if len(node.expressions) == 3:
        texts = f"list_transform({texts}, lambda ll_e: coalesce(ll_e, {w.as_(node.expressions[2], 'string')}))"
    return f"ll_joined({texts}, {w.as_(separator, 'string')})"


def of_list(template: str) -> CallRendering:
    """A function of one list."""

    def render(w: Writer, node: exp.Anonymous) -> str:
        held = node.expressions[0]
        if not is_array(kind(held)):
            w.refuse(node, "it needs a list of a known type")
        return template.format(*(w.sql(value) for value in node.expressions))

    return render


def sort_array(w: Writer, node: exp.Anonymous) -> str:
    held = node.expressions[0]
    downwards = (
        len(node.expressions) > 1 and isinstance(node.expressions[1], exp.Boolean) and not node.expressions[1].this
    )
    if len(node.expressions) > 1 and not isinstance(node.expressions[1], exp.Boolean):
        w.refuse(node, "the direction is not written out")
    _plain_elements(w, node)
    order = "'DESC', 'NULLS LAST'" if downwards else "'ASC', 'NULLS FIRST'"
    return f"list_sort({w.sql(held)}, {order})"


def array_sort(w: Writer, node: exp.Anonymous) -> str:
    if len(node.expressions) > 1:
        w.refuse(node, "an order of one's own is not portable", "Use sort_array.")
    _plain_elements(w, node)
    return f"list_sort({w.sql(node.expressions[0])}, 'ASC', 'NULLS LAST')"


def _plain_elements(w: Writer, node: exp.Anonymous) -> None:
    inner = element(kind(node.expressions[0]))
    if is_unknown(inner) or is_array(inner) or is_struct(inner) or is_map(inner):
        w.refuse(node, "the order of nested elements is not portable")


NODES: dict[type[exp.Expr], NodeRendering] = {exp.Bracket: bracket, exp.Lambda: lambda_}
CALLS: dict[str, str | CallRendering] = {
    "array": array,
    "map": map_,
    "struct": struct,
    "named_struct": named_struct,
    "element_at": element_at,
    "try_element_at": element_at,
    "get": get,
    "size": size,
    "cardinality": size,
    "array_size": of_list("CAST(len({0}) AS INTEGER)"),
    "transform": higher("list_transform"),
    "filter": higher("list_filter"),
    "exists": any_element,
    "forall": all_elements,
    "aggregate": reduce_,
    "reduce": reduce_,
    "array_compact": of_list("list_filter({0}, lambda ll_e: ll_e IS NOT NULL)"),
    "array_contains": with_element("ll_contains({0}, {1})"),
    "array_position": with_element("ll_position({0}, {1})"),
    "array_remove": with_element("ll_without({0}, {1})"),
    "array_append": with_element("CASE WHEN {0} IS NOT NULL THEN list_append({0}, {1}) END"),
    "array_prepend": with_element("CASE WHEN {0} IS NOT NULL THEN list_prepend({1}, {0}) END"),
    "array_distinct": alike_lists("ll_distinct({0})"),
    "array_union": alike_lists("ll_distinct({0} || {1})"),
    "array_intersect": alike_lists("ll_intersect({0}, {1})"),
    "array_except": alike_lists("ll_except({0}, {1})"),
    "arrays_overlap": alike_lists("ll_overlap({0}, {1})"),
    "array_join": joined,
    "array_max": of_list("list_max({0})"),
    "array_min": of_list("list_min({0})"),
    "array_repeat": "list_transform(generate_series(1, greatest({1:int}, 0)), lambda ll_e: {0})",
    "flatten": of_list(
        "CASE WHEN NOT list_contains(list_transform({0}, lambda ll_e: ll_e IS NULL), true) THEN flatten({0}) END"
    ),
    "slice": of_list("ll_slice({0}, {1}, {2})"),
    "sort_array": sort_array,
    "array_sort": array_sort,
    "map_keys": "map_keys({0})",
    "map_values": "map_values({0})",
    "map_contains_key": "list_contains(map_keys({0}), {1})",
    "map_entries": "map_entries({0})",
    "map_from_arrays": "map({0}, {1})",
    "map_from_entries": "map_from_entries({0})",
}
