"""`watermark_strategy: file_mtime`: files modified since the newest one that was read."""

from __future__ import annotations

from lakelogic.sources.watermarks.base import Asked, Choice, Watermark, never_read, told_new, watermarks


@watermarks.add("file_mtime")
class FileMtime(Watermark):
    """Reads files that were modified since; one with an old time that arrives late is left out, and that is said."""

    def choose(self, asked: Asked) -> Choice:
        files = asked.files("file_mtime")
        new = never_read(files, asked.past)
        newest = asked.past.newest_ns
        if newest is None:
            return Choice(told_new(new, files, asked.past), new)
        # A file of the very same time may have come after the listing of the run before.
        since = tuple(file for file in new if file.modified_ns >= newest)
        late = len(new) - len(since)
        said = f"; {late} older ones that no run has read are left out" if late else ""
        return Choice(
            f"{len(since)} of {len(files)} files were modified since the newest one that was read{said}", since
        )
