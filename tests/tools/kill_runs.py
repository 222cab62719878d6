#!/usr/bin/env python3
"""Ends a run by signals at random moments, resumes it each time, and compares what comes out with a run left alone.

    tests/tools/kill_runs.py build/cardhouse SCENE[:UNTIL] ... [--kills 50] [--longest 3] [--seed 1] [--signal TERM]

Each SCENE is whatever `cardhouse run` takes, or "NAME --PARAMETER VALUE ..." of a built-in in quotes. After every signal
the program must end by itself with 128 + its number and leave files that can be read and resumed; in the end trajectory and
table must be, bit for bit, those of the run left alone. Prints a line a scene: how long the program took to end (seconds on
the clock from the signal to its end, so that a busy machine shows), and how many signals came after its half second.
"""
import argparse
import csv
import glob
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

SECONDS = ("seconds", "seconds_collide", "seconds_assemble", "seconds_solve")
LONGEST_END = 0.5


def open_scene(program, words, folder):
    """A file's name as it is, a built-in with parameters as a file."""
    parts = words.split()
    if len(parts) == 1:
        return words
    path = os.path.join(folder, parts[0] + ".json")
    with open(path, "wb") as file:
        subprocess.run([program, "scene", *parts], stdout=file, check=True)
    return path


def motion(path):
    """Every dataset but those that tell of time on the clock."""
    found = {}
    with h5py.File(path, "r") as file:
        file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    return {name: value for name, value in found.items() if name.split("/")[-1] not in SECONDS}


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [{k: v for k, v in row.items() if k not in ("collide", "assemble", "solve")} for row in csv.DictReader(file)]


def differing(a, b):
    return sorted(k for k in a.keys() | b.keys() if k not in a or k not in b or bytes_of(a[k]) != bytes_of(b[k]))


def bytes_of(value):
    value = np.asarray(value)
    return value.tolist() if value.dtype == object else (value.shape, value.tobytes())


class Run:
    def __init__(self, program, scene, until, folder, name, more=()):
        self.out = os.path.join(folder, name + ".h5")
        self.csv = os.path.join(folder, name + ".csv")
        self.state = os.path.join(folder, name + ".state")
        self.words = [program, "run", scene, "--quiet", "--out", self.out, "--csv", self.csv, "--checkpoint", self.state]
        self.words += [*(["--until", until] if until else []), *more]

    def start(self):
        resume = ["--resume", self.state] if os.path.exists(self.state) else []
        return subprocess.Popen([*self.words, *resume], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def heeds(process):
    """Whether the scene is open and signals are heeded in order: the thread that watches for them is there then."""
    names = []
    for path in glob.glob(f"/proc/{process.pid}/task/*/comm"):
        try:
            with open(path, encoding="ascii") as file:
                names.append(file.read().strip())
        except OSError:
            pass  # it has ended
    return "signals" in names


def wait_until_heeding(process):
    while process.poll() is None and not heeds(process):
        time.sleep(0.005)


def check_files(run):
    """What a kill left must be whole."""
    if os.path.exists(run.out):
        motion(run.out)
    if os.path.exists(run.csv):
        with open(run.csv, "rb") as file:
            text = file.read()
        if text and not text.endswith(b"\n"):
            return f"{run.csv} ends within a line"
    return None


def end_at_random(process, longest, number, chance):
    """Seconds that the end took after the signal; None where the run was over before."""
    try:
        process.wait(timeout=chance.uniform(0.0, longest))
        return None
    except subprocess.TimeoutExpired:
        began = time.monotonic()
        process.send_signal(number)
        process.wait()
        return time.monotonic() - began


def kill_often(run, kills, longest, number, chance):
    """(how long each end took, what went wrong or None); the run is whole in the end."""
    ends = []
    while True:
        process = run.start()
        wait_until_heeding(process)
        end = end_at_random(process, longest, number, chance) if len(ends) < kills else None
        words = process.communicate()[1].strip()
        if end is not None:
            ends.append(end)
        if process.returncode == 0:
            return ends, None
        if end is None or process.returncode != 128 + number:
            return ends, f"ended with {process.returncode}: {words}"
        fault = check_files(run)
        if fault:
            return ends, fault


def try_scene(program, words, until, options, folder, chance):
    scene = open_scene(program, words, folder)
    whole = Run(program, scene, until, folder, "whole")
    began = time.monotonic()
    words_said = whole.start().communicate()[1]
    alone = time.monotonic() - began
    parts = Run(program, scene, until, folder, "parts")
    longest = options.longest or 1.5 * alone / max(options.kills, 1)
    ends, fault = kill_often(parts, options.kills, longest, options.number, chance)
    if not fault and words_said:
        fault = words_said.strip()
    differ = [] if fault else differing(motion(whole.out), motion(parts.out))
    if differ:
        fault = "the trajectory is another one: " + ", ".join(differ)
    if not fault and table(whole.csv) != table(parts.csv):
        fault = "the table is another one"
    late = sum(end > options.limit for end in ends)
    print(f"{os.path.basename(words):32s} alone {alone:7.1f} s  signals {len(ends):3d}  to the end "
          f"{np.median(ends) if ends else 0:.3f} s mostly, {max(ends, default=0):.3f} s at most, {late} late  "
          f"{fault or 'resumed bit for bit'}", flush=True)
    return not fault and late == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("scenes", nargs="+")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--longest", type=float, default=0.0, help="seconds from start to signal; 0: as the run's length asks")
    parser.add_argument("--limit", type=float, default=LONGEST_END, help="seconds that the end may take")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--signal", default="TERM")
    options = parser.parse_args()
    options.number = getattr(signal, "SIG" + options.signal)
    chance = random.Random(options.seed)
    fine = True
    for entry in options.scenes:
        words, _, until = entry.partition(":")
        with tempfile.TemporaryDirectory() as folder:
            fine &= try_scene(options.program, words, until, options, folder, chance)
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
