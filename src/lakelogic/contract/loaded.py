"""A contract that was loaded: what was written, where, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import get_args

from lakelogic.contract.identity import layer_in, normal_layer
from lakelogic.contract.inheritance import Mesh
from lakelogic.contract.model import Contract
from lakelogic.contract.naming import format_of, is_table_name, name_parts
from lakelogic.contract.places import Places
from lakelogic.contract.policy_packs import Brought
from lakelogic.contract.source import Source, SourceType
from lakelogic.errors import Place
from lakelogic.project import Project


@dataclass(frozen=True)
class Note:
    """Something worth saying about a contract that is not wrong."""

    text: str
    place: Place

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


@dataclass(frozen=True)
class LoadedContract:
    """A contract with the project around it and the place of everything in it.

    `document` is what the model was made of; `written` the same before variables were filled. `roles` says of each
    file that had a say what it is to the contract, `brought` what policy packs added, `mesh` where it belongs.
    """

    model: Contract
    path: FilePath | None
    directory: FilePath
    project: Project
    places: Places
    document: dict[str, object]
    environment: str | None = None
    notes: tuple[Note, ...] = ()
    written: dict[str, object] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    brought: tuple[Brought, ...] = ()
    mesh: Mesh = field(default_factory=Mesh)

    def place(self, *path: str | int) -> Place:
        """Where something was written, or the nearest thing around it."""
        return self.places.of(path)

    @property
    def primary_key(self) -> tuple[str, ...]:
        return self.model.primary_key or self.model.materialization.primary_key

    @property
    def key_place(self) -> Place:
        """Where the primary key is written."""
        return self.place(*(() if self.model.primary_key else ("materialization",)), "primary_key")

    @property
    def target(self) -> str | None:
        """Path or catalog name that good rows go to, if the contract says so."""
        return self.model.materialization.target_path

    @property
    def name(self) -> str:
        """The dataset's name: as declared, else from the target, else from the file."""
        info = self.model.info
        declared = self.model.dataset or info.dataset or info.table_name
        if declared:
            return declared
        parts = name_parts(self.target) if self.target else []
        return parts[-1] if parts else self.path.stem if self.path else "contract"

    @property
    def layer(self) -> str | None:
        """The layer: as declared, else the target's schema or folder if that is a layer's name."""
        model = self.model
        declared = (
            model.layer or model.tier or model.target_layer or model.info.target_layer or model.metadata.data_layer
        )
        if declared:
            return normal_layer(declared)
        return layer_in(self.target) if self.target else None

    @property
    def domain(self) -> str | None:
        return self.model.info.domain or self.model.metadata.domain

    @property
    def system(self) -> str | None:
        return self.model.info.system or self.model.metadata.system

    @property
    def upstream(self) -> tuple[str, ...]:
        return self.model.upstream or self.model.info.upstream

    @property
    def source(self) -> Source | None:
        """The source, also where it was written in the older spelling."""
        server = self.model.server
        if self.model.source is not None or server is None:
            return self.model.source
        kind = {"type": server.type} if server.type in get_args(SourceType) else {}
        return Source.model_validate({**kind, **server.model_dump(include={"path", "format", "post_ingestion"})})

    @property
    def ordered_by(self) -> str | None:
        """The column that tells which change of a key is the newer one, where the strategy heeds that."""
        target, source = self.model.materialization, self.source
        if target.strategy == "scd2" and target.scd2 and target.scd2.timestamp_field:
            return target.scd2.timestamp_field
        heeds = target.strategy in ("merge", "scd2") and source is not None and source.load_mode == "cdc"
        return source.cdc_timestamp_field if heeds and source else None

    @property
    def source_format(self) -> str | None:
        """The source's format: as declared, else from the ending of its path or pattern."""
        return format_of_source(self.source) if self.source else None

    @property
    def source_type(self) -> str | None:
        """The source's type: as declared, else from its path."""
        return type_of_source(self.source) if self.source else None


def format_of_source(source: Source) -> str | None:
    """A source's format: as declared, else from the ending of its path or pattern."""
    if source.format is not None:
        return {"jsonl": "json", "ndjson": "json"}.get(source.format, source.format)
    if source.type in ("delta", "iceberg"):
        return source.type
    return next((found for text in (source.pattern, source.path) if text and (found := format_of(text))), None)


def type_of_source(source: Source) -> str | None:
    """A source's type: as declared, else from its path."""
    if source.type is not None:
        return source.type
    if source.query is not None or (source.path or "").startswith("jdbc:"):
        return "database"
    if source.format in ("delta", "iceberg"):
        return source.format
    if source.path is None:
        return None
    return "table" if is_table_name(source.path) else "file"
