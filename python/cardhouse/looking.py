"""Looking at worlds and runs: the viewer's page, one-file replays, pictures as arrays, tables for notebooks.

The pages are those of the program `cardhouse`, which is started for them: that which the environment variable CARDHOUSE names,
or else the one on the PATH (Debian: the package cardhouse), or else the one beside the virtual environment.
"""

from __future__ import annotations

import base64
import contextlib
import html
import itertools
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import webbrowser
import weakref
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cardhouse import _core
from cardhouse._core import Certificate, Error, Report

if TYPE_CHECKING:
    from cardhouse.simulation import Simulation
    from cardhouse.world import World

__all__ = ["Page", "Replay", "follow", "program", "render", "replay", "view"]

Picture = NDArray[np.uint8]
_numbers = itertools.count(1)  # of pages


def program() -> str:
    """Where the program `cardhouse` is; raises Error if it is not found. In a checkout whose build folder holds the
    virtual environment it is beside that."""
    beside = os.pathsep.join([os.path.join(sys.prefix, "bin"), os.path.dirname(sys.prefix)])
    found = os.environ.get("CARDHOUSE") or shutil.which("cardhouse") or shutil.which("cardhouse", path=beside)
    if not found:
        raise Error("the program cardhouse is not found: run `make` in the checkout, install the package cardhouse, put "
                    "the program on the PATH, or name it in the environment variable CARDHOUSE")
    return found


def in_notebook() -> bool:
    """Whether this is a notebook's kernel."""
    return "ipykernel" in sys.modules


