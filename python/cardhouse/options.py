"""Options of a simulation, as keys of a scene's `step` and `method`: the library's schema says which there are."""
from __future__ import annotations

import difflib
import functools
import json
from collections.abc import Mapping
from typing import Any

from cardhouse import _core
from cardhouse.world import Document, _plain


@functools.cache
def places() -> dict[str, tuple[str, str]]:
    """Where in a scene each option is: its name -> (`step` or `method`, key)."""
    forms = json.loads(_core.schema())["$defs"]
    found = {key: ("step", key) for key in forms["step"]["properties"]}
    found.update({key: ("method", key) for key in forms["method"]["properties"] if key != "name"})
    return {**found, "method": ("method", "name")}


def put(document: Document, options: Mapping[str, Any]) -> None:
    """Writes options into a scene document; None leaves one as it is."""
    for name, value in options.items():
        if value is None:
            continue
        if name == "contact":
            document["contact"] = _plain(value, name)
            continue
        if name not in places():
            near = difflib.get_close_matches(name, [*places(), "contact"], 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise TypeError(f"there is no option '{name}'{hint} There are: {', '.join(sorted([*places(), 'contact']))}")
        group, key = places()[name]
        document[group] = {**document.get(group, {}), key: _plain(value, name)}


def alone(document: Document) -> str:
    """The text of a scene with these options and nothing in it."""
    kept = {key: document[key] for key in ("cardhouse", "dimension", "step", "method", "contact") if key in document}
    return json.dumps(kept, allow_nan=False)
