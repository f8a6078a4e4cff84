"""The files that deploy the lab: what they name exists, and what they say can be read."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import hcl2
import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
LAB = ROOT / "examples" / "orders_lab"
TERRAFORM = LAB / "infra" / "terraform"
WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"
PRINTED = {"install", "test", "lint", "build", "pipeline", "verify", "serve", "docker-run"}


def _yaml(file: Path) -> Any:
    return YAML(typ="safe").load(file.read_text(encoding="utf-8"))


def _instructions() -> list[tuple[str, list[str]]]:
    """Of the Dockerfile: each instruction with its words."""
    text = (LAB / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split()[0], shlex.split(line)[1:]) for line in lines]


def _copied() -> list[str]:
    """What the Dockerfile copies out of the project."""
    copies = [words for name, words in _instructions() if name == "COPY" and not words[0].startswith("--from")]
    return [source for words in copies for source in words[:-1]]


def _targets(folder: Path) -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (folder / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def _steps() -> Iterator[str]:
    for job in _yaml(WORKFLOW)["jobs"].values():
        yield from (step["run"] for step in job["steps"] if "run" in step)


def test_what_the_image_copies_exists_and_is_not_ignored() -> None:
    kept = (LAB / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    allowed = [line[1:] for line in kept if line.startswith("!")]
    for source in _copied():
        assert (ROOT / source).exists(), source
        assert any(fnmatch(source, name) or source.startswith(f"{name}/") for name in allowed), source


def test_the_image_runs_as_nobody_special_and_tells_its_health() -> None:
    names = [name for name, _ in _instructions()]
    last = names[len(names) - names[::-1].index("FROM") :]
    assert names.count("FROM") > 1
    assert {"USER", "HEALTHCHECK"} <= set(last)
    assert last.index("USER") < last.index("CMD")
    (user,) = [words for name, words in _instructions() if name == "USER"]
    assert user != ["root"]


def test_the_jars_of_spark_are_in_the_image() -> None:
    words = [" ".join(words) for name, words in _instructions() if name == "RUN"]
    assert any("lakelogic.engines.spark.jars" in each for each in words)


def test_compose_builds_the_image_of_the_lab_and_is_reached_from_this_machine_only() -> None:
    compose = _yaml(LAB / "docker-compose.yml")
    for service in compose["services"].values():
        build = service["build"]
        assert ((LAB / build["context"]).resolve(), LAB / "Dockerfile") == (ROOT, ROOT / build["dockerfile"])
    assert all(port.startswith("127.0.0.1:") for port in compose["services"]["api"]["ports"])


def test_the_lab_has_every_target_that_is_printed() -> None:
    assert _targets(LAB) >= PRINTED


def test_every_make_of_the_workflow_names_a_target() -> None:
    made = [shlex.split(step) for step in _steps() if step.startswith("make")]
    assert made
    for words in made:
        folder = ROOT / words[words.index("-C") + 1] if "-C" in words else ROOT
        named = [word for word in words[1:] if word in _targets(folder)]
        assert len(named) == 1, words


def test_the_workflow_has_a_job_for_each_step_of_the_way() -> None:
    jobs = _yaml(WORKFLOW)["jobs"]
    assert set(jobs) >= {"lint", "test", "build", "smoke", "image"}
    needed = {name for job in jobs.values() for name in [job.get("needs", [])] if isinstance(name, str)}
    assert needed <= set(jobs)
    dockerfile = next(step for step in _steps() if step.startswith("docker build")).split()
    assert (ROOT / dockerfile[dockerfile.index("--file") + 1]).is_file()


def test_the_environment_file_names_what_the_clouds_need_and_holds_no_value() -> None:
    lines = (LAB / ".env.example").read_text(encoding="utf-8").splitlines()
    settings = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    printed = "SNOWFLAKE_ACCOUNT SNOWFLAKE_USER SNOWFLAKE_PASSWORD DATABRICKS_HOST AWS_ACCESS_KEY_ID"
    assert set(settings) >= {*printed.split(), "AWS_SECRET_ACCESS_KEY", "S3_ARTIFACT_BUCKET", "LAKELOGIC_SERVE_TOKEN"}
    assert not any(settings.values())


def test_terraform_is_well_formed_and_declares_what_it_uses() -> None:
    parsed = [hcl2.loads(file.read_text(encoding="utf-8")) for file in sorted(TERRAFORM.glob("*.tf"))]
    declared = {name.strip('"') for file in parsed for block in file.get("variable", []) for name in block}
    used = set(re.findall(r"\bvar\.(\w+)", "".join(file.read_text() for file in TERRAFORM.glob("*.tf"))))
    assert used == declared
    kinds = {kind.strip('"') for file in parsed for block in file.get("resource", []) for kind in block}
    assert "google_cloud_run_v2_service" in kinds


def test_terraform_serves_the_port_and_the_health_of_the_image() -> None:
    text = (TERRAFORM / "main.tf").read_text(encoding="utf-8")
    (port,) = [words[0] for name, words in _instructions() if name == "EXPOSE"]
    assert re.findall(r"container_port = (\d+)", text) == [port]
    assert re.findall(r'path = "([^"]+)"', text) == ["/health", "/health"]


@pytest.mark.skipif(shutil.which("terraform") is None, reason="terraform is not installed")
def test_terraform_has_its_own_style() -> None:
    command = ["terraform", f"-chdir={TERRAFORM}", "fmt", "-check", "-diff"]
    plain = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=plain)
    assert done.returncode == 0, done.stdout + done.stderr