def _run(*words: str) -> None:
    done = subprocess.run([program(), *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise Error(done.stderr.strip() or f"cardhouse {words[0]} ended with status {done.returncode}")


# --- the viewer ----------------------------------------------------------------------------------------------------------


def _remove(folder: str, maker: int) -> None:
    if os.getpid() == maker:  # a fork has the folder's name, and not the folder
        shutil.rmtree(folder, ignore_errors=True)


class _Folder:
    """A folder of our own that goes with the last who knows it; in memory where the system has such a place."""

    def __init__(self) -> None:
        memory = "/dev/shm"
        self.path = tempfile.mkdtemp(prefix="cardhouse-", dir=memory if os.access(memory, os.W_OK | os.X_OK) else None)
        weakref.finalize(self, _remove, self.path, os.getpid())


class _Feed:
    """What the pages of one simulation follow: a file that the simulation writes while it steps, as long as there is
    one of them."""

    def __init__(self, simulation: Simulation) -> None:
        self.folder = _Folder()
        self.path = os.path.join(self.folder.path, "feed")
        self.pages = 0
        self._simulation = weakref.ref(simulation)

    def leave(self) -> None:
        """A page is closed; after the last one nothing is written any more."""
        self.pages -= 1
        simulation = self._simulation()
        if self.pages > 0 or simulation is None or simulation.closed:
            return
        simulation._feed = None
        with contextlib.suppress(Error):  # where another thread steps it now, the next page finds the feed anew
            _core.feed_end(simulation)


def _end(process: subprocess.Popen[str], maker: int, feed: _Feed | None, folder: _Folder) -> None:
    if process.stdout:
        process.stdout.close()
    if os.getpid() != maker:  # a fork: the viewer is the other one's
        return
    if process.poll() is None:
        process.terminate()
        process.wait()
    if feed is not None:
        feed.leave()
    del folder  # which was needed until here


class Page:
    """A viewer that runs beside this program: `url` is its page, `close()` ends it, as does the end of this program."""

    def __init__(self, name: str, text: str | None = None, *, browser: bool | None = None, height: int = 600,
                 options: tuple[str, ...] = (), feed: _Feed | None = None) -> None:
        path, folder = name, feed.folder if feed else _Folder()
        if text is not None:
            path = os.path.join(folder.path, "scene.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        words = [program(), "view", path, "--no-browser", "--tied", *options]
        self._log = os.path.join(folder.path, f"log-{next(_numbers)}")
        with open(self._log, "w", encoding="utf-8") as log:  # a session of its own: Ctrl-C is for this program alone
            self._process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL,
                                             text=True, start_new_session=True)
        if feed:
            feed.pages += 1
        self._finalizer = weakref.finalize(self, _end, self._process, os.getpid(), feed, folder)
        self._height = height
        self.url = self._link()
        if browser if browser is not None else not in_notebook():
            webbrowser.open(self.url)

    def _link(self) -> str:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            link = re.search(r"http://\S+", line)
            if link:
                return link.group()
        with open(self._log, encoding="utf-8", errors="replace") as log:
            said = " ".join(log.read().split())
        self.close()
        raise Error(said or "the viewer ended at once")

    @property
    def running(self) -> bool:
        """Whether the viewer is still there."""
        return self._process.poll() is None

    def close(self) -> None:
        """Ends the viewer."""
        self._finalizer()

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Page {self.url if self.running else 'closed'}>"

    def _repr_html_(self) -> str:
        return f'<iframe src="{html.escape(self.url)}" width="100%" height="{self._height}" style="border:0"></iframe>'


def view(world: World, *, browser: bool | None = None, speed: float = 1.0, paused: bool = False, height: int = 600) -> Page:
    """The world, running from its start on a page of its own; this returns at once.

    A browser is opened unless this is a notebook, where the page is shown in a frame of `height` pixels. `speed` is in times
    life. It is a simulation of the page's own: what is pulled and changed there stays there.
    """
    options = ("--speed", repr(float(speed)), *(("--paused",) if paused else ()))
    return Page(world.name, world.to_json(), browser=browser, height=height, options=options)


def follow(simulation: Simulation, *, browser: bool | None = None, height: int = 600) -> Page:
    """A page that follows a simulation while it is stepped; this returns at once, and steps wait for nobody.

    A browser is opened unless this is a notebook, where the page is shown in a frame of `height` pixels.
    """
    feed = simulation._feed
    if feed is None or not _core.is_followed(simulation):
        feed = _Feed(simulation)
        _core.feed_begin(simulation, feed.path, simulation._scene_now(), simulation._world._file)
        simulation._feed = feed
    return Page(feed.path, browser=browser, height=height, options=("--follow",), feed=feed)


# --- replays and pictures -----------------------------------------------------------------------------------------------


class Replay:
    """A run as one html file, which any browser opens: `save(path)` keeps it, a notebook shows it."""

    def __init__(self, text: str, height: int = 600) -> None:
        self.html = text
        self._height = height

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def __repr__(self) -> str:
        return f"<Replay of {len(self.html) / 1e6:.1f} MB>"

    def _repr_html_(self) -> str:
        data = base64.b64encode(self.html.encode()).decode()
        return f'<iframe src="data:text/html;base64,{data}" width="100%" height="{self._height}" style="border:0"></iframe>'


def replay(recording: str | os.PathLike[str], height: int = 600) -> Replay:
    """A recorded run (HDF5) as one html file."""
    with tempfile.TemporaryDirectory(prefix="cardhouse-") as folder:
        out = os.path.join(folder, "replay.html")
        _run("replay", os.fspath(recording), "--out", out)
        with open(out, encoding="utf-8") as file:
            return Replay(file.read(), height)


def render(recording: str | os.PathLike[str], time: float | None = None, size: tuple[int, int] = (640, 360),
           view: str = "iso", contacts: bool = False, dark: bool = False) -> Picture:
    """A picture of a recorded run at a time, s (None: its end), as an array: height x width x 3 bytes, red, green, blue.

    `view` is iso, front or top. It takes Chromium (docs/render.md) and a few seconds.
    """
    words = ["--size", f"{int(size[0])}x{int(size[1])}", "--view", view, "--plain"]
    words += ["--time", repr(float(time))] if time is not None else []
    words += (["--contacts"] if contacts else []) + (["--dark"] if dark else [])
    with tempfile.TemporaryDirectory(prefix="cardhouse-") as folder:
        out = os.path.join(folder, "picture.png")
        _run("render", os.fspath(recording), "--png", out, *words)
        with open(out, "rb") as file:
            return read_png(file.read())


def read_png(data: bytes) -> Picture:
    """An 8-bit RGB or RGBA picture without interlacing, as an array of height x width x 3."""
    at, packed, width, height, channels = 8, b"", 0, 0, 0
    while at + 8 <= len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", body)
            channels = {2: 3, 6: 4}.get(colour, 0)
            if depth != 8 or interlace or not channels:
                raise Error("the picture is no 8-bit RGB PNG")
        elif kind == b"IDAT":
            packed += body
        at += 12 + size
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, width * channels + 1)
    return np.ascontiguousarray(_unfiltered(rows, channels).reshape(height, width, channels)[:, :, :3])


def _unfiltered(rows: Picture, channels: int) -> Picture:
    """PNG's five filters undone: a byte is stored as its difference from what is left of it, above it, or a mean of both."""
    out = np.zeros((rows.shape[0] + 1, rows.shape[1] - 1 + channels), np.int32)  # a row above and a pixel to the left of zeros
    for y, row in enumerate(rows.astype(np.int32), start=1):
        kind, line, above = int(row[0]), out[y], out[y - 1]
        line[channels:] = row[1:]
        if kind == 1:
            pixels = line.reshape(-1, channels)
            line[:] = (np.cumsum(pixels, axis=0) & 255).ravel()
        elif kind == 2:
            line[channels:] = (line[channels:] + above[channels:]) & 255
        elif kind in (3, 4):
            _average_or_paeth(line, above, channels, kind)
    return out[1:, channels:].astype(np.uint8)


def _average_or_paeth(line: NDArray[np.int32], above: NDArray[np.int32], channels: int, kind: int) -> None:
    for x in range(channels, len(line)):
        left, up, corner = int(line[x - channels]), int(above[x]), int(above[x - channels])
        if kind == 3:
            guess = (left + up) // 2
        else:
            p = left + up - corner
            guess = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2]
        line[x] = (line[x] + guess) & 255


