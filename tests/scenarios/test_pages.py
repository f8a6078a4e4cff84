"""The pages, looked at with a real browser."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from lakelogic import Quarantine
from tests.browsing import browser, needs_browser, page
from tests.scenarios.serving import HOSTILE, TOKEN, served, shop

__all__ = ["browser", "page"]

pytestmark = needs_browser


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shop(tmp_path_factory.mktemp("shop"))


@pytest.fixture(scope="module")
def at(project: Path) -> Iterator[str]:
    with served(project) as address:
        yield address


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    with pytest.MonkeyPatch.context() as patch:
        # Originals of rows with private values are kept only where there is a key.
        patch.setenv("LAKELOGIC_PII_KEY", secrets.token_hex(32))
        folder = shop(tmp_path_factory.mktemp("guarded"), bad=3)
        with served(folder, TOKEN) as address:
            yield address, folder


def test_the_overview_tells_how_every_contract_fares(at: str, page: Page) -> None:
    page.goto(at)
    row = page.get_by_role("row").filter(has_text="bronze_orders")
    expect(row).to_contain_text("healthy")
    expect(row).to_contain_text("fresh")
    expect(row.get_by_role("img", name="Quality from 100 to 3.12 of 100")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="gold_never")).to_contain_text("never run")
    expect(page.get_by_role("link", name="Quarantined 31")).to_be_visible()


def test_a_word_in_the_search_narrows_the_list_and_stays_in_the_address(at: str, page: Page) -> None:
    page.goto(at)
    page.keyboard.press("/")
    # All at once: a pause between two letters would be a search of its own, and a step back would lead there.
    page.keyboard.insert_text("sales")
    expect(page.get_by_role("link", name="bronze_orders", exact=True)).to_have_count(0)
    expect(page.get_by_role("link", name="silver_sales", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile("q=sales"))
    page.reload()
    expect(page.get_by_role("searchbox")).to_have_value("sales")
    expect(page.get_by_role("link", name="bronze_orders", exact=True)).to_have_count(0)
    page.go_back()
    expect(page.get_by_role("link", name="bronze_orders", exact=True)).to_be_visible()


def test_a_contract_shows_schema_rules_runs_neighbours_and_text(at: str, page: Page) -> None:
    page.goto(at)
    page.get_by_role("link", name="bronze_orders", exact=True).click()
    expect(page.get_by_role("heading", name="bronze_orders")).to_be_visible()
    failed = page.get_by_role("row").filter(has_text="positive_amount")
    expect(failed.get_by_role("img", name="Pass rate from 100.0% to 3.1%")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="Number of the order")).to_contain_text("required")
    expect(page.get_by_role("row").filter(has_text="customer").filter(has_text="private")).to_contain_text("not masked")
    expect(page.locator(".yaml")).to_contain_text("dataset: bronze_orders")
    page.get_by_role("region", name="Lineage").get_by_role("link", name="silver_sales").click()
    expect(page.get_by_role("heading", name="silver_sales")).to_be_visible()


def test_a_run_shows_where_its_rows_went(at: str, page: Page) -> None:
    page.goto(f"{at}/runs?contract=bronze_orders")
    page.get_by_role("link", name="succeeded").first.click()
    flow = page.get_by_role("img", name=re.compile("32 rows came in: 1 good, .*, 31 quarantined"))
    expect(flow).to_be_visible()
    expect(page.get_by_role("region", name="Plan")).to_contain_text("landing")
    page.get_by_text("Passes over the data, and their SQL").click()
    page.get_by_text("bad rows with their reasons (before the split)").click()
    expect(page.locator("details[open] pre:visible")).to_contain_text("SELECT")
    page.get_by_role("link", name="Review quarantined rows").click()
    expect(page.get_by_role("heading", name="bronze_orders")).to_be_visible()


def test_runs_are_found_by_contract_and_status(at: str, page: Page) -> None:
    page.goto(f"{at}/runs")
    page.get_by_label("Contract").select_option("silver_sales")
    expect(page.get_by_role("row")).to_have_count(2)
    page.get_by_label("Status").select_option("failed")
    expect(page.get_by_role("heading", name="No run to show")).to_be_visible()


def test_a_box_of_the_dag_leads_to_its_contract(at: str, page: Page) -> None:
    page.goto(f"{at}/dag")
    fit = page.get_by_role("button", name="Fit to window")
    expect(fit).to_have_attribute("aria-pressed", "true")
    fit.click()
    expect(fit).to_have_attribute("aria-pressed", "false")
    page.get_by_role("link", name=re.compile("^bronze_orders")).click()
    expect(page).to_have_url(f"{at}/contracts/bronze_orders")


def test_the_queue_turns_its_pages_and_filters_by_rule(at: str, page: Page) -> None:
    page.goto(f"{at}/review")
    expect(page.get_by_role("row").filter(has_text="bronze_orders")).to_contain_text("31")
    page.get_by_role("link", name="bronze_orders", exact=True).click()
    expect(page.get_by_text("1 to 25 of 31")).to_be_visible()
    page.get_by_role("link", name="Older").click()
    expect(page.get_by_text("26 to 31 of 31")).to_be_visible()
    page.get_by_label("Rule").select_option("order_id_required")
    expect(page.get_by_role("heading", name="No row here")).to_be_visible()


def test_values_of_rows_are_text_and_private_ones_are_hidden(guarded: tuple[str, Path], page: Page) -> None:
    page.set_extra_http_headers({"Authorization": f"Bearer {TOKEN}"})
    page.goto(f"{guarded[0]}/review?contract=bronze_orders&state=all")
    expect(page.get_by_text(HOSTILE)).to_be_visible()
    assert "taken" not in page.title()
    assert "Eve" not in page.content()
    assert "***" in page.content()


def test_without_a_token_nobody_decides(at: str, page: Page) -> None:
    page.goto(f"{at}/review?contract=bronze_orders")
    expect(page.get_by_role("button", name="Drop")).to_have_count(0)
    expect(page.get_by_text("start the server with a token")).to_be_visible()
    assert page.request.post(f"{at}/review/act", form={"contract": "bronze_orders"}).status == 403


def test_who_holds_the_token_decides_with_a_note(guarded: tuple[str, Path], page: Page) -> None:
    address, folder = guarded
    page.goto(f"{address}/review?contract=bronze_orders")
    page.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 to 4 of 4")).to_be_visible()
    page.get_by_label(re.compile("^Choose row")).first.check()
    expect(page.get_by_text("1 row chosen")).to_be_visible()
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_label("Note, kept in the run log").fill("a test of the till")
    page.get_by_role("button", name="Drop").click()
    expect(page.get_by_text("1 of 1 rows dropped.")).to_be_visible(timeout=20_000)
    expect(page.get_by_text("1 to 3 of 3")).to_be_visible()
    expect(page.get_by_role("link", name="Dropped 1")).to_be_visible()
    page.get_by_label("Choose all rows shown").check()
    page.get_by_label("Note, kept in the run log").fill("once more")
    page.get_by_role("button", name="Replay").click()
    expect(page.get_by_text("3 stay active with new reasons")).to_be_visible(timeout=20_000)
    expect(page.get_by_role("row").filter(has_text="a test of the till")).to_contain_text("drop")
    assert Quarantine(folder / "contracts/orders.yaml").states()["dropped"] == 1
    with page.expect_download() as begun:
        page.get_by_role("link", name="csv").click()
    assert len(Path(begun.value.path()).read_text().splitlines()) == 1 + 3
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Token")).to_be_visible()


def test_a_decision_without_rows_says_what_to_do(guarded: tuple[str, Path], page: Page) -> None:
    address, _ = guarded
    page.set_extra_http_headers({"Authorization": f"Bearer {TOKEN}"})
    page.goto(f"{address}/review?contract=bronze_orders")
    page.get_by_label("Note, kept in the run log").fill("why not")
    page.get_by_role("button", name="Replay").click()
    expect(page.get_by_role("alert")).to_contain_text("no row is chosen")


def test_colours_follow_the_system_and_the_switch_and_stay(at: str, page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(at)
    back = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(back) == "rgb(15, 18, 20)"
    page.get_by_role("button", name="Light").click()
    assert page.evaluate(back) == "rgb(246, 247, 247)"
    page.goto(f"{at}/runs")
    assert page.evaluate(back) == "rgb(246, 247, 247)"


def test_the_keyboard_reaches_content_navigation_and_search(at: str, page: Page) -> None:
    page.goto(at)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()


@pytest.mark.parametrize("path", ["/contracts/none", "/runs/none", "/review?contract=none"])
def test_what_is_not_there_is_told_on_a_page(at: str, page: Page, path: str) -> None:
    answer = page.request.get(f"{at}{path}")
    assert answer.status == 404
    assert "Not here" in answer.text()


def test_a_folder_without_contracts_is_welcomed(tmp_path: Path, page: Page) -> None:
    with served(tmp_path) as address:
        for path in ("/", "/runs", "/review", "/dag"):
            page.goto(address + path)
            expect(page.locator(".empty code")).to_contain_text("lakelogic")
