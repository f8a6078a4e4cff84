"""Where the lines, bars and bands of the pages stand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lakelogic.serve.pages.charts.bars import HEIGHT as BAR_HEIGHT
from lakelogic.serve.pages.charts.bars import WIDTH as BARS_WIDTH
from lakelogic.serve.pages.charts.bars import Batch, bars
from lakelogic.serve.pages.charts.flow import Share, flow
from lakelogic.serve.pages.charts.sparkline import HEIGHT, WIDTH, sparkline


def test_a_value_that_is_not_known_leaves_a_gap() -> None:
    drawn = sparkline([100, 90, None, 95, 100])
    assert [line.count(",") for line in drawn.lines] == [2, 2]


def test_a_trend_that_hardly_moves_is_no_cliff() -> None:
    (line,) = sparkline([100, 99.9]).lines
    (_, first), (_, second) = (map(float, point.split(",")) for point in line.split())
    assert second - first < 2


def test_nothing_known_draws_nothing() -> None:
    assert (sparkline([]).lines, sparkline([None, None]).last) == ((), None)


@given(st.lists(st.none() | st.floats(0, 100), max_size=40))
def test_a_trend_stays_inside_its_picture(values: list[float | None]) -> None:
    drawn = sparkline(values)
    points = [tuple(map(float, point.split(","))) for line in drawn.lines for point in line.split()]
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in points)


def test_a_few_bad_rows_among_millions_are_still_seen() -> None:
    (bar,) = bars([Batch("", "", 5_000_000, 1)])
    assert bar.bad[1] >= 2
    assert 0 <= bar.bad[0] < bar.good[0]


@given(st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)), min_size=1, max_size=60))
def test_bars_stay_inside_their_picture(counts: list[tuple[int, int]]) -> None:
    drawn = bars([Batch("", "", good, bad) for good, bad in counts])
    assert all(bar.x >= -0.1 and bar.x + bar.width <= BARS_WIDTH + 0.1 for bar in drawn)
    assert all(bar.bad[0] >= -2.1 and bar.good[0] + bar.good[1] <= BAR_HEIGHT + 0.1 for bar in drawn)


def test_bands_are_as_wide_as_their_share_of_the_rows() -> None:
    drawn = flow([Share("good", "good", 900), Share("quarantined", "bad", 100), Share("filtered", "idle", 0)])
    assert drawn is not None
    good, bad = drawn.bands
    assert good.height == 9 * bad.height
    assert drawn.source[1] == good.height + bad.height


def test_one_row_of_a_million_has_a_band_and_room_for_its_label() -> None:
    drawn = flow([Share("good", "good", 999_999), Share("quarantined", "bad", 1)])
    assert drawn is not None
    good, bad = drawn.bands
    assert bad.height >= 3
    assert bad.label - good.label > 40
    assert bad.label + 14 < drawn.height


def test_no_rows_are_no_flow() -> None:
    assert flow([Share("good", "good", 0)]) is None
