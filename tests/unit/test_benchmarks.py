"""What the benchmark says of its figures; the figures themselves are `make bench`'s."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from benchmarks import chart, page
from benchmarks.orders import REQUIRED, RULES, contract
from benchmarks.results import goals, lines


def _taken(*seconds: float) -> dict[str, Any]:
    return {"seconds": list(seconds), "cpu_seconds": list(seconds), "cold_seconds": 9.0, "good": 96, "bad": 4}


def _measured(product: float = 15.4) -> dict[str, Any]:
    stuck = {"rows": 100, "limit": 600, "finished": False, "ways": {"floor": _taken(), "peer": _taken()}}
    done = {"rows": 100, "limit": 600, "finished": True, "ways": {"floor": _taken(8.0), "peer": _taken(16.0)}}
    return {
        "speed": {
            "rows": 100,
            "ways": {"floor": _taken(10.5, 10.0), "by_hand": _taken(14.0), "product": _taken(product, product + 1)},
        },
        "jobs": {"rows": 100, "jobs": {"6": 8, "60": 9}},
        "peers": {
            "dqx": {"title": "DQX", "tries": [done]},
            "old": {"title": "Old <one>", "tries": [stuck, {**stuck, "rows": 10}]},
        },
    }


def test_the_best_round_counts_and_a_peer_is_compared_with_its_own_floor() -> None:
    ratios = {line.key: line.ratio for line in lines(_measured())}
    assert ratios == {"floor": 1.0, "by_hand": 1.4, "product": 1.54, "dqx": 2.0, "old": None}


def test_a_peer_that_never_ends_is_told_with_all_its_tries() -> None:
    (old,) = [line for line in lines(_measured()) if line.key == "old"]
    assert old.note == "100 rows: only a cold run of 9 s in 600 s; 10 rows: only a cold run of 9 s in 600 s"


def test_a_goal_that_is_missed_is_told_as_missed() -> None:
    met = {goal.title: goal.met for goal in goals(_measured(product=15.5))}
    assert met == {
        "LakeLogic against hand-written Spark": False,
        "LakeLogic against the floor": True,
        "Spark jobs of a run": False,
    }


def test_a_peer_without_spark_that_never_ends_took_its_limit_at_least() -> None:
    ways = {"product": _taken(5.0, 4.0)}
    tried = {"rows": 100, "limit": 60, "ways": ways}
    measured = {"light_peer": {"title": "Old", "tries": [{**tried, "rows": 1000}, tried]}}
    assert [(goal.measured, goal.met) for goal in goals(measured)] == [("more than 15.0 ×", True)]
    ways["peer"] = _taken(9.0, 10.0)
    assert [(goal.measured, goal.met) for goal in goals(measured)] == [("2.2 ×", False)]


def test_listing_has_a_goal_for_the_diff_and_for_second_runs() -> None:
    found = {"files": 100_000, "diff_seconds": [11.0, 9.0], "nothing_new_seconds": {"csv": [0.5], "delta": [2.5]}}
    assert [(goal.title, goal.met) for goal in goals({"listing": found})] == [
        ("100,000 files diffed", True),
        ("second run on files with nothing new, session warm", True),
        ("second run on a Delta table with nothing new, session warm", False),
    ]


def test_the_lab_has_a_goal_for_its_best_time_and_one_for_its_most_jobs() -> None:
    measured = {"lab": {"seconds": [16.0, 14.0], "jobs": [25, 26]}}
    assert [(goal.measured, goal.met) for goal in goals(measured)] == [("14.00 s", True), ("26", False)]


def test_the_chart_is_well_formed_with_a_bar_for_each_way() -> None:
    drawn = ElementTree.fromstring(chart.svg(lines(_measured())))
    bars = [bar for bar in drawn.iter("{http://www.w3.org/2000/svg}rect") if bar.get("class")]
    assert [bar.get("class") for bar in bars] == ["bar", "bar", "product", "bar", "endless"]
    assert all(float(bar.get("x", 0)) + float(bar.get("width", 0)) <= 760 for bar in bars)


def test_the_page_shows_every_way_and_goal() -> None:
    told = page.markdown(_measured())
    assert all(line.title in told for line in lines(_measured()))
    assert "| LakeLogic against hand-written Spark | ≤ 1.1 × | 1.10 × | met |" in told


def test_more_rules_are_added_to_the_same_six() -> None:
    rules = contract(60)["quality"]["row_rules"]
    assert len({rule["name"] for rule in rules}) == 60
    assert [rule["sql"] for rule in rules[:6]] == list(RULES.values())
    required = {field["name"] for field in contract()["model"]["fields"] if field.get("required")}
    assert required == set(REQUIRED)
