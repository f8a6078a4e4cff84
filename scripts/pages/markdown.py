"""Markdown from plain values: tables, code and YAML."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from io import StringIO
from typing import Any

from ruamel.yaml import YAML

GENERATED = "<!-- Written by `python -m scripts.reference`; edit the code it describes. -->"


def page(title: str, *parts: str) -> str:
    """A whole page, with the line that keeps people from editing it."""
    return "\n\n".join([GENERATED, f"# {title}", *(part for part in parts if part)]) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a bar inside a cell does not end it."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def prose(text: str | None) -> str:
    """The first line of a text, with nothing in it taken for emphasis or a tag."""
    line = (text or "").splitlines()[0] if text else ""
    parts = line.split("`")
    plain = [part.replace("*", "\\*").replace("<", "&lt;") if i % 2 == 0 else part for i, part in enumerate(parts)]
    return "`".join(plain)


def code(value: object) -> str:
    """A value as inline code."""
    text = written(value)
    fence = "``" if "`" in text else "`"
    pad = " " if fence == "``" else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def written(value: object) -> str:
    """A value as a reader expects it: NULL for nothing, text in quotes."""
    if value is None:
        return "NULL"
    if isinstance(value, (datetime, date, Decimal)):
        return str(value)
    return json.dumps(value, ensure_ascii=False, default=str)


def listed(values: Iterable[object]) -> str:
    """Values as inline code, one after another."""
    return ", ".join(code(value) for value in values)


def words(values: Iterable[object]) -> str:
    """Words as inline code without quotes, one after another."""
    return ", ".join(f"`{value}`" for value in values)


def yaml_block(data: Mapping[str, Any]) -> str:
    """Data as a block of YAML."""
    yaml = YAML(typ="safe", pure=True)
    # What holds no other block stands on one line.
    yaml.default_flow_style = None
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    yaml.allow_unicode = True
    yaml.width = 110
    yaml.indent(mapping=2, sequence=4, offset=2)
    stream = StringIO()
    yaml.dump(_plain(data), stream)
    return f"```yaml\n{stream.getvalue().rstrip()}\n```"


def rows_table(rows: Sequence[Mapping[str, object]]) -> str:
    """Rows of data as a table."""
    names = list(rows[0]) if rows else []
    return table(names, [[code(row[name]) for name in names] for row in rows])


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
