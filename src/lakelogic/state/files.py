"""State as small JSON files that are either absent or complete."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from lakelogic.errors import StateError

FORMAT = 1


def put_if_absent(path: Path, data: Mapping[str, Any]) -> bool:
    """Create a file with its whole content, unless it is there already. Atomic between processes."""
    temporary = _temporary(path, data)
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        temporary.unlink(missing_ok=True)
    return True


def put(path: Path, data: Mapping[str, Any]) -> None:
    """Create or replace a file with its whole content."""
    temporary = _temporary(path, data)
    try:
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise _unwritable(path, error) from None


def get(path: Path) -> dict[str, Any] | None:
    """The content of a state file, or None if there is none.

    Raises:
        StateError: it is damaged, or of a newer format.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise StateError(
            f"{path} is damaged: {error}.", cure="Restore it from a copy, or move it away to begin anew."
        ) from None
    if not isinstance(data, dict) or not isinstance(data.get("format"), int):
        raise StateError(f"{path} is not a state file of this product.", cure="Move it away.")
    if data["format"] > FORMAT:
        raise StateError(f"{path} was written by a newer version.", cure="Upgrade lakelogic on this machine.")
    return data


def _temporary(path: Path, data: Mapping[str, Any]) -> Path:
    temporary = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("w", encoding="utf-8") as stream:
            json.dump({"format": FORMAT, **data}, stream, ensure_ascii=False, separators=(",", ":"), default=str)
            stream.flush()
            # The name must never point to content that a power cut can take back.
            os.fsync(stream.fileno())
    except OSError as error:
        raise _unwritable(path, error) from None
    return temporary


def _unwritable(path: Path, error: OSError) -> StateError:
    return StateError(f"can't write state to {path.parent}: {error.strerror}.", cure="Check its permissions and space.")
