#!/usr/bin/env python3
"""Wrong calls of everything that the package has, at random: each may raise what Python programs expect, none may crash.

    fuzz_calls.py [SECONDS [SEED]]       `make python-fuzz` runs it under the address sanitizer
"""
import inspect
import os
import random
import signal
import sys
import tempfile
import time
import warnings

import numpy as np

import cardhouse
from cardhouse import _core

EXPECTED = (cardhouse.Error, TypeError, ValueError, AttributeError, KeyError, IndexError, OverflowError, OSError,
            BufferError, NotImplementedError, RecursionError, MemoryError, UnicodeError, ZeroDivisionError, ImportError,
            RuntimeError, AssertionError)
LONG = 0.3  # seconds after which a call is interrupted, as Ctrl-C would

SCENE = """{"cardhouse": 1, "bodies": [
 {"name": "floor", "fixed": true, "shapes": [{"type": "halfspace"}]},
 {"name": "box", "position": [0, 0, 0.1], "shapes": [{"type": "box", "half": [0.1, 0.1, 0.1]}]},
 {"name": "plate", "position": [3, 0, 1], "motion": [0, 0, 0], "shapes": [{"type": "box", "half": [0.1, 0.1, 0.1]}]},
 {"name": "arm", "position": [0, 3, 1], "shapes": [{"type": "sphere", "radius": 0.2}]}],
 "joints": [{"type": "hinge", "name": "elbow", "bodies": ["ground", "arm"], "at": [0, 3, 2], "axis": [0, 1, 0],
   "axes": [{"drive": "position", "target": 0.1, "strength": 50}]}]}"""
FLAT = """{"cardhouse": 1, "dimension": 2, "bodies": [{"mass": 1}, {"mass": 1}, {"mass": 1}, {"mass": 1}]}"""
PLANE = """{"cardhouse": 1, "dimension": 2, "bodies": [
 {"name": "floor", "fixed": true, "shapes": [{"type": "halfplane"}]},
 {"name": "disk", "position": [0, 1], "shapes": [{"type": "disk", "radius": 0.1}]}]}"""


class TooLong(Exception):
    """A call was interrupted."""


def interrupt(*_):
    raise TooLong


class Odd:
    """What answers every question wrongly."""

    def __index__(self):
        raise ValueError("no")

    def __float__(self):
        return float("nan")

    def __len__(self):
        return 3

    def __getitem__(self, at):
        raise KeyError(at)

    def __fspath__(self):
        return "odd"


