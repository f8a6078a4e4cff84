"""A laid-out view as SVG: plain shapes with classes, so that whoever shows them chooses colours and adds behaviour."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from html import escape

from lakelogic.viewer.layout import WIDTH, Layout, Placed, Routed, lay_out
from lakelogic.viewer.view import Box, View
from lakelogic.viewer.wording import mood, state, summary

_BUTTON = ' tabindex="-1" role="button"'
_NAME_LENGTH, _SUMMARY_LENGTH, _SOURCE_LENGTH = 24, 32, 29


def svg(view: View, layout: Layout | None = None, link: Callable[[Box], str | None] | None = None) -> str:
    """The picture. Boxes are `g.box` with `data-box`, their place in `view.boxes`; arrows are `path.arrow` likewise.

    `link` gives the address that a box leads to, where it leads anywhere.
    """
    layout = layout or lay_out(view)
    numbers = {box.name: number for number, box in enumerate(view.boxes)}
    size = f'viewBox="0 0 {layout.width:g} {layout.height:g}" width="{layout.width:g}" height="{layout.height:g}"'
    parts = [
        f'<svg class="dag" xmlns="http://www.w3.org/2000/svg" {size} role="group" aria-label="Contracts">',
        '<g class="canvas">',
        *_bands(layout),
        '<g class="arrows">',
        *(_arrow(number, routed) for number, routed in enumerate(layout.arrows)),
        '</g><g class="boxes">',
        *(_linked(_box(placed, view, numbers), link(placed.box) if link else None) for placed in layout.boxes),
        "</g></g></svg>",
    ]
    return "".join(parts)


def _bands(layout: Layout) -> Iterator[str]:
    for band in layout.bands:
        yield (
            f'<g class="band"><rect x="{band.x - 20:g}" y="12" width="{band.width + 40:g}" '
            f'height="{layout.height - 24:g}" rx="10"/>'
            f'<text x="{band.x:g}" y="40">{escape(band.layer)}</text></g>'
        )


def _arrow(number: int, routed: Routed) -> str:
    kind = "rows" if routed.arrow.carries_rows else "values" if _looks_up(routed) else "order"
    path = f'<path class="arrow {kind}" data-arrow="{number}" d="{_path(routed)}"/>'
    if routed.arrow.rows is None:
        return path
    x, y = routed.points[-1]
    return f'{path}<text class="count" data-arrow="{number}" x="{x - 8:g}" y="{y - 4:g}">{routed.arrow.rows:,}</text>'


def _looks_up(routed: Routed) -> bool:
    return any(reason.startswith(("link ", "foreign key ")) for reason in routed.arrow.reasons)


def _path(routed: Routed) -> str:
    (x, y), *rest = routed.points
    drawn = [f"M{x:g} {y:g}"]
    for number, (to_x, to_y) in enumerate(rest):
        if number % 2:
            drawn.append(f"H{to_x:g}")
        else:
            bend = max((to_x - x) / 2, 40)
            drawn.append(f"C{x + bend:g} {y:g} {to_x - bend:g} {to_y:g} {to_x:g} {to_y:g}")
        x, y = to_x, to_y
    return "".join(drawn)


def _linked(drawn: str, address: str | None) -> str:
    # Inside a link, a box is no button of its own.
    return drawn if address is None else f'<a href="{escape(address)}">{drawn.replace(_BUTTON, "", 1)}</a>'


def _box(placed: Placed, view: View, numbers: Mapping[str, int]) -> str:
    box, x, y = placed.box, placed.x, placed.y
    if box.kind != "contract":
        said = "not in any registry" if box.kind == "unlisted" else "read from outside"
        inside = (
            f'<text class="name" x="12" y="{placed.height / 2 + 4:g}">{escape(_end(box.label, _SOURCE_LENGTH))}</text>'
        )
        classes, told = f"box {box.kind}", f"{box.location or box.label}: {said}"
    else:
        line = summary(box, view.at)
        stale = box.runs.freshness(view.at) == "stale"
        inside = (
            f'<rect class="stripe" width="5" height="{placed.height:g}" rx="2.5"/>'
            f'<text class="name" x="16" y="19">{escape(_start(box.label, _NAME_LENGTH))}</text>'
            f'<text class="summary" x="16" y="36">{escape(_start(line, _SUMMARY_LENGTH))}</text>'
        )
        inside += f'<text class="stale" x="{WIDTH - 10}" y="19">stale</text>' if stale else ""
        classes = f"box {mood(box)}"
        told = f"{box.name}: {state(box)}{', ' + line if line != state(box) else ''}{', stale' if stale else ''}"
    return (
        f'<g class="{classes}" data-box="{numbers[box.name]}" transform="translate({x:g} {y:g})"{_BUTTON} '
        f'aria-label="{escape(told)}"><title>{escape(told)}</title>'
        f'<rect class="back" width="{WIDTH}" height="{placed.height:g}" rx="6"/>{inside}</g>'
    )


def _start(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _end(text: str, length: int) -> str:
    return text if len(text) <= length else f"…{text[1 - length :]}"
