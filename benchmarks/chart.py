"""The ways as bars: an SVG that reads well on a light page and on a dark one."""

from __future__ import annotations

from html import escape
from pathlib import Path

from benchmarks.results import Line, Results, lines

PATH = Path(__file__).parent.parent / "docs" / "images" / "benchmark.svg"

_WIDTH = 760
_LEFT, _RIGHT = 300, 90
_ROW, _BAR, _TOP = 44, 22, 46
_NAMES = {
    "floor": ("plain Spark", "read, write; nothing judged"),
    "by_hand": ("an expert's PySpark", "rules, split, two writes"),
    "product": ("LakeLogic", "the same as a contract"),
}
_STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1f2937 }
  .small { font-size: 11px; fill: #6b7280 }
  .head { font-size: 14px; font-weight: 600 }
  .bar { fill: #9ca3af } .product { fill: #2563eb } .endless { fill: url(#endless) }
  .line { stroke: #d1d5db; stroke-dasharray: 3 3 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e5e7eb } .small { fill: #9ca3af } .bar { fill: #6b7280 } .line { stroke: #4b5563 }
  }
"""
_ENDLESS = (
    '<pattern id="endless" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="4" height="8" fill="#9ca3af"/></pattern>'
)


def draw(results: Results) -> Path:
    """Write the chart."""
    PATH.parent.mkdir(parents=True, exist_ok=True)
    PATH.write_text(svg(lines(results)), encoding="utf-8")
    return PATH


def svg(ways: list[Line]) -> str:
    """The chart as text."""
    longest = max((line.ratio for line in ways if line.ratio), default=1.0)
    unit = (_WIDTH - _LEFT - _RIGHT) / max(longest, 2.0)
    height = _TOP + _ROW * len(ways) + 14
    floor = _LEFT + unit
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" role="img">',
        f"<title>{escape(_said(ways))}</title>",
        f"<defs>{_ENDLESS}</defs><style>{_STYLE}</style>",
        f'<text class="head" x="0" y="18">{escape(_heading(ways))}</text>',
        f'<line class="line" x1="{floor:.1f}" x2="{floor:.1f}" y1="{_TOP - 12}" y2="{height - 6}"/>',
    ]
    parts += [_bar(line, _TOP + _ROW * position, unit) for position, line in enumerate(ways)]
    return "\n".join([*parts, "</svg>", ""])


def _bar(line: Line, top: int, unit: float) -> str:
    name, detail = _NAMES.get(line.key, (line.title, line.note or "rules, split, two writes"))
    kind = "endless" if line.ratio is None else "product" if line.key == "product" else "bar"
    width = _WIDTH - _LEFT - _RIGHT if line.ratio is None else unit * line.ratio
    told = "no end" if line.ratio is None else f"{line.ratio:.2f} ×"
    return (
        f'<text x="0" y="{top + 10}">{escape(name)}</text>'
        f'<text class="small" x="0" y="{top + 25}">{escape(detail)}</text>'
        f'<rect class="{kind}" x="{_LEFT}" y="{top}" width="{width:.1f}" height="{_BAR}" rx="3"/>'
        f'<text x="{_LEFT + width + 8:.1f}" y="{top + 16}">{told}</text>'
    )


def _heading(ways: list[Line]) -> str:
    rows = f"{ways[0].rows:,} orders" if ways else "orders"
    return f"{rows} from parquet to Delta: time, as a multiple of reading and writing alone"


def _said(ways: list[Line]) -> str:
    each = [f"{line.title}: {f'{line.ratio:.2f} times the floor' if line.ratio else line.note}" for line in ways]
    return "; ".join(each)