class Fuzz:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.live = []
        self.calls = self.raised = self.passed = 0
        self.renew()

    def renew(self):
        """Fresh simulations, and what is closed, stale, unmade or of another one."""
        self.space = cardhouse.Simulation(SCENE)
        self.plane = cardhouse.Simulation(PLANE)
        self.block = self.space.save().block
        closed = cardhouse.Simulation(SCENE)
        gone_body, gone_joint, view = closed.body("box"), closed.joint("elbow"), closed.position
        closed.step()
        closed.close()
        stale = cardhouse.Simulation(SCENE)
        removed, kept = stale.body("box"), stale.position
        stale.remove_body("box")
        unmade = cardhouse.Simulation.__new__(cardhouse.Simulation)
        self.things = [self.space, self.plane, closed, stale, unmade, gone_body, gone_joint, removed, view, kept,
                       self.space.body("box"), self.space.joint("elbow"), self.plane.body("disk"),
                       cardhouse.Body.__new__(cardhouse.Body), cardhouse.Joint.__new__(cardhouse.Joint),
                       self.space.save(), self.plane.save(), self.space.world, self.space.report, self.space.certificate,
                       self.space._array("position"), self.space.run(0.003), _core.Simulation(SCENE, "x")]
        problem = cardhouse.Problem(W=np.eye(3), w=[-1, 2, 0], mu=0.5)
        self.things += [problem, problem._core, cardhouse.solve(problem), self.space.problem()[0]]

    def number(self):
        return self.random.choice([0, 1, -1, 2, 3, 7, 0.5, -0.0, 1e-300, 1e300, float("nan"), float("inf"), -float("inf"), 2**31,
                                   2**63, -2**70, True, 1j, np.float32(1), np.int64(2), np.array(1.5)])

    def text(self):
        return self.random.choice(["", "box", "disk", "elbow", "floor", "position", "wrench", "velocity", "force", "none", "\0", "a\0b",
                                   "\udcff", "\u20ac" * 300, "{", "{}", SCENE, PLANE, FLAT, "[" * 100, "cards", "levels", "natural"])

    def value(self, depth=0):
        kind = self.random.randrange(10 if depth < 3 else 6)
        if kind < 2:
            return self.number()
        if kind < 4:
            return self.random.choice(self.things)
        if kind == 4:
            return self.text()
        if kind == 5:
            return self.random.choice([None, b"", b"CHSTATE6" * 50, bytearray(8), object(), Odd(), int, len, range(3), slice(1),
                                       Ellipsis, memoryview(b"abc"), self.block])
        if kind == 6:
            shape = self.random.choice([(0,), (1,), (2,), (3,), (4,), (6,), (3, 3), (0, 3), (2, 0)])
            array = np.full(shape, 1.0).astype(self.random.choice(["f8", "f4", "i8", "?", "O", "c16", "U3"]))
            return array
        if kind == 7:
            return {self.text(): self.value(depth + 1) for _ in range(self.random.randrange(3))}
        count = self.random.choice([0, 1, 2, 3, 3, 3, 4, 6])
        items = [self.number() if kind == 8 else self.value(depth + 1) for _ in range(count)]
        return items if self.random.random() < 0.6 else tuple(items)

    def targets(self):
        """Everything that may be called, with a name for it."""
        for name in dir(_core):
            if callable(getattr(_core, name)) and not name.startswith("__"):
                yield f"_core.{name}", getattr(_core, name)
        for name in cardhouse.__all__:
            thing = getattr(cardhouse, name)
            if callable(thing):
                yield name, thing
        for thing in [*self.things, cardhouse.World()]:
            for name in dir(thing):
                if name.startswith("__") and name not in ("__init__", "__eq__", "__reduce__", "__getitem__", "__setstate__"):
                    continue
                if isinstance(thing, np.ndarray):
                    continue
                if name in ("view", "show", "render", "_repr_html_"):  # these start programs
                    continue
                try:
                    member = getattr(thing, name)
                except EXPECTED:
                    continue
                if callable(member):
                    yield f"{type(thing).__name__}.{name}", member
                elif self.random.random() < 0.2:
                    yield f"{type(thing).__name__}.{name} =", lambda value, thing=thing, name=name: setattr(thing, name, value)

    def arguments(self, function):
        """Some that fit the signature in number, some that do not."""
        try:
            wanted = len(inspect.signature(function).parameters)
        except (TypeError, ValueError):
            wanted = self.random.randrange(6)
        count = max(0, wanted + self.random.choice([0, 0, 0, -1, 1]))
        given = [self.value() for _ in range(count)]
        if given and self.random.random() < 0.5 and not isinstance(given[0], _core.Simulation):
            given[0] = self.random.choice(self.things[:5])  # what most functions take first
        return given

    def call(self, name, function, arguments=None):
        arguments = self.arguments(function) if arguments is None else arguments
        self.calls += 1
        try:
            signal.setitimer(signal.ITIMER_REAL, LONG)
            try:
                function(*arguments)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            self.passed += 1
        except (*EXPECTED, TooLong):
            self.raised += 1
        except Exception:
            print(f"{name}{arguments!r}", file=sys.stderr)
            raise

    def scribble(self):
        """Writes anything to a view, and steps."""
        sim = self.random.choice([self.space, self.plane])
        view = getattr(sim, self.random.choice(["position", "orientation", "velocity", "spin", "wrench", "target"]))
        if view.size:
            view[self.random.randrange(len(view))] = self.random.choice([0, 1, -3, float("nan"), float("inf"), 1e200])
        sim.step()

    def run(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            targets = list(self.targets())
            self.random.shuffle(targets)
            for name, function in targets:
                if time.monotonic() >= end:
                    break
                if name.endswith(("builtin_text", "rollout", "run_bench")):
                    continue  # they make what they are told to make, however large
                self.call(name, function)
                self.call("scribble", self.scribble, [])
                if self.space.closed or self.plane.closed:
                    self.renew()
            self.renew()


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    signal.signal(signal.SIGALRM, interrupt)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        fuzz = Fuzz(seed)
        fuzz.run(seconds)
        os.chdir("/")
    print(f"{fuzz.calls} calls, {fuzz.raised} raised, {fuzz.passed} passed; seed {seed}")


if __name__ == "__main__":
    main()
