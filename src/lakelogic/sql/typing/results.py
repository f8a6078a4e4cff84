"""What type each of Spark's functions returns, from the types of its arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from lakelogic.sql.types import UNKNOWN
from lakelogic.sql.typing.lattice import (
    NULL,
    array_of,
    common,
    decimal,
    digits_of,
    element,
    fitted,
    is_array,
    is_decimal,
    is_fraction,
    is_integer,
    is_map,
    is_numeric,
    map_of,
    map_parts,
    named,
    struct_of,
)

_Type = exp.DType
Types = Sequence[exp.DataType]
Result = Callable[[Types], exp.DataType]

_FIXED = {
    "string": """
        base64 btrim char chr concat_ws crypt date_format dayname elt format_number format_string from_unixtime
        get_json_object hex bin initcap lcase left lower lpad ltrim mask md5 monthname overlay quote regexp_extract
        regexp_replace regexp_substr repeat replace right rpad rtrim sha sha1 sha2 soundex space split_part
        substring_index substr substring to_char to_csv to_json to_varchar translate trim typeof ucase upper url_decode
        url_encode try_url_decode conv parse_url try_parse_url array_join listagg string_agg schema_of_json
        current_timezone printf
    """,
    "int": """
        ascii bit_length char_length character_length crc32 day dayofmonth dayofweek dayofyear find_in_set hour instr
        len length levenshtein locate minute month octet_length position quarter regexp_count regexp_instr second
        size cardinality array_size weekday weekofyear year datediff date_diff unix_date json_array_length bit_count
        row_number rank dense_rank ntile
    """,
    "bigint": """
        count count_if approx_count_distinct unix_timestamp to_unix_timestamp unix_seconds unix_millis unix_micros
        factorial array_position xxhash64 div timestampdiff grouping_id
    """,
    "double": """
        acos acosh asin asinh atan atan2 atanh cbrt cos cosh cot csc degrees e exp expm1 hypot ln log log10 log1p log2
        pi pow power radians rint sec signum sign sin sinh sqrt tan tanh months_between percent_rank cume_dist stddev
        std stddev_pop stddev_samp var_pop var_samp variance corr covar_pop covar_samp skewness kurtosis regr_slope
        median
    """,
    "boolean": """
        contains startswith endswith isnan isnull isnotnull like ilike rlike regexp regexp_like array_contains
        arrays_overlap exists forall map_contains_key bool_and bool_or every any some equal_null luhn_check
        is_valid_utf8 is_variant_null
    """,
    "date": "add_months curdate current_date date_add date_sub date_from_unix_date last_day make_date next_day to_date "
    "try_to_date trunc",
    "timestamp": """
        current_timestamp now date_trunc from_utc_timestamp to_utc_timestamp make_timestamp make_timestamp_ltz
        timestamp_micros timestamp_millis timestamp_seconds to_timestamp to_timestamp_ltz try_to_timestamp
        try_make_timestamp try_make_timestamp_ltz
    """,
    "timestamp_ntz": "localtimestamp make_timestamp_ntz to_timestamp_ntz try_make_timestamp_ntz",
    "binary": "aes_encrypt encode to_binary try_to_binary unbase64 unhex",
    "tinyint": "grouping",
    "array<string>": "split regexp_extract_all json_object_keys",
    "map<string,string>": "str_to_map",
}
_FIRST = """
    any_value array_compact array_distinct array_except array_intersect array_prepend array_remove array_sort
    bit_and bit_or bit_xor filter first first_value lag last last_value lead map_filter max min mode negative nth_value
    nullif positive reverse slice sort_array abs shiftleft shiftright shiftrightunsigned nullifzero
    max_by min_by
