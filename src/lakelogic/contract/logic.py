"""Steps that are not SQL: `external_logic` and `extraction`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from lakelogic.models import Model, Name


class ExternalLogic(Model):
    """A Python function or notebook of the project that makes the rows; they are judged like any others."""

    type: Literal["python", "notebook"] = Field(
        default="python", description="What is run; a path that ends in .ipynb is a notebook."
    )
    path: Name = Field(description="File of the function or notebook, inside the project.")
    engine: Name | None = Field(
        default=None, description="Engine that the logic is written for; another one is refused."
    )
    entrypoint: Name = Field(default="run", description="Function to call, as run(df, links, engine).")
    args: Mapping[str, object] = Field(default={}, description="Further arguments of the call, by name.")
    output_path: Name | None = Field(default=None, description="Path that a notebook writes to.")
    output_format: Name | None = Field(default=None, description="Format that a notebook writes.")
    handles_output: bool = Field(default=False, description="Whether the logic writes the target itself.")
    kernel_name: Name | None = Field(default=None, description="Kernel of a notebook.")
    timeout_seconds: float = Field(default=3600, gt=0, description="Seconds after which the run stops waiting for it.")


class Extraction(Model):
    """Columns read out of free text."""

    provider: Name = Field(description="regex, or the name of a language model's provider.")
    model: Name | None = Field(default=None, description="Name of the language model.")
    text_column: Name | None = Field(default=None, description="Column that holds the text.")
    patterns: Mapping[str, str] = Field(default={}, description="Regular expression for each column.")
    output_schema: tuple[str | Mapping[str, object], ...] = Field(default=(), description="Columns that are read out.")
    prompt_template: str | None = Field(default=None, description="Template of the question.")
    batch_size: int = Field(default=50, ge=1, description="Texts sent at a time.")
    concurrency: int = Field(default=5, ge=1, description="Requests under way at a time.")
    retry: Mapping[str, object] | None = Field(default=None, description="How failed requests are repeated.")
    confidence: Mapping[str, object] | None = Field(default=None, description="How sure an answer must be.")
    preprocessing: Mapping[str, object] | None = Field(default=None, description="How the text is prepared.")
    redact_pii_before_llm: bool = Field(
        default=True, description="Whether personal data is removed before text is sent."
    )
    max_cost_per_run: float | None = Field(default=None, ge=0, description="Cost at which a run stops.")
