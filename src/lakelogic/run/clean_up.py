"""What becomes of source files once their rows are committed: kept, archived or deleted."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from uuid import uuid4

from loguru import logger

from lakelogic.contract import LoadedContract
from lakelogic.errors import ContractError, NotSupportedYet, WriteError
from lakelogic.formats.bytes import is_uri
from lakelogic.plan.locations import locate
from lakelogic.sources.discover import SourceSpec
from lakelogic.sources.files import SourceFile, root_of
from lakelogic.state.claims import Claim, Claims, CleanUp


def clean_up_of(loaded: LoadedContract, spec: SourceSpec) -> CleanUp | None:
    """What the contract wants done with files that were read; None where they stay.

    Raises:
        ContractError: the archive is not named, or its files would be read as data.
    """
    wanted = loaded.source.post_ingestion if loaded.source else None
    if wanted is None or wanted.action == "retain":
        return None
    place = loaded.place("source", "post_ingestion")
    if is_uri(spec.location.text):
        raise NotSupportedYet("post_ingestion of files that are not on this machine", place=place)
    root = root_of(spec.location.text, spec.folder)
    if wanted.action == "delete":
        return CleanUp(root)
    if wanted.archive_path is None:
        raise ContractError("post_ingestion archive needs archive_path.", cure="Name a folder.", place=place)
    archive = locate(wanted.archive_path, loaded.directory).text
    if root == spec.location.text and Path(archive).is_relative_to(root):
        raise ContractError(
            f"the archive {archive} lies in the source, so its files would be read again.",
            cure="Name another folder.",
            place=place,
        )
    return CleanUp(root, archive)


def clear_away(loaded: LoadedContract, claims: Claims) -> None:
    """Archive or delete the files of succeeded runs, also of those that ended before they could.

    Raises:
        WriteError: that failed, and the contract calls it a failure.
    """
    wanted = loaded.source.post_ingestion if loaded.source else None
    for claim in claims.to_clean():
        try:
            _clear(claim)
        except OSError as error:
            message = f"the files of run {claim.run_id} could not be cleared away: {error.filename}: {error.strerror}."
            if wanted is not None and wanted.cleanup_is_blocking:
                raise WriteError(message, cure="Their rows are committed; the next run tries again.") from None
            logger.warning("{} The next run tries again.", message)
        else:
            claims.cleaned(claim)


def _clear(claim: Claim) -> None:
    wanted = claim.clean_up
    for file in claim.input.files if wanted else ():
        path = Path(file.path)
        if not _is_as_read(path, file):
            continue
        if wanted and wanted.archive:
            _copy(path, Path(wanted.archive) / path.relative_to(wanted.root), claim.run_id)
        # Another process may have been as fast.
        path.unlink(missing_ok=True)


def _is_as_read(path: Path, file: SourceFile) -> bool:
    """A file that has changed since holds rows that were not read; it stays for the next run."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    return (found.st_size, found.st_mtime_ns) == (file.size, file.modified_ns)


def _copy(source: Path, wanted: Path, run_id: str) -> None:
    """Bring a file into the archive, whole or not at all; what has its name there already is never overwritten."""
    wanted.parent.mkdir(parents=True, exist_ok=True)
    beside = wanted.with_name(f".{wanted.name}.{uuid4().hex}")
    try:
        beside.hardlink_to(source)
    except OSError:
        # The archive is on another disk.
        shutil.copy2(source, beside)
    others = (wanted.with_name(f"{wanted.stem}.{run_id}{more}{wanted.suffix}") for more in ("", f".{uuid4().hex}"))
    try:
        for place in (wanted, *others):
            try:
                os.link(beside, place)
            except FileExistsError:
                if not _same(place, source):
                    continue
            return
    finally:
        beside.unlink()


def _same(one: Path, other: Path) -> bool:
    """Whether an earlier attempt has brought the file here already."""
    first, second = one.stat(), other.stat()
    return (first.st_size, first.st_mtime_ns) == (second.st_size, second.st_mtime_ns)
