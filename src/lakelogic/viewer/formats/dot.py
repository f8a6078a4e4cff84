"""A view in the language of Graphviz."""

from __future__ import annotations

from lakelogic.viewer.rendering import Rendering, renderings
from lakelogic.viewer.view import View
from lakelogic.viewer.wording import mood, summary

_COLOURS = {"good": "#2e7d4f", "idle": "#7b8794", "bad": "#b42318", "doubtful": "#a15c00", "never": "#9aa5b1"}


def write(view: View) -> str:
    """A digraph from left to right, with a cluster for each layer."""
    ids = {box.name: f"b{number}" for number, box in enumerate(view.boxes)}
    lines = [
        "digraph lakehouse {",
        '  graph [rankdir=LR, fontname="sans-serif", nodesep=0.25, ranksep=1];',
        '  node [shape=box, style="rounded", fontname="sans-serif", fontsize=11];',
        '  edge [fontname="sans-serif", fontsize=9];',
    ]
    for number, layer in enumerate(view.layers):
        lines.append(f"  subgraph cluster_{number} {{")
        lines.append(f'    label={_text(layer)}; style="rounded"; color="#cbd2d9";')
        for box in (each for each in view.boxes if each.layer == layer):
            if box.kind == "contract":
                told = f"{box.label}\n{summary(box, view.at)}"
                lines.append(f'    {ids[box.name]} [label={_text(told)}, color="{_COLOURS[mood(box)]}"];')
            else:
                lines.append(f'    {ids[box.name]} [label={_text(box.label)}, style="rounded,dashed"];')
        lines.append("  }")
    for arrow in view.arrows:
        given = [] if arrow.carries_rows else ["style=dashed"]
        given += [f"label={_text(f'{arrow.rows:,}')}"] if arrow.rows is not None else []
        attributes = f" [{', '.join(given)}]" if given else ""
        lines.append(f"  {ids[arrow.origin]} -> {ids[arrow.target]}{attributes};")
    return "\n".join([*lines, "}", ""])


def _text(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


renderings.add("dot")(Rendering(write, ".dot"))
