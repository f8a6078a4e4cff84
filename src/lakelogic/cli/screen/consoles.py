"""Where text is shown: a terminal with colour, or plain lines for a file or a pipe."""

from __future__ import annotations

import io
import sys
from typing import TextIO

from rich.console import Console, RenderableType

# Plain output is read by programs and later: nothing is cut or broken to fit a screen that is not there.
_PLAIN_WIDTH = 1_000_000


def output() -> Console:
    """The console for data: stdout."""
    return console_for(sys.stdout)


def messages() -> Console:
    """The console for logs and progress: stderr."""
    return console_for(sys.stderr)


def console_for(stream: TextIO) -> Console:
    """A console on a stream; text that the stream's encoding lacks is replaced rather than refused."""
    if isinstance(stream, io.TextIOWrapper) and not stream.encoding.lower().startswith("utf"):
        stream.reconfigure(errors="replace")
    console = Console(file=stream, emoji=False, markup=False, highlight=False)
    if not console.is_terminal:
        console.width = _PLAIN_WIDTH
    return console


def animates(console: Console) -> bool:
    """Whether lines may be drawn over again: a real terminal, whatever colour was asked for."""
    return console.is_terminal and not console.is_dumb_terminal and console.file.isatty()


def show(console: Console, *views: RenderableType) -> None:
    """Print views; without a terminal, as lines without trailing blanks."""
    if console.is_terminal:
        console.print(*views, sep="\n")
        return
    with console.capture() as captured:
        console.print(*views, sep="\n")
    console.file.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))
    console.file.flush()


def is_narrow(console: Console) -> bool:
    """Whether a table must leave out what is nice to have."""
    return console.width < 100
