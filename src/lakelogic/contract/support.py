"""What this release does not do yet: known keys that are refused before a run, never ignored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import BaseModel

from lakelogic.contract.loaded import LoadedContract
from lakelogic.contract.places import Path, dotted
from lakelogic.errors import NotSupportedYet

# Keys that are refused wherever they say something.
_BLOCKS = ("logic", "stages", "notifications")
_KEYS: Mapping[Path, tuple[str, ...]] = {
    (): (*_BLOCKS, "observatory"),
    ("external_logic",): ("output_path", "output_format", "handles_output", "kernel_name"),
    ("metadata",): (
        "run_log_dir",
        "run_log_path",
        "run_log_table",
        "run_log_backend",
        "run_log_database",
        "run_log_table_partition_by",
        "cost",
    ),
    ("source",): (
        "query",
        "watermark_date_parts",
        "pipeline_log_table",
        "fetch_size",
        "dlt",
    ),
    ("source", "options"): (
        "skip_rows",
        "archive_member",
        "implied_decimals",
        "date_formats",
        "decimal_comma",
        "engine_options",
    ),
    ("server",): ("schema_policy", "schema_evolution", "allow_schema_drift"),
    ("quarantine",): ("notifications", "include_error_reason"),
    ("materialization",): (
        "fact",
        "dlt_destination",
    ),
    ("service_levels",): ("availability", "completeness", "anomaly", "schedule"),
    ("service_levels", "freshness"): ("field", "source_field", "source_threshold"),
    ("service_levels", "row_count"): ("anomaly", "check_field", "skip_reprocess_days"),
}
_FIELD_KEYS = ("foreign_key", "security_groups", "pii_vault", "extraction_task", "extraction_examples")

_TYPES = ("database", "stream", "dlt", "sftp")
_FORMATS = ("avro", "xml", "excel", "fixed_width")
# Values that are refused, where others of the same key are not.
_VALUES: Mapping[Path, tuple[object, ...]] = {
    ("source", "type"): _TYPES,
    ("source", "format"): _FORMATS,
    ("server", "type"): _TYPES,
    ("server", "format"): _FORMATS,
    ("quarantine", "format"): ("parquet", "csv", "json"),
}


def unbuilt_keys() -> frozenset[Path]:
    """Every key that is refused, without the positions of lists."""
    listed = {**_KEYS, ("model", "fields"): _FIELD_KEYS}
    return frozenset((*path, key) for path, keys in listed.items() for key in keys)


def unbuilt_values() -> Mapping[Path, tuple[object, ...]]:
    """Values that are refused, by key."""
    return _VALUES


def unsupported(loaded: LoadedContract) -> list[NotSupportedYet]:
    """Everything that the contract asks for and this release does not do, in the order of the file."""
    paths = dict.fromkeys([*_used_keys(loaded), *_used_values(loaded), *_inferred(loaded)])
    found = [NotSupportedYet(what, place=loaded.place(*path)) for path, what in paths]
    return sorted(found, key=lambda item: (item.place.line or 0, item.place.column or 0) if item.place else (0, 0))


def _used_keys(loaded: LoadedContract) -> Iterator[tuple[Path, str]]:
    listed = [(path, key) for path, keys in _KEYS.items() for key in keys]
    for index in range(len(loaded.model.model.fields)):
        listed += [(("model", "fields", index), key) for key in _FIELD_KEYS]
    for path, key in listed:
        if _says_something(loaded.model, (*path, key)):
            yield (*path, key), dotted((*path, key))


def _used_values(loaded: LoadedContract) -> Iterator[tuple[Path, str]]:
    for path, values in _VALUES.items():
        if (value := _at(loaded.model, path)) in values:
            yield path, f"{dotted(path)}: {value}"
    for index, link in enumerate(loaded.model.links):
        if link.type == "orc":
            yield ("links", index, "type"), f"links[{index}].type: {link.type}"


def _inferred(loaded: LoadedContract) -> Iterator[tuple[Path, str]]:
    """Types and formats that the contract does not write but its path means, and providers by any other name."""
    block = "source" if loaded.model.source is not None else "server"
    if loaded.source_type in _TYPES and _at(loaded.model, (block, "type")) != loaded.source_type:
        yield (block, "path"), f"a source of type {loaded.source_type}"
    declared = loaded.source is not None and loaded.source.format is not None
    if not declared and loaded.source_format in _FORMATS:
        yield (block, "path"), f"a source of format {loaded.source_format}"
    extraction = loaded.model.extraction
    if extraction is not None and extraction.provider != "regex":
        yield ("extraction", "provider"), f"extraction.provider: {extraction.provider}"
    if loaded.source and loaded.source.load_mode != "full" and loaded.source.watermark_strategy == "none":
        yield (block, "watermark_strategy"), f"load_mode: {loaded.source.load_mode} without a watermark"


def _says_something(model: BaseModel, path: Path) -> bool:
    """Whether a key was written with a value that differs from its default."""
    parent, key = _at(model, path[:-1]), str(path[-1])
    if not isinstance(parent, BaseModel) or key not in parent.model_fields_set:
        return False
    return bool(getattr(parent, key) != type(parent).model_fields[key].get_default(call_default_factory=False))


def _at(value: object, path: Path) -> object:
    """The value at a path, or None where the way to it was not written."""
    for part in path:
        value = value[part] if isinstance(value, tuple) and isinstance(part, int) else getattr(value, str(part), None)
    return value
