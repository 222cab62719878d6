#!/usr/bin/env python3
"""Steps a second from Python: beside a loop in C, in batches, and beside MuJoCo.

    make bench-python

The scene is the gripper: two fingers press a box and lift it. MuJoCo runs the like of it (bench/mujoco_grade.py). Times are
processor times of the process or of its threads, medians of several runs in turn, since other programs share the machine.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import time

import libmujoco
import mujoco_grade

import cardhouse

SOURCE = pathlib.Path(__file__).resolve().parent.parent
GRIPPER = SOURCE / "scenes" / "gripper.json"


def in_c(build, steps):
    """Microseconds a step."""
    printed = subprocess.run([build / "bench" / "python_loop", GRIPPER, str(steps)], check=True, capture_output=True, text=True)
    return float(printed.stdout)


def in_python(steps, at_once):
    sim = cardhouse.Simulation(cardhouse.load(GRIPPER))
    start = time.process_time()
    for _ in range(steps // at_once):
        sim.step(at_once)
    return 1e6 * (time.process_time() - start) / steps


def in_mujoco(library, steps, settings):
    option, contact = mujoco_grade.SETTINGS[settings]
    model, data = library.load(mujoco_grade.grasp(option.format(h=0.001), contact.format(twice="0.002 1")))
    start = time.process_time()
    for _ in range(steps):
        mujoco_grade.lift(data)
        library.step(model, data)
    return 1e6 * (time.process_time() - start) / steps


def in_batches(copies, steps, threads):
    """Steps a second by the clock, and as they would be if every thread had a processor for itself: by processor time."""
    start = time.monotonic()
    batch = cardhouse.rollout(cardhouse.load(GRIPPER), copies, steps=steps, threads=threads, every=steps)
    return copies * steps / (time.monotonic() - start), copies * steps * len(batch.seconds) / sum(batch.seconds), batch


def print_loops(build, steps, repeat):
    ways = {"a loop in C": lambda: in_c(build, steps), "sim.step() in a loop": lambda: in_python(steps, 1),
            "sim.step(100) in a loop": lambda: in_python(steps, 100)}
    try:
        library = libmujoco.Library()
        ways["MuJoCo, default settings"] = lambda: in_mujoco(library, steps, "default")
        ways["MuJoCo, tuned"] = lambda: in_mujoco(library, steps, "tuned")
    except libmujoco.Missing as missing:
        print(f"MuJoCo is left out: {missing}\n")
    times = {name: [] for name in ways}
    for _ in range(repeat):
        for name, way in ways.items():
            times[name].append(way())
    print("| one after another | µs a step | steps a second |\n|---|---|---|")
    for name, values in times.items():
        print(f"| {name} | {statistics.median(values):.1f} | {1e6 / statistics.median(values):.0f} |")
    over = statistics.median(p - c for p, c in zip(times["sim.step() in a loop"], times["a loop in C"]))
    print(f"\nA call of `sim.step()` costs {over:.1f} µs more than one of `ch_simulation_step`.\n")


def print_batches(copies, steps, repeat):
    counts = [1, *(n for n in (2, 4, 8) if n <= len(os.sched_getaffinity(0)))]
    runs = {n: [] for n in counts}
    states = set()
    for _ in range(repeat):
        for n in counts:
            clock, processor, batch = in_batches(copies, steps, n)
            runs[n].append((clock, processor))
            states.add(tuple(batch.states))
    print(f"| {copies} copies, threads | steps a second by the clock | times one thread | by processor time "
          "| times one thread |\n|---|---|---|---|---|")
    one = [statistics.median(run[k] for run in runs[1]) for k in range(2)]
    for n in counts:
        clock, processor = (statistics.median(run[k] for run in runs[n]) for k in range(2))
        print(f"| {n} | {clock:.0f} | {clock / one[0]:.2f} | {processor:.0f} | {processor / one[1]:.2f} |")
    print("\nProcessor time is as if every thread had a processor for itself; the clock sees what other programs take.")
    print(f"\nBits of all runs are {'the same' if len(states) == 1 else 'NOT THE SAME'}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build")
    parser.add_argument("--steps", type=int, default=2500)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    print_loops(options.build, options.steps, options.repeat)
    print_batches(64, options.steps // 5, options.repeat)


if __name__ == "__main__":
    main()
