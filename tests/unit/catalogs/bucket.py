"""A program of its own that speaks as much of S3 as reading a Delta table takes.

It is a process because delta-rs waits for answers without letting other Python threads run.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

NAME = "bucket"


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
    with subprocess.Popen([sys.executable, __file__, str(folder)], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield Bucket(folder, server.stdout.readline().strip())
        finally:
            server.terminate()


class Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD of objects, and lists them."""

    protocol_version = "HTTP/1.1"
    bucket: Bucket

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        signed = self.headers.get("Authorization", "").partition("Credential=")[2].partition("/")[0]
        with self.bucket.diary.open("a") as diary:
            diary.write(f"{signed} {self.headers.get('x-amz-security-token')}\n")
        asked = urlsplit(self.path)
        key = unquote(asked.path).removeprefix(f"/{NAME}").strip("/")
        query = {name: values[0] for name, values in parse_qs(asked.query).items()}
        if not key:
            self._send(200, self.bucket.listing(query.get("prefix", ""), query.get("start-after", "")))
        elif (self.bucket.folder / key).is_file():
            self._send_part((self.bucket.folder / key).read_bytes())
        else:
            self._send(404, b"<Error><Code>NoSuchKey</Code></Error>")

    def _send_part(self, data: bytes) -> None:
        wanted = self.headers.get("Range", "").removeprefix("bytes=")
        if not wanted:
            return self._send(200, data)
        first, _, last = wanted.partition("-")
        start = int(first) if first else len(data) - int(last)
        part = data[start : int(last) + 1 if first and last else len(data)]
        return self._send(206, part, {"Content-Range": f"bytes {start}-{start + len(part) - 1}/{len(data)}"})

    def _send(self, status: int, body: bytes, more: dict[str, str] | None = None) -> None:
        self.send_response(status)
        fixed = {"Content-Length": str(len(body)), "ETag": '"1"', "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT"}
        for name, value in {**fixed, **(more or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Tests are quiet."""


def main(folder: Path) -> None:
    Handler.bucket = Bucket(folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
