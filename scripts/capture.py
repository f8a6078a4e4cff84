"""Draws docs/images/run.svg from a real run of the home page's contract, so that the docs show what happens."""

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
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "run.svg"
COMMAND = ("run", "contract.yaml", "--show", "5")
WIDTH = 104
# The picture must not fetch a font from elsewhere when somebody looks at it.
SVG = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL).replace(
    "font-family: Fira Code", "font-family: Fira Code, Menlo, Consolas"
)


def main() -> None:
    """Run the contract in a folder of its own, and draw what the command said."""
    with tempfile.TemporaryDirectory() as folder:
        home = shutil.copytree(ROOT / "examples" / "home", Path(folder, "home"))
        said = run(home)
    console = Console(width=WIDTH, record=True, file=io.StringIO(), force_terminal=True)
    console.print(Text(f"$ lakelogic {' '.join(COMMAND)}", style="bold"))
    console.print(Text.from_ansi(said.rstrip()))
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    drawn = console.export_svg(title="lakelogic", theme=MONOKAI, code_format=SVG, unique_id="run")
    PICTURE.write_text(drawn, encoding="utf-8")
    print(f"Wrote {PICTURE.relative_to(ROOT)}")


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
