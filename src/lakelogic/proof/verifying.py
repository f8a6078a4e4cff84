"""Whether a proof is as it was signed, and still agrees with what is stored."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lakelogic.engines.opening import EngineSettings, light_engine, open_engine
from lakelogic.errors import UsageError
from lakelogic.project import Project
from lakelogic.proof.manifest import FORMAT, Check, checks, count_rows, file_facts
from lakelogic.proof.signing import is_signed_by
from lakelogic.sources.files import SourceFile


def load_proof(file: Path) -> dict[str, Any]:
    """A proof as it was written.

    Raises:
        UsageError: the file can't be read, is no proof, or is of a newer version.
    """
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        version = int(document["proof"]["format"])
    except OSError as error:
        raise UsageError(f"{file} can't be read: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError):
        raise UsageError(f"{file} is no proof.", cure="`lakelogic prove RUN_ID` writes one.") from None
    if version > FORMAT:
        raise UsageError(f"{file} was written by a newer version.", cure="Upgrade lakelogic on this machine.")
    return dict(document)


def verify(
    document: Mapping[str, Any], project: Project, public_key: str | None, engine: str | None = None
) -> list[Check]:
    """Everything that a proof says, looked at again."""
    proof = document["proof"]
    return [_signature(document, public_key), *checks(proof), *_inputs(proof), *_tables(proof, project, engine)]


def _signature(document: Mapping[str, Any], public_key: str | None) -> Check:
    signature = document.get("signature")
    if not signature:
        return Check("signature", None if public_key is None else False, "the proof is not signed")
    by = str(signature.get("public_key", ""))
    if not is_signed_by(document["proof"], signature, public_key or by):
        return Check("signature", False, "the proof was changed, or signed with another key")
    if public_key is None:
        # Whoever changes a proof can sign it anew: without a key to compare with, a signature proves nothing.
        return Check("signature", None, f"of {by}; give --public-key to know whose that is")
    return Check("signature", True, f"of {by}")


def _inputs(proof: Mapping[str, Any]) -> Iterator[Check]:
    listed = [each for each in proof["input"].get("files", ()) if each["sha256"]]
    if not listed:
        return
    facts = [(each, file_facts(SourceFile(each["path"], each["size"], each["modified_ns"]))) for each in listed]
    same = sum(1 for each, now in facts if now["sha256"] == each["sha256"])
    wrong = [each["path"] for each, now in facts if now["sha256"] not in (None, each["sha256"])]
    holds = False if wrong else True if same == len(listed) else None
    yield Check("input files", holds, f"{same} of {len(listed)} have the content that was read")


def _tables(proof: Mapping[str, Any], project: Project, engine: str | None) -> Iterator[Check]:
    settings = EngineSettings(engine or light_engine(), spark=project.spark, warehouse=project.root / "warehouse")
    opened = open_engine(settings, lambda _: None)
    try:
        for role, table in proof["tables"].items():
            before, now = table["counted"]["rows"], count_rows(opened, project, table["location"], table["version"])
            holds = None if before is None or now is None else before == now
            told = f"{now if now is not None else 'unknown'} rows at version {table['version']}, {before} when proved"
            yield Check(f"{role}: counted again", holds, told)
    finally:
        opened.close()