# --- tables for notebooks --------------------------------------------------------------------------------------------------


def _table(title: str, rows: list[tuple[str, str]]) -> str:
    cells = "".join(f"<tr><td style='text-align:left'>{html.escape(a)}</td><td style='text-align:left'>{html.escape(b)}</td></tr>"
                    for a, b in rows)
    return f"<table><caption>{html.escape(title)}</caption>{cells}</table>"


def certificate_html(certificate: Certificate) -> str:
    """A certificate as a table."""
    return _table("certificate", [(name, f"{value:.2e}") for name, value in certificate.as_dict().items()])


def report_html(report: Report) -> str:
    """A report as a table, with its certificate."""
    rows = [("time", f"{report.time:.6g} s"), ("steps", f"{report.steps}, {report.missed} missed"),
            ("contacts", f"{report.contacts} in {report.islands} islands, {report.resting} at rest"),
            ("energy", f"{report.energy:.6g} J"), ("penetration", f"{report.penetration:.2e} m")]
    exceeded = [name for name, said in report.bounds.items() if said != "ok"]
    if exceeded:
        rows.append(("out of bounds", ", ".join(exceeded)))
    return _table("report", rows + [(name, f"{value:.2e}") for name, value in report.certificate.as_dict().items()])


def world_html(world: World) -> str:
    """A world as a table."""
    document: dict[str, Any] = world.document
    bodies = [f"{body.get('name', 'body')}" for body in document.get("bodies", [])]
    listed = ", ".join(bodies[:12]) + (f" and {len(bodies) - 12} more" if len(bodies) > 12 else "")
    kinds = sorted({shape["type"] for body in document.get("bodies", []) for shape in body.get("shapes", [])})
    rows = [("bodies", f"{len(bodies)}: {listed}"), ("shapes", ", ".join(kinds)), ("joints", str(len(document.get("joints", [])))),
            ("forces", str(len(document.get("forces", [])))), ("step", f"{document.get('step', {}).get('h', 1e-3)} s")]
    return _table(f"world {world.name}", rows)
