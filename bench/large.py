#!/usr/bin/env python3
"""`auto` to 1e-8 on large structures that the project makes itself: processor seconds and peak memory, reading and set-up included.

    python3 bench/large.py [--build build] [--quick]

Prints Markdown. A problem that misses the tolerance has no time in the table, but the word for how it ended.
"""
import argparse
import json
import os
import subprocess
import tempfile

FAMILIES = [("pile", 60, "triangular pile of spheres"), ("wall", 30, "running bond"), ("arch", 2000, "masonry arch"),
            ("pyramid", 17, "square pyramid of spheres"), ("cards", 60, "card house"), ("pyramid", 22, "square pyramid of spheres")]
QUICK = 10  # of the sizes above, one part in so many
PATIENCE = 900  # seconds by the clock, which a busy machine takes most of


def measure(words):
    """(exit status, what it printed, processor seconds, megabytes at most) of a program on one thread."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=environment, text=True) as process:
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, printed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024.0


def row(build, folder, family, n):
    path = os.path.join(folder, f"{family}-{n}.hdf5")
    subprocess.run([f"{build}/make_problems", family, "--n", str(n), "--out", path], check=True, stdout=subprocess.DEVNULL)
    status, printed, seconds, memory = measure([f"{build}/cardhouse", "solve", path, "--time-limit", str(PATIENCE), "--json"])
    os.unlink(path)
    answer = json.loads(printed)
    solved = status == 0 and answer["status"] == "solved"
    return answer["problem"]["contacts"], f"{seconds:.1f}" if solved else answer["status"], answer["certificate"]["natural"], memory


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--quick", action="store_true", help="structures of a tenth of the size")
    wanted = parser.parse_args()
    print("`make_problems FAMILY --n N`, then `cardhouse solve`, one thread.\n")
    print("| problem | contacts | processor seconds | certificate | peak memory |\n|---|---:|---:|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for family, n, what in FAMILIES:
            n = max(3, n // QUICK) if wanted.quick else n
            contacts, seconds, natural, memory = row(wanted.build, folder, family, n)
            print(f"| `{family} --n {n}`, {what} | {contacts:,} | {seconds} | {natural:.1e} | {memory:.0f} MB |", flush=True)


if __name__ == "__main__":
    main()
