#!/usr/bin/env python3
"""instructions.py BEFORE AFTER [--scenes S1,S3] [--limit 1.02]: instructions that two programs count for the same steps.
instructions.py PROGRAM --zeros: of one program, a scene as it is against the same with new coefficients of zero.

Counted by callgrind, so that a busy machine changes nothing. A scene is written once, by BEFORE, and run by both for
many steps and for few: the difference is what steps take, without start and end. Prints a row a scene and ends with 1
where AFTER takes more than the limit. Both programs should be built alike; where the processor has AVX-512, which
valgrind does not know, for a common level of instructions (-DCH_NATIVE=OFF).
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

# The scenes of bench/engines, few and many steps, and the step.
SCENES = {
    "S1": (["cards", "--levels", "4", "--mu", "0.8", "--angle", "67"], 10, 110, 1e-3),
    "S2": (["arch", "--n", "27", "--mu", "0.6", "--form", "catenary"], 10, 110, 1e-3),
    "S3": (["stack", "--n", "20", "--mu", "0.5"], 10, 110, 1e-3),
    "S4": (["incline", "--mu", "0.5", "--ratio", "1.05", "--heading", "22.5"], 10, 210, 1e-3),
    "S5": (["pile", "--n", "20", "--mu", "0.8"], 5, 25, 1e-3),
    "S6": (["box-of-spheres", "--n", "200"], 5, 25, 1e-2),
}


# What a material may have beyond friction and restitution, where it is none: the same steps.
ZEROS = {"rolling": 0, "drilling": 0, "cohesion": 0}


def with_zeros(text):
    scene = json.loads(text)
    for material in scene["materials"].values():
        material.update(ZEROS)
    return json.dumps(scene)


def count(program, scene, h, steps):
    """Instructions of a whole run."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "run", scene, "--h", repr(h),
               "--until", repr(steps * h), "--rest", "off", "--quiet"]
    run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    found = re.search(r"Collected : (\d+)", run.stderr)
    if not found or run.returncode:
        sys.exit(f"{' '.join(command)}: ended with {run.returncode}\n{run.stderr[-1000:]}")
    return int(found.group(1))


def figures_of(options, name):
    """Instructions of the many steps less the few, before and after."""
    words, few, many, h = SCENES[name]
    text = subprocess.run([options.before, "scene", *words], capture_output=True, text=True, check=True).stdout
    out = []
    for after in (False, True):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(with_zeros(text) if after and options.zeros else text)
            file.flush()
            program = options.after if after and not options.zeros else options.before
            out.append(count(program, file.name, h, many) - count(program, file.name, h, few))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after", nargs="?")
    parser.add_argument("--zeros", action="store_true", help="one program, coefficients of zero against none")
    parser.add_argument("--scenes", default=",".join(SCENES))
    parser.add_argument("--limit", type=float, default=1.02)
    options = parser.parse_args()
    if bool(options.after) == options.zeros:
        parser.error("give two programs, or one and --zeros")
    worst = 0.0
    print("| scene | steps | before, 1e6 a step | after | ratio |\n|---|---|---|---|---|")
    for name in options.scenes.split(","):
        words, few, many, _ = SCENES[name]
        figures = figures_of(options, name)
        ratio = figures[1] / figures[0]
        worst = max(worst, ratio)
        each = [f"{figure / (many - few) / 1e6:.3f}" for figure in figures]
        print(f"| {name} {' '.join(words)} | {many - few} | {each[0]} | {each[1]} | {ratio:.4f} |", flush=True)
    return 0 if worst <= options.limit else 1


if __name__ == "__main__":
    sys.exit(main())
