"""Log lines of the command line, on stderr: `[2026-03-28 12:00:01] INFO  | Wrote 2 valid rows to …`."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from loguru import logger
from rich.console import Console
from rich.text import Text

from lakelogic.wording import one_line

if TYPE_CHECKING:
    from loguru import Message, Record

_LEVELS = {"WARNING": "WARN", "CRITICAL": "FATAL", "SUCCESS": "INFO"}
_STYLES = {"DEBUG": "dim", "INFO": "", "WARNING": "yellow", "ERROR": "red", "CRITICAL": "bold red"}
_TAGS = ("contract", "layer", "engine", "run_id")


def log_to(console: Console, *, verbose: bool) -> None:
    """Send the product's log to a console; a library that uses LakeLogic does this its own way."""

    def write(message: Message) -> None:
        record = message.record
        style = "bold yellow" if _is_alert(record) else _STYLES.get(record["level"].name, "")
        # Lines are never wrapped: a reader's tools must find a message in one piece.
        console.print(Text(log_line(record, verbose=verbose), style=style), soft_wrap=True)

    logger.remove()
    # Tracebacks show values of variables when loguru diagnoses, and a value may be private.
    logger.add(write, level="DEBUG" if verbose else "INFO", format="{message}", backtrace=False, diagnose=False)
    logger.enable("lakelogic")


def log_line(record: Record, *, verbose: bool) -> str:
    """A record as one line; an alert is its bare message."""
    text = one_line(record["message"])
    if _is_alert(record):
        return text
    level = record["level"].name
    when = record["time"].astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
    line = f"[{when}] {_LEVELS.get(level, level):<5} | {text}"
    if not verbose:
        return line
    tags = [f"{name}={one_line(value)}" for name in _TAGS if (value := record["extra"].get(name)) is not None]
    return " | ".join([line, f"{record['name']}.{record['function']}", *([" ".join(tags)] if tags else [])])


def _is_alert(record: Record) -> bool:
    return bool(record["extra"].get("alert"))
