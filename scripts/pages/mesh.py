"""The pages of files that are about many contracts, and of what lint says."""

from __future__ import annotations

from lakelogic.contract.lint.base import lint_rules
from lakelogic.contract.mesh import Domain, System, SystemContract
from lakelogic.contract.policy_packs import PackDefaults, PackQuality, PolicyPack
from scripts.pages.keys import key_table
from scripts.pages.markdown import page

_INTRODUCTION = """\
Every key of the files that contracts inherit from, generated from the models that read them.
Blocks that a contract has too are described in [its reference](contract.md)."""


def mesh_page() -> str:
    """The keys of `_domain.yaml`, `_system.yaml` and policy packs."""
    return page(
        "Mesh and policy packs",
        _INTRODUCTION,
        "## _domain.yaml",
        key_table(Domain),
        "## _system.yaml",
        key_table(System),
        "### contracts[]",
        key_table(SystemContract),
        "## Policy pack",
        key_table(PolicyPack),
        "### defaults",
        key_table(PackDefaults),
        "### quality",
        key_table(PackQuality),
    )


def lint_page() -> str:
    """Every code with what it says."""
    lines = [f"| `{code}` | {(rule.__doc__ or '').splitlines()[0]} |" for code, rule in lint_rules]
    table = "\n".join(["| code | a warning when |", "|---|---|", *lines])
    return page("Lint", "What `lakelogic lint` says, generated from its rules.", table)
