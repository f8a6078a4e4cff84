"""A contract inherits from `_system.yaml` and `_domain.yaml`, and has the last word."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakelogic.cli.main import main
from lakelogic.contract import load_contract
from lakelogic.contract.origins import origins
from lakelogic.errors import ContractInvalid
from lakelogic.plan.tables import target_of

DOMAIN = """\
domain: retail
ownership: {owner: ada, contact: {chat: data}}
slo: {freshness: 24h}
storage: {lake_root: ../lake, bucket: dev}
environments:
  dev: {}
  prod:
    storage: {lake_root: "s3://${BUCKET}/lake"}
"""
SYSTEM = """\
domain: retail
system: crm
contracts:
  - {layer: silver, entity: people, path: silver/people_v1.0.yaml, depends_on: [bronze_crm_people]}
source:
  bronze: {format: csv}
  silver: {type: delta, path: "{lake_root}/bronze/{entity}"}
materialization:
  silver: {strategy: merge, target_path: "{lake_root}/{layer}/{system}_{entity}"}
quarantine: {target: bad/rows}
"""
CONTRACT = """\
primary_key: [id]
model:
  fields:
    - {name: id, type: string}
    - {name: mail, type: string, masking: partial, masking_format: "{domain}"}
"""


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LAKELOGIC_ENV", "LAKELOGIC_ENGINE", "LAKELOGIC_STATE", "BUCKET"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def mesh(tmp_path: Path) -> Path:
    folder = tmp_path / "contracts"
    (folder / "crm" / "silver").mkdir(parents=True)
    (tmp_path / "lakelogic.toml").write_text("")
    (folder / "_domain.yaml").write_text(DOMAIN)
    (folder / "crm" / "_system.yaml").write_text(SYSTEM)
    (folder / "crm" / "silver" / "people_v1.0.yaml").write_text(CONTRACT)
    return folder / "crm"


def written(mesh: Path, text: str, name: str = "silver/people_v1.0.yaml") -> Path:
    (mesh / name).parent.mkdir(exist_ok=True)
    (mesh / name).write_text(text)
    return mesh / name


def refusal(file: Path, **options: str) -> str:
    with pytest.raises(ContractInvalid) as caught:
        load_contract(file, environment=options.get("environment"))
    return str(caught.value)


def test_a_contract_takes_what_it_does_not_say_from_its_system_and_domain(mesh: Path) -> None:
    loaded = load_contract(mesh / "silver" / "people_v1.0.yaml")
    assert (loaded.name, loaded.layer, loaded.domain, loaded.system) == ("silver_crm_people", "silver", "retail", "crm")
    assert loaded.model.info.owner == "ada"
    assert loaded.model.info.contact == {"chat": "data"}
    assert loaded.model.service_levels.freshness == "24h"
    assert loaded.upstream == ("bronze_crm_people",)
    assert loaded.model.materialization.strategy == "merge"
    assert loaded.source is not None
    assert loaded.source.path == str(mesh.parents[1] / "lake" / "bronze" / "people")
    assert target_of(loaded).text == str(mesh.parents[1] / "lake" / "silver" / "crm_people")


def test_a_relative_path_is_relative_to_the_file_that_it_stands_in(mesh: Path) -> None:
    loaded = load_contract(mesh / "silver" / "people_v1.0.yaml")
    assert loaded.model.quarantine.target == str(mesh / "bad" / "rows")


def test_the_contract_comes_before_the_system_and_the_system_before_the_domain(mesh: Path) -> None:
    (mesh / "_system.yaml").write_text(SYSTEM + "ownership: {owner: bea}\nservice_levels: {freshness: 12h}\n")
    file = written(mesh, CONTRACT + "service_levels: {freshness: 1h}\nmaterialization: {strategy: overwrite}\n")
    loaded = load_contract(file)
    assert loaded.model.info.owner == "bea"
    assert loaded.model.service_levels.freshness == "1h"
    assert loaded.model.materialization.strategy == "overwrite"
    assert target_of(loaded).text.endswith("lake/silver/crm_people")
    assert load_contract(file, overrides={"info.owner": "cleo"}).model.info.owner == "cleo"


def test_only_defaults_of_the_own_layer_count(mesh: Path) -> None:
    file = written(mesh, "source: {path: data/*.txt}\nmodel: {fields: [{name: id}]}\n", "bronze/raw.yaml")
    loaded = load_contract(file)
    assert (loaded.layer, loaded.source_format, loaded.model.materialization.strategy) == ("bronze", "csv", "append")


def test_an_environment_gives_other_values_to_placeholders(mesh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUCKET", "main")
    file = mesh / "silver" / "people_v1.0.yaml"
    assert load_contract(file, environment="prod").target == "s3://main/lake/silver/crm_people"
    assert load_contract(file, environment="dev").target == str(mesh.parents[1] / "lake/silver/crm_people")
    told = refusal(file, environment="prd")
    assert "_domain.yaml:5" in told
    assert "environment 'prd' is unknown. Did you mean 'prod'?" in told


def test_a_variable_that_is_not_set_is_told_with_the_file_that_needs_it(mesh: Path) -> None:
    told = refusal(mesh / "silver" / "people_v1.0.yaml", environment="prod")
    assert "variable BUCKET is not set" in told
    assert "_system.yaml:9" in told


def test_braces_of_masks_are_no_placeholders(mesh: Path) -> None:
    assert load_contract(mesh / "silver" / "people_v1.0.yaml").model.model.fields[1].masking_format == "{domain}"


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("_system.yaml", "systm: crm\n", "_system.yaml:1:1: key 'systm' is unknown. Did you mean 'system'?"),
        (
            "_system.yaml",
            "system: crm\nmaterialization:\n  silver: {strateg: merge}\n",
            "_system.yaml:3:12: key 'strateg'",
        ),
        ("_system.yaml", "materialization: {strategy: mrge}\n", "strategy"),
        ("_system.yaml", "domain: finance\nsystem: crm\n", "is of domain 'finance', but lies in domain 'retail'"),
        ("_system.yaml", "lineage:\n  silver: {}\n  sliver: {}\n", "_system.yaml:3:3: layer 'sliver' is unknown."),
        (
            "_system.yaml",
            "source:\n  pattern: '{entty}_*.csv'\n",
            "placeholder '{entty}' has no value. Did you mean 'entity'?",
        ),
        ("../_domain.yaml", "slo: {freshness: soon}\n", "_domain.yaml:1:18: freshness must be a number with a unit"),
        ("../_domain.yaml", "domain: {}\n", "_domain.yaml:1:9: domain must be text"),
    ],
)
def test_what_is_wrong_in_a_file_above_is_told_with_its_place(mesh: Path, name: str, text: str, told: str) -> None:
    (mesh / name).write_text(text)
    assert told in refusal(mesh / "silver" / "people_v1.0.yaml")


def test_validate_tells_what_is_wrong_in_a_file_above_once(mesh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", str(mesh.parent)]) == 0
    assert capsys.readouterr().out == "1 contract: 1 valid.\n"
    (mesh / "_system.yaml").write_text("systm: crm\n")
    assert main(["validate", str(mesh.parent)]) == 2
    told = capsys.readouterr().out
    assert told.count("key 'systm' is unknown") == 1
    assert main(["validate", str(mesh / "_system.yaml")]) == 2


def test_a_file_above_the_project_is_not_asked(tmp_path: Path) -> None:
    (tmp_path / "_system.yaml").write_text("system: other\n")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "lakelogic.toml").write_text("")
    (tmp_path / "project" / "a.yaml").write_text("source: {path: a.csv}\n")
    assert load_contract(tmp_path / "project" / "a.yaml").system is None


def test_origins_tell_which_file_and_line_set_each_value(mesh: Path) -> None:
    (mesh.parents[1] / "lakelogic.toml").write_text('engine = "duckdb"\n')
    loaded = load_contract(mesh / "silver" / "people_v1.0.yaml", overrides={"info.title": "People"})
    told = {each.key: (each.said_by, Path(each.place.file).name, each.place.line) for each in origins(loaded)}
    assert told["primary_key"] == ("contract", "people_v1.0.yaml", 1)
    assert told["materialization.strategy"] == ("system", "_system.yaml", 9)
    assert told["service_levels.freshness"] == ("domain", "_domain.yaml", 3)
    assert told["info.title"][0] == "command line"
    assert told["engine"] == ("project", "lakelogic.toml", 1)


def test_origins_show_a_variable_as_it_was_written(mesh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUCKET", "secret-place")
    loaded = load_contract(mesh / "silver" / "people_v1.0.yaml", environment="prod")
    shown = {each.key: each.value for each in origins(loaded)}
    assert shown["materialization.target_path"] == "s3://${BUCKET}/lake/silver/crm_people"
    assert loaded.target == "s3://secret-place/lake/silver/crm_people"
