"""A view as a Mermaid flowchart, for Markdown pages."""

from __future__ import annotations

from lakelogic.viewer.rendering import Rendering, renderings
from lakelogic.viewer.view import View
from lakelogic.viewer.wording import mood, summary

_COLOURS = {
    "good": "fill:#dff3e4,stroke:#2e7d4f,color:#12301f",
    "idle": "fill:#eef1f4,stroke:#7b8794,color:#1f2933",
    "bad": "fill:#fde2e1,stroke:#b42318,color:#4a0d08",
    "doubtful": "fill:#fdf0d0,stroke:#a15c00,color:#3d2400",
    "never": "fill:#ffffff,stroke:#9aa5b1,color:#52606d,stroke-dasharray:4 3",
}


def write(view: View) -> str:
    """A flowchart from left to right, with a frame for each layer."""
    ids = {box.name: f"b{number}" for number, box in enumerate(view.boxes)}
    lines = ["flowchart LR"]
    for number, layer in enumerate(view.layers):
        lines.append(f"  subgraph layer{number} [{_text(layer)}]")
        for box in (each for each in view.boxes if each.layer == layer):
            if box.kind == "contract":
                told = f"{box.label}\n{summary(box, view.at)}"
                lines.append(f"    {ids[box.name]}[{_text(told)}]:::{mood(box)}")
            else:
                lines.append(f"    {ids[box.name]}([{_text(box.label)}])")
        lines.append("  end")
    for arrow in view.arrows:
        line = "-->" if arrow.carries_rows else "-.->"
        count = f"|{_text(f'{arrow.rows:,}')}|" if arrow.rows is not None else ""
        lines.append(f"  {ids[arrow.origin]} {line}{count} {ids[arrow.target]}")
    used = {mood(box) for box in view.contracts}
    lines += [f"  classDef {name} {style}" for name, style in _COLOURS.items() if name in used]
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    """Quoted; Mermaid writes characters of its own syntax as entity codes, and breaks lines with <br/>."""
    safe = "".join(char if char.isalnum() or char in " _-./:,·?\n" else f"#{ord(char)};" for char in text)
    return '"' + safe.replace("\n", "<br/>") + '"'


renderings.add("mermaid")(Rendering(write, ".mmd"))
