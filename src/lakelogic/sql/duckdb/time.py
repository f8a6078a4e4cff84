"""Dates, timestamps and intervals."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from lakelogic.sql.duckdb.formats import Format, formatted, readable_format
from lakelogic.sql.duckdb.types import duckdb_type, text
from lakelogic.sql.duckdb.writer import CallRendering, NodeRendering, Writer, constant, kind, whole
from lakelogic.sql.types import type_name
from lakelogic.sql.typing.lattice import MOMENTS, is_integer, is_string, named

_Type = exp.DType
_LOCAL = _Type.TIMESTAMPNTZ
_UNITS = {
    **dict.fromkeys(("YEAR", "YYYY", "YY"), "year"),
    **dict.fromkeys(("QUARTER",), "quarter"),
    **dict.fromkeys(("MONTH", "MON", "MM"), "month"),
    "WEEK": "week",
}
_SHORT_UNITS = {
    **dict.fromkeys(("DAY", "DD"), "day"),
    "HOUR": "hour",
    "MINUTE": "minute",
    "SECOND": "second",
    "MILLISECOND": "milliseconds",
    "MICROSECOND": "microseconds",
}
_SPANS = {"YEAR": 12, "QUARTER": 3, "MONTH": 1}
_MICROS = {
    "WEEK": 604_800_000_000,
    "DAY": 86_400_000_000,
    "HOUR": 3_600_000_000,
    "MINUTE": 60_000_000,
    "SECOND": 1_000_000,
    "MILLISECOND": 1_000,
    "MICROSECOND": 1,
}
_NAMES = {
    name: i
    for i, day in enumerate(("SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"))
    for name in (day, day[:3], day[:2])
}
_FIELDS = {
    "YEAR": "year", "YEARS": "year", "QUARTER": "quarter", "MONTH": "month", "MONTHS": "month", "DAY": "day",
    "DAYS": "day", "DAYOFYEAR": "dayofyear", "DOY": "dayofyear", "HOUR": "hour", "HOURS": "hour", "MINUTE": "minute",
    "MINUTES": "minute", "WEEK": "weekofyear", "DAYOFWEEK": "dayofweek", "DOW": "dayofweek",
}  # fmt: skip


def local(w: Writer, node: exp.Expr) -> str:
    """A moment as its wall clock in UTC; functions of DuckDB read that without a zone."""
    found = kind(node)
    if found.this == _LOCAL:
        return w.sql(node)
    if found.this == _Type.DATE:
        return f"CAST({w.sql(node)} AS TIMESTAMP)"
    return f"CAST({w.as_(node, 'timestamp')} AS TIMESTAMP)"


def part(template: str) -> CallRendering:
    """A part of the wall clock, as an int."""
    return lambda w, node: f"CAST({template.format(local(w, node.expressions[0]))} AS INTEGER)"


def date_part(template: str) -> CallRendering:
    """A part of the date, as an int."""
    return lambda w, node: f"CAST({template.format(w.as_(node.expressions[0], 'date'))} AS INTEGER)"


def extract(w: Writer, node: exp.Expr) -> str:
    if isinstance(node, exp.Anonymous):
        name, value = (constant(node.expressions[0]) or "").upper(), node.expressions[1]
    else:
        name, value = node.name.upper(), node.expression
    if name in {"SECOND", "SECONDS"}:
        return f"CAST(ll_seconds({local(w, value)}) AS DECIMAL(8,6))"
    if name not in _FIELDS:
        w.refuse(node, f"{name} of a moment is not portable")
    call = exp.Anonymous(this=_FIELDS[name], expressions=[value])
    rendering = CALLS[_FIELDS[name]]
    return rendering(w, call) if callable(rendering) else w.fill(rendering, call)


def date_add(sign: str) -> CallRendering:
    def render(w: Writer, node: exp.Anonymous) -> str:
        if len(node.expressions) == 3:
            return timestamp_add(w, node)
        day, number = node.expressions
        return f"TRY({w.as_(day, 'date')} {sign} {w.as_(number, 'int')})"

    return render


def timestamp_add(w: Writer, node: exp.Anonymous) -> str:
    """A number of units added: months keep the day, or take the month's last."""
    unit, number, moment = node.expressions
    name = unit.name.upper().rstrip("S")
    if kind(moment).this not in MOMENTS:
        w.refuse(node, "the moment's type is not known", "Cast it to timestamp.")
    wanted = "TIMESTAMP" if kind(moment).this == _LOCAL else "TIMESTAMPTZ"
    base = local(w, moment)
    if name in _SPANS:
        return f"CAST(TRY({base} + to_months({_SPANS[name]} * {w.as_(number, 'int')})) AS {wanted})"
    if name not in _MICROS:
        w.refuse(node, f"the unit {name} is not portable")
    return f"CAST(TRY({base} + to_microseconds({_MICROS[name]} * {w.as_(number, 'bigint')})) AS {wanted})"


