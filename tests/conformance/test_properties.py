"""What holds for any rows: rollups lose nothing, unpivot undoes pivot, and periods are those of a plain model."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conformance.evaluators import Evaluator, Frame
from tests.conformance.test_rules import judge, made
from tests.conformance.test_transforms import chained, run
from tests.conformance.test_transforms import made as step

# An engine answers slowly and all at once: few examples of many rows each.
few = settings(max_examples=4, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
keys = st.one_of(st.none(), st.integers(0, 5))
Sale = tuple[int | None, int | None, int | None]


@few
@given(sales=st.lists(st.tuples(keys, keys, st.integers(-9, 9)), max_size=40))
def test_the_groups_of_a_rollup_add_up_to_its_rows(engine: Evaluator, sales: list[tuple[Any, Any, int]]) -> None:
    frame = Frame({"day": "int", "id": "int", "amount": "int"}, [{"day": d, "id": i, "amount": a} for d, i, a in sales])
    body = {"group_by": "day", "aggregations": {"total": "SUM(amount)", "n": "COUNT(*)"}, "keys": "id"}
    body |= {"rollup_keys_column": "ids", "rollup_keys_count_column": "k"}
    for distinct in (True, False):
        groups = run(engine, "rollup", {**body, "distinct": distinct}, frame)
        assert len(groups) == len({day for day, _, _ in sales})
        assert sum(group["n"] for group in groups) == len(sales)
        for group in groups:
            own = [(i, a) for d, i, a in sales if d == group["day"]]
            listed = [i for i, _ in own if i is not None]
            assert group["total"] == sum(a for _, a in own)
            assert group["ids"] == sorted(set(listed) if distinct else listed)
            assert group["k"] == len(group["ids"])


@few
@given(cells=st.dictionaries(st.tuples(st.integers(0, 9), st.sampled_from("abc")), st.integers(-5, 5), max_size=25))
def test_unpivot_undoes_pivot(engine: Evaluator, cells: dict[tuple[int, str], int]) -> None:
    rows = [{"id": id_, "what": what, "n": n} for (id_, what), n in cells.items()]
    steps = [
        step("pivot", {"id_vars": "id", "pivot_col": "what", "value_col": "n", "values": ["a", "b", "c"]}),
        step("unpivot", {"id_vars": "id", "value_vars": ["a", "b", "c"], "key_field": "what", "value_field": "n"}),
    ]
    found = chained(engine, steps, Frame({"id": "int", "what": "string", "n": "int"}, rows), {})
    assert {(row["id"], row["what"]): row["n"] for row in found} == cells
    assert len(found) == len(cells)


days = st.dates(date(2026, 1, 1), date(2026, 2, 15))
moments = st.builds(
    lambda day, seconds: datetime.combine(day, time(), UTC) + timedelta(seconds=seconds), days, st.integers(0, 86_399)
)
periods = st.lists(st.tuples(keys, st.one_of(st.none(), days), st.one_of(st.none(), days)), max_size=20)


@few
@given(events=st.lists(st.tuples(keys, st.one_of(st.none(), moments)), min_size=1, max_size=40), known=periods)
def test_an_event_is_valid_if_any_period_of_its_key_contains_it(
    engine: Evaluator, events: list[tuple[Any, datetime | None]], known: list[tuple[Any, date | None, date | None]]
) -> None:
    of_key: dict[int, list[tuple[date, date]]] = defaultdict(list)
    for key, start, end in known:
        if key is not None and start is not None:
            of_key[key].append((start, end or date(2026, 2, 1)))
    wanted = [
        key is not None and at is not None and any(start <= at.date() <= end for start, end in of_key[key])
        for key, at in events
    ]
    types = {"k": "int", "at": "timestamp", "position": "int"}
    source = Frame(types, [{"k": key, "at": at, "position": number} for number, (key, at) in enumerate(events)])
    link = Frame(
        {"k": "int", "start_date": "date", "end_date": "date"},
        [{"k": key, "start_date": start, "end_date": end} for key, start, end in known],
    )
    body = {"event_ts": "at", "event_key": "k", "reference": "known", "end_default": "2026-02-01"}
    (verdicts,) = judge(
        engine, made("lifecycle_window", body).checks(source.columns), {"source": source, "known": link}
    )
    assert [verdict is True for verdict in verdicts] == wanted
