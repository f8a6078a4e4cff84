"""The ways in which texts write numbers, dates and truth values, and the type that holds all values of a column."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lakelogic.discover.names import plain
from lakelogic.engines.profiling import Facts, Form

_DAY = r"(0[1-9]|[12]\d|3[01])"
_MONTH = r"(0[1-9]|1[0-2])"
_YEAR = r"((1[6-9]|2\d)\d\d|9999)"
_TIME = r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d"

BOOLEAN = Form("boolean", r"(?i)true|false|yes|no")
# A leading zero or a plus sign belongs to a code or a phone number, and a number would lose it.
INTEGER = Form("integer", r"-?(0|[1-9]\d{0,17})", number=True)
DECIMAL = Form("decimal", r"-?(0|[1-9]\d{0,17})?\.\d{1,18}", number=True)
DOUBLE = Form("double", r"-?\d{1,300}(\.\d*)?[eE][+-]?\d{1,3}", cast="DOUBLE", number=True)
DATE = Form("date", rf"{_YEAR}-{_MONTH}-{_DAY}", cast="DATE")
TIMESTAMP = Form(
    "timestamp", rf"{_YEAR}-{_MONTH}-{_DAY}[ T]{_TIME}(\.\d{{1,6}})?(Z|[+-]\d\d:\d\d)?", cast="TIMESTAMPTZ"
)


@dataclass(frozen=True)
class Dated:
    """A form of dates or times that a contract must be told of, in Spark's letters."""

    form: Form
    format: str
    type: str


def _dated(format: str, pattern: str, layout: str, *, apart: bool = False) -> Dated:
    return Dated(Form(format, pattern, layout=layout, apart=apart), format, "timestamp" if "HH" in format else "date")


_HM = r"([01]\d|2[0-3]):[0-5]\d"
DATED = (
    _dated("dd/MM/yyyy", rf"{_DAY}/{_MONTH}/{_YEAR}", "%d/%m/%Y"),
    _dated("MM/dd/yyyy", rf"{_MONTH}/{_DAY}/{_YEAR}", "%m/%d/%Y", apart=True),
    _dated("dd.MM.yyyy", rf"{_DAY}\.{_MONTH}\.{_YEAR}", "%d.%m.%Y"),
    _dated("dd-MM-yyyy", rf"{_DAY}-{_MONTH}-{_YEAR}", "%d-%m-%Y"),
    _dated("MM-dd-yyyy", rf"{_MONTH}-{_DAY}-{_YEAR}", "%m-%d-%Y", apart=True),
    _dated("yyyy/MM/dd", rf"{_YEAR}/{_MONTH}/{_DAY}", "%Y/%m/%d"),
    _dated("yyyy-MM-dd HH:mm", rf"{_YEAR}-{_MONTH}-{_DAY} {_HM}", "%Y-%m-%d %H:%M"),
    _dated("yyyy/MM/dd HH:mm:ss", rf"{_YEAR}/{_MONTH}/{_DAY} {_TIME}", "%Y/%m/%d %H:%M:%S"),
    _dated("dd/MM/yyyy HH:mm:ss", rf"{_DAY}/{_MONTH}/{_YEAR} {_TIME}", "%d/%m/%Y %H:%M:%S"),
    _dated("MM/dd/yyyy HH:mm:ss", rf"{_MONTH}/{_DAY}/{_YEAR} {_TIME}", "%m/%d/%Y %H:%M:%S", apart=True),
    _dated("dd.MM.yyyy HH:mm:ss", rf"{_DAY}\.{_MONTH}\.{_YEAR} {_TIME}", "%d.%m.%Y %H:%M:%S"),
)
# Eight digits are a day only where the name says so.
COMPACT = _dated("yyyyMMdd", rf"{_YEAR}{_MONTH}{_DAY}", "%Y%m%d", apart=True)
_TWINS = {"dd/MM/yyyy": "MM/dd/yyyy", "dd-MM-yyyy": "MM-dd-yyyy", "dd/MM/yyyy HH:mm:ss": "MM/dd/yyyy HH:mm:ss"}

NUMBERS = (INTEGER, DECIMAL, DOUBLE)
TIMES = (DATE, TIMESTAMP, *(each.form for each in DATED))
ALL = (BOOLEAN, *NUMBERS, *TIMES)

_DAY_NAME = re.compile(r"(^|_)(date|day|dt|dob|birthday)(_|$)")
_CODE_NAME = re.compile(
    r"(^|_)(id|key|code|zip|zipcode|postcode|postal|phone|mobile|fax|iban|account|card|ssn|nr|no|number|ean|sku|isbn|vat)$"
)
_INT = range(-(2**31), 2**31)
_PRECISIONS = (12, 18, 28, 38)
_ROOM = 4
_LONGEST_SCALE = 6
# Where fewer values than this are of a type, the others are no mistakes.
_MOST = 0.8


