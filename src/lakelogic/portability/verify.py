"""The same contract on several engines, compared cell by cell."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from lakelogic.contract import LoadedContract
from lakelogic.engines.opening import EngineSettings, choice, engines
from lakelogic.errors import EngineUnavailable, LakeLogicError
from lakelogic.portability.rows import Row, columns_for, rows_for
from lakelogic.portability.trial import Cells, Stored, Trial, attempt
from lakelogic.run.begin import Ask, Beginning
from lakelogic.sql.types import Columns

FORMAT = 1
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Difference:
    """Something that two engines do not agree on; a cell's row is named by what else is in it."""

    where: str
    column: str
    expected: str
    found: str
    engine: str
    row: str = ""


@dataclass(frozen=True)
class Verdict:
    """What was run where, and every difference. `unseen` tells why rows were made for the model, not for the source."""

    contract: str
    rows: int
    rules: int
    oracle: str
    trials: tuple[Trial, ...]
    differences: tuple[Difference, ...]
    unseen: str | None = None

    @property
    def refusals(self) -> tuple[Trial, ...]:
        return tuple(trial for trial in self.trials if trial.refusal)

    @property
    def is_portable(self) -> bool:
        return not self.differences and not self.refusals

    def to_dict(self) -> dict[str, object]:
        """Plain data, for `--json`."""
        ran = [
            {
                "engine": trial.engine,
                "seconds": round(trial.seconds, 3),
                "good": trial.result.counts.good if trial.result else None,
                "quarantined": trial.result.counts.quarantined if trial.result else None,
                "refusal": trial.refusal,
            }
            for trial in self.trials
        ]
        told = {"contract": self.contract, "rows": self.rows, "rules": self.rules, "compared_with": self.oracle}
        told["source_unseen"] = self.unseen
        return {
            "format": FORMAT,
            "portable": self.is_portable,
            **told,
            "engines": ran,
            "differences": [asdict(difference) for difference in self.differences],
        }


def installed_engines() -> list[str]:
    """The engines that this machine can run; the first is the one that others are compared with."""
    default = choice(EngineSettings()).name
    return sorted((name for name, kind in engines if kind.missing() is None), key=lambda name: name != default)


def verify(loaded: LoadedContract, wanted: Sequence[str], mixed: int, seed: int, progress: Progress) -> Verdict:
    """Run rows made for the contract on each engine and compare what was written and counted.

    Raises:
        EngineUnavailable: fewer than two engines can run here.
    """
    if len(wanted) < 2:
        raise EngineUnavailable(
            f"there is nothing to compare: {', '.join(wanted) or 'no engine'} alone can run here.",
            cure="Install another: pip install 'lakelogic[duckdb,polars]'",
        )
    found, unseen = _source_columns(loaded)
    columns = columns_for(loaded, found)
    rows = rows_for(loaded, columns, mixed, seed)
    with TemporaryDirectory(prefix="lakelogic-") as place:
        source = _written(Path(place), columns, rows)
        key = secrets.token_hex(32)
        trials = tuple(attempt(loaded, name, source, Path(place) / name, key, progress) for name in wanted)
    oracle, *others = [trial for trial in trials if not trial.refusal] or [trials[0]]
    differences = [difference for trial in others for difference in _compared(oracle, trial)]
    rules = len(oracle.result.rules) + len(oracle.result.dataset_rules) if oracle.result else 0
    return Verdict(loaded.name, len(rows), rules, oracle.engine, trials, tuple(differences), unseen)


def _source_columns(loaded: LoadedContract) -> tuple[Columns | None, str | None]:
    """The columns of the contract's own source, or why they are not known."""
    try:
        found = Beginning(loaded, Ask(), None).input().everything().guessed()
    except LakeLogicError as error:
        return None, error.message
    return found, None if found is not None else "the source is not there, or tells its columns only to an engine"


def _written(folder: Path, columns: Columns, rows: Sequence[Row]) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from lakelogic.formats.arrow_types import arrow_schema

    path = folder / "rows.parquet"
    pq.write_table(pa.Table.from_pylist(list(rows), schema=arrow_schema(columns)), path)
    return path


def _compared(oracle: Trial, other: Trial) -> list[Difference]:
    found = [
        *_tables("good rows", oracle.target, other.target, other.engine),
        *_tables("quarantine", oracle.quarantine, other.quarantine, other.engine),
    ]
    if oracle.result is None or other.result is None:
        return found
    pairs: list[tuple[str, object, object]] = [("counts", oracle.result.counts, other.result.counts)]
    pairs += [
        (f"rule {mine.name}", mine.failed, theirs.failed)
        for mine, theirs in zip(oracle.result.rules, other.result.rules, strict=True)
    ]
    pairs += [
        (f"rule {mine.name}", mine.value, theirs.value)
        for mine, theirs in zip(oracle.result.dataset_rules, other.result.dataset_rules, strict=True)
    ]
    found += [Difference("run", what, str(a), str(b), other.engine) for what, a, b in pairs if repr(a) != repr(b)]
    return found


def _tables(where: str, oracle: Stored, other: Stored, engine: str) -> list[Difference]:
    if list(oracle.types.items()) != list(other.types.items()):
        return [Difference(where, "columns", str(dict(oracle.types)), str(dict(other.types)), engine)]
    mine, theirs = Counter(map(_key, oracle.rows)), Counter(map(_key, other.rows))
    missing, extra = list((mine - theirs).elements()), list((theirs - mine).elements())
    found: list[Difference] = []
    for key in missing:
        # The row that is most like it is taken for the same one.
        nearest = max(extra, key=lambda candidate: _alike(key, candidate), default=None)
        if nearest is None:
            found.append(Difference(where, "row", _shown(key), "no such row", engine))
            continue
        extra.remove(nearest)
        found += [
            Difference(where, name, mine_cell, their_cell, engine, _shown(key))
            for (name, mine_cell), (_, their_cell) in zip(key, nearest, strict=True)
            if mine_cell != their_cell
        ]
    return found + [Difference(where, "row", "no such row", _shown(key), engine) for key in extra]


def _key(row: Cells) -> tuple[tuple[str, str], ...]:
    return tuple((name, repr(value)) for name, value in row.items())


def _alike(key: tuple[tuple[str, str], ...], other: tuple[tuple[str, str], ...]) -> int:
    return sum(a == b for a, b in zip(key, other, strict=True))


def _shown(key: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{name}={value}" for name, value in key if not name.startswith("_lakelogic"))[:200]
