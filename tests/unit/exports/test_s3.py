"""Exports to S3, through boto3, to moto's server on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from typing import Any

import pytest
from moto.server import ThreadedMotoServer
from pyarrow import parquet

from lakelogic.exports import s3
from lakelogic.exports.sending import Asked, export_files
from lakelogic.project import find_project
from tests.unit.exports.shop import NORTH, SOUTH, Shop

BUCKET = "artifacts"


@dataclass
class Bucket:
    """An empty bucket, and what was put into it."""

    url: str

    @property
    def environment(self) -> dict[str, str]:
        return {
            "AWS_ACCESS_KEY_ID": "an-access-key",
            "AWS_SECRET_ACCESS_KEY": "a-secret-key",
            "AWS_ENDPOINT_URL": self.url,
            "S3_ARTIFACT_BUCKET": BUCKET,
        }

    @property
    def client(self) -> Any:
        return import_module("boto3").client(
            "s3",
            endpoint_url=self.url,
            region_name="us-east-1",
            aws_access_key_id="an-access-key",
            aws_secret_access_key="a-secret-key",
        )

    def names(self) -> list[str]:
        return [each["Key"] for each in self.client.list_objects_v2(Bucket=BUCKET).get("Contents", [])]

    def body(self, key: str) -> bytes:
        found: bytes = self.client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
        return found

    def manifest(self, prefix: str = "gold/kpis") -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body(f"{prefix}/_manifest.json"))
        return found

    def rows(self, prefix: str = "gold/kpis") -> list[dict[str, Any]]:
        """The rows that the manifest names."""
        bodies = [self.body(f"{prefix}/{file['name']}") for file in self.manifest(prefix)["files"]]
        return [row for body in bodies for row in parquet.read_table(BytesIO(body)).to_pylist()]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    found = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    found.start()
    host, port = found.get_host_and_port()
    yield f"http://{host}:{port}"
    found.stop()


@pytest.fixture
def bucket(server: str) -> Iterator[Bucket]:
    found = Bucket(server)
    found.client.create_bucket(Bucket=BUCKET)
    yield found
    for key in found.names():
        found.client.delete_object(Bucket=BUCKET, Key=key)
    found.client.delete_bucket(Bucket=BUCKET)


def test_a_table_arrives_with_all_its_rows_and_types(shop: Shop, bucket: Bucket) -> None:
    shop.lists([{"to": "s3"}])
    shop.table(NORTH, SOUTH)
    (receipt,) = shop.export(environment=bucket.environment)
    assert (receipt.status, receipt.sent.rows, receipt.sent.files) == ("succeeded", 2, 1)
    assert bucket.rows() == [NORTH, SOUTH]
    assert bucket.manifest()["table_version"] == 0
    assert receipt.target == f"s3://{BUCKET}/gold/kpis"


def test_an_export_that_was_cut_off_sends_only_the_rest(
    shop: Shop, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(s3, "_PART_ROWS", 10)
    shop.lists([{"to": "s3"}])
    shop.table(*({**NORTH, "region": f"r{number:02}"} for number in range(45)))
    with monkeypatch.context() as cut:
        cut.setattr(s3._Store, "publish", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            shop.export(environment=bucket.environment)
    bucket.client.delete_object(Bucket=BUCKET, Key=bucket.names()[0])
    (receipt,) = shop.export(environment=bucket.environment)
    assert (receipt.sent.files, receipt.sent.files_sent) == (5, 1)
    assert [row["region"] for row in bucket.rows()] == [f"r{number:02}" for number in range(45)]


def test_a_part_that_did_not_change_is_not_sent_again(
    shop: Shop, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(s3, "_PART_ROWS", 10)
    rows = [{**NORTH, "region": f"r{number:02}"} for number in range(30)]
    shop.lists([{"to": "s3", "delete_missing": True}])
    shop.table(*rows)
    shop.export(environment=bucket.environment)
    shop.table(*rows[:-1], {**rows[-1], "orders": 1})
    (receipt,) = shop.export(environment=bucket.environment)
    assert (receipt.sent.files, receipt.sent.files_sent, receipt.sent.deleted) == (3, 1, 1)
    assert bucket.rows()[-1]["orders"] == 1
    assert len(bucket.names()) == 4


def test_readers_keep_the_old_files_until_they_are_deleted(shop: Shop, bucket: Bucket) -> None:
    shop.lists([{"to": "s3", "prefix": "/kpis/"}])
    shop.table(NORTH)
    shop.export(environment=bucket.environment)
    before = bucket.manifest("kpis")["files"][0]["name"]
    shop.table(SOUTH)
    shop.export(environment=bucket.environment)
    assert f"kpis/{before}" in bucket.names()
    assert bucket.rows("kpis") == [SOUTH]


def test_a_manifest_that_somebody_else_has_replaced_meanwhile_is_not_overwritten(
    shop: Shop, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.lists([{"to": "s3"}])
    shop.table(NORTH)
    shop.export(environment=bucket.environment)
    shop.table(SOUTH)
    theirs = json.dumps({"files": []}).encode()
    read = s3._Store.manifest

    def overtaken(store: s3._Store) -> s3._Before:
        found = read(store)
        bucket.client.put_object(Bucket=BUCKET, Key="gold/kpis/_manifest.json", Body=theirs + b" " * len(store.prefix))
        return found

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(s3._Store, "manifest", overtaken)
        meanwhile.setattr("lakelogic.exports.sending._ATTEMPTS", 1)
        (receipt,) = shop.export(environment=bucket.environment)
    assert receipt.status == "failed"
    assert "at the same time" in receipt.reason
    assert bucket.manifest()["files"] == []


def test_an_empty_table_is_a_manifest_without_files(shop: Shop, bucket: Bucket) -> None:
    shop.lists([{"to": "s3"}])
    shop.table()
    (receipt,) = shop.export(environment=bucket.environment)
    assert (receipt.status, receipt.sent.rows) == ("succeeded", 0)
    assert [column["name"] for column in bucket.manifest()["columns"]] == list(NORTH)


def test_files_of_the_project_are_sent_once(shop: Shop, bucket: Bucket) -> None:
    shop.project('[[exports]]\nto = "s3"\nfiles = ["artifacts"]\nprefix = "lab"\n')
    (shop.root / "artifacts/deep").mkdir(parents=True)
    (shop.root / "artifacts/summary.json").write_text("{}")
    (shop.root / "artifacts/deep/rows.csv").write_text("a\n1\n")
    project, asked = find_project(shop.root), Asked(environment=bucket.environment)
    (first,), (second,) = export_files(project, asked), export_files(project, asked)
    (shop.root / "artifacts/summary.json").write_text('{"rows": 1}')
    (third,) = export_files(project, asked)
    assert [each.sent.files_sent for each in (first, second, third)] == [2, 0, 1]
    assert bucket.body("lab/artifacts/summary.json") == b'{"rows": 1}'


def test_files_outside_the_project_are_not_sent(shop: Shop, bucket: Bucket) -> None:
    shop.project('[[exports]]\nto = "s3"\nfiles = ["../other"]\n')
    (shop.root.parent / "other").mkdir(exist_ok=True)
    (receipt,) = export_files(find_project(shop.root), Asked(environment=bucket.environment))
    assert receipt.status == "failed"
    assert bucket.names() == []


def test_a_bucket_that_is_not_there_fails_the_export_without_secrets(shop: Shop, bucket: Bucket) -> None:
    shop.lists([{"to": "s3"}])
    shop.table(NORTH)
    (receipt,) = shop.export(environment={**bucket.environment, "S3_ARTIFACT_BUCKET": "nowhere"})
    assert receipt.status == "failed"
    assert "NoSuchBucket" in receipt.reason
    assert "a-secret-key" not in str(receipt.to_dict())


def test_a_server_that_is_down_is_tried_again_and_then_told(
    shop: Shop, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lakelogic.exports.sending._LONGEST_WAIT", 0.01)
    shop.lists([{"to": "s3"}])
    shop.table(NORTH)
    (receipt,) = shop.export(environment={**bucket.environment, "AWS_ENDPOINT_URL": "http://127.0.0.1:9"})
    assert (receipt.status, receipt.attempts) == ("failed", 3)
    assert "can't be reached" in receipt.reason
