"""Worlds: scenes as the library reads them. One truth for forms and errors: the library's own reader."""
from __future__ import annotations

import copy
import json
import os
from typing import Any

from cardhouse import _core

Document = dict[str, Any]


class World:
    """A world and how to run it: a scene document, whose form docs/scene.md describes."""

    def __init__(self, document: Document | None = None, *, file: str = "scene") -> None:
        self._document: Document = {"cardhouse": 1} if document is None else copy.deepcopy(document)
        self._file = file

    @property
    def document(self) -> Document:
        """The scene document itself, to be read and changed."""
        return self._document

    def to_json(self, indent: int | None = None) -> str:
        """The scene as JSON text: `load` makes the same world of it."""
        return json.dumps(self._document, indent=indent, allow_nan=False)


def load(source: str | os.PathLike[str] | Document) -> World:
    """A world from a scene: a path, JSON text, a document (dict), or the name of a built-in scene."""
    file = "scene"
    if isinstance(source, dict):
        text = json.dumps(source, allow_nan=False)
    elif isinstance(source, str) and source.lstrip().startswith("{"):
        text = source
    else:
        file = os.fspath(source)
        with open(file, encoding="utf-8") as stream:
            text = stream.read()
    _, resolved, _ = _core.read_scene(text, file)
    return World(json.loads(resolved), file=file)
