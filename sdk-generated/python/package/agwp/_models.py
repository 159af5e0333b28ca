"""What the generated messages need to keep the contract's promises; the template has each of them go through here."""

from __future__ import annotations

import json
from typing import Any, Dict, Type

from pydantic import BaseModel


def _require_json(name: str, value: Dict[str, Any]) -> None:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as wrong:
        raise ValueError(f"{name} must be a JSON object: {wrong}") from wrong


def keep_promises(model: Type[BaseModel]) -> None:
    """A mistyped argument is an error, a null inside a payload or result stays there, and what JSON cannot say is refused there.

    As generated, an argument that is none is dropped in silence and the job runs without it. Answers lose nothing by the strictness: their
    unknown fields go into ``additional_properties``, which is a field of its own. And ``to_dict`` leaves absent fields out by a means that
    also takes the nulls out of free-form objects. What is no JSON it would turn into something else: an object into its ``__dict__``.
    """
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)

    stock = model.to_dict  # type: ignore[attr-defined]

    def to_dict(self: Any) -> Dict[str, Any]:
        free_form = {
            name: value
            for name in model.model_fields
            if name != "additional_properties" and isinstance(value := getattr(self, name), dict)
        }
        for name, value in free_form.items():
            _require_json(name, value)
        fields: Dict[str, Any] = stock(self)
        fields.update(free_form)
        return fields

    to_dict.__doc__ = stock.__doc__
    model.to_dict = to_dict  # type: ignore[attr-defined]
