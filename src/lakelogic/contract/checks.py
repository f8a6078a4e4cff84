"""What can be told about a contract before any data is seen: parts that do not fit together, and SQL that can't be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from lakelogic.contract.exports import in_clear
from lakelogic.contract.loaded import LoadedContract, Note
from lakelogic.contract.options import options_for
from lakelogic.contract.sql_checks import link_problems, sql_problems
from lakelogic.contract.strategy_checks import strategy_problems
from lakelogic.errors import ContractError, LakeLogicError, did_you_mean
from lakelogic.masks.base import mask_for

SUPPORTED_MAJOR = "1"

_STRATEGY_OF = {
    "from_date": "date_range",
    "to_date": "date_range",
    "manifest_path": "manifest",
    "lookback": "lookback",
}

Check = Callable[[LoadedContract], Iterator[LakeLogicError]]


def semantic_problems(loaded: LoadedContract) -> list[LakeLogicError]:
    """Every problem of a contract whose keys and values are right each by itself."""
    return [problem for check in _CHECKS for problem in check(loaded)]


def notes_of(loaded: LoadedContract) -> tuple[Note, ...]:
    """What is worth saying about a valid contract."""
    return tuple(_unmasked_notes(loaded)) if loaded.project.unmasked_pii == "warn" else ()


def _version(loaded: LoadedContract) -> Iterator[LakeLogicError]:
    version = loaded.model.version
    if version.split(".")[0] != SUPPORTED_MAJOR:
        yield ContractError(
            f"contract format '{version}' is unknown to this release, which reads {SUPPORTED_MAJOR}.",
            cure="Update LakeLogic, or write version: 1.",
            place=loaded.place("version"),
        )


def _one_source(loaded: LoadedContract) -> Iterator[LakeLogicError]:
    if loaded.model.source is not None and loaded.model.server is not None:
        yield ContractError(
            "source and server say the same.", cure="Keep source, the newer spelling.", place=loaded.place("server")
        )


def _options_fit(loaded: LoadedContract) -> Iterator[LakeLogicError]:
    source = loaded.model.source
    if source is None or (loaded.source_format is None and loaded.source_type is None):
        return
    known = options_for(loaded.source_format, loaded.source_type)
    for option in sorted(source.options.model_fields_set - known):
        yield ContractError(
            f"option '{option}' has no meaning for {loaded.source_format or loaded.source_type}.",
            cure=did_you_mean(option, known),
            place=loaded.place("source", "options", option),
        )


def _cdc(loaded: LoadedContract) -> Iterator[LakeLogicError]:
    source = loaded.model.source
    if source and source.load_mode == "cdc" and not (source.cdc_op_field or source.cdc_timestamp_field):
        yield ContractError(
            "load_mode cdc needs to know the changes.",
            cure="Add cdc_op_field or cdc_timestamp_field.",
            place=loaded.place("source", "load_mode"),
        )


def _read_again(loaded: LoadedContract) -> Iterator[LakeLogicError]:
    """What is read again must not be added again."""
    source = loaded.model.source
    if source is None or source.load_mode == "full" or loaded.model.materialization.strategy != "append":
        return
    ranged = source.watermark_strategy == "date_range" and source.watermark_field is not None
    for key in (("lookback",) if source.lookback is not None else ()) + (("watermark_strategy",) if ranged else ()):
        yield ContractError(
            f"{key} reads rows again, and strategy append would add them again.",
            cure="Use strategy merge, scd2, replace_partitions or overwrite.",
            place=loaded.place("source", key),
        )


def _watermark_keys(loaded: LoadedContract) -> Iterator[LakeLogicError]:
    """A key that only one way of telling new data looks at."""
    source = loaded.model.source
    if source is None or source.load_mode == "full":
        return
    strategy = source.watermark_strategy
    by_rows = strategy in ("lookback", "watermark_field") or source.watermark_field is not None
    unused = {
        "from_date": source.from_date is not None and strategy != "date_range",
        "to_date": source.to_date is not None and strategy != "date_range",
        "manifest_path": source.manifest_path is not None and strategy != "manifest",
        "lookback": source.lookback is not None and not by_rows,
    }
    for key in (key for key, is_unused in unused.items() if is_unused):
        yield ContractError(
            f"{key} has no meaning with watermark_strategy {strategy or 'pipeline_log'}.",
            cure=f"Remove it, or use watermark_strategy {_STRATEGY_OF[key]}.",
            place=loaded.place("source", key),
        )


def _private_watermark(loaded: LoadedContract) -> Iterator[LakeLogicError]:
    """How far a source was read is kept and shown."""
    named = loaded.model.source.watermark_field if loaded.model.source else None
    for field in loaded.model.model.fields:
        if named is not None and field.name.lower() == named.lower() and (field.is_personal or field.is_masked):
            yield ContractError(
                f"watermark_field '{field.name}' is private, and its values would be logged.",
                cure="Name another column.",
                place=loaded.place("source", "watermark_field"),
            )


def _keys(loaded: LoadedContract) -> Iterator[LakeLogicError]:
    top, inner = loaded.model.primary_key, loaded.model.materialization.primary_key
    if top and inner and top != inner:
        yield ContractError(
            "primary_key stands at the top and in materialization with different columns.",
            cure="Remove one.",
            place=loaded.place("materialization", "primary_key"),
        )
    strategy = loaded.model.materialization.strategy
    if strategy in ("merge", "scd2") and not loaded.primary_key:
        yield ContractError(
            f"strategy {strategy} needs a primary_key.",
            cure="Add primary_key: [column, …].",
            place=loaded.place("materialization", "strategy"),
        )


def _unique_names(loaded: LoadedContract) -> Iterator[LakeLogicError]:
    model, target = loaded.model, loaded.model.materialization
    yield from _repeated(loaded, "field", [field.name for field in model.model.fields], "model", "fields")
    yield from _repeated(loaded, "link", [link.name for link in model.links], "links")
    yield from _repeated(loaded, "column", model.primary_key, "primary_key")
    yield from _repeated(loaded, "column", target.primary_key, "materialization", "primary_key")
    yield from _repeated(loaded, "column", target.partition_by, "materialization", "partition_by")
    yield from _repeated(loaded, "column", target.cluster_by, "materialization", "cluster_by")


def _repeated(loaded: LoadedContract, noun: str, names: Sequence[str], *path: str) -> Iterator[LakeLogicError]:
    seen: Counter[str] = Counter()
    for index, name in enumerate(names):
        seen[name.lower()] += 1
        if seen[name.lower()] == 2:
            yield ContractError(
                f"{noun} '{name}' is named twice; case makes no difference.",
                cure="Remove one.",
                place=loaded.place(*path, index),
            )


def _links(loaded: LoadedContract) -> Iterator[LakeLogicError]:
    for index, link in enumerate(loaded.model.links):
        if (link.path is None) == (link.table is None):
            yield ContractError(
                f"link '{link.name}' needs either a path or a table.", place=loaded.place("links", index, "name")
            )
        if link.name.lower() in ("source", loaded.name.lower()):
            yield ContractError(
                f"link '{link.name}' has the name of the rows being read.",
                cure="Choose another name.",
                place=loaded.place("links", index, "name"),
            )


def _quarantine(loaded: LoadedContract) -> Iterator[LakeLogicError]:
    if loaded.model.quarantine.target and loaded.model.quarantine.table:
        yield ContractError(
            "quarantine.target and quarantine.table say the same.",
            cure="Remove one.",
            place=loaded.place("quarantine", "table"),
        )


def _evolution(loaded: LoadedContract) -> Iterator[LakeLogicError]:
    strategy = loaded.model.materialization.strategy
    if loaded.model.schema_policy.evolution == "overwrite" and strategy != "overwrite":
        yield ContractError(
            f"evolution overwrite gives the table the columns of the new rows, and strategy {strategy} keeps older rows.",
            cure="Use strategy overwrite, or evolution append.",
            place=loaded.place("schema_policy"),
        )


def _masks(loaded: LoadedContract) -> Iterator[LakeLogicError]:
    keys = {name.lower() for name in loaded.primary_key}
    needs_key = loaded.model.materialization.strategy in ("merge", "scd2")
    for index, field in enumerate(loaded.model.model.fields):
        place = loaded.place("model", "fields", index, "masking")
        try:
            mask = mask_for(field.masking, field.masking_format, field.masking_mode == "deterministic")
        except LakeLogicError as error:
            yield ContractError(error.message, cure=error.cure, place=place)
            continue
        if needs_key and field.name.lower() in keys and not mask.joinable:
            yield ContractError(
                f"key column '{field.name}' can't be found again once it is masked with {field.masking}.",
                cure="Use hash or tokenize, or encrypt with masking_mode: deterministic.",
                place=place,
            )


def _exports(loaded: LoadedContract) -> Iterator[LakeLogicError]:
    for index, export in enumerate(loaded.model.exports):
        if private := in_clear(export, loaded.model.model.fields):
            yield ContractError(
                f"the export to {export.to} would send {', '.join(private)} in clear.",
                cure="Give it masking, or list the other columns in columns.",
                place=loaded.place("exports", index),
            )


def _unmasked(loaded: LoadedContract) -> Iterator[LakeLogicError]:
    if loaded.project.unmasked_pii == "refuse":
        for note in _unmasked_notes(loaded):
            yield ContractError(
                note.text, cure='The project refuses that: privacy.unmasked_pii = "refuse".', place=note.place
            )


def _unmasked_notes(loaded: LoadedContract) -> Iterator[Note]:
    bare = [
        (index, field.name)
        for index, field in enumerate(loaded.model.model.fields)
        if field.is_personal and not field.is_masked
    ]
    if bare:
        names = ", ".join(name for _, name in bare)
        verb = "is stored as it is" if len(bare) == 1 else "are stored as they are"
        place = loaded.place("model", "fields", bare[0][0])
        yield Note(f"pii without masking: {names} {verb}.", place)


_CHECKS: tuple[Check, ...] = (
    _version,
    _one_source,
    _options_fit,
    _cdc,
    _read_again,
    _watermark_keys,
    _private_watermark,
    _keys,
    _unique_names,
    _links,
    _quarantine,
    _evolution,
    _masks,
    _exports,
    _unmasked,
    strategy_problems,
    sql_problems,
    link_problems,
)
