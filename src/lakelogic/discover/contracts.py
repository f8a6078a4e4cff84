"""Contracts for what was found: one for the files as they land, one for the rows as they stand."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lakelogic.discover.profile import ColumnProfile, Profile
from lakelogic.discover.suggestions import Suggestion, named, suggestions
from lakelogic.discover.yaml_text import Line, block, disabled, sentence, value
from lakelogic.formats.base import ReadOptions
from lakelogic.formats.bytes import is_uri
from lakelogic.wording import counted

_KEPT_IN_CLEAR = "the key, so not masked: use hash or encrypt once LAKELOGIC_PII_KEY is set"
_SHOWN_FILES = 3


@dataclass(frozen=True)
class Place:
    """Where contracts and tables of a layer are, and what they are called; `only` is the file of a single contract."""

    output: Path
    tables: str
    layer: str
    system: str
    owner: str | None = None
    only: Path | None = None

    def file(self, entity: str) -> Path:
        return self.only or self.output / self.layer / f"{entity}.yaml"

    def dataset(self, entity: str) -> str:
        return f"{self.layer}_{self.system}_{entity}"

    def table(self, entity: str) -> str:
        return f"{self.tables}/{self.layer}/{entity}"

    def seen_from(self, entity: str, path: str) -> str:
        """A path as the contract of an entity names it."""
        return path if is_uri(path) else os.path.relpath(path, self.file(entity).absolute().parent)


def landing_contract(profile: Profile, place: Place) -> str:
    """The contract that reads the files."""
    ways = {column.name: list(suggestions(profile, column)) for column in profile.columns}
    parts = [
        [Line("", note) for note in _findings(profile)],
        list(_head(profile, place, "as it lands")),
        list(_source(profile, place)),
        list(_key(profile)),
        [Line("model:"), Line("fields:", depth=1)],
    ]
    texts = ["\n".join(block(part)) for part in parts if part]
    fields = "\n".join("\n".join(block(_field(profile, column, ways[column.name]))) for column in profile.columns)
    texts[-1] += f"\n{fields}"
    texts += [
        "\n".join(block(part)) for part in (_steps(profile), _quality(profile, ways), _target(profile, place)) if part
    ]
    return "\n\n".join(texts) + "\n"


def standing_contract(profile: Profile, landing: Place, place: Place) -> str:
    """The contract that keeps one row for each key, read from the table of the other."""
    name, key = profile.entity.name, profile.key
    source = [
        Line("source:"),
        Line("type: delta", depth=1),
        Line(f"path: {value(place.seen_from(name, landing.table(name)))}", depth=1),
    ]
    if _is_incremental(profile):
        source.append(Line(f"load_mode: {'cdc' if key and key.change else 'incremental'}", depth=1))
        source.append(Line("watermark_strategy: delta_version", "only what was added since the last run", depth=1))
    else:
        source.append(Line("load_mode: full", "the table is replaced as a whole", depth=1))
    if key and key.change and _is_incremental(profile):
        source.append(Line(f"cdc_op_field: {value(key.change)}", depth=1))
        source.append(Line(f"cdc_delete_values: {value(list(key.deletes))}", depth=1))
        source.append(Line(f"cdc_timestamp_field: {value(key.newest_by)}", depth=1))
    parts = [
        [*_head(profile, place, "as it stands"), Line(f"upstream: [{landing.dataset(name)}]")],
        source,
        list(_key(profile, stands=True)),
        [
            Line("model:"),
            Line("fields:", depth=1),
            *(Line(_standing(profile, each), depth=2) for each in profile.columns),
        ],
        list(_newest(profile)),
        [
            Line("materialization:"),
            Line(f"strategy: {_standing_strategy(profile)}", depth=1),
            Line(f"target_path: {value(place.seen_from(name, place.table(name)))}", depth=1),
        ],
    ]
    return "\n\n".join("\n".join(block(part)) for part in parts if part) + "\n"


def _head(profile: Profile, place: Place, how: str) -> Iterator[Line]:
    name = profile.entity.name
    yield Line("version: 1")
    yield Line("info:")
    yield Line(f"title: {value(f'{name} of {place.system} {how}')}", depth=1)
    yield Line(f"owner: {value(place.owner)}", depth=1) if place.owner else Line("", "owner: who answers for it?", 1)
    yield Line(f"dataset: {place.dataset(name)}")
    yield Line(f"layer: {place.layer}")
    yield Line(f"metadata: {{system: {value(place.system)}}}")


def _findings(profile: Profile) -> Iterator[str]:
    looked = "the first" if profile.limited else "all"
    yield f"After a look at {looked} {counted(profile.rows, 'row')} of {counted(profile.files, 'file')}."
    if profile.malformed:
        yield f"{counted(profile.malformed, 'row')} can't be read (too few or too many values) and will be quarantined."
    if not profile.options.header and profile.entity.format == "csv":
        yield "The files have no header: the columns are named by the model, in its order. Rename them here."
    for column in profile.columns:
        if column.absent:
            yield f"{column.name} is missing in {column.absent:,} of {counted(profile.files, 'file')}; it is NULL there."
        if column.strays is not None and column.nearly is not None and column.strays.first:
            yield (
                f"{column.name} is text: {column.strays.values:,} of {counted(column.facts.values, 'value')} can't be"
                f" {column.nearly.type}, in {counted(column.strays.files, 'file')} such as"
                f" {Path(column.strays.first).name}."
            )


def _source(profile: Profile, place: Place) -> Iterator[Line]:
    entity = profile.entity
    yield Line("source:")
    yield Line("type: landing", depth=1)
    yield Line(f"path: {value(place.seen_from(entity.name, entity.path))}", depth=1)
    if entity.pattern:
        yield Line(f"pattern: {value(entity.pattern)}", depth=1)
    yield Line(f"format: {entity.format}", depth=1)
    if told := _options(profile.options):
        yield Line(f"options: {value(told)}", depth=1)
    if not _is_incremental(profile):
        yield Line("load_mode: full", "one file, which is replaced as a whole", 1)
        return
    yield Line("load_mode: incremental", "each file is read once", 1)
    yield Line("watermark_strategy: pipeline_log", depth=1)
    if entity.dated:
        yield Line(f"partition: {{format: {value(entity.dated)}}}", "the day of a file, by its name", 1)


def _options(options: ReadOptions) -> dict[str, object]:
    usual = ReadOptions()
    told: dict[str, object] = {}
    if options.delimiter != usual.delimiter:
        told["delimiter"] = options.delimiter
    if options.encoding != usual.encoding:
        told["encoding"] = options.encoding
    if not options.header:
        told["has_header"] = False
    if options.null_values != usual.null_values:
        told["null_values"] = list(options.null_values)
    return told


def _key(profile: Profile, *, stands: bool = False) -> Iterator[Line]:
    if profile.key is None:
        yield Line("", "No column identifies a row: none is unique and never null.")
        return
    for reason in profile.key.reasons:
        yield Line("", f"{reason}.")
    key = Line(f"primary_key: {value(list(profile.key.columns))}")
    yield key if profile.key.unique or stands else disabled(key)


def _field(profile: Profile, column: ColumnProfile, found: Sequence[Suggestion]) -> Iterator[Line]:
    yield Line(f"- name: {value(column.name)}", depth=2)
    lacking = f", {column.nulls:,} null" if column.nulls and column.facts.values else ""
    yield Line(f"type: {column.typed.type}", f"{column.typed.reason}{lacking}", 3)
    for each in found:
        if each.beside_column:
            for key, told in each.values.items():
                written = told if key == "type" else value(told)
                yield _offered(Line(f"{key}: {written}", _today(each, column), 3), each)
    yield from (line.indented(3) for line in _protection(profile, column))


def _protection(profile: Profile, column: ColumnProfile) -> Iterator[Line]:
    if column.personal is None:
        return
    yield Line("pii: true", f"{column.personal.kind}, {column.personal.reason}")
    if profile.key is not None and column.name in profile.key.columns:
        yield Line("", _KEPT_IN_CLEAR)
        return
    yield Line(f"masking: {column.personal.masking}")
    if column.personal.masking_format:
        yield Line(f"masking_format: {value(column.personal.masking_format)}")


def _today(each: Suggestion, column: ColumnProfile) -> str:
    if each.kind == "required" and not each.failing:
        return "never null"
    return f"{each.failing:,} of {counted(column.rows, 'row')} would fail today"


def _offered(line: Line, each: Suggestion) -> Line:
    return _switched(line, each.in_force)


def _steps(profile: Profile) -> list[Line]:
    """Dates in another form than SQL's; a text that has not this form stays, and is told as a bad date."""
    dated = [column for column in profile.columns if column.typed.format]
    lines = [Line("transformations:")] if dated else []
    for column in dated:
        name, kind = named(column.name), column.typed.type
        parsed = f"CAST(TO_{kind.upper()}({name}, '{column.typed.format}') AS STRING)"
        lines += [
            Line(f"- sql: {sentence(f'COALESCE({parsed}, {name}) AS {name}')}", depth=1),
            Line("phase: pre", depth=2),
        ]
    return lines