def date_diff(w: Writer, node: exp.Anonymous) -> str:
    if len(node.expressions) == 3:
        return timestamp_diff(w, node)
    end, start = node.expressions
    return f"CAST({w.as_(end, 'date')} - {w.as_(start, 'date')} AS INTEGER)"


def timestamp_diff(w: Writer, node: exp.Anonymous) -> str:
    """Whole units between two moments."""
    unit, start, end = node.expressions
    name = unit.name.upper().rstrip("S")
    sides = f"{local(w, start)}, {local(w, end)}"
    if name in _SPANS:
        return f"CAST(ll_whole_months({sides}) // {_SPANS[name]} AS BIGINT)"
    if name not in _MICROS:
        w.refuse(node, f"the unit {name} is not portable")
    return f"ll_div(epoch_us({local(w, end)}) - epoch_us({local(w, start)}), {_MICROS[name]})"


def moved(sign: str) -> NodeRendering:
    """A moment and an interval, or a date and a number of days."""

    def render(w: Writer, node: exp.Expr) -> str:
        left, right = node.this, node.expression
        if sign == "+" and kind(left).this == _Type.INTERVAL:
            left, right = right, left
        if is_integer(kind(right)):
            return f"TRY({w.sql(left)} {sign} {w.sql(right)})"
        if kind(right).this != _Type.INTERVAL:
            w.refuse(node, f"{type_name(kind(left))} {sign} {type_name(kind(right))} is not portable", "Use datediff.")
        span = interval(w, right)
        result = {_Type.DATE: "DATE", _LOCAL: "TIMESTAMP"}.get(kind(node).this, "TIMESTAMPTZ")
        return f"CAST(TRY({local(w, left)} {sign} {span}) AS {result})"

    return render


def interval(w: Writer, node: exp.Expr) -> str:
    """An interval of one unit, written out."""
    while isinstance(node, exp.Paren):
        node = node.this
    value, unit = node.this, node.args.get("unit")
    number = whole(value) if value is not None else None
    if number is None and isinstance(value, exp.Literal):
        stripped = value.name.strip()
        number = int(stripped) if stripped.lstrip("-").isdigit() else None
    name = unit.name.upper().rstrip("S") if isinstance(unit, exp.Var) else ""
    if number is None or not (name in _SPANS or name in _MICROS):
        w.refuse(node, "this interval is not portable", "Write a number and one unit, such as INTERVAL 3 DAYS.")
    if name in _SPANS:
        return f"to_months({_SPANS[name] * number})"
    if name in {"DAY", "WEEK"}:
        return f"to_days({number * (7 if name == 'WEEK' else 1)})"
    return f"to_microseconds({_MICROS[name] * number})"


def date_trunc(w: Writer, node: exp.Anonymous) -> str:
    unit = (constant(node.expressions[0]) or "").upper()
    known = {**_UNITS, **_SHORT_UNITS}
    if unit not in known:
        w.refuse(node, "the unit is not written out, or is not portable", "Write 'MONTH' or another unit.")
    return f"CAST(date_trunc('{known[unit]}', {local(w, node.expressions[1])}) AS TIMESTAMPTZ)"


