"""`${NAME}` in a contract: filled from the environment, and never shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from lakelogic.contract.places import Path, Places
from lakelogic.errors import ContractError
from lakelogic.models import is_own_key

_SHORTEST_SECRET = 4
# `$${NAME}` stands for the text `${NAME}` itself.
_VARIABLE = re.compile(r"\$(\$)?\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


@dataclass
class Variables:
    """Fills `${NAME}` and `${NAME:-default}`, and remembers what must not be shown because it came from there."""

    environ: Mapping[str, str]
    places: Places
    environment: str | None = None
    problems: list[ContractError] = field(default_factory=list)
    secrets: dict[str, str] = field(default_factory=dict)

    def fill(self, data: dict[str, object]) -> dict[str, object]:
        """A copy of the data with every variable filled; an unset one that is needed becomes a problem."""
        return {key: self._value(value, (key,)) for key, value in data.items()}

    def hide(self, message: str) -> str:
        """A message with what came from the environment named, not shown."""
        for value, name in self.secrets.items():
            message = message.replace(value, f"${{{name}}}")
        return message

    def _value(self, value: object, path: Path) -> object:
        if isinstance(value, dict):
            return {key: self._value(item, (*path, key)) for key, item in value.items()}
        if isinstance(value, list):
            return [self._value(item, (*path, index)) for index, item in enumerate(value)]
        if isinstance(value, str) and "${" in value:
            return _VARIABLE.sub(lambda match: self._replacement(match, path), value)
        return value

    def _replacement(self, match: re.Match[str], path: Path) -> str:
        escaped, name, default = match.groups()
        if escaped:
            return match[0][1:]
        if value := self.environ.get(name):
            # A shorter text is no secret, and would be found inside ordinary words.
            if len(value) >= _SHORTEST_SECRET:
                self.secrets[value] = name
            return value
        if default is not None:
            return str(default)
        if self._needed(path):
            cure = f"Set it, or write a default: ${{{name}:-…}}."
            place = self.places.of_value(path)
            self.problems.append(ContractError(f"variable {name} is not set.", cure=cure, place=place))
        return match[0]

    def _needed(self, path: Path) -> bool:
        """Whether this run uses a value: not another environment's, not a notification's, not the user's own."""
        if path[0] == "environments":
            return path[1:2] == (self.environment,)
        return "notifications" not in path and not any(is_own_key(part) for part in path)
