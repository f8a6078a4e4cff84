"""A view as one page that needs nothing else: no server, no other host, no fonts but the reader's own."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape
from importlib.resources import files

from lakelogic.viewer.drawing import svg
from lakelogic.viewer.rendering import Rendering, renderings
from lakelogic.viewer.view import Box, View
from lakelogic.viewer.wording import mood, state
from lakelogic.wording import counted

_MARK = re.compile(r"\{\{(\w+)\}\}")


def write(view: View) -> str:
    """The page, complete."""
    parts = {
        "title": escape(_title(view)),
        "about": escape(_about(view)),
        "style": asset("graph.css"),
        "graph": svg(view),
        "data": embedded(data(view)),
        "script": asset("graph.js"),
    }
    # One pass: what is put in is never looked at for marks.
    return _MARK.sub(lambda found: parts[found[1]], asset("page.html"))


def asset(name: str) -> str:
    """A file of the page, as text."""
    return files("lakelogic.viewer").joinpath("assets", name).read_text("utf-8")


def embedded(value: object) -> str:
    """JSON that can stand inside a script element, whatever names there are."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    unsafe = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
    return "".join(unsafe.get(char, char) for char in text)


def data(view: View) -> dict[str, object]:
    """What the script of the page needs; names stand in one list, since layer after layer repeats them."""
    words = _Words()
    numbers = {box.name: number for number, box in enumerate(view.boxes)}
    boxes = [_told(box, view, words, numbers) for box in view.boxes]
    arrows = [[numbers[a.origin], numbers[a.target], list(a.reasons), a.rows] for a in view.arrows]
    return {"boxes": boxes, "arrows": arrows, "words": words.listed}


class _Words:
    """Texts, each known by a number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))

    @property
    def listed(self) -> list[str]:
        return list(self._numbers)


def _told(box: Box, view: View, words: _Words, numbers: Mapping[str, int]) -> dict[str, object]:
    facts = {
        "Title": box.title,
        "Layer": box.layer if box.kind == "contract" else None,
        "Domain": box.domain,
        "System": box.system,
        "Owner": box.owner,
        "Contract": box.file,
        "Writes" if box.kind == "contract" else "Place": box.location,
        "Strategy": box.strategy,
        "Key": ", ".join(box.keys) or None,
        **(_of_runs(box, view) if box.kind == "contract" else {}),
    }
    columns = [
        [
            words.number(column.name),
            words.number(column.type),
            words.number(column.kind),
            int(column.private),
            *(part for origin, name in column.inputs for part in (numbers[origin], words.number(name))),
        ]
        for column in box.columns
    ]
    told = {
        "name": box.name if box.kind == "contract" else box.label,
        "kind": box.kind,
        "mood": mood(box) if box.kind == "contract" else None,
        "state": state(box) if box.kind == "contract" else None,
        "facts": {name: value for name, value in facts.items() if value},
        "columns": columns,
        "note": box.note,
    }
    return {name: value for name, value in told.items() if value}


def _of_runs(box: Box, view: View) -> dict[str, str | None]:
    runs = box.runs
    wrote, last = runs.wrote, runs.last
    freshness = runs.freshness(view.at)
    promised = f"{freshness}; promised within {runs.fresh_hours:g} h" if freshness else None
    return {
        "Last run": f"{last.ended_at:%Y-%m-%d %H:%M} UTC" if last and last.ended_at else None,
        "Unfinished": f"begun {runs.unfinished_since:%Y-%m-%d %H:%M} UTC" if runs.unfinished_since else None,
        "Took": f"{last.duration_seconds:.1f} s" if last and last.duration_seconds is not None else None,
        "Rows read": f"{wrote.counts_source:,}" if wrote and wrote.counts_source is not None else None,
        "Good": f"{wrote.counts_good:,}" if wrote and wrote.counts_good is not None else None,
        "Quarantined": f"{wrote.counts_quarantined:,}" if wrote and wrote.counts_quarantined is not None else None,
        "Freshness": promised,
        "Because": (last.error or last.reason) if last else None,
    }


def _title(view: View) -> str:
    domains = sorted({box.domain for box in view.contracts if box.domain})
    return domains[0] if len(domains) == 1 else "Lakehouse"


def _about(view: View) -> str:
    return f"{counted(len(view.contracts), 'contract')} · as of {view.at:%Y-%m-%d %H:%M} UTC"


renderings.add("html")(Rendering(write, ".html", columns=True))
