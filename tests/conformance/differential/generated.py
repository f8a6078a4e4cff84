"""Expressions made at random from the functions that contracts use, each of a type that is known."""

from __future__ import annotations

from hypothesis import strategies as st

_LEAVES = {
    "int": ["i", "j", "c", "h", "0", "1", "-3", "7"],
    "double": ["x", "y", "0.5D", "CAST(i AS DOUBLE)"],
    "decimal": ["p", "q", "1.25", "CAST(i AS DECIMAL(10,2))"],
    "string": ["s", "t", "num", "day", "k", "'abc'", "''", "NULLIF(s, '')"],
    "boolean": ["flag", "ok", "i IS NULL", "s IS NOT NULL"],
    "date": ["d", "e", "CAST(ts AS DATE)", "DATE'2024-02-29'"],
    "timestamp": ["ts", "u", "CAST(d AS TIMESTAMP)"],
    "list": ["a", "a2", "ARRAY(i, j)"],
}
# {int} and its like stand for an expression of that type.
_MADE = {
    "int": [
        "{int} + {int}", "{int} - {int}", "{int} * {int}", "{int} % {int}", "-{int}", "ABS({int})", "LENGTH({string})",
        "INSTR({string}, {string})", "DATEDIFF({date}, {date})", "YEAR({date})", "MONTH({timestamp})", "DAYOFWEEK({date})",
        "WEEKDAY({date})", "HOUR({timestamp})", "SIZE({list})", "IF({boolean}, {int}, {int})", "COALESCE({int}, {int})",
        "CAST({string} AS INT)", "CAST({double} AS INT)", "CAST({decimal} AS INT)", "CAST({boolean} AS INT)",
        "GREATEST({int}, {int})", "NULLIF({int}, {int})", "PMOD({int}, 7)", "ELEMENT_AT({list}, 1)", "ARRAY_MAX({list})",
        "CASE WHEN {boolean} THEN {int} ELSE {int} END", "LOCATE({string}, {string}, 2)", "ASCII({string})",
    ],
    "double": [
        "{double} + {double}", "{double} - {double}", "{double} * {double}", "{double} / {double}", "{int} / {int}",
        "{double} % {double}", "ROUND({double}, 2)", "ABS({double})", "SQRT({double})", "CAST({string} AS DOUBLE)",
        "CAST({decimal} AS DOUBLE)", "COALESCE({double}, {int})", "NANVL({double}, 0)", "LEAST({double}, {double})",
        "{double} * {int}", "{double} + {decimal}", "IF({boolean}, {double}, {int})", "MONTHS_BETWEEN({date}, {date})",
    ],
    "decimal": [
        "p + {int}", "p - q", "p * 3", "ROUND(q, 2)", "CAST({double} AS DECIMAL(12,3))", "CAST({string} AS DECIMAL(10,2))",
        "COALESCE({decimal}, 0)", "IF({boolean}, p, q)", "p / 4", "q % 7", "GREATEST(p, {int})", "ABS(q)", "CEIL(p)",
    ],
    "string": [
        "LOWER({string})", "TRIM({string})", "CONCAT({string}, {string})", "SUBSTRING({string}, {int}, 3)", "LEFT({string}, 2)",
        "SUBSTRING({string}, -2)", "CAST({int} AS STRING)", "CAST(x AS STRING)", "CAST({date} AS STRING)",
        "CAST({timestamp} AS STRING)", "CAST({boolean} AS STRING)", "REPLACE({string}, 'a', 'bc')", "COALESCE({string}, {string})",
        "LPAD({string}, 5, '*')", "RPAD({string}, 4, ' ')", "REVERSE({string})", "CONCAT_WS('-', {string}, {string})",
        "REGEXP_REPLACE({string}, '[0-9]+', '#')", "REGEXP_EXTRACT({string}, '([a-z]+)', 1)", "SPLIT({string}, ',')[0]",
        "DATE_FORMAT({date}, 'yyyy-MM-dd')", "CASE WHEN {boolean} THEN {string} END", "MD5({string})", "RIGHT({string}, 3)",
        "TRANSLATE({string}, 'abc', 'x')", "HEX({string})", "CAST(p AS STRING)", "SUBSTRING_INDEX({string}, '-', 1)",
    ],
    "boolean": [
        "{int} > {int}", "{int} = {int}", "{double} <= {double}", "{string} = {string}", "{string} < {string}", "{date} >= {date}",
        "{timestamp} < {timestamp}", "{decimal} > {int}", "{int} <=> {int}", "{boolean} AND {boolean}", "{boolean} OR {boolean}",
        "NOT {boolean}", "{int} IS NULL", "{string} IN ('a', 'hello', '')", "{int} BETWEEN -5 AND {int}", "{string} LIKE '%a%'",
        "{string} RLIKE '^[A-Za-z ]+$'", "ISNAN({double})", "STARTSWITH({string}, {string})", "CAST({string} AS BOOLEAN)",
        "{string} > {int}", "{date} = {string}", "{double} = {int}", "ARRAY_CONTAINS({list}, {int})", "EXISTS({list}, v -> v > 1)",
        "CONTAINS({string}, 'b')", "{date} < {timestamp}", "COALESCE({boolean}, false)",
    ],
    "date": [
        "DATE_ADD({date}, 30)", "DATE_SUB({date}, 1)", "ADD_MONTHS({date}, 1)", "LAST_DAY({date})", "TRUNC({date}, 'MM')",
        "NEXT_DAY({date}, 'MON')", "CAST({string} AS DATE)", "COALESCE({date}, {date})", "{date} + INTERVAL 1 MONTH",
        "TO_DATE({string}, 'yyyy-MM-dd')", "MAKE_DATE(2024, {int}, 5)", "GREATEST({date}, {date})",
    ],
    "timestamp": [
        "DATE_TRUNC('HOUR', {timestamp})", "{timestamp} + INTERVAL 2 HOURS", "CAST({string} AS TIMESTAMP)",
        "COALESCE({timestamp}, {timestamp})", "{timestamp} - INTERVAL 1 DAY", "IF({boolean}, {timestamp}, {date})",
    ],
    "list": [
        "SORT_ARRAY({list})", "ARRAY_DISTINCT({list})", "FILTER({list}, v -> v > 0)", "TRANSFORM({list}, v -> v + 1)",
        "CONCAT({list}, {list})", "ARRAY_COMPACT({list})", "ARRAY_UNION({list}, {list})", "REVERSE({list})", "SLICE({list}, 1, 2)",
    ],
}  # fmt: skip


def expressions(depth: int = 3) -> st.SearchStrategy[str]:
    """SQL text of some type."""
    return st.sampled_from(sorted(_MADE)).flatmap(lambda kind: _of(kind, depth))


def _of(kind: str, depth: int) -> st.SearchStrategy[str]:
    leaf = st.sampled_from(_LEAVES[kind])
    if depth == 0:
        return leaf
    made = st.sampled_from(_MADE[kind]).flatmap(lambda template: _filled(template, depth - 1))
    return st.one_of(made, made, leaf)


def _filled(template: str, depth: int) -> st.SearchStrategy[str]:
    kinds = [kind for kind in _MADE if f"{{{kind}}}" in template]
    parts = st.fixed_dictionaries({kind: st.lists(_of(kind, depth), min_size=2, max_size=2) for kind in kinds})
    return parts.map(lambda chosen: _placed(template, chosen))


def _placed(template: str, chosen: dict[str, list[str]]) -> str:
    for kind, values in chosen.items():
        for value in values:
            template = template.replace(f"{{{kind}}}", f"({value})", 1)
    return template