def trunc(w: Writer, node: exp.Anonymous) -> str:
    unit = (constant(node.expressions[1]) or "").upper()
    if unit not in _UNITS:
        w.refuse(node, "the unit is not written out, or is not portable", "Write 'MM' or another unit.")
    return f"CAST(date_trunc('{_UNITS[unit]}', {w.as_(node.expressions[0], 'date')}) AS DATE)"


def next_day(w: Writer, node: exp.Anonymous) -> str:
    day = (constant(node.expressions[1]) or "").upper().strip()
    if day not in _NAMES:
        w.refuse(node, "the day of the week is not written out", "Write 'MON' or another day.")
    start = w.as_(node.expressions[0], "date")
    return f"ll_next_day({start}, {_NAMES[day]})"


def date_format(w: Writer, node: exp.Anonymous) -> str:
    found = _format(w, node, node.expressions[1])
    return f"ll_format({local(w, node.expressions[0])}, {text(found.written)})"


def _format(w: Writer, node: exp.Expr, written: exp.Expr, read: Callable[[str], Format] = formatted) -> Format:
    cure, simpler = "Write it as text, such as 'yyyy-MM-dd'.", "Use yyyy, MM, dd, HH, mm and ss."
    return w.written_out(node, written, read, "format", cure=cure, simpler=simpler)


def parsed(w: Writer, node: exp.Anonymous, target: str) -> str:
    """Text in a given format; text of another form is NULL."""
    value = node.expressions[0]
    if len(node.expressions) == 1:
        return w.cast(w.sql(value), kind(value), named(target), node)
    if not is_string(kind(value)):
        w.refuse(node, "the value is no text", "Leave the format out.")
    found = _format(w, node, node.expressions[1], readable_format)
    moment = f"ll_parsed({w.sql(value)}, {text(found.accepted)}, {text(found.written)})"
    return f"CAST({moment} AS {'DATE' if target == 'date' else 'TIMESTAMPTZ'})"


def to_date(w: Writer, node: exp.Anonymous) -> str:
    return parsed(w, node, "date")


def to_timestamp(w: Writer, node: exp.Anonymous) -> str:
    return parsed(w, node, "timestamp")


def unix_timestamp(w: Writer, node: exp.Anonymous) -> str:
    if not node.expressions:
        w.refuse(node, "it reads the clock", "Write unix_timestamp(current_timestamp()).")
    value = node.expressions[0]
    if is_string(kind(value)):
        form = node.expressions[1] if len(node.expressions) > 1 else exp.Literal.string("yyyy-MM-dd HH:mm:ss")
        call = exp.Anonymous(this="to_timestamp", expressions=[value.copy(), form.copy()])
        call.expressions[0].type = kind(value)
        return f"ll_epoch_seconds({to_timestamp(w, call)})"
    return f"ll_div(epoch_us({w.as_(value, 'timestamp')}), 1000000)"


def from_unixtime(w: Writer, node: exp.Anonymous) -> str:
    form = node.expressions[1] if len(node.expressions) > 1 else exp.Literal.string("yyyy-MM-dd HH:mm:ss")
    found = _format(w, node, form)
    seconds = w.as_(node.expressions[0], "bigint")
    return f"ll_format(CAST(ll_timestamp_of_seconds({seconds}) AS TIMESTAMP), {text(found.written)})"


def zoned(template: str) -> CallRendering:
    """A wall clock moved from or to a named zone."""

    def render(w: Writer, node: exp.Anonymous) -> str:
        zone = constant(node.expressions[1])
        if zone is None or ("/" not in zone and zone != "UTC"):
            w.refuse(node, "the zone is not written out as a region", "Write a region such as 'Europe/Berlin'.")
        return template.format(w.as_(node.expressions[0], "timestamp"), text(zone))

    return render


