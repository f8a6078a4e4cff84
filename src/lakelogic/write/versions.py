"""The versions of a row, worked out anew for the keys of a batch: the same whatever order its changes came in."""

from __future__ import annotations

from dataclasses import dataclass

from lakelogic.sql.build import quoted
from lakelogic.sql.render import NOW
from lakelogic.sql.types import BIGINT, BOOLEAN, STRING, TIMESTAMP, Column, Columns, parse_type, type_name
from lakelogic.write.clauses import DELETE, DELETED_AT, GONE, listed, nested, null, nulls, of_batch, ties
from lakelogic.write.dimension import made_key
from lakelogic.write.options import Dimension, History

# The times of all rows that told of a version, where there were several; else it is the row's own time.
# One that changed nothing decides where a late row belongs.
SEEN_AT = "_seen_at"
_TIMES = parse_type("array<timestamp>")
_NONE, _ONE = "CAST(0 AS BIGINT)", "CAST(1 AS BIGINT)"
_REASON = "CASE WHEN _ll_number = 1 THEN 'initial' WHEN _ll_after_end THEN 'returned' ELSE 'changed' END"
# The event is the one that began a version of the table.
_OWN = "(_ll_at <=> _ll_first)"


@dataclass(frozen=True)
class Versions:
    """SELECTs over `source`, `target` and `deleted`.

    Rows and deletes of a key, old and new, are put in the order of their times. A row begins a version if it differs
    from the one before it in a tracked column, or follows a delete. Untracked columns have the newest row's values in
    all versions. Without a time the run's own is used, no row is late, and only the current version is looked at.

    An event carries what the table holds of the version that it began, so that the events of a key, sorted once, tell
    which versions are new, differ or have vanished: the rows meet neither the table again nor a grouping of their own.
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
        return f"SELECT {listed(column.name for column in self.columns)}, {nulls(self.own)} FROM source WHERE false"

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
            "_ll_begun": self._begun(),
            "_ll_numbered": self._numbered(),
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
        """What a version takes from the row that began it, then what it takes from the newest row."""
        return (*self.tracked, *self.stamps, *self.untracked)

    @property
    def _known(self) -> tuple[Column, ...]:
        """What the table tells of a version."""
        return self.own.without([self.history.begin, self.history.current, self.dimension.key]).items

    def _events(self) -> str:
        """All that is known of the batch's keys, an event for each time; `_ll_before` counts versions not looked at."""
        held = listed((*self.keys, *(column.name for column in self._carried)))
        at = f"CAST({quoted(self.time.name)} AS TIMESTAMP)" if self.time else f"CAST('{NOW}' AS TIMESTAMP)"
        is_delete = DELETE if self.deletes else "false"
        before = _NONE if self.time else f"{quoted(self.history.version)} - CAST(1 AS BIGINT)"
        begin = f"coalesce({SEEN_AT}[0], {at})" if self.time else quoted(self.history.begin)
        each = f"explode(coalesce({SEEN_AT}, array({at})))" if self.time else begin
        new = f"{at} AS _ll_at, {is_delete} AS _ll_ends, {_NONE} AS _ll_before, {null(TIMESTAMP)} AS _ll_first"
        old = f"{each} AS _ll_at, false AS _ll_ends, {before} AS _ll_before, {begin} AS _ll_first"
        known, unknown = listed(column.name for column in self._known), nulls(self._known)
        parts = [f"SELECT {held}, {unknown}, {new} FROM source"]
        parts.append(f"SELECT {held}, {known}, {old} FROM ({self._looked_at()}) AS t")
        if self.deletes:
            seen = of_batch("deleted", (*self.keys, DELETED_AT), self.keys)
            nothing = nulls((*self._carried, *self._known))
            ended = f"{quoted(DELETED_AT)} AS _ll_at, true AS _ll_ends, {_NONE} AS _ll_before"
            parts.append(f"SELECT {self._key}, {nothing}, {ended}, {null(TIMESTAMP)} AS _ll_first FROM ({seen}) AS d")
        return " UNION ALL ".join(parts)

    def _looked_at(self) -> str:
        """The versions that a batch may change."""
        found = of_batch("target", self.table.names, self.keys)
        return found if self.time else f"{found} WHERE r.{quoted(self.history.current)}"

    def _in_turn(self, events: str) -> str:
        """A clock that was put back must not make the rows of a run older than those of the table."""
        known = "timestamp_micros(unix_micros(_ll_first) + CAST(1 AS BIGINT))"
        after = f"coalesce(max({known}) OVER (PARTITION BY {self._key}), _ll_at)"
        columns = listed((*self.keys, *(column.name for column in (*self._carried, *self._known))))
        return (
            f"SELECT {columns}, _ll_ends, _ll_before, _ll_first, "
            f"IF(_ll_first IS NULL, greatest(_ll_at, {after}), _ll_at) AS _ll_at FROM ({events}) AS e"
        )

    def _ordered(self) -> str:
        """Of events at one time the last counts: a row more than a delete, higher values more than lower ones.

        It knows the version that the table begins at that time, which may have begun with another one.
        """
        values = ties((*self.tracked, *self.untracked), "ASC")
        order = ", ".join(["_ll_at", "_ll_ends DESC", *values, "_ll_first ASC NULLS FIRST"])
        over = f"OVER (PARTITION BY {self._key} ORDER BY {order}"
        so_far = f"{over} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
        # Both grow with the time.
        began, was = (f"max(IF({_OWN}, {of}, NULL)) {so_far}" for of in ("_ll_at", quoted(self.history.version)))
        return (
            f"SELECT *, lead(_ll_at) {over}) AS _ll_next, IF({began} = _ll_at, {was}, NULL) AS _ll_was FROM _ll_events"
        )

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

    def _begun(self) -> str:
        values = listed(column.name for column in self.tracked)
        differs = f" OR NOT (_ll_values <=> STRUCT({values}))" if self.tracked else ""
        return (
            f"SELECT *, NOT _ll_ends AND (_ll_after_end IS NULL OR _ll_after_end{differs}) AS _ll_begins "
            "FROM _ll_followed"
        )

    def _numbered(self) -> str:
        over = f"OVER (PARTITION BY {self._key} ORDER BY _ll_at"
        so_far = f"{over} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
        # With a time all versions are looked at, so that none come before.
        before = "" if self.time else f" + max(_ll_before) OVER (PARTITION BY {self._key})"
        return (
            f"SELECT *, sum(IF(_ll_begins, {_ONE}, {_NONE})) {so_far}{before} AS _ll_number, "
            f"lead(IF(_ll_begins, _ll_at, NULL)) {over}) AS _ll_following FROM _ll_begun"
        )

    def _bounded(self) -> str:
        """A version is what happened from its first row to the next version; the deletes in it come last."""
        over = f"OVER (PARTITION BY {self._key}, _ll_number)"
        seen = f", sort_array(collect_list(IF(_ll_ends, NULL, _ll_at)) {over}) AS _ll_seen" if self.time else ""
        return (
            f"SELECT *, coalesce(min(IF(_ll_ends, _ll_at, NULL)) {over}, max(_ll_following) {over}) AS _ll_until{seen} "
            "FROM _ll_numbered"
        )

    def _differing(self) -> str:
        history = self.history
        begin = f"IF(_ll_number = 1 AND _ll_begins, {self._first}, _ll_at)"
        made = made_key(self.dimension, f"STRUCT({self._key}, unix_micros({begin}) AS `begin`)")
        values = {
            **{column.name: f"_ll_newest.{quoted(column.name)}" for column in self.untracked},
            history.begin: begin,
            history.end: f"coalesce(_ll_until, {self._last})",
            history.current: "_ll_until IS NULL",
            history.version: "_ll_number",
            history.reason: _REASON,
            self.dimension.key: made,
        }
        if self.time:
            values[self.time.name] = f"CAST(_ll_at AS {type_name(self.time.type)})"
            # Most versions are told of once, and need no list.
            values[SEEN_AT] = "IF(size(_ll_seen) = 1, NULL, _ll_seen)"
        out = ", ".join(f"{values.get(name, quoted(name))} AS {quoted(name)}" for name in self.table.names)
        told = [*(column.name for column in self.untracked), history.end, history.version, history.reason]
        equal = " AND ".join(
            f"{quoted(name)} <=> {values[name]}" for name in [*told, *([SEEN_AT] if self.time else [])]
        )
        return (
            f"SELECT {out}, NOT _ll_begins AS {GONE} FROM _ll_versions "
            f"WHERE IF(_ll_begins, NOT ({_OWN} AND {equal}), _ll_was > 1)"
        )
