"""Masks on every engine: bit for bit what Python stores, with the key outside of every plan, log and message."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pytest
from deltalake import DeltaTable
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from lakelogic import DataProcessor
from lakelogic.engines.duckdb.udf import register
from lakelogic.masks.base import Mask, Secret, mask_for, masks
from lakelogic.masks.keys import VARIABLE, load_keys, secret_names
from lakelogic.masks.raw import RAW_SECRETS, raw_expression
from lakelogic.masks.sealed import unseal
from lakelogic.sql.duckdb.macros import Macros
from lakelogic.sql.duckdb.render import to_duckdb
from lakelogic.sql.duckdb.types import duckdb_type
from lakelogic.sql.render import to_spark
from lakelogic.sql.types import Columns, parse_type
from tests.conformance.leak_probe import CONTRACT, PEOPLE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MASTER = "8f14e45fceea167a5a36dedd4bea2543c9f0f895fb98ab9159f51fd0297e236d"
CONTROL = "45c48cce2e2d7fbdea1afc51c7c6ad26d3d9446802a44259755d38e6d163e820"
KEYS = load_keys({VARIABLE: MASTER})
VALUE = exp.column("value")
Stored = list[str | None]
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
# One query judges hundreds of texts, so few examples are many values.
FEW = settings(
    max_examples=2,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    derandomize=True,
)
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
    "\ufeff\u202ejane@x.com",
    "ﬁ İ ß Ǆ \u2028\u0085",
    "\x7f\x80\ud7ff\ue000\uffff\U0010ffff",
    "👩‍👩‍👧@👨‍👩‍👦",
    "x" * 100_000,
]


class Masker(ABC):
    """An engine that masks."""

    def stored(self, by: Sequence[Mask], values: Sequence[object], type_name: str = "string") -> list[Stored]:
        """What is stored for each value with each mask, in one query."""
        secrets = list(dict.fromkeys(secret for mask in by for secret in mask.secrets))
        return self.selected([mask.apply(VALUE, parse_type(type_name)) for mask in by], secrets, values, type_name)

    def raw(self, texts: Sequence[str | None]) -> Stored:
        """What is stored of original rows."""
        return self.selected([raw_expression(VALUE)], RAW_SECRETS, texts, "string")[0]

    @abstractmethod
    def selected(
        self, trees: Sequence[exp.Expr], secrets: Sequence[Secret], values: Sequence[object], type_name: str
    ) -> list[Stored]:
        """What each expression yields, beside a relation of one row with the key material."""


class SparkMasker(Masker):
    """Masks with Spark."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def selected(
        self, trees: Sequence[exp.Expr], secrets: Sequence[Secret], values: Sequence[object], type_name: str
    ) -> list[Stored]:
        frame = self._spark.createDataFrame(list(enumerate(values)), f"number int, value {type_name}")
        beside = with_secrets(frame, secrets) if secrets else frame
        sql = [f"{to_spark(tree, Columns.of(value=type_name))} AS m{number}" for number, tree in enumerate(trees)]
        rows = beside.selectExpr("number", *sql).orderBy("number").collect()
        return [[row[f"m{number}"] for row in rows] for number in range(len(trees))]


class DuckDBMasker(Masker):
    """Masks with DuckDB, as Polars does."""

    def selected(
        self, trees: Sequence[exp.Expr], secrets: Sequence[Secret], values: Sequence[object], type_name: str
    ) -> list[Stored]:
        names = [f"m{number}" for number in range(len(trees))]
        query = exp.select(*(exp.alias_(tree, name) for tree, name in zip(trees, names, strict=True))).from_("source")
        query = query.join("_ll_keys", join_type="cross").order_by("number")
        keys = KEYS.secret_values(secret.name for secret in secrets)
        columns = Columns.of(number="int", value=type_name)
        key_columns = Columns.of(**{secret.column_name: "binary" for secret in secrets}, _ll_one="int")
        with duckdb.connect() as connection:
            macros = Macros(connection)
            register(connection)
            connection.execute(f"CREATE TABLE source (number INTEGER, value {duckdb_type(parse_type(type_name))})")
            connection.executemany("INSERT INTO source VALUES (?, ?)", [list(row) for row in enumerate(values)])
            relation = {f"_ll_key_{name}": pa.array([key], pa.binary()) for name, key in keys.items()}
            connection.register("_ll_keys", pa.table({**relation, "_ll_one": pa.array([1], pa.int32())}))
            sql = to_duckdb(query, columns, {"_ll_keys": key_columns})
            rows = connection.sql(macros.provide(sql)).fetchall()
        return [[row[number] for row in rows] for number in range(len(trees))]


@pytest.fixture(params=["spark", "duckdb"])
def masker(request: pytest.FixtureRequest) -> Masker:
    """An engine that masks."""
    return SparkMasker(request.getfixturevalue("spark")) if request.param == "spark" else DuckDBMasker()


def with_secrets(frame: DataFrame, secrets: Sequence[Secret]) -> DataFrame:
    """The frame beside a broadcast row of key material, as an engine brings it in."""
    from pyspark.sql.functions import broadcast

    values = KEYS.secret_values(secret.name for secret in secrets)
    row = tuple(bytearray(values[secret.name]) for secret in secrets)
    schema = ", ".join(f"`{secret.column_name}` binary" for secret in secrets)
    return frame.crossJoin(broadcast(frame.sparkSession.createDataFrame([row], schema)))


