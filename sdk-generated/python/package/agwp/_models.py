"""What the generated messages need to keep the contract's promises; the template has each of them go through here."""

from __future__ import annotations

from typing import Any, Dict, Type

from pydantic import BaseModel


def keep_promises(model: Type[BaseModel]) -> None:
    """A mistyped argument is an error, and a null inside a payload or result stays there.

    As generated, an argument that is none is dropped in silence and the job runs without it. Answers lose nothing by the strictness: their
    unknown fields go into ``additional_properties``, which is a field of its own. And ``to_dict`` leaves absent fields out by a means that
    also takes the nulls out of free-form objects.
    """
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)

    stock = model.to_dict  # type: ignore[attr-defined]

    def to_dict(self: Any) -> Dict[str, Any]:
        fields: Dict[str, Any] = stock(self)
        for name in model.model_fields:
            value = getattr(self, name)
            if isinstance(value, dict) and name != "additional_properties":
                fields[name] = value
        return fields

    to_dict.__doc__ = stock.__doc__
    model.to_dict = to_dict  # type: ignore[attr-defined]
