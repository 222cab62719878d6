"""The library's own scenes, one function each: `cardhouse.scenes.cards(levels=5)`."""
from __future__ import annotations

import json
from typing import Any, Callable

from cardhouse import _core
from cardhouse.world import World


def _scene(name: str, summary: str, parameters: list[Any]) -> Callable[..., World]:
    def make(**given: object) -> World:
        text = _core.builtin_text(name, {key: str(value) for key, value in given.items()})
        return World(json.loads(text), file=name)

    make.__name__ = make.__qualname__ = name.replace("-", "_")
    lines = [f"    {p[0]}: {p[2]} ({p[1]})" for p in parameters]
    make.__doc__ = "\n".join([summary, "", *lines])
    return make


names = []
for _name, _summary, _parameters in _core.builtins():
    names.append(_name)
    globals()[_name.replace("-", "_")] = _scene(_name, _summary, _parameters)


def __getattr__(name: str) -> Callable[..., World]:
    raise AttributeError(f"there is no built-in scene '{name}'; there are: {', '.join(names)}")
