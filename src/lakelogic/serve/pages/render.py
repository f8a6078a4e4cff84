"""Templates, with the words and addresses they need."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from lakelogic.serve.pages.charts.sparkline import sparkline
from lakelogic.serve.pages.links import contract_link, review_link, run_link
from lakelogic.serve.pages.states import run_state
from lakelogic.viewer.wording import age
from lakelogic.wording import number, seconds, share

_KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".txt": "text/plain"}
_SECTIONS = (
    ("/", "Overview", "overview"),
    ("/dag", "DAG", "dag"),
    ("/runs", "Runs", "runs"),
    ("/review", "Review", "review"),
)


@dataclass(frozen=True)
class Site:
    """What every page says of the project it is about."""

    name: str
    root: str
    signs_in: bool
    sections: tuple[tuple[str, str, str], ...] = _SECTIONS


@dataclass(frozen=True)
class Asset:
    """A file that browsers fetch beside the pages; its version is in its address, so that they may keep it."""

    content: bytes
    kind: str
    version: str


@cache
def assets() -> Mapping[str, Asset]:
    """The files that come with the pages, by name."""
    found = {}
    for file in files("lakelogic.serve.pages").joinpath("static").iterdir():
        content, ending = file.read_bytes(), "." + file.name.rpartition(".")[2]
        found[file.name] = Asset(content, _KINDS[ending], hashlib.sha256(content).hexdigest()[:12])
    return found


def page(template: str, site: Site, section: str, shown: object, status: int = 200) -> HTMLResponse:
    """A whole page; `section` is the address of its entry in the navigation."""
    text = _environment().get_template(template).render(site=site, section=section, page=shown)
    return HTMLResponse(text, status)


def fragment(template: str, headers: Mapping[str, str] | None = None, **shown: object) -> HTMLResponse:
    """A part of a page, to be put in its place by the browser."""
    return HTMLResponse(_environment().get_template(template).render(shown), headers=dict(headers or {}))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("lakelogic.serve.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals["static"] = lambda name: f"/static/{name}?v={assets()[name].version}"
    environment.filters |= {
        "ago": lambda moment: age(datetime.now(UTC) - moment),
        "contract_link": contract_link,
        "count": number,
        "iso": lambda moment: moment.isoformat(),
        "percent": lambda ratio: "-" if ratio is None else share(ratio, 1),
        "review_link": review_link,
        "run_link": run_link,
        "run_state": run_state,
        "sparkline": sparkline,
        "took": lambda duration: "-" if duration is None else seconds(duration),
        "utc": lambda moment: moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S") if moment else "unknown",
    }
    return environment
