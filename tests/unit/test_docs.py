"""What the documentation says is so: its examples load or run, its links resolve, its lists are complete."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import lakelogic
from lakelogic.catalogs.base import catalogs
from lakelogic.cli.main import COMMANDS
from lakelogic.contract import load_text
from lakelogic.contract.lint.base import lint_rules
from lakelogic.contract.mesh import Domain, System, load_mesh_file
from lakelogic.contract.policy_packs import PolicyPack
from lakelogic.contract.support import unsupported
from lakelogic.engines.opening import engines
from lakelogic.exports.base import export_targets
from lakelogic.formats.base import formats
from lakelogic.masks.base import masks
from lakelogic.models import Model
from lakelogic.rules.base import dataset_rules, row_rules
from lakelogic.run.processor import DataProcessor
from lakelogic.run.result import RunResult
from lakelogic.state.runlog import run_log_schema
from lakelogic.transforms.base import transforms
from scripts.reference import FOLDER, pages
from tests.pages import FENCE, PAGES, ROOT, Block, blocks, blocks_of

PLUG_IN = "lakelogic.row_rules"
WORKED_RULE = "starts_with"

_LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_TEST = re.compile(r"tests/[\w/]+\.py(?:::\w+)?")
# What a block of Python can't do without a Spark, a table, or a package that is not there.
_NEEDS_MORE = re.compile(r"load_all_contracts|DataProcessor\(|DeltaTable\(|@row_rule")


def headings(page: Path) -> set[str]:
    """The anchors of a page, as both GitHub and mkdocs make them."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in titles}


def links() -> list[tuple[Path, str]]:
    found = []
    for page in PAGES:
        text = re.sub(r"`[^`\n]+`", "", FENCE.sub("", page.read_text(encoding="utf-8")))
        found += [(page, match["target"]) for match in _LINK.finditer(text)]
    return found


@pytest.mark.parametrize("name", sorted(pages()))
def test_a_reference_page_is_what_the_code_says(name: str) -> None:
    written = (FOLDER / name).read_text(encoding="utf-8")
    assert written == pages()[name], "write it anew: python -m scripts.reference"


def test_no_reference_page_is_left_over() -> None:
    assert {page.name for page in FOLDER.glob("*.md")} == set(pages())


@pytest.mark.parametrize("block", [each for each in blocks("yaml") if WORKED_RULE not in each.text], ids=str)
def test_a_contract_in_a_page_loads_and_is_supported(block: Block, tmp_path: Path) -> None:
    loaded = load_text(block.text, file=str(block), directory=tmp_path)
    assert unsupported(loaded) == []


@pytest.mark.parametrize("block", blocks("yml"), ids=str)
def test_a_file_about_many_contracts_in_a_page_is_valid(block: Block, tmp_path: Path) -> None:
    file = tmp_path / block.text.splitlines()[0].removeprefix("# ").rsplit("/", 1)[-1]
    file.write_text(block.text)
    models: dict[str, type[Model]] = {"_domain.yaml": Domain, "_system.yaml": System}
    assert load_mesh_file(file, models.get(file.name, PolicyPack)).data


@pytest.mark.parametrize("block", blocks("python"), ids=str)
def test_python_in_a_page_uses_what_there_is(block: Block) -> None:
    tree = ast.parse(block.text)
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    for name in modules:
        import_module(name)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            module: ModuleType = import_module(node.module or "")
            assert [alias.name for alias in node.names if not hasattr(module, alias.name)] == []
    known: dict[str, type] = {"result": RunResult, "processor": DataProcessor, "plan": lakelogic.Plan}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in known:
            kind = known[node.value.id]
            assert hasattr(kind, node.attr) or node.attr in kind.__annotations__, f"{kind.__name__}.{node.attr}"


