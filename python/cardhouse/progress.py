"""A bar that shows how far a run is: one line of a terminal, or of a notebook's cell."""
from __future__ import annotations

import importlib
import sys
import time
from types import TracebackType
from typing import Any

from cardhouse import _core

WIDTH = 30
EVERY = 0.1  # s between two pictures of the bar


class Progress:
    """Shows time, steps a second and the worst certificate; nothing where nobody looks."""

    def __init__(self, start: float, end: float, wanted: bool) -> None:
        self._start, self._end = start, end
        self._notebook = wanted and "ipykernel" in sys.modules
        self._terminal = wanted and not self._notebook and sys.stderr.isatty()
        self._begun = self._shown = time.monotonic()
        self._steps = 0
        self._worst = 0.0
        self._line = ""
        self._cell: Any = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        if self._line:
            self._draw()
        if self._line and self._terminal:
            print(file=sys.stderr)

    def show(self, now: float, report: _core.Report) -> None:
        """Counts the steps of a report, and draws the bar where it is time to."""
        self._steps += report.steps
        self._worst = max(self._worst, report.certificate.natural)
        share = min(1.0, (now - self._start) / max(self._end - self._start, 1e-300))
        filled = round(share * WIDTH)
        clock = time.monotonic()
        speed = self._steps / max(clock - self._begun, 1e-9)
        self._line = (f"[{'#' * filled}{'.' * (WIDTH - filled)}] {now:.3g} of {self._end:.3g} s, {speed:.0f} steps/s, "
                      f"worst {self._worst:.1e}")
        if clock - self._shown >= EVERY:
            self._shown = clock
            self._draw()

    def _draw(self) -> None:
        if self._terminal:
            print("\r" + self._line, end="\x1b[K", file=sys.stderr, flush=True)
        elif self._notebook:
            display = importlib.import_module("IPython.display").display
            text = {"text/plain": self._line}
            if self._cell is None:
                self._cell = display(text, raw=True, display_id=True)
            else:
                self._cell.update(text, raw=True)
