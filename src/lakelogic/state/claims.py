"""Claims: who runs which sequence number of a contract, on which input."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lakelogic.errors import RunBusy, StateError
from lakelogic.plan.rows import RowWindow, Slice
from lakelogic.sources.files import SourceFile
from lakelogic.state import files
from lakelogic.state.owner import Heartbeat, Owner

# The kinds of input that are not a source.
QUARANTINE = "quarantine"
RESET = "reset"
_CLAIM = re.compile(r"(\d{8})\.claim\.json")
_AS_WRITTEN = ("sequence", "run_id", "pipeline_run_id", "fingerprint", "contract", "reason", "mode")
_LATER = ("key_id", "previous", "code")


@dataclass(frozen=True)
class Pinned:
    """The exact input of a run: files with sizes and times, or a table at a version, and which rows of them.

    `after` is the version of the table up to which an earlier run has read it, `slice` a part that is processed again,
    `ids` name rows of quarantine.
    """

    location: str
    kind: str
    files: tuple[SourceFile, ...] = ()
    version: int | None = None
    batch_id: str | None = None
    table_id: str | None = None
    after: int | None = None
    rows: RowWindow | None = None
    slice: Slice | None = None
    ids: tuple[str, ...] = ()

    @property
    def bytes(self) -> int | None:
        """The size of all files; None where the input is no files."""
        return sum(file.size for file in self.files) if self.kind == "files" else None

    @property
    def digest(self) -> str:
        """Equal for equal input."""
        parts = [self.location, self.kind, str(self.version), str(self.batch_id), *(f.identity for f in self.files)]
        parts += [repr(part) for part in (self.after, self.rows, self.slice) if part is not None]
        parts += self.ids
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]


@dataclass(frozen=True)
class CleanUp:
    """What becomes of the files of a run: deleted, or moved from below `root` to below `archive`."""

    root: str
    archive: str | None = None


@dataclass(frozen=True)
class Claim:
    """A numbered run of a contract. What it says never changes; who works on it may.

    `contract` is a digest of what the contract said, `quarantine` the location of its bad rows and whether that is a name,
    `key_id` the key that masks, `clean_up` what becomes of the files afterwards, `previous` the number before this one, so
    that a claim that was lost is missed. `formats` are those of target and quarantine, `secondary` the location, kind of
    name and format of every table that is written before the target, `code` a digest of the user's own code.
    """

    sequence: int
    run_id: str
    pipeline_run_id: str
    started: datetime
    fingerprint: str
    contract: str
    reason: str
    mode: str
    input: Pinned
    quarantine: tuple[str, bool] | None = None
    key_id: str | None = None
    clean_up: CleanUp | None = None
    previous: int = 0
    formats: tuple[str, str] = ("delta", "delta")
    secondary: tuple[tuple[str, bool, str], ...] = ()
    code: str = ""
    attempt: int = 1


class Claims:
    """The claims of one contract, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._heartbeat: Heartbeat | None = None

    def last(self) -> int:
        """The highest number that was ever claimed here."""
        return max(self._sequences(), default=0)

    def unfinished(self) -> Claim | None:
        """The newest claim, if nobody has finished it."""
        last = self.last()
        return self.read(last) if last and not self._path(last, "done").exists() else None

    def create(self, claim: Claim) -> Claim:
        """Claim the number for this process.

        Raises:
            RunBusy: another process was first.
        """
        manifest = f"input-{claim.run_id}.json"
        listed = [[f.path, f.size, f.modified_ns] for f in claim.input.files]
        files.put(self.folder / manifest, {"files": listed, "ids": list(claim.input.ids)})
        data = asdict(replace(claim, input=replace(claim.input, files=(), ids=())))
        data |= {"started": claim.started.isoformat(), "manifest": manifest, "digest": claim.input.digest}
        if not files.put_if_absent(self._path(claim.sequence, "claim"), data):
            (self.folder / manifest).unlink(missing_ok=True)
            raise RunBusy("another process has just begun a run of this contract.", cure="Run again when it has ended.")
        return self.hold(claim)

    def hold(self, claim: Claim) -> Claim:
        """Become the one who works on a claim, if its holder is gone.

        Raises:
            RunBusy: its holder is alive.
        """
        attempts = self._attempts(claim.sequence)
        if attempts:
            newest = attempts[max(attempts)]
            held = files.get(newest)
            if held is not None and (owner := Owner.read(held)).is_alive(newest):
                since = datetime.fromisoformat(held["since"]).strftime("%Y-%m-%d %H:%M:%S UTC")
                raise RunBusy(
                    f"run {claim.run_id} is at work on {owner.host} (process {owner.pid}) since {since}.",
                    cure="Wait for it to end.",
                )
        attempt = max(attempts, default=0) + 1
        path = self._owner_path(claim.sequence, attempt)
        since = datetime.now(UTC).isoformat()
        if not files.put_if_absent(path, {**asdict(Owner.me()), "since": since, "run_id": claim.run_id}):
            raise RunBusy("another process has just taken over this run.", cure="Run again when it has ended.")
        self._heartbeat = Heartbeat(path)
        return replace(claim, attempt=attempt)

    @contextmanager
    def at_work(self, claim: Claim) -> Iterator[Claim]:
        """Work on a claim that this process holds; what is not finished inside is released to the next run."""
        try:
            yield claim
        finally:
            if self._heartbeat is not None:
                self.release(claim)

    def release(self, claim: Claim) -> None:
        """Let go of a claim without finishing it: the next run goes on with the same input."""
        self._stop_beating()
        files.put(
            self._owner_path(claim.sequence, claim.attempt),
            {**asdict(Owner.nobody()), "since": datetime.now(UTC).isoformat()},
        )

    def finish(self, claim: Claim, status: str) -> None:
        """Close a claim for good."""
        said = {"status": status, "run_id": claim.run_id, "digest": claim.input.digest}
        if claim.clean_up is not None and status == "succeeded":
            files.put(self._path(claim.sequence, "clean"), {"run_id": claim.run_id})
        plan = {"fingerprint": claim.fingerprint, "contract": claim.contract, "code": claim.code}
        files.put(self._path(claim.sequence, "done"), {**said, **plan, "key_id": claim.key_id})
        self._stop_beating()

    def read(self, sequence: int) -> Claim:
        """A claim as it was made.

        Raises:
            StateError: it, or its list of input files, is damaged or gone.
        """
        data = files.get(self._path(sequence, "claim"))
        if data is None:
            raise StateError(f"claim {sequence} is missing in {self.folder}.")
        manifest = files.get(self.folder / data["manifest"])
        if manifest is None:
            raise StateError(
                f"{self.folder / data['manifest']} is missing: the input of run {data['run_id']} is unknown."
            )
        known = {key: data[key] for key in _AS_WRITTEN} | {key: data[key] for key in _LATER if key in data}
        return Claim(
            **known,
            started=datetime.fromisoformat(data["started"]),
            input=_pinned(data["input"], manifest),
            quarantine=tuple(data["quarantine"]) if data["quarantine"] else None,
            clean_up=CleanUp(**data["clean_up"]) if data.get("clean_up") else None,
            formats=tuple(data.get("formats") or ("delta", "delta")),
            secondary=tuple(tuple(table) for table in data.get("secondary", ())),
        )

    def committed(self, after: int = 0) -> Iterable[tuple[Claim, str]]:
        """Succeeded runs on a source with a higher number, oldest first, with the fingerprint of their plan.

        Raises:
            StateError: a claim among them, or how it ended, is damaged or gone.
        """
        last = self.last()
        for sequence in (number for number in self._remembered() if number > after):
            done = files.get(self._path(sequence, "done"))
            if done is None and sequence < last:
                raise self._lost(f"how run {sequence} ended is not known: {self._path(sequence, 'done')} is gone.")
            if done is not None and done["status"] == "succeeded":
                claim = self._linked(self.read(sequence))
                if claim.input.kind != QUARANTINE:
                    yield claim, str(done["fingerprint"])

    def newest(self) -> Iterator[Claim]:
        """Succeeded runs since the last reset, newest first."""
        for sequence in reversed(self._remembered()):
            done = files.get(self._path(sequence, "done"))
            if done is not None and done["status"] == "succeeded":
                yield self.read(sequence)

    def run_of(self, sequence: int) -> str | None:
        """The id of the run that has succeeded under a number; None where none has."""
        done = files.get(self._path(sequence, "done"))
        return str(done["run_id"]) if done and done["status"] == "succeeded" else None

    def to_clean(self) -> Iterator[Claim]:
        """Succeeded runs whose files were not yet cleared away, oldest first."""
        for path in sorted(self.folder.glob("*.clean.json")):
            sequence = int(path.name.partition(".")[0])
            if self.run_of(sequence) is not None:
                yield self.read(sequence)

    def cleaned(self, claim: Claim) -> None:
        """The files of a run were cleared away."""
        self._path(claim.sequence, "clean").unlink(missing_ok=True)

    def _linked(self, claim: Claim) -> Claim:
        """The same claim, if the one before it is there."""
        if claim.previous and not self._path(claim.previous, "claim").exists():
            raise self._lost(f"run {claim.previous} came before run {claim.sequence}, and its claim is gone.")
        return claim

    def _lost(self, message: str) -> StateError:
        return StateError(message, cure=f"Restore {self.folder} from a copy.")

    def has_committed(self, digest: str, fingerprint: str, contract: str, code: str) -> str | None:
        """The run that has already committed this input under this plan, or under the same contract and code.

        Another engine, another version or a link with one more column may say the same in other SQL.
        """
        for sequence in reversed(self._remembered()):
            done = files.get(self._path(sequence, "done"))
            if not done or (done["status"], done["digest"]) != ("succeeded", digest):
                continue
            if done["fingerprint"] == fingerprint or (done.get("contract"), done.get("code", "")) == (contract, code):
                return str(done["run_id"])
        return None

    def last_key_id(self) -> str | None:
        """The key with which the newest run has masked that used one."""
        for sequence in sorted(self._sequences(), reverse=True):
            done = files.get(self._path(sequence, "done"))
            if done and done["status"] == "succeeded" and (key_id := done.get("key_id")):
                return str(key_id)
        return None

    def forget(self, claim: Claim) -> None:
        """Let the runs before a reset count no more; their numbers are never given again."""
        files.put(self._path(claim.sequence, "reset"), {"run_id": claim.run_id})

    @property
    def forgotten(self) -> int:
        """The number up to which runs count no more."""
        return max((int(path.name.partition(".")[0]) for path in self.folder.glob("*.reset.json")), default=0)

    def _remembered(self) -> list[int]:
        forgotten = self.forgotten
        return sorted(sequence for sequence in self._sequences() if sequence > forgotten)

    def _sequences(self) -> list[int]:
        if not self.folder.is_dir():
            return []
        return [int(match[1]) for path in self.folder.iterdir() if (match := _CLAIM.fullmatch(path.name))]

    def _attempts(self, sequence: int) -> dict[int, Path]:
        pattern = f"{sequence:08d}.owner-*.json"
        return {int(path.name.split("-")[1].removesuffix(".json")): path for path in self.folder.glob(pattern)}

    def _path(self, sequence: int, kind: str) -> Path:
        return self.folder / f"{sequence:08d}.{kind}.json"

    def _owner_path(self, sequence: int, attempt: int) -> Path:
        return self.folder / f"{sequence:08d}.owner-{attempt:03d}.json"

    def _stop_beating(self) -> None:
        if self._heartbeat is not None:
            self._heartbeat.stop()
            self._heartbeat = None


def _pinned(data: Mapping[str, Any], manifest: Mapping[str, Any]) -> Pinned:
    rows, part = data.get("rows"), data.get("slice")
    given = {
        **data,
        "files": tuple(SourceFile(*entry) for entry in manifest["files"]),
        "ids": tuple(manifest.get("ids", ())),
        "rows": RowWindow(**rows) if rows else None,
        "slice": Slice(**{**part, "values": tuple(part["values"])}) if part else None,
    }
    return Pinned(**given)


def digest_of(document: Mapping[str, Any]) -> str:
    """A short hash of a document; equal for equal documents."""
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()[:24]
