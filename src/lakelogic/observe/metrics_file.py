"""What a pipeline run came to, as a JSON file that is either the old one or the new one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from lakelogic.observe.rows import FORMAT, Row
from lakelogic.observe.summaries.base import NotRecorded, iso


@dataclass(frozen=True)
class MetricsFile:
    """Replaced by every run."""

    path: Path

    def write(self, rows: Sequence[Row]) -> None:
        """Write the row of the pipeline, and those of its contracts.

        Raises:
            NotRecorded: the file can't be written.
        """
        pipeline, *contracts = [{name: _plain(value) for name, value in row.items()} for row in rows]
        text = json.dumps({"format": FORMAT, "pipeline": pipeline, "contracts": contracts}, indent=2)
        temporary = self.path.with_name(f".{self.path.name}.{uuid4().hex}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(text + "\n", encoding="utf-8")
            temporary.replace(self.path)
        except OSError as error:
            with suppress(OSError):
                temporary.unlink()
            raise NotRecorded(
                f"the metrics were not written to {self.path}: {error.strerror}.",
                cure="Name a file that can be written with --metrics-path.",
            ) from None


def _plain(value: object) -> object:
    return iso(value) if isinstance(value, datetime) else value
