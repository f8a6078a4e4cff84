"""The versions of a row, worked out anew for the keys of a batch: the same whatever order its changes came in."""

from __future__ import annotations

from dataclasses import dataclass

from lakelogic.sql.build import quoted
from lakelogic.sql.render import NOW
from lakelogic.sql.types import BIGINT, BOOLEAN, STRING, TIMESTAMP, Column, Columns, parse_type, type_name
from lakelogic.write.clauses import DELETE, DELETED_AT, GONE, listed, nested, of_batch, same, ties
from lakelogic.write.dimension import made_key
from lakelogic.write.options import Dimension, History

# The times of all rows that told of a version, where there were several; else it is the row's own time.
# One that changed nothing decides where a late row belongs.
SEEN_AT = "_seen_at"
_TIMES = parse_type("array<timestamp>")
_NONE, _ONE = "CAST(0 AS BIGINT)", "CAST(1 AS BIGINT)"
_REASON = "CASE WHEN v._ll_number = 1 THEN 'initial' WHEN v._ll_after_end THEN 'returned' ELSE 'changed' END"


@dataclass(frozen=True)
class Versions:
    """SELECTs over `source`, `touched` (versions of its keys in the table) and `deleted`.

    Rows and deletes of a key, old and new, are put in the order of their times. A row begins a version if it differs
    from the one before it in a tracked column, or follows a delete. Untracked columns have the newest row's values in
    all versions. Without a time the run's own is used, no row is late, and only the current version is looked at.
    """

    history: History
    dimension: Dimension
    keys: tuple[str, ...]
    columns: tuple[Column, ...]
    tracked: tuple[Column, ...]
    untracked: tuple[Column, ...]
    stamps: tuple[Column, ...]
    time: Column | None
    deletes: bool

    @property
    def own(self) -> Columns:
        """The columns that the table has beside those of the rows."""
        history = self.history
        own = [
            Column(history.begin, TIMESTAMP),
            Column(history.end, TIMESTAMP),
            Column(history.current, BOOLEAN),
            Column(history.version, BIGINT),
            Column(history.reason, STRING),
            Column(self.dimension.key, STRING),
        ]
        return Columns((*own, *([Column(SEEN_AT, _TIMES)] if self.time else ())))

    @property
    def table(self) -> Columns:
        return Columns((*self.columns, *self.own))

    def shape(self) -> str:
        """No rows, and the columns of the table."""
        own = ", ".join(f"CAST(NULL AS {type_name(column.type)}) AS {quoted(column.name)}" for column in self.own)
        return f"SELECT {listed(column.name for column in self.columns)}, {own} FROM source WHERE false"

    def touched(self) -> str:
        """The versions that a batch may change."""
        found = of_batch("target", self.table.names, self.keys)
        return found if self.time else f"{found} WHERE r.{quoted(self.history.current)}"

    def of_unknown_member(self) -> dict[str, str]:
        """What the strategy's own columns hold in the row for a missing member."""
        history = self.history
        values = {history.begin: self._first, history.end: self._last, history.current: "true"}
        values |= {history.version: "CAST(1 AS BIGINT)", history.reason: "'unknown member'"}
        return values | ({SEEN_AT: f"array({self._first})"} if self.time else {})

    def rows(self) -> str:
        """Versions that are new, differ from the table's or have vanished from it."""
        steps = {
            "_ll_events": self._events() if self.time else self._in_turn(self._events()),
            "_ll_ordered": self._ordered(),
            "_ll_followed": self._followed(),
            "_ll_numbered": self._numbered(),
            "_ll_grouped": self._grouped(),
            "_ll_versions": self._bounded(),
        }
        return nested(steps, self._differing())

    @property
    def _first(self) -> str:
        return f"CAST('{self.history.first}' AS TIMESTAMP)"

    @property
    def _last(self) -> str:
        return f"CAST('{self.history.last}' AS TIMESTAMP)"

    @property
    def _key(self) -> str:
        return listed(self.keys)

    @property
    def _carried(self) -> tuple[Column, ...]:
        """What a version takes from the row that began it."""
        return (*self.tracked, *self.stamps)

    @property
    def _values(self) -> list[str]:
        return [column.name for column in (*self._carried, *self.untracked)]

    def _events(self) -> str:
        """All that is known of the batch's keys, an event for each time; `_ll_before` counts versions not looked at."""
        values = listed(self._values)
        values = f"{values}, " if values else ""
        at = f"CAST({quoted(self.time.name)} AS TIMESTAMP)" if self.time else f"CAST('{NOW}' AS TIMESTAMP)"
        is_delete = DELETE if self.deletes else "false"
        known_at = f"explode(coalesce({SEEN_AT}, array({at})))" if self.time else quoted(self.history.begin)
        before = _NONE if self.time else f"{quoted(self.history.version)} - CAST(1 AS BIGINT)"
        new = f"{at} AS _ll_at, {is_delete} AS _ll_ends, {_NONE} AS _ll_before, false AS _ll_known"
        old = f"{known_at} AS _ll_at, false AS _ll_ends, {before} AS _ll_before, true AS _ll_known"
        parts = [f"SELECT {self._key}, {values}{new} FROM source", f"SELECT {self._key}, {values}{old} FROM touched"]
        if self.deletes:
            seen = of_batch("deleted", (*self.keys, DELETED_AT), self.keys)
            nothing = f"SELECT {listed(self._values)} FROM source WHERE false" if values else "SELECT 1 AS _ll_one"
            parts.append(
                f"SELECT {listed(self.keys, 'd')}, {listed(self._values, 'n')}{', ' if values else ''}"
                f"d.{DELETED_AT} AS _ll_at, true AS _ll_ends, {_NONE} AS _ll_before, "
                f"true AS _ll_known FROM ({seen}) AS d LEFT JOIN ({nothing}) AS n ON false"
            )
        return " UNION ALL ".join(parts)

    def _in_turn(self, events: str) -> str:
        """A clock that was put back must not make the rows of a run older than those of the table."""
        known = "timestamp_micros(unix_micros(IF(_ll_known, _ll_at, NULL)) + CAST(1 AS BIGINT))"
        after = f"coalesce(max(_ll_after) OVER (PARTITION BY {self._key}), _ll_at)"
        columns = ", ".join([self._key, *([listed(self._values)] if self._values else []), "_ll_ends", "_ll_before"])
        return (
            f"SELECT {columns}, IF(_ll_known, _ll_at, greatest(_ll_at, {after})) AS _ll_at "
            f"FROM (SELECT *, {known} AS _ll_after FROM ({events}) AS e) AS f"
        )

    def _ordered(self) -> str:
        """Of events at one time the last counts: a row more than a delete, higher values more than lower ones."""
        order = ", ".join(["_ll_at", "_ll_ends DESC", *ties((*self.tracked, *self.untracked), "ASC")])
        return f"SELECT *, lead(_ll_at) OVER (PARTITION BY {self._key} ORDER BY {order}) AS _ll_next FROM _ll_events"

    def _followed(self) -> str:
        over = f"OVER (PARTITION BY {self._key} ORDER BY _ll_at)"
        values = listed(column.name for column in self.tracked)
        before = f", lag(STRUCT({values})) {over} AS _ll_values" if self.tracked else ""
        newest = ""
        if self.untracked:
            latest = f"max_by(STRUCT({listed(c.name for c in self.untracked)}), IF(_ll_ends, NULL, _ll_at))"
            newest = f", {latest} OVER (PARTITION BY {self._key}) AS _ll_newest"
        return (
            f"SELECT *, lag(_ll_ends) {over} AS _ll_after_end{before}{newest} FROM _ll_ordered "
            "WHERE _ll_next IS NULL OR _ll_next <> _ll_at"
        )

    def _numbered(self) -> str:
        values = listed(column.name for column in self.tracked)
        differs = f" OR NOT (_ll_values <=> STRUCT({values}))" if self.tracked else ""
        begins = f"NOT _ll_ends AND (_ll_after_end IS NULL OR _ll_after_end{differs})"
        over = f"OVER (PARTITION BY {self._key} ORDER BY _ll_at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
        # With a time all versions are looked at, so that none come before.
        before = "" if self.time else f" + max(_ll_before) OVER (PARTITION BY {self._key})"
        return f"SELECT *, sum(IF({begins}, {_ONE}, {_NONE})) {over}{before} AS _ll_number FROM _ll_followed"

    def _grouped(self) -> str:
        """A version is what happened from its first row to the next version; the deletes in it come last."""
        carried = (
            f"min_by(STRUCT({listed(c.name for c in self._carried)}), _ll_at) AS _ll_row, " if self._carried else ""
        )
        newest = "min_by(_ll_newest, _ll_at) AS _ll_newest, " if self.untracked else ""
        seen = f"sort_array(collect_list(IF(_ll_ends, NULL, _ll_at))) AS {SEEN_AT}, " if self.time else ""
        return (
            f"SELECT {self._key}, _ll_number, {carried}{newest}{seen}min(_ll_at) AS _ll_begin, "
            "min(IF(_ll_ends, _ll_at, NULL)) AS _ll_end, min_by(_ll_after_end, _ll_at) AS _ll_after_end "
            f"FROM _ll_numbered WHERE _ll_number > 0 GROUP BY {self._key}, _ll_number"
        )

    def _bounded(self) -> str:
        following = f"lead(_ll_begin) OVER (PARTITION BY {self._key} ORDER BY _ll_number)"
        return (
            f"SELECT *, IF(_ll_number = 1, {self._first}, _ll_begin) AS {quoted(self.history.begin)}, "
            f"coalesce(_ll_end, {following}) AS _ll_until FROM _ll_grouped"
        )

    def _differing(self) -> str:
        history, begin = self.history, quoted(self.history.begin)
        made = f"STRUCT({listed(self.keys, 'v')}, unix_micros(v.{begin}) AS `begin`)"
        values = {
            **{column.name: f"v._ll_row.{quoted(column.name)}" for column in self._carried},
            **{column.name: f"v._ll_newest.{quoted(column.name)}" for column in self.untracked},
            **{key: f"coalesce(v.{quoted(key)}, t.{quoted(key)})" for key in (*self.keys, history.begin)},
            history.end: f"coalesce(v._ll_until, {self._last})",
            history.current: "v._ll_until IS NULL",
            history.version: "v._ll_number",
            history.reason: _REASON,
            self.dimension.key: f"coalesce(t.{quoted(self.dimension.key)}, {made_key(self.dimension, made)})",
            # Most versions are told of once, and need no list.
            SEEN_AT: f"IF(size(v.{SEEN_AT}) = 1, NULL, v.{SEEN_AT})",
        }
        if self.time:
            values[self.time.name] = f"CAST(v._ll_begin AS {type_name(self.time.type)})"
        out = ", ".join(f"{values[name]} AS {quoted(name)}" for name in self.table.names)
        told = [*(c.name for c in (*self.tracked, *self.untracked)), history.end, history.version, history.reason]
        told += [SEEN_AT, self.time.name] if self.time else []
        equal = " AND ".join(f"t.{quoted(name)} <=> {values[name]}" for name in told)
        one = quoted(self.keys[0])
        return (
            f"SELECT {out}, v.{one} IS NULL AS {GONE} FROM _ll_versions AS v "
            f"FULL OUTER JOIN touched AS t ON {same((*self.keys, history.begin), 'v', 't')} "
            f"WHERE v.{one} IS NULL OR t.{one} IS NULL OR NOT ({equal})"
        )
