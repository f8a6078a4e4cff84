"""Policy packs add to contracts what they are for, and say what they brought."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from lakelogic.contract import LoadedContract, load_contract
from lakelogic.errors import ContractInvalid, UsageError
from lakelogic.plan.build import Given, build_plan
from lakelogic.plan.model import Plan, ReadPlan
from lakelogic.sql.render import to_spark
from lakelogic.sql.types import Columns

PACK = """\
layers: [silver]
defaults:
  quarantine: {max_ratio: 10%}
  lineage: {enabled: true}
silver_defaults:
  lineage: {capture_domain: false}
quality:
  row_rules:
    - not_null: [id, other]
    - {name: positive, sql: amount > 0}
  dataset_rules:
    - row_count_between: {min: 1}
service_levels: {freshness: 6h}
transformations:
  - trim: [id, other]
    phase: pre
"""
CONTRACT = """\
layer: silver
source: {path: rows.csv}
model:
  fields:
    - {name: id, type: string}
    - {name: amount, type: int}
transformations:
  - upper: id
    phase: pre
quality:
  row_rules:
    - {name: positive, sql: amount > 0}
service_levels: {freshness: 1h}
lineage: {enabled: false}
materialization: {target_path: out}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "policy_packs").mkdir()
    (tmp_path / "policy_packs" / "base.yaml").write_text(PACK)
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / "a.yaml").write_text(CONTRACT)
    return tmp_path


def loaded(folder: Path, packs: Sequence[str] = ("base",), text: str = CONTRACT) -> LoadedContract:
    (folder / "contracts" / "a.yaml").write_text(text)
    return load_contract(folder / "contracts" / "a.yaml", policy_packs=packs)


def planned(folder: Path, text: str = CONTRACT) -> Plan:
    read = ReadPlan("files", "rows.csv", "csv", "full", "load_mode is full", ())
    columns = Columns.of(id="string", amount="string")
    return build_plan(loaded(folder, text=text), Given(read, columns, "spark", to_spark))


def test_rules_are_added_but_not_repeated(folder: Path) -> None:
    rules = loaded(folder).model.quality.row_rules
    assert [rule.name or rule.kind for rule in rules] == ["positive", "not_null", "not_null"]
    assert [rule.kind for rule in loaded(folder).model.quality.dataset_rules] == ["row_count_between"]


def test_defaults_count_only_where_nobody_said_otherwise(folder: Path) -> None:
    model = loaded(folder).model
    assert (model.quarantine.max_ratio, model.lineage.enabled, model.lineage.capture_domain) == (0.1, False, False)


def test_service_levels_take_the_place_of_the_contract_s_own_but_not_of_the_command_line_s(folder: Path) -> None:
    assert loaded(folder).model.service_levels.freshness == "6h"
    given = load_contract(
        folder / "contracts" / "a.yaml", policy_packs=["base"], overrides={"service_levels.freshness": "2h"}
    )
    assert given.model.service_levels.freshness == "2h"


@pytest.mark.parametrize(
    ("mode", "kinds"),
    [
        ("", ["trim", "trim", "upper"]),
        ("transformations_mode: append\n", ["upper", "trim", "trim"]),
        ("transformations_mode: replace\n", ["trim", "trim"]),
    ],
)
def test_transformations_go_before_after_or_in_place_of_the_contract_s_own(
    folder: Path, mode: str, kinds: list[str]
) -> None:
    (folder / "policy_packs" / "base.yaml").write_text(PACK + mode)
    assert [step.kind for step in loaded(folder).model.transformations] == kinds


def test_a_layer_s_own_part_is_for_that_layer(folder: Path) -> None:
    pack = "silver_transformations: [{lower: id, phase: pre}]\ngold_transformations: [{trim: id, phase: pre}]\n"
    (folder / "policy_packs" / "base.yaml").write_text(pack + "silver_transformations_mode: append\n")
    assert [step.kind for step in loaded(folder).model.transformations] == ["upper", "lower"]


