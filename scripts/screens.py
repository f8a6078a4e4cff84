"""Takes the pictures of the pages for the docs: a week of the insurance example, served and looked at in Chromium."""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
import tempfile
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Literal

from playwright.sync_api import Page, ViewportSize, sync_playwright

from lakelogic.cli.driver import main as drive
from tests.browsing import CHROMIUM
from tests.scenarios.serving import served

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
REGISTRIES = """--registry contracts/insurance/_registry.yaml
--reference-registry contracts/shared/reference/_registry.yaml
--gold-registry contracts/insurance/warehouse/_registry.yaml"""
# Files land in parts, so that there is a history to see.
PARTS = (("02-01", "02-02"), ("02-03", "02-04"), ("02-05",), ("02-06", "02-07"))
CONTRACT = "silver_insurance_claims"
TOKEN = secrets.token_urlsafe(24)
SIZE = ViewportSize(width=1360, height=850)


def main() -> None:
    """Run the example, open each page, keep what it looks like."""
    os.environ["LAKELOGIC_PII_KEY"] = secrets.token_hex(32)
    with tempfile.TemporaryDirectory() as folder:
        project = made(Path(folder))
        photograph(project)


def photograph(project: Path) -> None:
    """Open each page of a project in the colours it is shown in, and keep what it looks like."""
    with served(project, TOKEN) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, colours, opened in PAGES:
            context = browser.new_context(
                viewport=SIZE, color_scheme=colours, extra_http_headers={"Authorization": f"Bearer {TOKEN}"}
            )
            page = context.new_page()
            opened(page, address)
            page.wait_for_load_state("networkidle")
            page.screenshot(path=IMAGES / f"pages-{name}.png")
            context.close()
        browser.close()
    print(f"Wrote {len(PAGES)} pictures to {IMAGES.relative_to(ROOT)}")


def made(folder: Path) -> Path:
    """The example after a week that came in parts."""
    shutil.copytree(ROOT / "policy_packs", folder / "policy_packs")
    project = folder / "insurance_elt"
    later = shutil.ignore_patterns("output", *(f"*_2026-{day}.csv" for part in PARTS for day in part))
    shutil.copytree(ROOT / "examples" / "insurance_elt", project, ignore=later)
    for part in PARTS:
        for day in part:
            for file in (ROOT / "examples" / "insurance_elt" / "data" / "bronze").glob(f"*_2026-{day}.csv"):
                shutil.copy(file, project / "data" / "bronze")
        with chdir(project):
            drive([*shlex.split(REGISTRIES), "--engine", "duckdb", "--window", "last_success"])
    return project


def overview(page: Page, address: str) -> None:
    page.goto(address)


def contract(page: Page, address: str) -> None:
    page.goto(f"{address}/contracts/{CONTRACT}")


def run(page: Page, address: str) -> None:
    page.goto(f"{address}/runs?contract={CONTRACT}")
    # The second part of the week had the most bad rows.
    page.get_by_role("link", name="succeeded").nth(2).click()
    page.get_by_role("heading", name="Where the rows went").wait_for()


def review(page: Page, address: str) -> None:
    page.goto(f"{address}/review?contract={CONTRACT}")
    page.get_by_label("Choose row").first.check()
    page.get_by_label("Note, kept in the run log").fill("the policy was entered late, see ticket 4711")


PAGES: tuple[tuple[str, Literal["dark", "light"], Callable[[Page, str], None]], ...] = (
    ("overview", "light", overview),
    ("contract", "light", contract),
    ("run", "light", run),
    ("review", "dark", review),
)


if __name__ == "__main__":
    main()
