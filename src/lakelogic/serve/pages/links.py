"""Addresses of pages. Names are quoted whole: a slash in one is no step of a path."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from lakelogic.observe.history import Run


def contract_link(name: str | None) -> str:
    return f"/contracts/{quote(name or '', safe='')}"


def run_link(run: Run) -> str:
    return f"/runs/{quote(run.run_id, safe='')}"


def review_link(name: str) -> str:
    return f"/review?{urlencode({'contract': name})}"
