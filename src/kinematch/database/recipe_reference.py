"""The recipe reference: every key with its type, default and meaning, generated from the models."""

import json
import types
import typing
from collections.abc import Iterator

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from kinematch.database.recipe import (
    ActionEntry,
    Cleaning,
    EventEntry,
    FeatureEntry,
    Matching,
    Range,
    Recipe,
    Source,
)

TABLES: dict[str, type[BaseModel]] = {
    "top of the file": Recipe,
    "[[source]]": Source,
    "[[source.range]]": Range,
    "[[source.action]]": ActionEntry,
    "events": EventEntry,
    "[cleaning]": Cleaning,
    "[[feature]]": FeatureEntry,
    "[matching]": Matching,
}


def reference() -> str:
    """Markdown: a heading, a sentence and a table of keys for each TOML table."""
    parts = []
    for name, model in TABLES.items():
        about = (model.__doc__ or "").split(": ", 1)[-1].strip()
        rows = "\n".join(_rows(model))
        parts.append(
            f"## {name if name.startswith('top') else f'`{name}`'}\n\n{about[0].upper()}{about[1:]}\n\n"
            f"| key | type | default | meaning |\n|---|---|---|---|\n{rows}\n"
        )
    return "\n".join(parts)


def _rows(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        meaning = (field.description or "").replace("|", "\\|")
        yield f"| `{field.alias or name}` | {_type(field.annotation)} | {_default(field)} | {meaning} |"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "needed"
    if field.default is None or field.default == "" or isinstance(field.default, BaseModel):
        return ""
    return f"`{json.dumps(field.default)}`"


def _type(annotation: typing.Any) -> str:
    """A Python type in the words of TOML."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _type(inner[0])
    if origin is typing.Literal:
        return " or ".join(f"`{json.dumps(choice)}`" for choice in inner)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(dict.fromkeys(_type(one) for one in inner if one is not type(None)))
    if origin is list:
        return f"list of {_type(inner[0])}"
    if origin is dict:
        return f"table of {_type(inner[1])}"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "table"
    return {str: "text", float: "number", int: "whole number", bool: "true or false"}[annotation]
