"""Pages that stand by themselves: no script, and one style that the page's own policy lets in by its hash."""

from __future__ import annotations

import base64
import hashlib

from starlette.responses import HTMLResponse

from lakelogic.serve.limits import POLICY

_STYLE = """
:root { color-scheme: light dark; --accent: #0f766e; --faint: color-mix(in srgb, currentColor 12%, transparent);
  font: 15px/1.55 system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { :root { --accent: #2dd4bf; } }
body { max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2.25rem 0 .5rem; }
code, pre { font: .92em/1.5 ui-monospace, monospace; } a { color: var(--accent); }
article { border: 1px solid var(--faint); border-radius: .6rem; padding: .7rem 1rem; margin: .6rem 0; }
article h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; } article p { margin: .2rem 0; }
article h3 span { color: var(--accent); font-weight: 700; margin-right: .5rem; }
table { border-collapse: collapse; margin: .5rem 0; font-size: .92em; } td { padding: .1rem 1.2rem .1rem 0; }
pre { background: var(--faint); border-radius: .5rem; padding: .6rem .9rem; overflow-x: auto; }
.narrow { max-width: 22rem; padding-top: 18vh; } .narrow p { margin: 0; opacity: .75; } .narrow form { display: grid; gap: .75rem; }
input, button { font: inherit; padding: .5rem .75rem; border: 1px solid #8888; border-radius: .5rem; }
button { background: #0f766e; border-color: #0f766e; color: #fff; cursor: pointer; }
[role=alert] { color: #c2410c; margin: 0; }
"""
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = POLICY.replace("style-src 'self'", f"style-src 'sha256-{_HASH}'")
_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · LakeLogic</title><link rel="icon" href="data:,"><style>{style}</style></head>
<body class="{kind}"><main>
{body}
</main></body></html>
"""


def bare_page(title: str, body: str, *, kind: str = "", status: int = 200) -> HTMLResponse:
    """A page of this body, which is HTML already."""
    content = _PAGE.format(title=title, style=_STYLE, kind=kind, body=body)
    return HTMLResponse(content, status, {"Content-Security-Policy": _POLICY})