@dataclass(frozen=True)
class Typed:
    """A type that holds every value, with how that is known; `format` is for dates that must be told it."""

    type: str
    reason: str
    form: Form | None = None
    format: str | None = None

    @property
    def ways(self) -> tuple[Form, ...]:
        """The forms of values that this type holds."""
        return NUMBERS if self.form in NUMBERS else (self.form,) if self.form else ()


def possible_forms(name: str, values: Sequence[str], *, only_times: bool = False) -> tuple[Form, ...]:
    """The forms that values of a column may have, after some of them; none where most are plain text."""
    candidates = TIMES if only_times else ALL
    fitting = {value: [form.name for form in candidates if re.fullmatch(form.pattern, value)] for value in set(values)}
    if sum(1 for value in values if fitting[value]) < _MOST * len(values):
        return ()
    found = {name for fits in fitting.values() for name in fits} if values else {form.name for form in candidates}
    if found & {form.name for form in NUMBERS}:
        found |= {form.name for form in NUMBERS}
        if _DAY_NAME.search(plain(name)):
            found.add(COMPACT.form.name)
    return tuple(form for form in (*candidates, COMPACT.form) if form.name in found)


def is_code(name: str) -> bool:
    """Whether a column's name says that its digits identify something, rather than count it."""
    return _CODE_NAME.search(plain(name)) is not None


def type_of(name: str, facts: Facts, forms: Sequence[Form]) -> Typed:
    """The narrowest type that holds every value, and how many values say so."""
    values, written = facts.values, facts.written
    if not values:
        return Typed("string", "no value anywhere")
    support = f"{values:,} of {values:,} values"
    whole = next((form for form in forms if written.get(form.name) == values and form.name != "integer"), None)
    if whole in (BOOLEAN, DATE, TIMESTAMP):
        return Typed(whole.name, support, whole)
    dated = next((each for each in (*DATED, COMPACT) if each.form is whole), None)
    if dated is not None:
        return _with_format(dated, written, values, support)
    numbers = sum(written.get(form.name, 0) for form in NUMBERS)
    if numbers == values:
        return _number(name, facts, support)
    return Typed("string", _mixed(facts, forms))


def nearly(name: str, facts: Facts, forms: Sequence[Form]) -> Typed | None:
    """The type of most values, where others keep the column from having it; None where it is plain text."""
    numbers = sum(facts.written.get(form.name, 0) for form in NUMBERS)
    best = max(facts.written.values(), default=0)
    some = max(numbers, best)
    if not _MOST * facts.values <= some < facts.values:
        return None
    found = type_of(name, replace(facts, values=some), forms)
    return found if found.form is not None and found.type != "string" else None


def _number(name: str, facts: Facts, support: str) -> Typed:
    written = facts.written
    if written.get("integer") == facts.values:
        if is_code(name):
            return Typed("string", f"{support} are digits; an identifier by its name", INTEGER)
        fits = facts.low is not None and facts.high is not None and int(facts.low) in _INT and int(facts.high) in _INT
        return Typed("int" if fits else "bigint", support, INTEGER)
    if written.get("double") or facts.scale > _LONGEST_SCALE:
        return Typed("double", _widened(facts, support, "double"), DOUBLE)
    digits = len(str(int(max(abs(facts.low or 0), abs(facts.high or 0)))))
    # Amounts of money have two digits, also where those of today need only one.
    scale = max(facts.scale, 2)
    precision = next(each for each in _PRECISIONS if each >= min(digits + _ROOM + scale, 38))
    return Typed(f"decimal({precision},{scale})", _widened(facts, support, "decimal"), DECIMAL)


def _widened(facts: Facts, support: str, to: str) -> str:
    whole = facts.written.get("integer", 0)
    return f"{support}; {whole:,} of them whole, which {to} holds too" if whole else support


def _with_format(dated: Dated, written: Mapping[str, int], values: int, support: str) -> Typed:
    told = f"{support}, as {dated.format}"
    twin = _TWINS.get(dated.format)
    if twin is not None and written.get(twin) == values:
        told += f"; {twin} would fit too: check it"
    return Typed(dated.type, told, dated.form, dated.format)


def _mixed(facts: Facts, forms: Sequence[Form]) -> str:
    parts = [(form.name, facts.written.get(form.name, 0)) for form in forms if not form.apart]
    told = [f"{count:,} {name}" for name, count in parts if count]
    if not told:
        return f"{facts.values:,} values"
    rest = facts.values - sum(count for _, count in parts)
    return f"{facts.values:,} values, mixed: {', '.join([*told, *([f'{rest:,} other text'] if rest else [])])}"
