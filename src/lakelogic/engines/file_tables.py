"""Tables of plain files: each run is a folder that appears as a whole, with a manifest that names what it holds.

    <target>/run=<run id>/part-….parquet     the rows of a run
    <target>/run=<run id>/_manifest          who wrote them, and what they replaced
    <target>/_staging/run=<run id>/          what is being written, seen by nobody

Renaming a folder is atomic on a file system, so a killed run leaves nothing that readers can see.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lakelogic.engines.base import Committed, Stamp
from lakelogic.errors import StateError, WriteError
from lakelogic.formats.bytes import is_uri
from lakelogic.plan.as_files import RUN
from lakelogic.plan.model import TablePlan
from lakelogic.write.operations import ReplaceRows

FORMAT = 1
# Without an ending, so that no pattern of data files matches it.
_MANIFEST = "_manifest"
_STAGING = "_staging"


@dataclass(frozen=True)
class Manifest:
    """What one run has written, and which runs' files it took the place of."""

    run_id: str
    app_id: str
    sequence: int
    operation: str
    rows: int
    columns: tuple[tuple[str, str], ...]
    files: tuple[str, ...]
    replaces: tuple[str, ...] = ()
    format: int = FORMAT


@dataclass(frozen=True)
class FileTable:
    """A folder of plain files of one format."""

    path: Path
    kind: str

    @staticmethod
    def of(location: str, is_name: bool, kind: str) -> FileTable:
        """
        Raises:
            WriteError: the place has no folders that can be renamed.
        """
        if is_name or is_uri(location):
            raise WriteError(
                f"{location} can't be a {kind} table: its runs appear by renaming a folder, which needs a file system.",
                cure="Name a local or mounted path, or use format delta.",
            )
        return FileTable(Path(location), kind)

    def commits(self) -> tuple[Manifest, ...]:
        """Runs whose files make up the table, oldest first."""
        found = [_read(folder / _MANIFEST) for folder in self.path.glob(f"{RUN}=*") if folder.is_dir()]
        replaced = {run_id for manifest in found for run_id in manifest.replaces}
        return tuple(sorted((m for m in found if m.run_id not in replaced), key=lambda m: (m.sequence, m.run_id)))

    def find_commit(self, run_id: str) -> Committed | None:
        """The commit of a run; what it replaced and could not remove any more is removed now."""
        manifest = next((each for each in self.commits() if each.run_id == run_id), None)
        if manifest is None:
            return None
        self._remove(manifest.replaces)
        return Committed(str(self.path), manifest.sequence, manifest.rows, operation=manifest.operation)

    def last_sequence(self, app_id: str) -> int:
        """The highest number that a writer has committed."""
        return max((each.sequence for each in self.commits() if each.app_id == app_id), default=0)

    def folders(self, version: int | None) -> list[str]:
        """The folders that hold the rows as of a version, which is the number of a run."""
        return [str(self._folder(m.run_id)) for m in self.commits() if version is None or m.sequence <= version]

    def columns(self) -> tuple[tuple[str, str], ...]:
        """All columns that the runs have written, with their types."""
        return tuple(dict(pair for manifest in self.commits() for pair in manifest.columns).items())

    def write(self, plan: TablePlan, stamp: Stamp, save: Callable[[Path], int]) -> None:
        """Let `save` fill a folder that nobody sees, then let it appear. It tells how many rows it reads back."""
        if self.find_commit(stamp.run_id) is not None:
            return
        self._refuse_strangers(stamp)
        self._refuse_other_columns(plan)
        staging = self.path / _STAGING / f"{RUN}={stamp.run_id}"
        shutil.rmtree(staging, ignore_errors=True)
        staging.parent.mkdir(parents=True, exist_ok=True)
        rows = save(staging)
        # An engine that had no rows to write may have made no folder.
        staging.mkdir(exist_ok=True)
        files = tuple(str(file.relative_to(staging)) for file in _data_files(staging))
        if rows and not files:
            raise WriteError(
                f"{rows} rows were written to {staging}, and none are there.",
                cure="Name a folder that all workers share, or use format delta.",
            )
        replaces = [each.run_id for each in self.commits()] if isinstance(plan.operation, ReplaceRows) else []
        manifest = Manifest(
            stamp.run_id,
            stamp.app_id,
            stamp.sequence,
            "OVERWRITE" if isinstance(plan.operation, ReplaceRows) else "WRITE",
            rows,
            plan.columns,
            files,
            tuple(replaces),
        )
        _put(staging / _MANIFEST, manifest)
        staging.rename(self._folder(stamp.run_id))
        _sync(self.path)
        self._remove(replaces)

    def undo(self, run_id: str) -> None:
        """Take the files of a run away."""
        self._remove([run_id])

    def _folder(self, run_id: str) -> Path:
        return self.path / f"{RUN}={run_id}"

    def _remove(self, run_ids: Sequence[str]) -> None:
        for run_id in run_ids:
            folder = self._folder(run_id)
            if folder.exists():
                # Out of sight at once, however many files there are.
                hidden = self.path / _STAGING / f"replaced-{run_id}"
                hidden.parent.mkdir(parents=True, exist_ok=True)
                shutil.rmtree(hidden, ignore_errors=True)
                folder.rename(hidden)
                shutil.rmtree(hidden, ignore_errors=True)

    def _refuse_strangers(self, stamp: Stamp) -> None:
        """Rows that no manifest names would be mixed with ours and never be replaced."""
        if not self.path.is_dir():
            return
        strange = sorted(
            entry.name for entry in self.path.iterdir() if not entry.name.startswith(("_", ".", f"{RUN}="))
        )
        if strange:
            raise WriteError(
                f"{self.path} holds files that no run has written, such as {strange[0]}.",
                cure="Move them away, or name another target.",
            )
        if any(each.app_id != stamp.app_id for each in self.commits()):
            raise WriteError(f"{self.path} is written by another contract.", cure="Name another target.")

    def _refuse_other_columns(self, plan: TablePlan) -> None:
        there = {name.lower() for name, _ in self.columns()}
        new = [name for name, _ in plan.columns if name.lower() not in there]
        if there and new and not plan.evolve:
            raise WriteError(
                f"{self.path} has no column {', '.join(new)}, and schema_policy.evolution is strict.",
                cure="Use 'evolution: append', or leave the columns out.",
            )


def _data_files(folder: Path) -> list[Path]:
    return sorted(f for f in folder.rglob("*") if f.is_file() and not f.name.startswith(("_", ".")))


def _read(path: Path) -> Manifest:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise StateError(f"{path} is damaged: {error}.", cure="Restore it, or move its folder away.") from None
    if data.get("format", FORMAT + 1) > FORMAT:
        raise StateError(f"{path} was written by a newer version.", cure="Upgrade lakelogic on this machine.")
    lists = {name: tuple(data[name]) for name in ("files", "replaces")}
    return Manifest(**{**data, **lists, "columns": tuple((name, kind) for name, kind in data["columns"])})


def _put(path: Path, manifest: Manifest) -> None:
    with path.open("w", encoding="utf-8") as stream:
        json.dump(asdict(manifest), stream, ensure_ascii=False, separators=(",", ":"))
        stream.flush()
        os.fsync(stream.fileno())


def _sync(folder: Path) -> None:
    """A rename is lost in a power cut until its folder is written."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