"""
_COMMON = "coalesce greatest ifnull least nvl nanvl zeroifnull"


def result(name: str, types: Types) -> exp.DataType:
    """The type of a call, or unknown."""
    rule = RESULTS.get(name)
    return rule(types) if rule else UNKNOWN


def sum_of(left: exp.DataType, right: exp.DataType) -> exp.DataType:
    """The type of an addition or subtraction."""
    if not (is_decimal(left) or is_decimal(right)):
        return common([left, right])
    if is_fraction(left) or is_fraction(right):
        return named("double")
    (p1, s1), (p2, s2) = digits_of(left), digits_of(right)
    return fitted(max(p1 - s1, p2 - s2) + max(s1, s2) + 1, max(s1, s2))


def product_of(left: exp.DataType, right: exp.DataType) -> exp.DataType:
    """The type of a multiplication."""
    if not (is_decimal(left) or is_decimal(right)) or is_fraction(left) or is_fraction(right):
        return sum_of(left, right)
    (p1, s1), (p2, s2) = digits_of(left), digits_of(right)
    return fitted(p1 + p2 + 1, s1 + s2)


def quotient_of(left: exp.DataType, right: exp.DataType) -> exp.DataType:
    """The type of a division: a double, unless both are exact numbers and one is a decimal."""
    if not (is_decimal(left) or is_decimal(right)) or is_fraction(left) or is_fraction(right):
        return named("double")
    (p1, s1), (p2, s2) = digits_of(left), digits_of(right)
    scale = max(6, s1 + p2 + 1)
    return fitted(p1 - s1 + s2 + scale, scale)


def remainder_of(left: exp.DataType, right: exp.DataType) -> exp.DataType:
    """The type of a remainder."""
    if not (is_decimal(left) or is_decimal(right)) or is_fraction(left) or is_fraction(right):
        return sum_of(left, right)
    (p1, s1), (p2, s2) = digits_of(left), digits_of(right)
    return fitted(min(p1 - s1, p2 - s2) + max(s1, s2), max(s1, s2))


def _numbers(rule: Callable[[exp.DataType, exp.DataType], exp.DataType]) -> Result:
    def typed(types: Types) -> exp.DataType:
        known = len(types) == 2 and all(is_numeric(data_type) for data_type in types)
        return rule(types[0], types[1]) if known else UNKNOWN

    return typed


def _first(types: Types) -> exp.DataType:
    return types[0] if types else UNKNOWN


def _fixed(name: str) -> Result:
    return lambda _: named(name)


def _rounded(types: Types) -> exp.DataType:
    """Of decimals with no digits asked for; a given number of digits is told by the caller."""
    if types and is_decimal(types[0]):
        digits, scale = digits_of(types[0])
        return decimal(digits - scale + 1, 0)
    return _first(types)


def _whole(types: Types) -> exp.DataType:
    if not types or len(types) > 1 or not is_numeric(types[0]):
        return UNKNOWN
    return _rounded(types) if is_decimal(types[0]) else named("bigint")


def _sum(types: Types) -> exp.DataType:
    if not types or not is_numeric(types[0]):
        return UNKNOWN
    if is_decimal(types[0]):
        digits, scale = digits_of(types[0])
        return decimal(digits + 10, scale)
    return named("bigint" if is_integer(types[0]) else "double")


def _average(types: Types) -> exp.DataType:
    if not types or not is_numeric(types[0]):
        return UNKNOWN
    if is_decimal(types[0]):
        digits, scale = digits_of(types[0])
        return fitted_average(digits, scale)
    return named("double")


def fitted_average(digits: int, scale: int) -> exp.DataType:
    """The type of an average of decimals."""
    return decimal(digits + 4, scale + 4)


def _concat(types: Types) -> exp.DataType:
    if types and all(data_type.this in {_Type.BINARY, _Type.VARBINARY} for data_type in types):
        return named("binary")
    if any(is_array(data_type) for data_type in types):
        return common(types)
    return named("string")


def _element_at(types: Types) -> exp.DataType:
    if not types:
        return UNKNOWN
    return map_parts(types[0])[1] if is_map(types[0]) else element(types[0])


def _collected(types: Types) -> exp.DataType:
    return array_of(types[0]) if types else UNKNOWN


def _with_element(types: Types) -> exp.DataType:
    return array_of(common([element(types[0]), types[-1]])) if types and is_array(types[0]) else UNKNOWN


def _map(types: Types) -> exp.DataType:
    if not types:
        return map_of(NULL, NULL)
    return map_of(common(types[0::2]), common(types[1::2]))


def _map_entries(types: Types) -> exp.DataType:
    key, value = map_parts(types[0])
    return array_of(struct_of([("key", key), ("value", value)]))


def _map_from_entries(types: Types) -> exp.DataType:
    entry = element(types[0])
    parts = [part.args["kind"] for part in entry.expressions if isinstance(part, exp.ColumnDef)]
    return map_of(*parts) if len(parts) == 2 else UNKNOWN


def _sequence(types: Types) -> exp.DataType:
    return array_of(common(types[:2])) if len(types) >= 2 else UNKNOWN


def _percentile(types: Types) -> exp.DataType:
    if len(types) < 2:
        return UNKNOWN
    return array_of(named("double")) if is_array(types[1]) else named("double")


RESULTS: dict[str, Result] = {
    **{name: _fixed(kind) for kind, listed in _FIXED.items() for name in listed.split()},
    **dict.fromkeys(_FIRST.split(), _first),
    **dict.fromkeys(_COMMON.split(), common),
    "try_add": _numbers(sum_of),
    "try_subtract": _numbers(sum_of),
    "try_multiply": _numbers(product_of),
    "try_divide": _numbers(quotient_of),
    "try_mod": _numbers(remainder_of),
    "mod": _numbers(remainder_of),
    "pmod": _numbers(remainder_of),
    "round": _rounded,
    "bround": _rounded,
    "ceil": _whole,
    "ceiling": _whole,
    "floor": _whole,
    "sum": _sum,
    "try_sum": _sum,
    "avg": _average,
    "mean": _average,
    "try_avg": _average,
    "concat": _concat,
    "if": lambda types: common(types[1:]),
    "nvl2": lambda types: common(types[1:]),
    "element_at": _element_at,
    "try_element_at": _element_at,
    "get": _element_at,
    "collect_list": _collected,
    "collect_set": _collected,
    "array_agg": _collected,
    "array": lambda types: array_of(common(types)),
    "array_repeat": _collected,
    "array_union": common,
    "array_append": _with_element,
    "array_insert": _with_element,
    "array_max": lambda types: element(types[0]) if types else UNKNOWN,
    "array_min": lambda types: element(types[0]) if types else UNKNOWN,
    "flatten": lambda types: element(types[0]) if types else UNKNOWN,
    "explode": _element_at,
    "explode_outer": _element_at,
    "map": _map,
    "map_concat": common,
    "map_keys": lambda types: array_of(map_parts(types[0])[0]),
    "map_values": lambda types: array_of(map_parts(types[0])[1]),
    "map_entries": _map_entries,
    "map_from_arrays": lambda types: map_of(element(types[0]), element(types[1])),
    "map_from_entries": _map_from_entries,
    "sequence": _sequence,
    "percentile": _percentile,
}