def _quality(profile: Profile, ways: Mapping[str, Sequence[Suggestion]]) -> list[Line]:
    rules = [(each, column) for column in profile.columns for each in ways[column.name] if not each.beside_column]
    rows = [line for each, column in rules for line in _row_rule(each, column)]
    key, in_force = profile.key, any(each.in_force for each, _ in rules)
    lines = [_switched(Line("row_rules:", depth=1), in_force), *rows] if rows else []
    if key is not None and key.unique:
        in_force = True
        lines += [
            Line("dataset_rules:", depth=1),
            Line(f"- unique: {value(list(key.columns))}", "0 rows repeat it today", 2),
        ]
    return [_switched(Line("quality:"), in_force), *lines] if lines else []


def _row_rule(each: Suggestion, column: ColumnProfile) -> Iterator[Line]:
    told = _today(each, column)
    if each.kind != "sql":
        yield _offered(Line(f"- {each.kind}: {value(each.values)}", told, 2), each)
        return
    yield _offered(Line(f"- name: {value(each.values['name'])}", told, 2), each)
    yield _offered(Line(f"  sql: {sentence(str(each.values['sql']))}", depth=2), each)


def _switched(line: Line, on: bool) -> Line:
    return line if on else disabled(line)


def _target(profile: Profile, place: Place) -> list[Line]:
    name = profile.entity.name
    return [
        Line("materialization:"),
        Line(f"strategy: {'append' if _is_incremental(profile) else 'overwrite'}", depth=1),
        Line(f"target_path: {value(place.seen_from(name, place.table(name)))}", depth=1),
    ]


