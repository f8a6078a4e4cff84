"""The contract's JSON Schema, for editors and other tools."""

from __future__ import annotations

from typing import Any

from lakelogic.contract.model import Contract

DRAFT = "http://json-schema.org/draft-07/schema#"


def contract_schema() -> dict[str, Any]:
    """JSON Schema draft-07 of a contract."""
    schema = Contract.model_json_schema(ref_template="#/definitions/{model}")
    definitions = {name: _draft_07(body) for name, body in sorted(schema.pop("$defs", {}).items())}
    shown: dict[str, Any] = _draft_07(schema)
    return {"$schema": DRAFT, **shown, "title": "LakeLogic data contract", "definitions": definitions}


def _draft_07(node: Any) -> Any:
    """A part of the schema in the words of draft-07, and without defaults that only repeat a block's own."""
    if isinstance(node, list):
        return [_draft_07(item) for item in node]
    if not isinstance(node, dict):
        return node
    out = {key: _draft_07(value) for key, value in node.items()}
    # A property may be called title or default, so only texts and values of the schema's own are dropped.
    if isinstance(out.get("title"), str):
        del out["title"]
    if ("default" in out and out["default"] in (None, {}, [])) or isinstance(out.get("default"), dict):
        del out["default"]
    if "prefixItems" in out:
        out["items"], out["additionalItems"] = out.pop("prefixItems"), False
    if out.get("type") == "string" and "enum" not in out:
        # The loader takes a number where text is meant, such as `version: 1.10`.
        out["type"] = ["string", "number"]
    if "$ref" in out and len(out) > 1:
        # Draft-07 ignores what stands beside $ref.
        out["allOf"] = [{"$ref": out.pop("$ref")}]
    return out
