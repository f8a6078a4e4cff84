"""Takes the pictures of the pages for the docs: a week of the insurance example, served and looked at in Chromium."""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
import tempfile
from contextlib import chdir
from pathlib import Path

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
TOKEN = secrets.token_urlsafe(24)
SIZE = ViewportSize(width=1360, height=850)


def main() -> None:
    """Run the example, open each page, keep what it looks like."""
    os.environ["LAKELOGIC_PII_KEY"] = secrets.token_hex(32)
    with tempfile.TemporaryDirectory() as folder:
        project = made(Path(folder))
        with served(project, TOKEN) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            for scheme in ("light", "dark"):
                context = browser.new_context(
                    viewport=SIZE,
                    color_scheme="dark" if scheme == "dark" else "light",
                    extra_http_headers={"Authorization": f"Bearer {TOKEN}"},
                )
                take(context.new_page(), address, scheme)
                context.close()
            browser.close()


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


def take(page: Page, address: str, scheme: str) -> None:
    """Each page once; the names say what is on them."""
    silver = "silver_insurance_claims"
    pages = {
        "overview": "/",
        "contract": f"/contracts/{silver}",
        "review": f"/review?contract={silver}",
    }
    for name, path in pages.items():
        page.goto(address + path, wait_until="networkidle")
        page.screenshot(path=IMAGES / f"pages-{name}-{scheme}.png")
    page.goto(f"{address}/runs?contract={silver}")
    page.get_by_role("link", name="succeeded").first.click()
    page.wait_for_load_state("networkidle")
    page.screenshot(path=IMAGES / f"pages-run-{scheme}.png")
    print(f"Wrote {len(pages) + 1} pictures of {scheme} pages")


if __name__ == "__main__":
    main()
