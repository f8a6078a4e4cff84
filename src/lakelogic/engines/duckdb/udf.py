"""AES-GCM for DuckDB, which has none: a function over Arrow vectors."""

from __future__ import annotations

import os
from collections.abc import Iterable
from struct import unpack
from typing import TYPE_CHECKING

from lakelogic.masks.sealed import NONCE_BYTES

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

AES_GCM = "ll_aes_gcm"


def register(connection: duckdb.DuckDBPyConnection) -> None:
    """Let a connection encrypt: `ll_aes_gcm(value, key, nonce)` is nonce, ciphertext and tag, as Spark's aes_encrypt is.

    Without a nonce a random one is drawn for each row. NULL stays NULL.
    """
    from duckdb.func import FunctionNullHandling, PythonUDFType

    connection.create_function(
        AES_GCM,
        # DuckDB evaluates annotations, and what they name is imported only where it is used.
        lambda values, keys, nonces: encrypt(values, keys, nonces),  # noqa: PLW0108
        ["BLOB", "BLOB", "BLOB"],
        "BLOB",
        type=PythonUDFType.ARROW,
        # A nonce that is NULL asks for a random one.
        null_handling=FunctionNullHandling.SPECIAL,
        side_effects=True,
    )


def encrypt(values: pa.ChunkedArray, keys: pa.ChunkedArray, nonces: pa.ChunkedArray) -> pa.Array:
    """A vector of values, each encrypted under the one key."""
    import pyarrow as pa
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    [key] = keys.unique().to_pylist()
    encrypted = AESGCM(key).encrypt
    rows = zip(values.to_pylist(), _nonces(nonces), strict=True)
    # This line is most of what encryption costs.
    sealed = [None if value is None else nonce + encrypted(nonce, value, None) for value, nonce in rows]
    return pa.array(sealed, pa.binary())


def _nonces(given: pa.ChunkedArray) -> Iterable[bytes]:
    count = len(given)
    if given.null_count < count:
        return given.to_pylist()  # type: ignore[no-any-return]
    return unpack(f"{NONCE_BYTES}s" * count, os.urandom(NONCE_BYTES * count))