def sequence(w: Writer, node: exp.Anonymous) -> str:
    """Whole numbers, or dates and moments in steps."""
    start, end = node.expressions[:2]
    inner = node.type.expressions[0] if isinstance(node.type, exp.DataType) and node.type.expressions else None
    if isinstance(inner, exp.DataType) and is_integer(inner):
        step = w.as_(node.expressions[2], "bigint") if len(node.expressions) > 2 else "NULL"
        return f"CAST(ll_sequence({w.as_(start, 'bigint')}, {w.as_(end, 'bigint')}, {step}) AS {duckdb_type(inner)}[])"
    if not isinstance(inner, exp.DataType) or inner.this not in MOMENTS:
        w.refuse(node, "a sequence of this type is not portable")
    span = interval(w, node.expressions[2]) if len(node.expressions) > 2 else "to_days(1)"
    if "(-" in span:
        w.refuse(node, "a sequence that counts backwards is not portable")
    months = span.startswith("to_months")
    sides = [f"CAST({local(w, side)} AS TIMESTAMP)" for side in (start, end)]
    # Months are added to the start each time, so that the 31st comes back after February.
    steps = (
        f"ll_month_steps({sides[0]}, {sides[1]}, {span[10:-1]})"
        if months
        else f"ll_steps({sides[0]}, {sides[1]}, {span})"
    )
    return f"CAST({steps} AS {duckdb_type(inner)}[])"


NODES: dict[type[exp.Expr], NodeRendering] = {exp.Extract: extract}
CALLS: dict[str, str | CallRendering] = {
    "year": date_part("year({})"),
    "quarter": date_part("quarter({})"),
    "month": date_part("month({})"),
    "day": date_part("day({})"),
    "dayofmonth": date_part("day({})"),
    "dayofyear": date_part("dayofyear({})"),
    "dayofweek": date_part("dayofweek({}) + 1"),
    "weekday": date_part("isodow({}) - 1"),
    "weekofyear": date_part("week({})"),
    "hour": part("hour({})"),
    "minute": part("minute({})"),
    "second": part("second({})"),
    "date_part": extract,
    "datepart": extract,
    "date_add": date_add("+"),
    "date_sub": date_add("-"),
    "dateadd": date_add("+"),
    "timestampadd": timestamp_add,
    "datediff": date_diff,
    "date_diff": date_diff,
    "timestampdiff": timestamp_diff,
    "add_months": "CAST(TRY({0:date} + to_months({1:int})) AS DATE)",
    "last_day": "last_day({0:date})",
    "next_day": next_day,
    "months_between/2": "ll_months_between(CAST({0:timestamp} AS TIMESTAMP), CAST({1:timestamp} AS TIMESTAMP))",
    "trunc": trunc,
    "date_trunc": date_trunc,
    "make_date": "TRY(make_date({0:int}, {1:int}, {2:int}))",
    "date_format": date_format,
    "to_date": to_date,
    "try_to_date": to_date,
    "to_timestamp": to_timestamp,
    "try_to_timestamp": to_timestamp,
    "to_timestamp_ltz": to_timestamp,
    "unix_timestamp": unix_timestamp,
    "to_unix_timestamp": unix_timestamp,
    "from_unixtime": from_unixtime,
    "unix_seconds": "ll_epoch_seconds({0:timestamp})",
    "unix_millis": "ll_floor_div(epoch_us({0:timestamp}), 1000)",
    "unix_micros": "epoch_us({0:timestamp})",
    "unix_date": "CAST({0:date} - DATE '1970-01-01' AS INTEGER)",
    "date_from_unix_date": "TRY(DATE '1970-01-01' + {0:int})",
    "timestamp_seconds": "ll_timestamp_of_seconds({0:bigint})",
    "timestamp_millis": "ll_timestamp_of_micros(TRY_CAST(CAST({0:bigint} AS HUGEINT) * 1000 AS BIGINT))",
    "timestamp_micros": "ll_timestamp_of_micros({0:bigint})",
    "from_utc_timestamp": zoned("CAST(timezone({1}, {0}) AS TIMESTAMPTZ)"),
    "dayname": "strftime({0:date}, '%a')",
    "monthname": "strftime({0:date}, '%b')",
    "sequence": sequence,
}
