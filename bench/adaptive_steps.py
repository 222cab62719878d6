#!/usr/bin/env python3
"""Steps that miss taken in halves: the tables of docs/theory/adaptive_steps.md.

    adaptive_steps.py PROGRAM choices        one row for each choice of halvings, good steps and trial work, to 0.9 s
    adaptive_steps.py PROGRAM run [N] [T]    a box of N rigid spheres until T, with the defaults, by 20 steps
"""
import csv
import json
import subprocess
import sys
import tempfile

CHOICES = [None, (6, 2, 1 / 16), (6, 4, 1 / 16), (6, 8, 1 / 16), (6, 4, 1 / 8), (6, 4, 1 / 32), (8, 4, 1 / 16), (10, 2, 1 / 16)]


def box(program, count):
    made = subprocess.run([program, "scene", "box-of-spheres", "--n", str(count)], capture_output=True, check=True)
    scene = json.loads(made.stdout)
    scene["method"] = {"tolerance": 1e-4}
    scene["contact"] = "rigid"
    scene["step"]["h"] = 0.01
    return scene


def run(program, scene, until, *words):
    done = subprocess.run([program, "run", "-", "--until", str(until), "--json", *words], input=json.dumps(scene),
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def choices(program):
    print("| halvings | good steps | trial work | missed | worst natural | sweeps | substeps | rejected |\n" + "|---" * 8 + "|")
    for choice in CHOICES:
        scene = box(program, 1000)
        scene["step"]["adaptive"] = {"on": "off"}
        if choice:
            scene["step"]["adaptive"] = dict(zip(("halvings", "good_steps", "trial_work"), choice), on="miss")
        said = run(program, scene, 0.9)
        print("|", " | ".join(map(str, choice or ("off", "", ""))), f"| {said['missed_steps']} of {said['steps']}",
              f"| {said['certificate']['natural']['max']:.1e} | {said['iterations']['mean'] * said['steps']:.0f}",
              f"| {said['substeps']['kept']} | {said['substeps']['rejected']} |", flush=True)


def by_time(program, count, until):
    scene = box(program, count)
    with tempfile.NamedTemporaryFile(suffix=".csv") as table:
        said = run(program, scene, until, "--adaptive", "miss", "--csv", table.name)
        rows = list(csv.DictReader(open(table.name)))
    print("| from | missed of 20 steps | sweeps a step | h on average, ms |\n|---|---|---|---|")
    for first in range(0, len(rows), 20):
        part = rows[first:first + 20]
        print(f"| {float(part[0]['time']):.2f} s | {sum(row['missed'] == '1' for row in part)}",
              f"| {sum(int(row['iterations']) for row in part) / len(part):.0f}",
              f"| {1e3 * said['h'] * len(part) / sum(int(row['substeps']) for row in part):.2f} |")
    print(f"{said['missed_steps']} of {said['steps']} steps missed, worst {said['certificate']['natural']['max']:.1e};",
          f"substeps {said['substeps']}")


if __name__ == "__main__":
    if sys.argv[2:3] == ["choices"]:
        choices(sys.argv[1])
    else:
        by_time(sys.argv[1], int(sys.argv[3]) if len(sys.argv) > 3 else 1000, float(sys.argv[4]) if len(sys.argv) > 4 else 5.0)
