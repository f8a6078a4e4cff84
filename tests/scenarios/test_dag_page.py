"""The page of `lakelogic dag` in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from lakelogic.viewer.formats.html import write
from lakelogic.viewer.view import View
from tests.browsing import browser, needs_browser, page
from tests.unit.viewer.views import HOSTILE, mesh, small

__all__ = ["browser", "page"]
pytestmark = needs_browser

_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def _open(page: Page, view: View, folder: Path) -> str:
    file = folder / "dag.html"
    file.write_text(write(view), encoding="utf-8")
    page.goto(file.as_uri())
    return file.read_text(encoding="utf-8")


def test_a_contract_shows_its_columns_and_a_column_lights_its_way(page: Page, tmp_path: Path) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    _open(page, small(), tmp_path)
    page.locator(".box", has_text="silver_orders").click()
    panel = page.locator("#panel")
    expect(panel.locator("h2")).to_have_text("silver_orders")
    expect(panel.locator(".state")).to_have_text("failed")
    panel.get_by_role("button", name="total").click()
    lit = page.locator(".box.lit")
    expect(lit).to_have_count(4)
    expect(page.locator(".box", has_text="bronze_orders").locator(".trace")).to_have_text("amount")
    expect(page.locator(".box", has_text="reference_rates").locator(".trace")).to_have_text("rate")
    panel.get_by_role("button", name="email").click()
    expect(lit).to_have_count(3)
    expect(page.locator(".arrow.lit")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    assert len(asked) == 1, "the page asks nobody for anything"


def test_everything_can_be_done_with_the_keyboard(page: Page, tmp_path: Path) -> None:
    _open(page, small(), tmp_path)
    page.keyboard.press("/")
    page.keyboard.type("silver")
    expect(page.locator("#search output")).to_have_text("1 found")
    page.keyboard.press("Enter")
    expect(page.locator("#panel h2")).to_have_text("silver_orders")
    page.keyboard.press("Escape")
    page.locator(".box", has_text="silver_orders").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.locator("#panel h2")).to_have_text("landing/in.csv")
    before = page.locator(".dag").get_attribute("style")
    page.keyboard.press("+")
    assert page.locator(".dag").get_attribute("style") != before


def test_names_that_look_like_code_are_shown_and_not_run(page: Page, tmp_path: Path) -> None:
    _open(page, small(HOSTILE), tmp_path)
    page.locator(".box.bad").click()
    expect(page.locator("#panel h2")).to_have_text(HOSTILE)
    assert page.title() == "Lakehouse · LakeLogic"
    assert page.locator("#stage img, #panel img").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_follows_the_readers_colours(page: Page, tmp_path: Path, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    _open(page, small(), tmp_path)
    brightness = (
        "() => getComputedStyle(document.body).backgroundColor.match(/\\d+/g).reduce((a, b) => a + Number(b), 0)"
    )
    assert (page.evaluate(brightness) < 200) == (scheme == "dark")
    page.get_by_role("button", name="Light or dark").click()
    assert (page.evaluate(brightness) < 200) == (scheme == "light")


def test_five_hundred_contracts_are_one_small_and_quick_page(page: Page, tmp_path: Path) -> None:
    text = _open(page, mesh(500), tmp_path)
    assert len(text.encode()) <= 1_000_000
    page.wait_for_function(f"({_PAINT})() > 0")
    # The promise is 500 ms. A machine that does much else beside gets more; what grows with the square takes longer.
    assert page.evaluate(_PAINT) <= 4000
    chosen = "() => { const t = performance.now(); document.querySelectorAll('.box.good')[40].dispatchEvent(new MouseEvent('click', {bubbles: true})); return performance.now() - t; }"
    assert page.evaluate(chosen) <= 2000
    expect(page.locator("#panel")).to_be_visible()