@FEW
@example(texts=AWKWARD)
@given(texts=TEXTS)
def test_an_engine_stores_what_python_stores(masker: Masker, texts: list[str]) -> None:
    values = [*texts, None]
    for mask, found in zip(STABLE, masker.stored(STABLE, values), strict=True):
        assert (mask, found) == (mask, [mask.python(text, KEYS) for text in values])


def test_the_examples_of_every_mask_are_true(masker: Masker) -> None:
    examples = [(mask_for(kind, case.format), case) for kind, mask in masks for case in mask.examples]
    values = list(dict.fromkeys(case.value for _, case in examples))
    columns = masker.stored([mask for mask, _ in examples], values)
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
def test_what_an_engine_encrypts_python_decrypts(masker: Masker, texts: list[str]) -> None:
    [found] = masker.stored([mask_for("encrypt")], texts)
    assert [unseal(text, KEYS) for text in found if text is not None] == texts


def test_a_new_nonce_is_drawn_for_every_row(masker: Masker) -> None:
    both = [mask_for("encrypt"), mask_for("encrypt", deterministic=True)]
    drawn, derived = masker.stored(both, ["jane@x.com"] * 1000)
    assert (len(set(drawn)), len(set(derived))) == (1000, 1)


def test_what_python_and_duckdb_encrypt_spark_decrypts(spark: SparkSession) -> None:
    texts = [text for text in AWKWARD if text]
    python = [mask_for("encrypt").python(text, KEYS) for text in texts]
    [drawn, derived] = DuckDBMasker().stored([mask_for("encrypt"), mask_for("encrypt", deterministic=True)], texts)
    rows = [(each,) for each in (*python, *drawn, *derived)]
    key = Secret("encrypt")
    frame = with_secrets(spark.createDataFrame(rows, "value string"), [key])
    body = "substring(unbase64(substring(value, 5)), 5)"
    opened = frame.selectExpr(f"CAST(aes_decrypt({body}, `{key.column_name}`, 'GCM') AS STRING) AS opened")
    assert [row.opened for row in opened.collect()] == texts * 3


def test_an_engine_encrypts_with_the_first_key_after_rotation(masker: Masker) -> None:
    other = load_keys({VARIABLE: CONTROL})
    rotated = load_keys({VARIABLE: f"{MASTER},{CONTROL}"})
    [[found]] = masker.stored([mask_for("encrypt")], ["jane@x.com"])
    assert found is not None
    assert unseal(found, rotated) == "jane@x.com"
    old = mask_for("encrypt").python("bob@x.com", other)
    assert old is not None
    assert unseal(old, rotated) == "bob@x.com"


def test_the_original_row_of_a_quarantined_one_is_sealed(masker: Masker) -> None:
    text = '{"email":"jane@x.com"}'
    [sealed, nothing] = masker.raw([text, None])
    assert sealed is not None
    assert (unseal(sealed, KEYS), nothing) == (text, None)


@pytest.mark.parametrize(
    ("type_name", "value", "text"),
    [
        ("int", 42, "42"),
        ("boolean", True, "true"),
        ("double", 1e10, "1.0E10"),
        ("decimal(10,2)", Decimal("1.50"), "1.50"),
        ("date", date(2024, 2, 29), "2024-02-29"),
        ("array<string>", ["a", "b"], '["a","b"]'),
        ("struct<a:int,b:string>", {"a": 1, "b": "x"}, '{"a":1,"b":"x"}'),
        ("binary", bytes(range(256)), base64.b64encode(bytes(range(256))).decode()),
    ],
)
def test_a_value_of_any_type_is_masked_as_its_text(masker: Masker, type_name: str, value: object, text: str) -> None:
    by = [mask_for("hash"), mask_for("partial")]
    assert masker.stored(by, [value, None], type_name) == [[mask.python(text, KEYS), None] for mask in by]


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


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_a_light_engine_leaves_no_key_and_no_masked_value(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, MASTER)
    (tmp_path / "people.json").write_text(PEOPLE.lstrip())
    (tmp_path / "contract.yaml").write_text(CONTRACT)
    result = DataProcessor(tmp_path / "contract.yaml", engine=engine).run()
    assert (result.good_count, result.bad_count) == (1, 1)
    said = "".join(capfd.readouterr()) + repr(result) + json.dumps(result.to_dict(), default=str)
    (tmp_path / "said.txt").write_text(said)
    left = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    material = [bytes.fromhex(MASTER), *(KEYS.secret(name) for name in secret_names() if not name.endswith("_id"))]
    assert [place for key in material for place in found_in(left, key)] == []
    assert [path for path, text in left.items() if b"marvin" in text] == [Path("people.json")]


def test_what_is_merged_by_duckdb_is_found_by_spark(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, MASTER)
    (tmp_path / "people.json").write_text(PEOPLE.lstrip())
    merged = CONTRACT.replace("{strategy: append,", "{strategy: merge, primary_key: [iban, phone, name],")
    (tmp_path / "contract.yaml").write_text(merged)
    first = DataProcessor(tmp_path / "contract.yaml", engine="duckdb").run()
    again = DataProcessor(tmp_path / "contract.yaml", spark=spark).run(force=True)
    assert (first.good_count, again.good_count) == (1, 1)
    assert DeltaTable(str(tmp_path / "people")).count() == 1


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
