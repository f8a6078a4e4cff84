"""The annotated template shows every key of every model, and loads as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import get_args, get_origin

import pytest
from pydantic import BaseModel

from lakelogic.cli.template import command
from lakelogic.contract import Contract, load_contract, load_text
from lakelogic.contract.kinds import KindOf
from lakelogic.contract.reading import read_yaml
from lakelogic.contract.template import contract_template
from lakelogic.models import keys_of, spellings

HEADER_LINES = 3


def uncommented() -> dict[str, object]:
    """The template with every line in use."""
    lines = contract_template().splitlines()[HEADER_LINES:]
    return read_yaml("\n".join(line.removeprefix("# ") for line in lines), "template.yaml")[0]


def models_in(annotation: object) -> Iterator[type[BaseModel] | KindOf]:
    if isinstance(annotation, KindOf) or (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
        yield annotation
    for inner in get_args(annotation):
        yield from models_in(inner)


def missing_keys(model: type[BaseModel], data: object, path: str) -> Iterator[str]:
    """The keys of a model, and of the models inside it, that the data does not show."""
    if get_origin(data) is None and isinstance(data, list):
        data = data[0]
    if not isinstance(data, Mapping):
        yield path
        return
    for field, info in model.model_fields.items():
        key = next((name for name in spellings(model, field) if name in data), None)
        if key is None:
            yield f"{path}.{field}"
            continue
        inner = list(models_in(info.annotation))
        kinds = [item for item in inner if isinstance(item, KindOf)]
        if kinds:
            yield from missing_kinds(kinds[0], data[key], f"{path}.{key}")
        else:
            for item in (part for part in inner if not isinstance(part, KindOf)):
                value = data[key]
                named = isinstance(value, Mapping) and set(value) == {"default"} and "default" not in keys_of(item)
                yield from missing_keys(item, value["default"] if named else value, f"{path}.{key}")


def missing_kinds(kinds: KindOf, items: object, path: str) -> Iterator[str]:
    assert isinstance(items, list)
    shown = {kind: item for item in items for kind in item if kind in kinds.classes()}
    if path.endswith("fields.rules"):
        assert set(shown) == {"sql"}
        return
    yield from (f"{path}.{kind}" for kind in kinds.classes() if kind not in shown)
    seen = {key for item in items for key in item}
    yield from (f"{path}.{key}" for key in kinds.shared if key not in seen)
    for kind, item in shown.items():
        model = kinds.classes()[kind]
        known = set(item[kind])
        yield from (
            f"{path}.{kind}.{field}"
            for field in model.model_fields
            if field not in kinds.shared and not known & set(spellings(model, field))
        )


def test_the_template_shows_every_key_of_every_model() -> None:
    assert list(missing_keys(Contract, uncommented(), "contract")) == []


def test_the_template_shows_no_key_that_is_not_known() -> None:
    assert set(uncommented()) == set(Contract.model_fields)


def test_the_template_loads_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "contract.yaml"
    command(output=file)
    loaded = load_contract(file)
    assert (loaded.name, loaded.layer, loaded.source_format) == ("customers", "silver", "csv")
    assert [field.name for field in loaded.model.model.fields] == ["customer_id"]


@pytest.mark.parametrize("block", [name for name in Contract.model_fields if name not in ("source", "materialization")])
def test_each_block_loads_once_it_is_in_use(block: str) -> None:
    lines = contract_template().splitlines()
    start = next(i for i, line in enumerate(lines) if line.removeprefix("# ").startswith(f"{block}:"))
    end = next((i for i in range(start, len(lines)) if not lines[i]), len(lines))
    text = "\n".join(line.removeprefix("# ") for line in lines[start:end])
    data, _ = read_yaml(text, "template.yaml")
    for item in _parts(block, data):
        Contract.model_validate(item)


def _parts(block: str, data: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """The block, without what contradicts itself when all is in use at once."""
    if block == "model":
        model = data["model"]
        assert isinstance(model, dict)
        fields = [
            {key: value for key, value in field.items() if key not in ("min", "max")} for field in model["fields"]
        ]
        yield {"model": {**model, "fields": fields}}
    else:
        yield data


def test_values_and_their_meaning_stand_on_one_line() -> None:
    lines = contract_template().splitlines()
    assert (
        "#   load_mode: full  # full reads all; incremental only what is new; cdc applies changes. "
        "Allowed: full, incremental, cdc." in lines
    )
    assert 'version: "1"  # Version of the contract format; this release reads 1.' in lines


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    command()
    assert load_text(capsys.readouterr().out).name == "customers"
