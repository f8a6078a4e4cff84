"""Draws docs/images/run.svg and driver.svg from real runs of the examples, so that the docs show what happens."""

from __future__ import annotations

import io
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console, RenderableType
from rich.terminal_theme import MONOKAI
from rich.text import Text

from lakelogic.cli.screen.live import Board, BoardView
from lakelogic.driver.drive import Settings, drive
from lakelogic.driver.nodes import Node, Selection

ROOT = Path(__file__).parents[1]
RUN = ROOT / "docs" / "images" / "run.svg"
DRIVER = ROOT / "docs" / "images" / "driver.svg"
COMMAND = ("run", "contract.yaml", "--show", "5")
WIDTH = 104
# The picture must not fetch a font from elsewhere when somebody looks at it.
SVG = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL).replace(
    "font-family: Fira Code", "font-family: Fira Code, Menlo, Consolas"
)


def main() -> None:
    """Run the examples in a folder of their own, and draw what the commands said."""
    with tempfile.TemporaryDirectory() as folder:
        home = shutil.copytree(ROOT / "examples" / "home", Path(folder, "home"))
        draw(RUN, f"$ lakelogic {' '.join(COMMAND)}", Text.from_ansi(run(home).rstrip()))
        lake = shutil.copytree(ROOT / "examples" / "insurance_elt", Path(folder, "insurance_elt"))
        draw(DRIVER, "$ lakelogic-driver contracts/", drive_until_busiest(lake))


def draw(picture: Path, command: str, said: RenderableType) -> None:
    """A command and what it said, as a terminal shows it."""
    console = Console(width=WIDTH, record=True, file=io.StringIO(), force_terminal=True)
    console.print(Text(command, style="bold"))
    console.print(said)
    picture.parent.mkdir(parents=True, exist_ok=True)
    drawn = console.export_svg(title="lakelogic", theme=MONOKAI, code_format=SVG, unique_id=picture.stem)
    picture.write_text(drawn, encoding="utf-8")
    print(f"Wrote {picture.relative_to(ROOT)}")


class Busiest(Board):
    """A board that remembers itself as it was when there was most to see: contracts at work, ended and waiting."""

    frame: Text = Text()
    most: int = 0

    def doing(self, node: Node, what: str) -> None:
        super().doing(node, what)
        working = sum(entry.works for entry in self.entries)
        ended = sum(entry.outcome is not None for entry in self.entries)
        to_see = min(working, 3) + min(ended, 5) + min(len(self.entries) - working - ended, 4)
        if to_see >= self.most:
            self.most = to_see
            console = Console(width=WIDTH, height=40, file=io.StringIO(), force_terminal=True, color_system="truecolor")
            with console.capture() as captured:
                console.print(BoardView(self))
            self.frame = Text.from_ansi(captured.get().rstrip())


def drive_until_busiest(folder: Path) -> Text:
    """What the driver draws in the middle of a run."""
    board = Busiest()
    drive(Selection(paths=(folder / "contracts",)), Settings(engine="duckdb", max_workers=3), board)
    return board.frame


def run(folder: Path) -> str:
    """What the command says, in the colours of a terminal and without its progress."""
    environ = os.environ | {
        "LAKELOGIC_PII_KEY": secrets.token_hex(32),
        "FORCE_COLOR": "1",
        "TERM": "xterm-256color",
        "COLUMNS": str(WIDTH),
    }
    done = subprocess.run(
        [sys.executable, "-m", "lakelogic", *COMMAND],
        cwd=folder,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    return done.stdout


if __name__ == "__main__":
    main()
