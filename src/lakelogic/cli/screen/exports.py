"""What became of exports, as a person wants to see it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lakelogic.cli.screen.layout import grid, joined, line, mark
from lakelogic.exports.receipts import Receipt
from lakelogic.wording import counted, number, one_line, seconds, size

_KINDS = {"succeeded": "good", "unchanged": "good", "failed": "bad", "not_configured": "idle", "planned": "idle"}


def exports_view(receipts: Sequence[Receipt], console: Console) -> Table:
    """A line for each export: what was sent where, or why nothing was."""
    several = len({receipt.contract for receipt in receipts}) > 1
    table = grid("left", *(["left"] if several else []), "left", "wrap")
    for receipt in receipts:
        table.add_row(
            mark(console, _KINDS[receipt.status]),
            *([line(receipt.contract, "bold")] if several else []),
            Text(one_line(receipt.target), style="cyan"),
            line(_told(receipt), "red" if receipt.failed else "dim"),
        )
    return table


def _told(receipt: Receipt) -> str:
    if receipt.status == "not_configured":
        return f"not configured: {receipt.reason}"
    if receipt.status != "succeeded":
        return f"{receipt.status}: {receipt.reason}"
    sent = receipt.sent
    rows = counted(sent.rows, "row") if sent.rows is not None else ""
    told = [("inserted", sent.inserted), ("updated", sent.updated), ("deleted", sent.deleted)]
    changes = ", ".join(f"{number(count)} {word}" for word, count in told if count is not None)
    files = ""
    if sent.files is not None:
        files = f"{number(sent.files_sent)} of {counted(sent.files, 'file')} sent, {size(sent.bytes or 0)}"
    version = f"version {receipt.table_version}" if receipt.table_version is not None else ""
    return joined([rows, files, changes, version, seconds(receipt.seconds)])
