"""What readers of the harness's files share: versions, numbers, times, and the one error."""

from __future__ import annotations

import json
import math
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


class FormatError(ValueError):
    """A file is not one of Plumbline's, is damaged, or a newer harness wrote it."""


def read_document(path: Path, schema: str, version: int, what: str) -> dict[str, Any]:
    """Reads a document of a schema, up to a version. Raises FileNotFoundError and FormatError."""
    try:
        data = json.loads(path.read_bytes())
    except ValueError as fault:
        raise FormatError(f"{path}: {fault}") from fault
    if not isinstance(data, dict) or data.get("schema") != schema:
        raise FormatError(f"{path} is no {what}: want schema {schema!r}")
    found = data.get("schema_version")
    if not isinstance(found, int) or not 1 <= found <= version:
        raise FormatError(f"{path} has schema version {found!r}; this package reads 1 to {version}: update it")
    return data


def number(value: Any) -> float:
    """A number; null stands for one that is not finite."""
    return math.nan if value is None else float(value)


def time_of(text: str) -> datetime | None:
    """A time with up to nine digits of a second, of which Python keeps six. That of a run that never began is none."""
    date, _, fraction = text.removesuffix("Z").partition(".")
    if date.startswith("0001-"):
        return None
    if fraction and not fraction.isdigit():  # a zone's offset is behind it
        return datetime.fromisoformat(text)
    return datetime.fromisoformat(f"{date}.{fraction[:6]:0<6}+00:00")


def pandas_module() -> Any:
    """pandas, where it is installed."""
    try:
        import pandas
    except ImportError as fault:
        raise ImportError("a table needs pandas (pip install pandas); dataclasses do without") from fault
    return pandas


def make_frame(rows: list[dict[str, Any]]) -> pandas.DataFrame:
    """A DataFrame of rows. Raises ImportError without pandas."""
    frame: pandas.DataFrame = pandas_module().DataFrame(rows)
    return frame
