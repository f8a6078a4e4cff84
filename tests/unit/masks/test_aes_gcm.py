"""`ll_aes_gcm` in DuckDB: what it encrypts, everybody who has the key decrypts."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pyarrow as pa
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given, settings
from hypothesis import strategies as st

from lakelogic.engines.duckdb.udf import register
from lakelogic.masks.sealed import NONCE_BYTES

KEY = bytes(range(32))
QUERY = "SELECT ll_aes_gcm(value, key, nonce) FROM rows ORDER BY number"


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        register(opened)
        yield opened


def encrypted(
    connection: duckdb.DuckDBPyConnection, values: list[bytes | None], nonces: list[bytes | None]
) -> list[bytes | None]:
    columns = {
        "number": pa.array(range(len(values)), pa.int64()),
        "value": pa.array(values, pa.binary()),
        "nonce": pa.array(nonces, pa.binary()),
        "key": pa.array([KEY] * len(values), pa.binary()),
    }
    connection.register("rows", pa.table(columns))
    return [row[0] for row in connection.sql(QUERY).fetchall()]


def opened(sealed: bytes | None) -> bytes | None:
    if sealed is None:
        return None
    return AESGCM(KEY).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], None)


@settings(deadline=None)
@given(values=st.lists(st.none() | st.binary(), max_size=50))
def test_what_it_encrypts_is_decrypted(connection: duckdb.DuckDBPyConnection, values: list[bytes | None]) -> None:
    assert [opened(each) for each in encrypted(connection, values, [None] * len(values))] == values


@settings(deadline=None)
@given(rows=st.lists(st.tuples(st.binary(), st.binary(min_size=NONCE_BYTES, max_size=NONCE_BYTES)), max_size=50))
def test_a_nonce_that_is_given_is_used(connection: duckdb.DuckDBPyConnection, rows: list[tuple[bytes, bytes]]) -> None:
    found = encrypted(connection, [value for value, _ in rows], [nonce for _, nonce in rows])
    assert found == [nonce + AESGCM(KEY).encrypt(nonce, value, None) for value, nonce in rows]


def test_a_nonce_is_drawn_for_every_row_and_every_call(connection: duckdb.DuckDBPyConnection) -> None:
    twice = [
        *encrypted(connection, [b"jane"] * 5_000, [None] * 5_000),
        *encrypted(connection, [b"jane"] * 9, [None] * 9),
    ]
    assert len({each[:NONCE_BYTES] for each in twice if each}) == 5_009


def test_two_columns_of_one_value_have_a_nonce_each(connection: duckdb.DuckDBPyConnection) -> None:
    encrypted(connection, [b"jane"], [None])
    query = "SELECT ll_aes_gcm(value, key, NULL), ll_aes_gcm(value, key, NULL) FROM rows"
    [(first, second)] = connection.sql(query).fetchall()
    assert first != second


def test_a_null_among_given_nonces_stays_null(connection: duckdb.DuckDBPyConnection) -> None:
    nonce = bytes(NONCE_BYTES)
    [first, second] = encrypted(connection, [b"jane", None], [nonce, None])
    assert (opened(first), second) == (b"jane", None)


def test_no_row_is_no_work(connection: duckdb.DuckDBPyConnection) -> None:
    assert encrypted(connection, [], []) == []