def _standing(profile: Profile, column: ColumnProfile) -> str:
    key = profile.key is not None and column.name in profile.key.columns
    newest = profile.key is not None and column.name == profile.key.newest_by
    masked = column.personal is not None and not key
    told: dict[str, object] = {"name": column.name, "type": column.typed.type}
    if masked and column.personal is not None and column.personal.masking != "nullify":
        # What is masked was stored as text.
        told["type"] = "string"
    if key or newest:
        told["required"] = True
    if column.personal is not None:
        told["pii"] = True
    if masked and column.personal is not None:
        told["masking"] = column.personal.masking
        if column.personal.masking_format:
            told["masking_format"] = column.personal.masking_format
    return f"- {value(told)}"


def _standing_strategy(profile: Profile) -> str:
    if not _is_incremental(profile):
        return "overwrite"
    return "merge" if profile.key else "append"


def _newest(profile: Profile) -> Iterator[Line]:
    key = profile.key
    if key is None or (key.change and _is_incremental(profile)) or (not key.newest_by and not _is_incremental(profile)):
        return
    if key.newest_by is None:
        yield Line("", "No column tells which of two rows is newer: a key that comes twice in one run is an error.")
        return
    yield Line("transformations:")
    yield Line(f"- deduplicate: {value({'on': list(key.columns), 'sort_by': [key.newest_by]})}", depth=1)
    yield Line("phase: pre", depth=2)


def _is_incremental(profile: Profile) -> bool:
    return profile.entity.dated is not None or len(profile.entity.files) > 1
