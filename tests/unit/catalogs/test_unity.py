"""Unity Catalog over its REST API: where a table is, with which credentials, and what a bad server can't do."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lakelogic.catalogs.base import CatalogError, CatalogUnset
from lakelogic.catalogs.resolving import resolve
from lakelogic.catalogs.web import CatalogBusy
from lakelogic.errors import LakeLogicError
from tests.answering import Reply
from tests.unit.catalogs.unity_server import API, UnityServer

NAME = "main.default.customers"
TOKEN = "dapi-0123456789"
AWS = {
    "aws_temp_credentials": {"access_key_id": "AK", "secret_access_key": "SK", "session_token": "ST"},
    "expiration_time": 1,
}
SAS = {"azure_user_delegation_sas": {"sas_token": "sig=1"}}
NOW = {"Retry-After": "0"}
DELTA = {"table_id": "x", "data_source_format": "DELTA", "storage_location": "s3://bucket/t"}
PLACES = st.builds(
    "".join, st.tuples(st.sampled_from(["s3:", "file:", "abfss:", "gs:", "dbfs:", ""]), st.text("/:@[]#?%.\0 \nab"))
)
JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=3)
ANSWERS = JSON | st.fixed_dictionaries(
    {"data_source_format": st.just("DELTA") | JSON, "storage_location": PLACES | JSON},
    optional={
        "table_id": st.text() | JSON,
        "table_type": JSON,
        "aws_temp_credentials": JSON | st.dictionaries(st.sampled_from(["access_key_id", "session_token"]), JSON),
        "azure_user_delegation_sas": JSON | st.fixed_dictionaries({"sas_token": JSON}),
    },
)


def test_a_table_on_disk_needs_no_credentials(unity: UnityServer, tmp_path: Path) -> None:
    folder = tmp_path / "my table"
    unity.add(NAME, folder.as_uri())
    resolved = resolve(NAME, unity.environment)
    assert (resolved.location, dict(resolved.storage_options), resolved.catalog) == (str(folder), {}, "unity")
    assert unity.asked == [("GET", f"{API}/tables/{NAME}", None)]


def test_credentials_are_lent_for_reading(unity: UnityServer) -> None:
    unity.token, unity.credentials = TOKEN, AWS
    unity.add(NAME, "s3a://bucket/tables/customers/")
    resolved = resolve(NAME, {**unity.environment, "AWS_REGION": "eu-west-1"})
    assert resolved.location == "s3://bucket/tables/customers"
    assert resolved.storage_options == {
        "aws_access_key_id": "AK",
        "aws_secret_access_key": "SK",
        "aws_session_token": "ST",
        "aws_region": "eu-west-1",
    }
    body = {"table_id": f"id-of-{NAME}", "operation": "READ"}
    assert unity.asked[1:] == [("POST", f"{API}/temporary-table-credentials", body)]


def test_credentials_for_writing_are_asked_for(unity: UnityServer) -> None:
    unity.credentials = SAS
    unity.add(NAME, "abfss://lake@acme.dfs.core.windows.net/customers")
    resolved = resolve(NAME, unity.environment, "write")
    assert resolved.storage_options == {"azure_storage_sas_token": "sig=1"}
    assert unity.asked[1][2] == {"table_id": f"id-of-{NAME}", "operation": "READ_WRITE"}
    with pytest.raises(CatalogUnset, match="AZURE_STORAGE_ACCESS_KEY is set"):
        resolve(NAME, {**unity.environment, "AZURE_STORAGE_ACCESS_KEY": "x"})


def test_credentials_of_this_machine_are_used_where_they_are_asked_for(unity: UnityServer) -> None:
    unity.add(NAME, "s3://bucket/customers")
    own = {"AWS_ACCESS_KEY_ID": "mine", "AWS_REGION": "eu-west-1", "AZURE_CLIENT_ID": "other"}
    resolved = resolve(NAME, {**unity.environment, **own, "UC_CREDENTIALS": "ambient"})
    assert resolved.storage_options == {"AWS_ACCESS_KEY_ID": "mine", "AWS_REGION": "eu-west-1"}
    assert len(unity.asked) == 1


def test_a_service_principal_signs_in(unity: UnityServer, tmp_path: Path) -> None:
    unity.token = TOKEN
    unity.add(NAME, tmp_path.as_uri())
    principal = {"DATABRICKS_HOST": unity.url, "DATABRICKS_CLIENT_ID": "me", "DATABRICKS_CLIENT_SECRET": "mine"}
    assert resolve(NAME, principal).location == str(tmp_path)
    assert unity.asked[0] == ("POST", "/oidc/v1/token", "grant_type=client_credentials&scope=all-apis")


def test_a_part_of_a_name_is_no_path(unity: UnityServer) -> None:
    with pytest.raises(CatalogError, match="knows no table"):
        resolve("main.default.`/secrets?x`", unity.environment)
    assert unity.asked == [("GET", f"{API}/tables/main.default.%2Fsecrets%3Fx", None)]
    with pytest.raises(CatalogError, match="has a dot"):
        resolve("main.default.`a.b`", unity.environment)


def test_a_table_that_is_not_there_is_named(unity: UnityServer) -> None:
    with pytest.raises(CatalogError, match=r"knows no table main\.default\.customers"):
        resolve(NAME, unity.environment)


def test_a_wrong_token_is_told_and_not_shown(unity: UnityServer) -> None:
    unity.token = TOKEN
    with pytest.raises(CatalogError, match="answers 401: Invalid access token") as told:
        resolve(NAME, {**unity.environment, "UC_TOKEN": "wrong-token"})
    assert "wrong-token" not in str(told.value)


def test_a_server_that_repeats_the_token_does_not_make_us_show_it(unity: UnityServer) -> None:
    unity.script = [Reply.json({"message": f"bad header 'Bearer {TOKEN}'\n\x1b[31m"}, 403)]
    with pytest.raises(CatalogError) as told:
        resolve(NAME, {**unity.environment, "UC_TOKEN": TOKEN})
    assert "bad header 'Bearer ***'" in str(told.value)
    assert "\x1b" not in str(told.value)


def test_credentials_that_are_refused_tell_what_to_ask_for(unity: UnityServer) -> None:
    unity.add(NAME, "s3://bucket/customers")
    unity.script = [Reply.json(unity.tables[NAME]), Reply.json({"message": "External access is off."}, 403)]
    with pytest.raises(CatalogError, match=r"External access is off\. Ask for EXTERNAL USE SCHEMA"):
        resolve(NAME, {**unity.environment, "AWS_REGION": "eu-west-1"})


@pytest.mark.parametrize("lent", [{}, SAS, {"gcp_oauth_token": {"oauth_token": "x"}}])
def test_credentials_of_another_cloud_are_refused(unity: UnityServer, lent: dict[str, object]) -> None:
    unity.credentials = lent
    unity.add(NAME, "gs://bucket/customers" if "gcp_oauth_token" in lent else "s3://bucket/customers")
    with pytest.raises(CatalogError, match="UC_CREDENTIALS=ambient"):
        resolve(NAME, {**unity.environment, "AWS_REGION": "eu-west-1"})


def test_the_region_of_a_bucket_is_asked_for(unity: UnityServer) -> None:
    unity.credentials = AWS
    unity.add(NAME, "s3://bucket/customers")
    with pytest.raises(CatalogUnset, match="AWS_REGION is not set"):
        resolve(NAME, unity.environment)


@pytest.mark.parametrize(
    "more",
    [{"data_source_format": "CSV"}, {"storage_location": None, "data_source_format": None, "table_type": "VIEW"}],
)
def test_what_is_no_delta_table_is_refused(unity: UnityServer, more: dict[str, object]) -> None:
    unity.add(NAME, "s3://bucket/customers", **more)
    with pytest.raises(CatalogError, match="is no Delta table but '(CSV|VIEW)'"):
        resolve(NAME, unity.environment)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again(unity: UnityServer, tmp_path: Path, status: int) -> None:
    unity.add(NAME, tmp_path.as_uri())
    unity.script = [Reply(status, b"", NOW)] * 3
    assert resolve(NAME, unity.environment).location == str(tmp_path)
    assert len(unity.asked) == 4


def test_a_server_that_stays_busy_is_left_alone(unity: UnityServer) -> None:
    unity.script = [Reply(503, b"<html>", NOW)] * 9
    with pytest.raises(CatalogBusy, match="answers 503"):
        resolve(NAME, unity.environment)
    assert len(unity.asked) == 4


def test_a_redirect_is_not_followed(unity: UnityServer) -> None:
    unity.add(NAME, "s3://bucket/customers")
    unity.script = [Reply(status, b"", {"Location": f"{unity.url}/elsewhere"}) for status in (302, 307)]
    for _ in range(2):
        with pytest.raises(CatalogError, match="sends us to another place"):
            resolve(NAME, unity.environment)
    assert {path for _, path, _ in unity.asked} == {f"{API}/tables/{NAME}"}


@pytest.mark.parametrize(
    "body",
    [
        b"<html>Sign in</html>",
        b"",
        b"\xff\xfe",
        b"[" * 100_000,
        b"null",
        b"[]",
        b'"text"',
        b'{"table_id": 7, "storage_location": "s3://b/t", "data_source_format": "DELTA"}',
        b'{"table_id": "x", "storage_location": ["s3://b/t"], "data_source_format": "DELTA"}',
        b'{"table_id": "x", "storage_location": "http://b/t", "data_source_format": "DELTA"}',
        b'{"table_id": "x", "storage_location": "/etc/passwd", "data_source_format": "DELTA"}',
        b'{"table_id": "x", "storage_location": "file://elsewhere/t", "data_source_format": "DELTA"}',
        b'{"table_id": "x", "storage_location": "s3://b/t?x=1", "data_source_format": "DELTA"}',
        b'{"table_id": "x", "storage_location": "file:/%00", "data_source_format": "DELTA"}',
        b'{"table_id": ' + b"9" * 5_000 + b"}",
    ],
)
def test_an_answer_that_makes_no_sense_is_a_clear_error(unity: UnityServer, body: bytes) -> None:
    unity.script = [Reply(200, body)]
    with pytest.raises(CatalogError) as told:
        resolve(NAME, unity.environment)
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < 200


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)
@example(answer={**DELTA, "storage_location": "s3://[bucket/t"})
@example(answer={**DELTA, "storage_location": "file:///tmp/\0"})
@example(answer={**DELTA, "storage_location": "file:///"})
@example(answer={**DELTA, "data_source_format": "\x1b[31m" * 99})
@given(answer=ANSWERS)
def test_whatever_a_server_answers_it_is_a_place_or_an_error_of_ours(unity: UnityServer, answer: object) -> None:
    unity.script = [Reply.json(answer)] * 2
    try:
        resolved = resolve(NAME, {**unity.environment, "AWS_REGION": "eu-west-1"})
    except LakeLogicError as error:
        assert str(error).isprintable()
    else:
        assert resolved.location.startswith(("/", "s3://", "abfss://", "gs://"))
        assert resolved.location.isprintable()


def test_an_answer_without_end_is_cut_off(unity: UnityServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lakelogic.catalogs.web._LARGEST", 100_000)
    unity.script = [Reply(200, json.dumps({"table_id": "x" * 1_000_000}).encode())]
    with pytest.raises(CatalogError, match="the answer is longer than"):
        resolve(NAME, unity.environment)


def test_an_answer_that_is_cut_off_is_no_answer(unity: UnityServer) -> None:
    unity.script = [Reply(200, b'{"table_id":', {"Content-Length": "9999", "Connection": "close"})]
    with pytest.raises(CatalogError, match="does not answer with JSON"):
        resolve(NAME, unity.environment)


def test_a_server_that_is_not_there_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lakelogic.catalogs.web._ATTEMPTS", 1)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(CatalogBusy, match="can't be reached"):
        resolve(NAME, {"UC_ENDPOINT": f"http://127.0.0.1:{port}"})


def test_a_server_that_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lakelogic.catalogs.web._ATTEMPTS", 1)
    monkeypatch.setattr("lakelogic.catalogs.web._SILENCE_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(CatalogBusy, match="timed out"):
        resolve(NAME, {"UC_ENDPOINT": f"http://127.0.0.1:{silent.getsockname()[1]}"})


def test_an_answer_that_drips_is_not_waited_for(unity: UnityServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lakelogic.catalogs.web._ANSWER_SECONDS", -1)
    unity.add(NAME, "s3://bucket/customers")
    with pytest.raises(CatalogError, match="the answer takes longer"):
        resolve(NAME, unity.environment)


@pytest.mark.parametrize(
    "address",
    [
        "http://catalog.example.com",
        "https://me:secret@catalog.example.com",
        "https://catalog.example.com/api?x=1",
        "https://catalog.example.com:port",
        "ftp://catalog.example.com",
        "https://",
        "https://[::1",
    ],
)
def test_an_address_that_would_give_the_token_away_is_refused(address: str) -> None:
    with pytest.raises(CatalogUnset, match="DATABRICKS_HOST is no address") as told:
        resolve(NAME, {"DATABRICKS_HOST": address, "DATABRICKS_TOKEN": TOKEN})
    assert "secret" not in str(told.value)


def test_a_token_that_would_break_the_header_is_refused_unseen(unity: UnityServer) -> None:
    with pytest.raises(CatalogUnset, match="can't be sent") as told:
        resolve(NAME, {**unity.environment, "UC_TOKEN": f"{TOKEN}\r\nX-Evil: 1"})
    assert TOKEN not in str(told.value)


def test_a_server_elsewhere_needs_a_token() -> None:
    with pytest.raises(CatalogUnset, match="DATABRICKS_TOKEN is not set"):
        resolve(NAME, {"DATABRICKS_HOST": "adb-1.azuredatabricks.net"})


def test_a_wrong_choice_of_credentials_is_refused(unity: UnityServer) -> None:
    unity.add(NAME, "s3://bucket/customers")
    with pytest.raises(CatalogUnset, match="Known: vended, ambient"):
        resolve(NAME, {**unity.environment, "UC_CREDENTIALS": "lent"})
