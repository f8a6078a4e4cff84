"""Generated files that people have edited since."""

from __future__ import annotations

from pathlib import Path

from lakelogic.discover.keeping import drafts, marked, write_all
from lakelogic.discover.registry_text import registry_text


def test_a_file_is_told_new_same_changed_or_edited(tmp_path: Path) -> None:
    files = {tmp_path / name: marked("a: 1\n") for name in ("new", "same", "changed", "edited")}
    write_all(draft for draft in drafts(files) if draft.path.name != "new")
    (tmp_path / "edited").write_text(marked("a: 1\n") + "b: 2\n")
    wanted = {path: marked("a: 1\n" if path.name == "same" else "a: 3\n") for path in files}
    assert {draft.path.name: draft.state for draft in drafts(wanted)} == {
        name: name for name in ("new", "same", "changed", "edited")
    }


def test_an_edit_is_shown_as_a_patch(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("a: 1\n")
    (draft,) = drafts({file: "a: 2\n"})
    assert draft.diff.splitlines()[-2:] == ["-a: 1", "+a: 2"]


def test_a_registry_is_only_added_to(tmp_path: Path) -> None:
    file = tmp_path / "_registry.yaml"
    first = registry_text(file, {"a": {"bronze": tmp_path / "bronze/a.yaml"}}, None)
    edited = first.replace("enabled: true", "enabled: false  # later") + "\n# mine\ndomain: sales\n"
    layers = {"bronze": tmp_path / "bronze/a.yaml", "silver": tmp_path / "silver/a.yaml"}
    added = registry_text(file, {"a": layers, "b": {"bronze": tmp_path / "bronze/b.yaml"}}, edited)
    assert "enabled: false  # later" in added
    assert "      bronze: bronze/a.yaml\n      silver: silver/a.yaml\n" in added
    assert added.index("- entity: b") < added.index("domain: sales")
    assert registry_text(file, {"a": layers}, added) == added
