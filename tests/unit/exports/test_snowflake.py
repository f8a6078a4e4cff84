"""Exports to Snowflake, through its connector, to fakesnow on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat
from snowflake import connector

from lakelogic.errors import UsageError
from lakelogic.exports import snowflake
from lakelogic.exports.base import ExportError
from tests.unit.exports.fakesnow_server import fakesnow
from tests.unit.exports.shop import NORTH, SOUTH, Shop

# It starts a server of its own, whose packages may have to be fetched first.
pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Account:
    """A database of its own in the server."""

    url: str
    database: str

    @property
    def environment(self) -> dict[str, str]:
        return {
            "SNOWFLAKE_ACCOUNT": "lab",
            "SNOWFLAKE_USER": "robot",
            "SNOWFLAKE_PASSWORD": "a-password",
            "SNOWFLAKE_HOST": self.url,
        }

    @property
    def export(self) -> dict[str, object]:
        return {"to": "snowflake", "table": f"{self.database}.GOLD.REGION_KPIS"}

    def rows(self, select: str = "*") -> list[tuple[Any, ...]]:
        login = snowflake.Snowflake(self.environment)._login()
        with closing(connector.connect(**login)) as there, closing(there.cursor()) as cursor:
            found = cursor.execute(f"SELECT {select} FROM {self.database}.GOLD.REGION_KPIS ORDER BY REGION")
            assert found is not None
            return found.fetchall()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with fakesnow() as url:
        yield url


@pytest.fixture
def account(server: str) -> Account:
    return Account(server, f"LAKEHOUSE_LAB_{uuid4().hex[:8].upper()}")


def test_every_row_and_every_type_arrives_in_a_table_that_is_created(shop: Shop, account: Account) -> None:
    shop.lists([account.export])
    shop.table(NORTH, SOUTH)
    (receipt,) = shop.export(environment=account.environment)
    assert (receipt.status, receipt.reason) == ("succeeded", "")
    assert (receipt.sent.rows, receipt.sent.inserted, receipt.sent.updated) == (2, 2, 0)
    plain = [name for name in NORTH if name not in ("seen", "tags", "site")]
    assert account.rows(", ".join(plain)) == [tuple(row[name] for name in plain) for row in (NORTH, SOUTH)]
    # The server can't tell the connector of a moment that is NULL.
    north, south = account.rows("CAST(SEEN AS VARCHAR), TAGS, SITE")
    assert north[0].startswith("2026-01-02 03:04:05.678901")
    assert [json.loads(value) for value in north[1:]] == [NORTH["tags"], NORTH["site"]]
    assert south == (None, None, None)
    assert len(receipt.sent.statements) >= 6
    assert receipt.target == f"snowflake://lab/{account.database}.GOLD.REGION_KPIS"


def test_changed_rows_are_merged_and_vanished_ones_stay(shop: Shop, account: Account) -> None:
    shop.lists([account.export])
    shop.table(NORTH, SOUTH)
    shop.export(environment=account.environment)
    shop.table({**NORTH, "orders": 7}, {**NORTH, "region": "west"})
    (receipt,) = shop.export(environment=account.environment)
    assert (receipt.sent.inserted, receipt.sent.updated, receipt.sent.deleted) == (1, 1, 0)
    assert account.rows("REGION, ORDERS") == [("north", 7), ("south", None), ("west", NORTH["orders"])]


def test_vanished_rows_are_deleted_when_asked(shop: Shop, account: Account) -> None:
    shop.lists([{**account.export, "delete_missing": True}])
    shop.table(NORTH, SOUTH)
    shop.export(environment=account.environment)
    shop.table(NORTH)
    (receipt,) = shop.export(environment=account.environment)
    assert receipt.sent.deleted == 1
    assert account.rows("REGION") == [("north",)]


def test_a_table_without_a_key_is_replaced(shop: Shop, account: Account) -> None:
    shop.lists([account.export], primary_key=[])
    shop.table(NORTH, NORTH)
    shop.export(environment=account.environment)
    shop.table(SOUTH)
    (receipt,) = shop.export(environment=account.environment)
    assert (receipt.sent.inserted, receipt.sent.deleted) == (1, 2)
    assert account.rows("REGION") == [("south",)]


def test_a_new_column_is_added_to_the_table(shop: Shop, account: Account) -> None:
    shop.lists([{**account.export, "columns": ["region"]}])
    shop.table(NORTH)
    shop.export(environment=account.environment)
    shop.lists([{**account.export, "columns": ["region", "ratio"]}])
    shop.export(environment=account.environment)
    assert account.rows() == [("north", 0.1)]


def test_rows_come_in_batches(shop: Shop, account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snowflake, "_BATCH_ROWS", 4)
    shop.lists([{**account.export, "columns": ["region", "orders"]}])
    shop.table(*({**NORTH, "region": f"r{number}"} for number in range(10)))
    (receipt,) = shop.export(environment=account.environment)
    assert (receipt.status, receipt.sent.inserted) == ("succeeded", 10)


def test_a_merge_that_fails_leaves_the_table_as_it_was(
    shop: Shop, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.lists([{**account.export, "delete_missing": True}])
    shop.table(NORTH, SOUTH)
    shop.export(environment=account.environment)
    shop.table({**NORTH, "orders": 7})

    def broken(session: snowflake._Session, *_: object) -> int:
        session.run("DELETE FROM NO_SUCH_TABLE")
        return 0

    monkeypatch.setattr(snowflake, "_delete_missing", broken)
    (receipt,) = shop.export(environment=account.environment)
    assert receipt.status == "failed"
    assert "a-password" not in receipt.reason
    assert account.rows("REGION, ORDERS") == [("north", NORTH["orders"]), ("south", None)]


def test_a_rollback_that_fails_does_not_hide_what_went_wrong_first(
    shop: Shop, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = snowflake._Session.run

    def lost(session: snowflake._Session, sql: str, *rows: Any) -> tuple[Any, ...]:
        if sql == "ROLLBACK":
            raise connector.errors.OperationalError("the connection is gone")
        if sql == "COMMIT":
            raise ExportError("the disk is full")
        return run(session, sql, *rows)

    shop.lists([account.export])
    shop.table(NORTH)
    monkeypatch.setattr(snowflake._Session, "run", lost)
    (receipt,) = shop.export(environment=account.environment)
    assert (receipt.status, "the disk is full" in receipt.reason) == ("failed", True)


def test_a_server_that_is_down_is_told(shop: Shop, account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snowflake, "_LOGIN_SECONDS", 1)
    monkeypatch.setattr("lakelogic.exports.sending._ATTEMPTS", 1)
    shop.lists([account.export])
    shop.table(NORTH)
    (receipt,) = shop.export(environment={**account.environment, "SNOWFLAKE_HOST": "http://127.0.0.1:9"})
    assert receipt.status == "failed"
    assert receipt.reason.startswith("Snowflake can't be reached")
    assert "a-password" not in receipt.reason


def test_a_key_takes_the_place_of_the_password(shop: Shop) -> None:
    key = generate_private_key(65537, 2048)
    file = shop.root / "key.p8"
    file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"a-phrase")))
    known = {"SNOWFLAKE_ACCOUNT": "lab", "SNOWFLAKE_USER": "robot", "SNOWFLAKE_PRIVATE_KEY_PATH": str(file)}
    assert snowflake.Snowflake.missing(known) == []
    login = snowflake.Snowflake({**known, "SNOWFLAKE_PRIVATE_KEY_PASSPHRASE": "a-phrase"})._login()
    assert "password" not in login
    assert login["private_key"].startswith(b"\x30\x82")
    with pytest.raises(ExportError, match="SNOWFLAKE_PRIVATE_KEY_PASSPHRASE"):
        snowflake.Snowflake(known)._login()


def test_a_password_is_not_sent_over_an_open_line() -> None:
    known = {"SNOWFLAKE_ACCOUNT": "a", "SNOWFLAKE_USER": "u", "SNOWFLAKE_PASSWORD": "a-password"}
    with pytest.raises(UsageError, match="Write https://HOST"):
        snowflake.Snowflake({**known, "SNOWFLAKE_HOST": "http://snow.example"})._login()
