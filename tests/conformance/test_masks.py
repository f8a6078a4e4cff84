"""Masks on Spark: bit for bit what Python stores, with the key outside of every plan, log and message."""

from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from lakelogic.masks.base import Mask, Secret, mask_for, masks
from lakelogic.masks.keys import VARIABLE, load_keys, secret_names
from lakelogic.masks.raw import RAW_SECRETS, raw_expression
from lakelogic.masks.sealed import unseal
from lakelogic.sql.render import to_spark
from lakelogic.sql.types import Columns, parse_type

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MASTER = "8f14e45fceea167a5a36dedd4bea2543c9f0f895fb98ab9159f51fd0297e236d"
CONTROL = "45c48cce2e2d7fbdea1afc51c7c6ad26d3d9446802a44259755d38e6d163e820"
KEYS = load_keys({VARIABLE: MASTER})
VALUE = exp.column("value")
STABLE = [
    mask_for("hash"),
    mask_for("tokenize"),
    mask_for("encrypt", deterministic=True),
    mask_for("partial"),
    mask_for("partial", "{first2}-{last3}"),
    mask_for("partial", "{first1}***@{domain}"),
    mask_for("partial", "it's \\ 100% {last4}"),
    mask_for("partial", ""),
    mask_for("redact"),
    mask_for("nullify"),
    mask_for("none"),
]
TEXTS = st.lists(st.text(), min_size=50, max_size=200)
# One Spark job judges hundreds of texts, so few examples are many values.
FEW = settings(max_examples=2, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
AWKWARD = [
    "",
    " ",
    "j@x.com",
    "jane@x.com",
    "@",
    "a@b@c",
    "\0",
    "\r\n",
    "a\n@b\n",
    "zoë",
    "😀" * 9,
    "e\u0301" * 5,
    "x" * 100_000,
]


def with_secrets(frame: DataFrame, secrets: Sequence[Secret]) -> DataFrame:
    """The frame beside a broadcast row of key material, as an engine brings it in."""
    from pyspark.sql.functions import broadcast

    values = KEYS.secret_values(secret.name for secret in secrets)
    row = tuple(bytearray(values[secret.name]) for secret in secrets)
    schema = ", ".join(f"`{secret.column_name}` binary" for secret in secrets)
    return frame.crossJoin(broadcast(frame.sparkSession.createDataFrame([row], schema)))


def stored(spark: SparkSession, mask: Mask, values: Iterable[object], type_name: str = "string") -> list[str | None]:
    """What Spark stores for each value."""
    return stored_by_each(spark, [mask], values, type_name)[0]


def stored_by_each(
    spark: SparkSession, by: Sequence[Mask], values: Iterable[object], type_name: str = "string"
) -> list[list[str | None]]:
    """What Spark stores for each value with each mask, in one job."""
    frame = spark.createDataFrame(list(enumerate(values)), f"number int, value {type_name}")
    secrets = list(dict.fromkeys(secret for mask in by for secret in mask.secrets))
    beside = with_secrets(frame, secrets) if secrets else frame
    trees = [mask.apply(VALUE, parse_type(type_name)) for mask in by]
    sql = [f"{to_spark(tree, Columns.of(value=type_name))} AS m{number}" for number, tree in enumerate(trees)]
    rows = beside.selectExpr("number", *sql).orderBy("number").collect()
    return [[row[f"m{number}"] for row in rows] for number in range(len(trees))]


@FEW
@example(texts=AWKWARD)
@given(texts=TEXTS)
def test_spark_stores_what_python_stores(spark: SparkSession, texts: list[str]) -> None:
    values = [*texts, None]
    for mask, found in zip(STABLE, stored_by_each(spark, STABLE, values), strict=True):
        assert (mask, found) == (mask, [mask.python(text, KEYS) for text in values])


def test_the_examples_of_every_mask_are_true_on_spark(spark: SparkSession) -> None:
    examples = [(mask_for(kind, case.format), case) for kind, mask in masks for case in mask.examples]
    values = list(dict.fromkeys(case.value for _, case in examples))
    columns = stored_by_each(spark, [mask for mask, _ in examples], values)
    for (mask, case), column in zip(examples, columns, strict=True):
        found = column[values.index(case.value)]
        if case.shape:
            assert found is not None
            assert re.fullmatch(case.shape, found)
        else:
            assert (mask, case.value, found) == (mask, case.value, case.stored)


@FEW
@example(texts=AWKWARD)
@given(texts=TEXTS)
def test_what_spark_encrypts_python_decrypts(spark: SparkSession, texts: list[str]) -> None:
    found = stored(spark, mask_for("encrypt"), texts)
    assert [unseal(text, KEYS) for text in found if text is not None] == texts


def test_spark_draws_a_new_nonce_for_every_row(spark: SparkSession) -> None:
    both = [mask_for("encrypt"), mask_for("encrypt", deterministic=True)]
    drawn, derived = stored_by_each(spark, both, ["jane@x.com"] * 1000)
    assert (len(set(drawn)), len(set(derived))) == (1000, 1)


def test_what_python_encrypts_spark_decrypts(spark: SparkSession) -> None:
    texts = [text for text in AWKWARD if text]
    sealed = [(mask_for("encrypt").python(text, KEYS),) for text in texts]
    key = Secret("encrypt")
    frame = with_secrets(spark.createDataFrame(sealed, "value string"), [key])
    body = "substring(unbase64(substring(value, 5)), 5)"
    opened = frame.selectExpr(f"CAST(aes_decrypt({body}, `{key.column_name}`, 'GCM') AS STRING) AS opened")
    assert [row.opened for row in opened.collect()] == texts


def test_spark_encrypts_with_the_first_key_after_rotation(spark: SparkSession) -> None:
    other = load_keys({VARIABLE: CONTROL})
    rotated = load_keys({VARIABLE: f"{MASTER},{CONTROL}"})
    [found] = stored(spark, mask_for("encrypt"), ["jane@x.com"])
    assert found is not None
    assert unseal(found, rotated) == "jane@x.com"
    old = mask_for("encrypt").python("bob@x.com", other)
    assert old is not None
    assert unseal(old, rotated) == "bob@x.com"


def test_the_original_row_of_a_quarantined_one_is_sealed(spark: SparkSession) -> None:
    text = '{"email":"jane@x.com"}'
    frame = with_secrets(spark.createDataFrame([(text,), (None,)], "value string"), RAW_SECRETS)
    rows = frame.selectExpr(f"{to_spark(raw_expression(VALUE), Columns.of(value='string'))} AS raw").collect()
    assert unseal(rows[0].raw, KEYS) == text
    assert rows[1].raw is None


@pytest.mark.parametrize(
    ("type_name", "value", "text"),
    [
        ("int", 42, "42"),
        ("boolean", True, "true"),
        ("array<string>", ["a", "b"], '["a","b"]'),
        ("struct<a:int,b:string>", (1, "x"), '{"a":1,"b":"x"}'),
        ("binary", bytearray(range(256)), base64.b64encode(bytes(range(256))).decode()),
    ],
)
def test_a_value_of_any_type_is_masked_as_its_text(
    spark: SparkSession, type_name: str, value: object, text: str
) -> None:
    by = [mask_for("hash"), mask_for("partial")]
    assert stored_by_each(spark, by, [value, None], type_name) == [[mask.python(text, KEYS), None] for mask in by]


@pytest.mark.parametrize("type_name", ["int", "date", "array<string>", "struct<a:int>", "decimal(10,2)", "binary"])
def test_nullify_keeps_the_type(spark: SparkSession, type_name: str) -> None:
    frame = spark.createDataFrame([], f"value {type_name}")
    sql = to_spark(mask_for("nullify").apply(VALUE, parse_type(type_name)), Columns.of(value=type_name))
    assert frame.selectExpr(f"{sql} AS value").schema["value"].dataType == frame.schema["value"].dataType


@pytest.fixture(scope="module")
def all_that_a_run_leaves(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, bytes]:
    """Every file of a run on a Spark of its own: event log, plans, provoked errors, output, tables and state."""
    folder = tmp_path_factory.mktemp("leaks")
    probe = Path(__file__).with_name("leak_probe.py")
    environ = {**os.environ, VARIABLE: MASTER, "LEAK_PROBE_CONTROL": CONTROL}
    said = subprocess.run(
        [sys.executable, str(probe), str(folder)], env=environ, capture_output=True, text=True, timeout=600, check=False
    )
    assert said.returncode == 0, said.stderr[-2000:]
    (folder / "said.txt").write_text(said.stdout + said.stderr)
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_probe_has_seen_plans_failures_tables_and_state(all_that_a_run_leaves: dict[Path, bytes]) -> None:
    assert any(b"SparkListenerSQLExecutionStart" in text for text in all_that_a_run_leaves.values())
    assert b"_ll_key_encrypt" in all_that_a_run_leaves[Path("plan.txt")]
    assert all_that_a_run_leaves[Path("errors.txt")].count(b"Failed: ") == 6
    folders = {path.parts[0] for path in all_that_a_run_leaves}
    assert {"events", "people", "people_quarantine", ".lakelogic"} <= folders


def test_a_key_that_is_a_literal_is_found(all_that_a_run_leaves: dict[Path, bytes]) -> None:
    places = {path.parts[0] for path in found_in(all_that_a_run_leaves, bytes.fromhex(CONTROL))}
    assert {"events", "control_plan.txt"} <= places


def test_no_key_is_in_event_log_plan_message_or_table(all_that_a_run_leaves: dict[Path, bytes]) -> None:
    material = {name: KEYS.secret(name) for name in secret_names() if not name.endswith("_id")}
    material["master"] = bytes.fromhex(MASTER)
    leaks = [(name, path) for name, key in material.items() for path in found_in(all_that_a_run_leaves, key)]
    assert leaks == []


def test_no_masked_value_is_anywhere_but_in_the_source(all_that_a_run_leaves: dict[Path, bytes]) -> None:
    assert [path for path, text in all_that_a_run_leaves.items() if b"marvin" in text] == [Path("people.json")]


@pytest.mark.parametrize(
    "spelled",
    [
        bytes.fromhex(MASTER),
        MASTER.encode(),
        MASTER.upper().encode(),
        base64.b64encode(bytes.fromhex(MASTER)),
        base64.urlsafe_b64encode(bytes.fromhex(MASTER)),
        base64.b64encode(b"id" + bytes.fromhex(MASTER) + b"nonce"),
        base64.b64encode(b"key=" + bytes.fromhex(MASTER) + b"."),
        str(list(bytes.fromhex(MASTER))).encode(),
        str(bytes.fromhex(MASTER)).encode(),
    ],
)
def test_the_search_for_a_key_knows_its_spellings(spelled: bytes) -> None:
    log = Path("log")
    assert found_in({log: b'{"x":"' + spelled + b'"}'}, bytes.fromhex(MASTER)) == [log]
    assert found_in({log: b'{"x":"' + spelled[:-9] + b'"}'}, bytes.fromhex(MASTER)) == []


def found_in(searched: dict[Path, bytes], key: bytes) -> list[Path]:
    forms = key_forms(key)
    return [path for path, text in searched.items() if any(form in text for form in forms)]


def key_forms(key: bytes) -> set[bytes]:
    """A key as bytes, hex, base64 at every alignment, and as the lists of numbers that Java and Python print."""
    signed = [byte - 256 if byte > 127 else byte for byte in key]
    texts = {key.hex(), key.hex().upper(), repr(key)[2:-1], key.hex(" ").upper()}
    texts |= {separator.join(map(str, numbers)) for numbers in (signed, list(key)) for separator in (",", ", ")}
    for padding in range(3):
        encoded = base64.b64encode(bytes(padding) + key).decode()
        # The first and last digits also depend on the neighbours of the key.
        core = encoded[4 if padding else 0 :].rstrip("=")[:-1]
        texts |= {core, core.replace("+", "-").replace("/", "_")}
    return {key} | {text.encode() for text in texts}
