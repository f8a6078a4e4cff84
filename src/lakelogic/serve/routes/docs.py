"""`/docs`: the routes on a page of our own, which asks no other host for anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import Response

from lakelogic.serve.bare_pages import bare_page
from lakelogic.serve.reading.project import Served

_EXAMPLES = 3


def routes(app: FastAPI, served: Served) -> APIRouter:
    """The route."""
    found = APIRouter(include_in_schema=False)

    @found.get("/docs")
    def docs(request: Request) -> Response:
        document = app.openapi()
        base = f"{request.url.scheme}://{request.headers.get('host', '')}"
        return bare_page(escape(document["info"]["title"]), "\n".join(_page(document, served, base)))

    return found


def _page(document: Mapping[str, Any], served: Served, base: str) -> Iterator[str]:
    info = document["info"]
    yield f"<h1>{escape(info['title'])}</h1>"
    yield f"<p>{escape(info.get('summary', ''))} The pages for people are at <a href='/'>/</a>, "
    yield "the same list for programs at <a href='/openapi.json'>/openapi.json</a>.</p>"
    yield f"<pre>curl {escape(base)}/api/runtime/quality-report</pre>"
    yield "<p>Where the server has a token, send it: <code>-H 'Authorization: Bearer …'</code></p>"
    groups: dict[str, list[str]] = {}
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            tag = route.get("tags", ["other"])[0]
            groups.setdefault(tag, []).append(_route(method, path, route, served))
    for tag, listed in groups.items():
        yield f"<h2>{escape(tag.capitalize())}</h2>"
        yield from listed


def _route(method: str, path: str, route: Mapping[str, Any], served: Served) -> str:
    rows = "".join(_parameter(each) for each in route.get("parameters", ()))
    links = [f"<a href='{escape(link)}'><code>{escape(link)}</code></a>" for link in _links(path, served)]
    shown = links[0] if "{" not in path else f"<code>{escape(path)}</code>"
    tried = f"<p>For example {', '.join(links)}</p>" if "{" in path and links else ""
    return (
        f"<article><h3><span>{method.upper()}</span>{shown}</h3><p>{escape(route.get('summary', ''))}</p>"
        f"{f'<table>{rows}</table>' if rows else ''}{tried}</article>"
    )


def _parameter(each: Mapping[str, Any]) -> str:
    told = [each["name"], *_allowed(each["schema"])]
    return "<tr>" + "".join(f"<td>{'<code>' * (not i)}{escape(str(t))}</td>" for i, t in enumerate(told)) + "</tr>"


def _allowed(schema: Mapping[str, Any]) -> tuple[str, str]:
    """The type or the values of a parameter, and what it is when it is left out."""
    kinds = [kind for kind in schema.get("anyOf", [schema]) if kind.get("type") != "null"]
    values = [str(value) for kind in kinds for value in kind.get("enum", [kind["const"]] if "const" in kind else [])]
    bounds = f" {schema['minimum']} to {schema['maximum']}" if "minimum" in schema and "maximum" in schema else ""
    kind = ", ".join(values) or f"{kinds[0].get('format') or kinds[0].get('type', 'text')}{bounds}"
    default = schema.get("default")
    return kind, "" if default is None else f"default {default}"


def _links(path: str, served: Served) -> Iterator[str]:
    """The route with values that this project has; none where it has none."""
    if "{" not in path:
        yield path
        return
    names = [node.name for node in served.contracts][-_EXAMPLES:]
    known = {"{layer}": list(served.contracts.layers), "{contract}": names, "{name}": names}
    if "{run_id}" in path:
        known["{run_id}"] = [run.run_id for run in served.runs.newest(limit=1).runs]
    for word, values in known.items():
        if word in path and path.count("{") == 1:
            yield from (path.replace(word, quote(value, safe="")) for value in values)
