"""Exports to S3: a table as parquet files, or files of the project, and a manifest that says which of them count.

<prefix>/part-<hash>.parquet   rows, named for what they hold: what is there need not be sent again
<prefix>/_manifest.json        the files of the newest version; put last, and only over the one that was read before
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from lakelogic.contract.exports import Export
from lakelogic.exports.base import (
    Environment,
    ExportError,
    ExportPlan,
    ExportTarget,
    ExportUnavailable,
    Rows,
    Sent,
    export_targets,
)
from lakelogic.sql.types import type_name

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = 1
MANIFEST = "_manifest.json"
_PART_ROWS = 100_000
# What one request can put.
_LARGEST = 5 * 1024**3
_BUSY = ("SlowDown", "RequestTimeout", "Throttling", "ServiceUnavailable")
_OVERTAKEN = (409, 412)


@export_targets.add("s3")
class S3(ExportTarget):
    """A bucket, and a key that may write to it."""

    needs = "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and S3_ARTIFACT_BUCKET"
    about = "bucket"
    library = "boto3"
    extra = "s3"
    ordered = True

    @classmethod
    def address(cls, environment: Environment) -> str | None:
        return environment.get("S3_ARTIFACT_BUCKET") or None

    @classmethod
    def missing(cls, environment: Environment) -> list[str]:
        needed = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "S3_ARTIFACT_BUCKET")
        return [name for name in needed if not environment.get(name)]

    def place(self, export: Export, default: str) -> str:
        return f"s3://{self.environment['S3_ARTIFACT_BUCKET']}/{(export.prefix or default).strip('/')}"

    def send(self, plan: ExportPlan, rows: Rows) -> Sent:
        bucket, _, prefix = plan.place.removeprefix("s3://").partition("/")
        with self._told(), TemporaryDirectory(prefix="lakelogic-") as folder:
            store = _Store(self._client(), bucket, prefix)
            before = store.manifest()
            files = [store.put(file) for file in _files(plan, rows, Path(folder))]
            etag = store.publish(_manifest(plan, files), before)
            gone = {entry["name"] for entry in before.files} - {file.name for file in files}
            if plan.delete_missing:
                store.delete(sorted(gone))
        sent = [file for file in files if file.was_sent]
        return Sent(
            None if plan.files else sum(file.rows or 0 for file in files),
            deleted=len(gone) if plan.delete_missing else None,
            files=len(files),
            files_sent=len(sent),
            bytes=sum(file.bytes for file in sent),
            statements=(etag,),
        )

    def _client(self) -> Any:
        boto3, config = import_module("boto3"), import_module("botocore.config")
        known = self.environment
        return boto3.session.Session().client(
            "s3",
            aws_access_key_id=known["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=known["AWS_SECRET_ACCESS_KEY"],
            aws_session_token=known.get("AWS_SESSION_TOKEN") or None,
            region_name=known.get("AWS_REGION") or known.get("AWS_DEFAULT_REGION") or "us-east-1",
            endpoint_url=known.get("AWS_ENDPOINT_URL") or None,
            config=config.Config(retries={"mode": "standard", "max_attempts": 4}, connect_timeout=10, read_timeout=60),
        )

    @contextmanager
    def _told(self) -> Iterator[None]:
        exceptions = import_module("botocore.exceptions")
        try:
            yield
        except exceptions.ClientError as error:
            if _status(error) in _OVERTAKEN:
                raise ExportUnavailable("another export has written to the same place at the same time.") from None
            if _status(error) >= 500 or error.response["Error"]["Code"] in _BUSY:
                raise ExportUnavailable(f"S3 does not answer now: {self.told(error)}.") from None
            raise ExportError(f"S3 says no: {self.told(error)}.", cure="Check the bucket and the grants.") from None
        except (exceptions.HTTPClientError, exceptions.ConnectionError) as error:
            raise ExportUnavailable(f"S3 can't be reached: {self.told(error)}.") from None
        except exceptions.BotoCoreError as error:
            raise ExportError(f"S3 can't be used: {self.told(error)}.") from None


@dataclass(frozen=True)
class _File:
    """A file of the copy, under its name below the prefix."""

    path: Path
    name: str
    bytes: int
    sha256: str
    rows: int | None = None
    was_sent: bool = False


@dataclass(frozen=True)
class _Before:
    """The manifest that was there before, if there was one."""

    etag: str | None = None
    files: tuple[Mapping[str, Any], ...] = ()
    body: bytes = b""


@dataclass(frozen=True)
class _Store:
    """A folder of a bucket, written only where nobody else has written meanwhile."""

    client: Any
    bucket: str
    prefix: str

    def put(self, file: _File) -> _File:
        """Send a file, unless it is there already."""
        there = self._head(file.name)
        if there is not None and there["Metadata"].get("sha256") == file.sha256:
            return file
        with file.path.open("rb") as body:
            self._put(file.name, body, file.sha256, there["ETag"].strip('"') if there else None)
        return replace(file, was_sent=True)

    def manifest(self) -> _Before:
        errors = import_module("botocore.exceptions")
        try:
            found = self.client.get_object(Bucket=self.bucket, Key=self._key(MANIFEST))
        except errors.ClientError as error:
            if error.response["Error"]["Code"] == "NoSuchKey":
                return _Before()
            raise
        body = found["Body"].read()
        try:
            return _Before(found["ETag"].strip('"'), tuple(json.loads(body)["files"]), body)
        except (ValueError, LookupError, TypeError):
            raise ExportError(
                f"s3://{self.bucket}/{self._key(MANIFEST)} is no manifest of ours.", cure="Choose another prefix."
            ) from None

    def publish(self, manifest: bytes, before: _Before) -> str:
        """Let the manifest take the place of the one before; its ETag."""
        if manifest == before.body and before.etag:
            return before.etag
        return self._put(MANIFEST, manifest, sha256(manifest).hexdigest(), before.etag)

    def delete(self, names: list[str]) -> None:
        for name in names:
            self.client.delete_object(Bucket=self.bucket, Key=self._key(name))

    def _head(self, name: str) -> Mapping[str, Any] | None:
        errors = import_module("botocore.exceptions")
        try:
            found: Mapping[str, Any] = self.client.head_object(Bucket=self.bucket, Key=self._key(name))
        except errors.ClientError as error:
            if _status(error) == 404:
                return None
            raise
        return found

    def _put(self, name: str, body: object, digest: str, etag: str | None) -> str:
        condition = {"IfMatch": etag} if etag else {"IfNoneMatch": "*"}
        answer = self.client.put_object(
            Bucket=self.bucket,
            Key=self._key(name),
            Body=body,
            Metadata={"sha256": digest},
            ChecksumSHA256=base64.b64encode(bytes.fromhex(digest)).decode(),
            **condition,
        )
        return str(answer["ETag"]).strip('"')

    def _key(self, name: str) -> str:
        return f"{self.prefix}/{name}" if self.prefix else name


def _files(plan: ExportPlan, rows: Rows, folder: Path) -> Iterator[_File]:
    """The files of the project, or the rows of the table as files that live until the next one is asked for."""
    for path in plan.files:
        yield _described(path, path.relative_to(plan.root).as_posix())
    for part in _parts(rows):
        from pyarrow import parquet

        path = folder / "part.parquet"
        parquet.write_table(part, path, compression="zstd")
        found = _described(path, "", part.num_rows)
        yield replace(found, name=f"part-{found.sha256[:16]}.parquet")


def _described(path: Path, name: str, rows: int | None = None) -> _File:
    with path.open("rb") as stream:
        digest = sha256()
        while block := stream.read(1 << 20):
            digest.update(block)
        size = stream.tell()
    if size > _LARGEST:
        raise ExportError(f"{name} is larger than 5 GiB, the most that one request can put.", cure="Leave it out.")
    return _File(path, name, size, digest.hexdigest(), rows)


def _parts(rows: Rows) -> Iterator[pa.Table]:
    """Rows in portions of one size, whatever the batches are: the same rows give the same files."""
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    count = 0
    for batch in rows.batches(_PART_ROWS):
        held.append(batch)
        count += batch.num_rows
        if count >= _PART_ROWS:
            table = pa.Table.from_batches(held).combine_chunks()
            yield table.slice(0, _PART_ROWS)
            held, count = table.slice(_PART_ROWS).to_batches(), count - _PART_ROWS
    if count:
        yield pa.Table.from_batches(held).combine_chunks()


def _manifest(plan: ExportPlan, files: list[_File]) -> bytes:
    told: dict[str, object] = {"format": FORMAT, "contract": plan.contract}
    if not plan.files:
        columns = [{"name": column.name, "type": type_name(column.type)} for column in plan.columns]
        told |= {"table_version": plan.version, "rows": plan.rows, "columns": columns}
    listed = [{"name": f.name, "rows": f.rows, "bytes": f.bytes, "sha256": f.sha256} for f in files]
    return json.dumps({**told, "files": listed}, ensure_ascii=False, indent=1).encode()


def _status(error: Any) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
