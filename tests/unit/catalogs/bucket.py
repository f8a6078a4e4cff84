"""A program of its own that speaks as much of S3 as reading a Delta table takes.

It is a process because delta-rs waits for answers without letting other Python threads run.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

from tests.answering import Asked, Reply, http_server

NAME = "bucket"
ROOT = Path(__file__).parents[3]
_HEADERS = {"ETag": '"1"', "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT"}


@dataclass(frozen=True)
class Bucket:
    """Files of a folder as objects. Who has asked for them stands in a file beside it."""

    folder: Path
    url: str = ""

    @property
    def diary(self) -> Path:
        return self.folder.with_suffix(".asked")

    @property
    def seen(self) -> set[str]:
        """Access key and session token of all requests."""
        return set(self.diary.read_text().splitlines())

    def listing(self, prefix: str, after: str) -> bytes:
        keys = sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file())
        contents = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
            f'<ETag>"1"</ETag><Size>{(self.folder / key).stat().st_size}</Size></Contents>'
            for key in keys
            if key.startswith(prefix) and key > after
        )
        return f"<ListBucketResult><IsTruncated>false</IsTruncated>{contents}</ListBucketResult>".encode()


@contextmanager
def bucket(folder: Path) -> Iterator[Bucket]:
    """A bucket that is there as long as it is needed."""
    command = [sys.executable, "-m", "tests.unit.catalogs.bucket", str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield Bucket(folder, server.stdout.readline().strip())
        finally:
            server.terminate()


def answer(bucket: Bucket, asked: Asked) -> Reply:
    """GET or HEAD of an object or of the list of them."""
    signed = asked.headers.get("authorization", "").partition("Credential=")[2].partition("/")[0]
    with bucket.diary.open("a") as diary:
        diary.write(f"{signed} {asked.headers.get('x-amz-security-token')}\n")
    address = urlsplit(asked.path)
    key = unquote(address.path).removeprefix(f"/{NAME}").strip("/")
    query = {name: values[0] for name, values in parse_qs(address.query).items()}
    if not key:
        return Reply(200, bucket.listing(query.get("prefix", ""), query.get("start-after", "")), _HEADERS)
    if (bucket.folder / key).is_file():
        return _part((bucket.folder / key).read_bytes(), asked.headers.get("range", "").removeprefix("bytes="))
    return Reply(404, b"<Error><Code>NoSuchKey</Code></Error>", _HEADERS)


def _part(data: bytes, wanted: str) -> Reply:
    if not wanted:
        return Reply(200, data, _HEADERS)
    first, _, last = wanted.partition("-")
    start = int(first) if first else len(data) - int(last)
    part = data[start : int(last) + 1 if first and last else len(data)]
    return Reply(206, part, {**_HEADERS, "Content-Range": f"bytes {start}-{start + len(part) - 1}/{len(data)}"})


def main(folder: Path) -> None:
    server = http_server(partial(answer, Bucket(folder)))
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