@pytest.mark.parametrize("block", [each for each in blocks("python") if not _NEEDS_MORE.search(each.text)], ids=str)
def test_python_in_a_page_runs(block: Block, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", block.text], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    if done.stdout:
        assert done.stdout.strip() in block.page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/extending.md"])
def test_the_worked_example_adds_a_rule_in_one_file(page: str, tmp_path: Path) -> None:
    (rule,) = [block for block in blocks_of(ROOT / page) if "@row_rule" in block.text]
    contract = f"source: {{path: a.csv}}\nquality:\n  row_rules:\n    - {WORKED_RULE}: {{field: iban, prefix: DE}}\n"
    (tmp_path / "contract.yaml").write_text(contract, encoding="utf-8")
    (tmp_path / "a.csv").write_text("iban\nDE12\n", encoding="utf-8")
    assert f"'{WORKED_RULE}' is unknown" in _asked(tmp_path, "validate")

    (tmp_path / "acme_rules.py").write_text(rule.text, encoding="utf-8")
    package = tmp_path / "acme_rules-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-rules\nVersion: 1.0\n", encoding="utf-8")
    (package / "entry_points.txt").write_text(f"[{PLUG_IN}]\nacme = acme_rules\n", encoding="utf-8")
    assert _asked(tmp_path, "validate") == "1 contract: 1 valid.\n"
    assert "STARTSWITH(`iban`, 'DE')" in _asked(tmp_path, "explain", "--sql")


def test_the_entry_point_of_the_worked_example_is_the_one_that_is_read() -> None:
    (shown,) = [block.text for block in blocks_of(ROOT / "docs/extending.md") if block.language == "toml"]
    assert f'entry-points."{PLUG_IN}"' in shown
    assert row_rules.group == PLUG_IN


def test_the_entry_points_that_are_described_are_those_that_are_read() -> None:
    described = re.findall(
        r"^\| `(lakelogic\.\w+)` \|", (ROOT / "docs/extending.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    registries = (row_rules, dataset_rules, transforms, masks, formats, engines, catalogs, export_targets, lint_rules)
    assert described == [registry.group for registry in registries]


def test_both_pages_show_the_same_worked_example() -> None:
    shown = [block.text for block in blocks("python") if "@row_rule" in block.text]
    assert len(shown) == 2
    assert len(set(shown)) == 1


def _asked(folder: Path, *words: str) -> str:
    command = [sys.executable, "-m", "lakelogic", words[0], "contract.yaml", *words[1:]]
    settings = {"PYTHONPATH": str(folder), "PATH": os.environ["PATH"]}
    done = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.mark.parametrize("block", blocks("console"), ids=str)
def test_a_command_in_a_page_exists(block: Block) -> None:
    targets = set(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for line in re.findall(r"^\$ (.+)$", block.text, re.MULTILINE):
        program, *words = line.split()
        if program == "lakelogic":
            assert words[0] in {*COMMANDS, "--help", "--version"}, line
        if program == "make":
            assert words[0] in targets, line


def test_commands_stand_in_blocks_that_are_run() -> None:
    assert [str(block) for block in blocks("text") if block.text.startswith("$ ")] == []


@pytest.mark.parametrize(("page", "target"), links())
def test_a_link_resolves(page: Path, target: str) -> None:
    if "://" in target:
        pytest.fail("pages link to nothing outside: addresses rot")
    path, _, anchor = target.partition("#")
    there = page if not path else (page.parent / path).resolve()
    assert there.exists()
    assert not anchor or anchor in headings(there)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_test_that_a_page_names_exists(page: Path) -> None:
    for named in _TEST.findall(page.read_text(encoding="utf-8")):
        file, _, test = named.partition("::")
        assert (ROOT / file).is_file(), named
        assert not test or f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), named


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    missing = [page for page in (ROOT / "docs").rglob("*.md") if str(page.relative_to(ROOT / "docs")) not in navigation]
    assert missing == []


def test_every_variable_that_is_read_is_in_the_readme_and_no_other() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pattern = re.compile(r"\bLAKELOGIC_[A-Z_]+\b")
    assert set(pattern.findall(readme)) == set(pattern.findall(code))


def test_every_column_of_the_run_log_is_described() -> None:
    described = (ROOT / "docs/results.md").read_text(encoding="utf-8")
    assert [name for name in run_log_schema().names if f"`{name}`" not in described] == []


def test_every_key_of_a_result_is_shown(spark_free_result: RunResult) -> None:
    (shown,) = [block.text for block in blocks_of(ROOT / "docs/results.md") if block.language == "json"]
    assert [key for key in spark_free_result.to_dict() if f'"{key}"' not in shown] == []


def test_every_public_name_is_described() -> None:
    described = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    assert [name for name in lakelogic.__all__ if name not in described and not name.startswith("_")] == []


def test_every_command_is_described() -> None:
    described = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"`lakelogic {name}`" not in described] == []


@pytest.fixture
def spark_free_result() -> RunResult:
    from datetime import UTC, datetime

    now = datetime(2026, 3, 28, tzinfo=UTC)
    return RunResult("r", "r", "c", None, "spark", "succeeded", "why", "full", now, now, "", "source")
