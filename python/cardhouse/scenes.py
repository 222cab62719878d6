"""The library's own scenes, a function each, made from its table: `cardhouse.scenes.cards(levels=5)`.

`names` lists them; `help(cardhouse.scenes.cards)` tells the parameters of one, with their units.
"""
from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from cardhouse import _core
from cardhouse.world import World


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return value if isinstance(value, str) else repr(float(value)) if isinstance(value, float) else str(value)


def _scene(name: str, summary: str, parameters: list[_core.Parameter]) -> Callable[..., World]:
    def make(**given: Any) -> World:
        text = _core.builtin_text(name, {key: _text(value) for key, value in given.items()})
        return World(document=json.loads(text), file=name)

    make.__name__ = make.__qualname__ = name.replace("-", "_")
    lines = [f"    {key}: {text} ({value})" for key, value, text, *_ in parameters]
    make.__doc__ = "\n".join([summary[0].upper() + summary[1:] + ".", "", *lines])
    return make


names: list[str] = []
"""Names of the built-in scenes, as functions of this module."""

for _name, _summary, _parameters in _core.builtins():
    _make = _scene(_name, _summary, _parameters)
    names.append(_make.__name__)
    globals()[_make.__name__] = _make


def __getattr__(name: str) -> Callable[..., World]:
    raise AttributeError(f"there is no built-in scene '{name}'; there are: {', '.join(names)}")
