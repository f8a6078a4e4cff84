"""Where boxes and arrows are drawn."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from lakelogic.viewer.layout import WIDTH, Layout, lay_out
from lakelogic.viewer.view import Arrow, Box, View
from tests.unit.viewer.views import NOW, mesh, small


def _overlaps(layout: Layout) -> list[tuple[str, str]]:
    return [
        (one.box.name, other.box.name)
        for one, other in combinations(layout.boxes, 2)
        if one.x == other.x and one.y < other.y + other.height and other.y < one.y + one.height
    ]


def test_layers_stand_from_left_to_right_and_boxes_do_not_overlap() -> None:
    for view in (small(), mesh(120)):
        layout = lay_out(view)
        assert [band.layer for band in layout.bands] == list(view.layers)
        assert [band.x for band in layout.bands] == sorted(band.x for band in layout.bands)
        inside = {band.layer: (band.x, band.x + band.width) for band in layout.bands}
        assert all(inside[p.box.layer][0] <= p.x and p.x + WIDTH <= inside[p.box.layer][1] for p in layout.boxes)
        assert _overlaps(layout) == []
        assert all(p.y > 0 and p.y + p.height < layout.height and p.x + WIDTH < layout.width for p in layout.boxes)


def test_arrows_end_at_the_sides_of_their_boxes() -> None:
    layout = lay_out(mesh(60))
    placed = {each.box.name: each for each in layout.boxes}
    for routed in layout.arrows:
        (x, y), (to_x, to_y) = routed.points[0], routed.points[-1]
        origin, target = placed[routed.arrow.origin], placed[routed.arrow.target]
        assert (x, to_x) == (origin.x + WIDTH, target.x)
        assert origin.y <= y <= origin.y + origin.height and target.y <= to_y <= target.y + target.height


def test_an_order_without_crossings_is_found() -> None:
    left = [Box(f"a{n}", f"a{n}", "bronze") for n in range(6)]
    right = [Box(f"b{n}", f"b{n}", "silver") for n in (3, 0, 5, 1, 4, 2)]
    arrows = tuple(Arrow(f"a{n}", f"b{n}", ("source",)) for n in range(6))
    layout = lay_out(View((*left, *right), arrows, ("bronze", "silver"), NOW))
    heights = {each.box.name: each.y for each in layout.boxes}
    assert sorted("012345", key=lambda n: heights[f"a{n}"]) == sorted("012345", key=lambda n: heights[f"b{n}"])
    assert all(heights[f"a{n}"] == heights[f"b{n}"] for n in range(6))


def test_a_chain_in_one_layer_takes_several_slots() -> None:
    boxes = tuple(Box(name, name, "gold") for name in ("dim", "fact"))
    layout = lay_out(View(boxes, (Arrow("dim", "fact", ("link dim",)),), ("gold",), NOW))
    dim, fact = layout.boxes
    assert dim.x + WIDTH < fact.x and dim.y == fact.y


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30))
def test_any_graph_gets_a_place_and_the_same_one_again(pairs: list[tuple[int, int]]) -> None:
    layers = ("bronze", "silver", "gold")
    boxes = tuple(Box(str(n), str(n), layers[n // 4]) for n in range(12))
    arrows = tuple(
        Arrow(str(min(pair)), str(max(pair)), ("source",)) for pair in dict.fromkeys(pairs) if pair[0] != pair[1]
    )
    view = View(boxes, arrows, layers, NOW)
    assert _overlaps(lay_out(view)) == []
    assert lay_out(view) == lay_out(view)
