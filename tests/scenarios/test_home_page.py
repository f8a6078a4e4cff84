"""The home page's contract, run as the page prints it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from lakelogic.errors import SecretMissing
from tests.scenarios.project import Project

_HOME = Path(__file__).parents[2] / "examples" / "home"
_DAY = 86_400


@pytest.fixture
def home(project: Project) -> Project:
    """The page's contract on the page's four customers, into a path."""
    shutil.copytree(_HOME / "landing", project.root / "landing")
    text = (_HOME / "contract.yaml").read_text(encoding="utf-8")
    project.contract(text.replace("catalog.silver.customers", "silver/customers"))
    return project


def test_four_customers_become_two_good_and_two_quarantined(home: Project, key: str, told: list[str]) -> None:
    result = home.run()
    good, bad = result

    assert [row["cus_id"] for row in good.orderBy("cus_id").collect()] == ["C100", "C101"]
    assert all(row["email"].startswith("enc:") for row in good.collect())
    assert [tuple(row) for row in bad.select(*bad.columns[:4]).orderBy("cus_id").collect()] == [
        ("C102", "not_an_email", ["correctness"], ["Rule failed: email LIKE '%@%.%'"]),
        ("C103", None, ["completeness"], ["Rule failed: email is required"]),
    ]
    assert bad.columns[:4] == ["cus_id", "email", "_lakelogic_categories", "_lakelogic_errors"]
    assert home.values("cus_id", "silver/customers") == ["C100", "C101"]
    assert home.values("cus_id", "silver/customers_quarantine") == ["C102", "C103"]
    place = home.root / "silver" / "customers"
    assert told[:4] == [
        "LakeLogic Alert: 2 records quarantined in 'customers'. Total: 4",
        f"Wrote 2 quarantined rows to {place}_quarantine",
        f"Wrote 2 valid rows to {place}",
        "Run complete [layer=silver] | Total: 4 | Good: 2 | Quarantine: 2 | Ratio: 50.0%",
    ]
    assert (result.source_count, result.good_count, result.bad_count) == (4, 2, 2)
    assert (result.quarantine_ratio, result.quality_score) == (0.5, 50.0)
    assert [(level.name, level.status) for level in result.service_levels] == [("freshness", "passed")]


def test_a_second_run_finds_nothing_new_and_a_late_file_with_an_old_time_is_read(home: Project, key: str) -> None:
    home.run()
    again = home.run()
    assert (again.status, again.counts.source) == ("no_new_data", 0)
    assert again.reason == "0 of 1 files are new since the last run"
    assert home.versions("silver/customers") == 1

    late = home.file("landing/customers/2026-01-01.json", '{"cus_id": "C104", "email": "late@corp.com"}\n')
    os.utime(late, (_DAY, _DAY))
    third = home.run()
    assert (third.status, third.counts.source, third.mode) == ("succeeded", 1, "incremental")
    assert home.values("cus_id", "silver/customers") == ["C100", "C101", "C104"]
    assert [row["status"] for row in home.log()] == ["succeeded", "no_new_data", "succeeded"]


def test_data_that_stays_away_breaks_the_promise_of_freshness(home: Project, key: str, told: list[str]) -> None:
    home.run()
    for file in (home.root / "landing").rglob("*.json"):
        os.utime(file, (_DAY, _DAY))
    seen = home.run()
    assert [(level.name, level.status) for level in seen.service_levels] == [("freshness", "failed")]
    again = home.run()
    assert again.status == "no_new_data"
    assert [(level.name, level.status) for level in again.service_levels] == [("freshness", "failed")]
    assert any(line.startswith("Service level 'freshness' failed: newest input is") for line in told)
    assert home.log()[-1]["service_levels"][0]["status"] == "failed"


def test_a_file_that_changed_is_read_again_and_that_is_said(home: Project, key: str) -> None:
    home.run()
    home.file("landing/customers/2026-03-28.json", '{"cus_id": "C100", "email": "new.address@corp.com"}\n')
    result = home.run()
    assert result.reason == "1 of 1 files are new since the last run, 1 of them changed since they were read"
    assert result.target is not None
    assert (result.target.inserted, result.target.updated) == (0, 1)
    assert home.values("cus_id", "silver/customers") == ["C100", "C101"]


def test_without_its_key_the_run_stops_before_it_reads_or_writes(
    home: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LAKELOGIC_PII_KEY", raising=False)
    before = sorted(home.root.rglob("*"))
    with pytest.raises(SecretMissing, match="LAKELOGIC_PII_KEY") as caught:
        home.run()
    assert len(str(caught.value).splitlines()) == 1
    assert sorted(home.root.rglob("*")) == before


def test_another_source_takes_the_place_of_the_contracts(home: Project, key: str) -> None:
    other = home.file("elsewhere/more.json", '{"cus_id": "C200", "email": "A@B.com "}\n{"cus_id": "C201"}\n')
    good, bad = home.processor().run_source(str(other))
    assert [row["cus_id"] for row in good.collect()] == ["C200"]
    assert [(row["cus_id"], row["_lakelogic_errors"]) for row in bad.collect()] == [
        ("C201", ["Rule failed: email is required"])
    ]
    # What was read from elsewhere tells nothing of the contract's own source.
    assert home.run().counts.source == 4


def test_nothing_that_is_stored_or_told_shows_a_masked_value(home: Project, key: str, told: list[str]) -> None:
    result = home.run()
    told.append(str(result.to_dict()))
    stored = [path.read_bytes() for path in home.root.rglob("*") if path.is_file() and "landing" not in path.parts]
    for secret in ("not_an_email", key):
        assert not any(secret in line for line in told)
        assert not any(secret.encode() in content for content in stored)
