"""Takes the pictures of the pages for the docs: a week of the insurance example, served and looked at in Chromium."""

from __future__ import annotations

import secrets
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright

from tests.browsing import CHROMIUM
from tests.scenarios.serving import served

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
CONTRACTS = "contracts"
DRIVER = f"""--registry {CONTRACTS}/insurance/_registry.yaml
--reference-registry {CONTRACTS}/shared/reference/_registry.yaml
--gold-registry {CONTRACTS}/insurance/warehouse/_registry.yaml --engine duckdb"""
TOKEN = secrets.token_urlsafe(24)
SIZE = ViewportSize(width=1360, height=850)


def main() -> None:
    """Run the example, open each page, keep what it looks like."""
    with tempfile.TemporaryDirectory() as folder:
        project = shutil.copytree(
            ROOT / "examples" / "insurance_elt", Path(folder, "insurance_elt"), ignore=shutil.ignore_patterns("output")
        )
        shutil.copytree(ROOT / "policy_packs", Path(folder, "policy_packs"))
        run(project)
        with served(project, TOKEN) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            for scheme in ("light", "dark"):
                context = browser.new_context(
                    viewport=SIZE, color_scheme=scheme, extra_http_headers={"Authorization": f"Bearer {TOKEN}"}
                )
                take(context.new_page(), address, scheme)
                context.close()
            browser.close()


def run(project: Path) -> None:
    """Day by day, so that there is a history to see."""
    for day in range(1, 8):
        window = ["--from", f"2026-03-0{day}", "--to", f"2026-03-0{day + 1}"]
        command = [sys.executable, "-m", "lakelogic.cli.driver", *shlex.split(DRIVER), *window]
        subprocess.run(command, cwd=project, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def take(page: Page, address: str, scheme: str) -> None:
    """Each page once; the names say what is on them."""
    silver = "silver_insurance_claims"
    pages = {
        "overview": "/",
        "contract": f"/contracts/{silver}",
        "runs": f"/runs?contract={silver}",
        "dag": "/dag",
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