def test_the_plan_leaves_out_what_is_about_columns_that_are_not_there_and_says_so(folder: Path) -> None:
    plan = planned(folder)
    assert [check.name for check in plan.checks] == ["amount_type", "positive", "id_not_null"]
    assert [step.name for step in plan.pre.steps if step.name[0].isdigit()] == ["1. trim", "3. upper"]
    told = {policy.what: policy.left_out for policy in plan.policies}
    assert told["rule not_null other"] == "column 'other' is unknown."
    assert told["rule not_null id"] is None
    assert told["transformation trim other"] == "column 'other' is unknown."
    assert told["service levels"] is None
    assert told["default quarantine.max_ratio"] is None
    assert {Path(policy.place.rsplit(":", 2)[0]).name for policy in plan.policies} == {"base.yaml"}


def test_a_contract_s_own_rule_on_a_missing_column_is_still_refused(folder: Path) -> None:
    with pytest.raises(ContractInvalid, match="column 'other' is unknown"):
        planned(folder, CONTRACT.replace("amount > 0", "other > 0"))


def test_a_pack_for_other_layers_brings_nothing(folder: Path) -> None:
    gold = loaded(folder, text=CONTRACT.replace("layer: silver", "layer: gold"))
    assert len(gold.model.quality.row_rules) == 1
    assert [(each.what, each.left_out) for each in gold.brought] == [("the whole pack", "it is for silver")]


def test_the_layer_may_be_that_of_the_target(folder: Path) -> None:
    text = CONTRACT.replace("layer: silver\n", "").replace("target_path: out", "target_path: lake.silver.out")
    assert len(loaded(folder, text=text).model.quality.row_rules) == 3


def test_a_contract_names_its_own_packs(folder: Path) -> None:
    own = loaded(folder, packs=(), text=CONTRACT + "metadata: {policy_pack: base}\n")
    assert len(own.model.quality.row_rules) == 3
    again = loaded(folder, packs=("base",), text=CONTRACT + "metadata: {policy_pack: base}\n")
    assert len(again.model.quality.row_rules) == 3


def test_a_pack_may_be_json(folder: Path) -> None:
    (folder / "rules.json").write_text('{"quality": {"row_rules": [{"name": "small", "sql": "amount < 9"}]}}')
    own = loaded(folder, packs=(), text=CONTRACT + "metadata: {policy_pack: ../rules.json}\n")
    assert [rule.name for rule in own.model.quality.row_rules] == ["positive", "small"]


def test_the_folder_that_is_given_is_the_one_that_is_searched(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "base.yaml").write_text("quality: {row_rules: [{not_null: amount}]}\n")
    given = load_contract(
        folder / "contracts" / "a.yaml", policy_packs=["base"], policy_pack_dir=tmp_path / "elsewhere"
    )
    assert [rule.kind for rule in given.model.quality.row_rules] == ["sql", "not_null"]
    with pytest.raises(UsageError, match=r"--policy-pack-dir .*nowhere is not a folder"):
        load_contract(folder / "contracts" / "a.yaml", policy_packs=["base"], policy_pack_dir=tmp_path / "nowhere")


def test_a_missing_pack_is_an_error(folder: Path) -> None:
    with pytest.raises(UsageError, match="policy pack 'bsae' does not exist. Did you mean 'base'?"):
        loaded(folder, packs=("bsae",))
    with pytest.raises(ContractInvalid, match=r"a.yaml:16:12: policy pack 'none' does not exist"):
        loaded(folder, packs=(), text=CONTRACT + "metadata: {policy_pack: none}\n")


def test_what_is_wrong_in_a_pack_is_told_with_its_place(folder: Path) -> None:
    (folder / "policy_packs" / "base.yaml").write_text("qualty: {}\n")
    with pytest.raises(ContractInvalid, match=r"base.yaml:1:1: key 'qualty' is unknown. Did you mean 'quality'?"):
        loaded(folder)
    (folder / "policy_packs" / "base.yaml").write_text("silver_quality: {row_rules: [{betwen: a}]}\n")
    with pytest.raises(ContractInvalid, match=r"base.yaml:1:31: rule 'betwen' is unknown"):
        loaded(folder)
    (folder / "policy_packs" / "base.yaml").write_text("layers: [slver]\n")
    with pytest.raises(ContractInvalid, match=r"base.yaml:1:1: layer 'slver' is unknown. Did you mean 'silver'?"):
        loaded(folder)
