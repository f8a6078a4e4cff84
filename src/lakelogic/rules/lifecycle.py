"""Rules about the periods in which something may happen."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Annotated, ClassVar, Self

from pydantic import BeforeValidator, Field, field_validator
from sqlglot import exp

from lakelogic.errors import ContractError
from lakelogic.rules.base import FOUND, KEY, Lookup, RowRule, RuleExample, row_rule
from lakelogic.sql.build import all_of, any_of, call, is_moment, is_null, is_text, named, ref
from lakelogic.sql.convert import as_text, convert
from lakelogic.sql.types import STRING, TIMESTAMP, Column, Columns, is_unknown, type_name

_LAST = " 23:59:59.999999"
_DAY = 10
_PERIOD = "_ll_period"
_START, _END = "s", "e"


@dataclass(frozen=True, kw_only=True)
class Periods(Lookup):
    """The periods of a key, as a list beside each row, so that several periods do not make several rows."""

    event: Column
    start: Column
    end: Column
    end_default: str

    def spelt(self, links: Mapping[str, Columns]) -> Self:
        known = super().spelt(links)
        link = self._of(links)
        start, end = link.get(self.start.name), link.get(self.end.name)
        for column in (start, end):
            _require_time(column)
        return replace(known, start=start, end=end)

    def found(self) -> exp.Select:
        parts = [exp.Literal.string(_START), _moment(self.start), exp.Literal.string(_END), self._last_moment()]
        periods = call("COLLECT_LIST", exp.Anonymous(this="NAMED_STRUCT", expressions=parts))
        keys = exp.select(named(KEY, ref(self.key)), named(FOUND, periods))
        return keys.from_(exp.Table(this=exp.to_identifier(self.link, quoted=True))).group_by(ref(self.key))

    def told(self, source: str, alias: str) -> exp.Expr:
        event = convert(ref(self.event, source), self.event.type, TIMESTAMP)
        period = exp.to_identifier(_PERIOD)
        start, end = (exp.Dot(this=period.copy(), expression=exp.to_identifier(name)) for name in (_START, _END))
        contains = all_of(exp.GTE(this=event, expression=start), exp.LTE(this=event.copy(), expression=end))
        within = exp.Lambda(this=contains, expressions=[period])
        any_period = exp.Anonymous(this="EXISTS", expressions=[ref(FOUND, alias), within])
        return exp.Coalesce(this=any_period, expressions=[exp.false()])

    def _last_moment(self) -> exp.Expr:
        """The end, which is that of the day where it is a day."""
        end: exp.Expr = ref(self.end)
        if self.end.type.this == exp.DataType.Type.DATE:
            last = _end_of_day(as_text(end, self.end.type))
        elif is_text(self.end.type):
            bare = exp.Trim(this=end)
            is_day = exp.LTE(this=exp.Length(this=bare), expression=exp.Literal.number(_DAY))
            last = exp.If(this=is_day, true=_end_of_day(bare.copy()), false=_moment(self.end))
        else:
            last = _moment(self.end)
        default = self.end_default + (_LAST if len(self.end_default) <= _DAY else "")
        open_end = exp.cast(exp.Literal.string(default), TIMESTAMP)
        return exp.If(this=is_null(end), true=open_end, false=last)


def _day_as_text(value: object) -> object:
    return value.isoformat() if isinstance(value, date) else value


@row_rule("lifecycle_window")
class LifecycleWindow(RowRule):
    """The event lies within any period of its key in a link, both ends included; an end that is a day counts whole."""

    event_ts: str = Field(description="The column with the time of the event.")
    event_key: str = Field(description="The column with the key of the event.")
    reference: str = Field(description="The link with the periods.")
    reference_key: str | None = Field(None, description="The link's key column; the same name when absent.")
    start_field: str = Field(
        "start_date", description="The link's column with the start of a period; NULL never begins."
    )
    end_field: str = Field("end_date", description="The link's column with the end of a period; NULL is open.")
    end_default: Annotated[str, BeforeValidator(_day_as_text)] = Field(
        "9999-12-31", description="The end of a period that is open."
    )

    default_category: ClassVar[str] = "consistency"
    examples: ClassVar[tuple[RuleExample, ...]] = (
        RuleExample(
            {"event_ts": "event_ts", "event_key": "subscriber_id", "reference": "subscribers"},
            types={"event_ts": "timestamp", "subscriber_id": "int"},
            passes=(
                {"event_ts": datetime(2026, 1, 1, tzinfo=UTC), "subscriber_id": 1},
                {"event_ts": datetime(2026, 1, 31, 23, 59, tzinfo=UTC), "subscriber_id": 1},
                {"event_ts": datetime(2026, 3, 5, tzinfo=UTC), "subscriber_id": 1},
                {"event_ts": datetime(2999, 1, 1, tzinfo=UTC), "subscriber_id": 2},
            ),
            fails=(
                {"event_ts": datetime(2026, 2, 1, tzinfo=UTC), "subscriber_id": 1},
                {"event_ts": datetime(2025, 12, 31, 23, 59, tzinfo=UTC), "subscriber_id": 1},
                {"event_ts": datetime(2026, 3, 5, tzinfo=UTC), "subscriber_id": 3},
                {"event_ts": datetime(2026, 3, 5, tzinfo=UTC), "subscriber_id": 9},
                {"event_ts": datetime(2026, 3, 5, tzinfo=UTC), "subscriber_id": None},
                {"event_ts": None, "subscriber_id": 1},
            ),
            links={
                "subscribers": {
                    "subscriber_id": (1, 1, 2, 3, None),
                    "start_date": (date(2026, 1, 1), date(2026, 3, 1), date(2020, 1, 1), None, date(1900, 1, 1)),
                    "end_date": (date(2026, 1, 31), date(2026, 3, 31), None, date(2099, 1, 1), None),
                }
            },
            link_types={"subscriber_id": "int", "start_date": "date", "end_date": "date"},
        ),
        RuleExample(
            {
                "event_ts": "at",
                "event_key": "who",
                "reference": "shifts",
                "reference_key": "name",
                "start_field": "since",
                "end_field": "until",
                "end_default": "2026-12-31 12:00:00",
            },
            types={"at": "string", "who": "string"},
            passes=(
                {"at": "2026-01-01 08:00:00", "who": "1"},
                {"at": "2026-01-03 23:59:59", "who": "1"},
                {"at": "2026-12-31 12:00:00", "who": "2"},
            ),
            fails=(
                {"at": "2026-01-01 07:59:59", "who": "1"},
                {"at": "2026-01-01 16:00:01", "who": "1"},
                {"at": "2026-12-31 12:00:01", "who": "2"},
                {"at": "2026-06-01", "who": "3"},
                {"at": "soon", "who": "2"},
                {"at": "2026-06-01", "who": "x"},
            ),
            links={
                "shifts": {
                    "name": (1, 1, 2, 3),
                    "since": ("2026-01-01 08:00:00", "2026-01-03", "2026-01-01", "2026-01-01"),
                    "until": ("2026-01-01 16:00:00", "2026-01-03", None, "never"),
                }
            },
            link_types={"name": "int", "since": "string", "until": "string"},
        ),
    )

    @field_validator("end_default")
    @classmethod
    def _is_a_moment(cls, text: str) -> str:
        try:
            datetime.fromisoformat(text)
        except ValueError:
            raise ValueError(f"end_default must be a day or a moment such as 9999-12-31, not '{text}'") from None
        return text

    def predicates(self, columns: Columns) -> Mapping[str, exp.Expr]:
        lookup = self.lookup(columns)
        # A missing value is told as such, where the column is required.
        missing = any_of(is_null(ref(lookup.column)), is_null(ref(lookup.event)))
        within = exp.If(this=missing, true=exp.null(), false=ref(lookup.flag))
        return {f"{lookup.column}_lifecycle_window": within}

    def lookup(self, columns: Columns) -> Periods:
        key, event = columns.visible.get(self.event_key), columns.visible.get(self.event_ts)
        _require_time(event)
        asked = (event.name, key.name, self.reference, self.reference_key, self.start_field, self.end_field)
        digest = hashlib.sha256(repr((*asked, self.end_default)).encode()).hexdigest()[:12]
        return Periods(
            self.reference,
            key.name,
            self.reference_key or key.name,
            f"_ll_within_{digest}",
            event=event,
            start=Column(self.start_field),
            end=Column(self.end_field),
            end_default=self.end_default,
        )

    def condition(self, predicate: exp.Expr) -> str:
        return f"{self.event_ts} is within a period of {self.event_key} in {self.reference}"


def _moment(column: Column) -> exp.Expr:
    return convert(ref(column), column.type, TIMESTAMP)


def _end_of_day(text: exp.Expr) -> exp.Expr:
    return convert(call("CONCAT", text, exp.Literal.string(_LAST)), STRING, TIMESTAMP)


def _require_time(column: Column) -> None:
    if not (is_moment(column.type) or is_text(column.type) or is_unknown(column.type)):
        raise ContractError(
            f"lifecycle_window needs times, but '{column.name}' is {type_name(column.type)}.",
            cure="Name a column of dates, timestamps or their text.",
        )
