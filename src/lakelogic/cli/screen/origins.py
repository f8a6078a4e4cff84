"""Who set each value of a contract, as a person wants to see it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from lakelogic.cli.screen.layout import headed, line
from lakelogic.contract.origins import Origin
from lakelogic.wording import one_line, shortened

_WIDEST = 48


def origins_view(origins: Sequence[Origin], contract: str) -> RenderableType:
    """A line for each value: the key, the value, who said it, and where."""
    table = headed(("Key", "left"), ("Value", "left"), ("Set by", "left"), ("Where", "wrap"))
    for each in origins:
        value = Text(shortened(_written(each.value), _WIDEST), style="cyan")
        table.add_row(line(each.key, "bold"), value, line(each.said_by), line(each.place, "dim"))
    return Group(Text(one_line(contract), style="bold"), table)


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(_written(item) for item in value)}]"
    return "" if value is None else one_line(value)
