"""Writes the reference pages from the models, the registries and their examples: `python -m scripts.reference`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from scripts.pages.commands import commands_page, errors_page
from scripts.pages.contract import contract_page
from scripts.pages.kinds import masks_page, rules_page, transformations_page
from scripts.pages.mesh import lint_page, mesh_page

FOLDER = Path(__file__).parents[1] / "docs" / "reference"


def pages() -> Mapping[str, str]:
    """File name → text of every generated page."""
    return {
        "contract.md": contract_page(),
        "rules.md": rules_page(),
        "transformations.md": transformations_page(),
        "masks.md": masks_page(),
        "mesh.md": mesh_page(),
        "lint.md": lint_page(),
        "commands.md": commands_page(),
        "errors.md": errors_page(),
    }


def main() -> None:
    """Write all pages, and remove those that nobody generates any more."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    written = pages()
    for old in FOLDER.glob("*.md"):
        if old.name not in written:
            old.unlink()
    for name, text in written.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
