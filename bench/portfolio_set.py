#!/usr/bin/env python3
"""Gathers the problems that `make bench-portfolio` measures, cold and warm.

    python3 bench/portfolio_set.py --build build --out FOLDER [--scenes FOLDER] [--problems FOLDER ...]

Problem files are linked as they are. Scenes and built-ins are run for a while; some of their steps' problems are kept
as NAME.hdf5, and as NAME-warm.hdf5 with the reactions that the step before had for the same contacts. A contact is the
same where it is between the same bodies and its columns of H are nearest.
"""
import argparse
import os
import shutil
import subprocess
import tempfile

import h5py
import numpy

BUILT_IN = {  # name: arguments of `cardhouse scene`
    "cards": ["cards"], "cards-hit": ["cards", "--blocks", "4"], "arch": ["arch"], "stack": ["stack"],
    "stack-heavy": ["stack", "--mass-ratio", "1000"], "incline": ["incline"], "pile": ["pile"],
    "pile-low": ["pile", "--mu", "0.5"], "disks": ["pile", "--plane", "1", "--mu", "0.3"],
    "box100": ["box-of-spheres", "--n", "100"], "box500": ["box-of-spheres", "--n", "500"],
    "cannonball": ["cannonball"], "slider-crank": ["slider-crank"], "top": ["spinning-top"],
    "cradle": ["newtons-cradle"], "domino": ["domino"], "hourglass": ["hourglass", "--n", "200"],
    "pebbles": ["pebble-bed", "--n", "500"], "drop": ["drop", "--n", "30"], "log-house": ["log-house"],
    "soft-bar": ["soft-bar"], "chairs": ["chairs"], "jamming": ["jamming"],
}
KEPT = (2, 10, 40, 120, 300)  # steps whose problems are kept


def columns(file):
    """Per contact the rows of H that it touches, and its entries there. H is stored as triplets."""
    H = file["fclib_global/H"]
    d = int(numpy.ravel(file["fclib_global/spacedim"][()])[0])
    count = len(file["solution/r"]) // d
    order = numpy.lexsort((H["i"][:], H["p"][:]))
    column, row, value = H["p"][:][order], H["i"][:][order], H["x"][:][order]
    ends = numpy.searchsorted(column, d * numpy.arange(count + 1))
    parts = [slice(ends[k], ends[k + 1]) for k in range(count)]
    return d, [(tuple(sorted(set(row[part].tolist()))), value[part]) for part in parts]


def start_from(before, now):
    """Replaces the solution of the file `now` by what `before` has for the same contacts."""
    with h5py.File(before, "r") as old, h5py.File(now, "r+") as new:
        d, then = columns(old)
        _, here = columns(new)
        r, known = old["solution/r"][:], {}
        for k, (bodies, values) in enumerate(then):
            known.setdefault(bodies, []).append((k, values))
        start = numpy.zeros(len(here) * d)
        for k, (bodies, values) in enumerate(here):
            same = [(numpy.linalg.norm(v - values), j) for j, v in known.get(bodies, ()) if len(v) == len(values)]
            if same:
                j = min(same)[1]
                start[k * d:k * d + d] = r[j * d:j * d + d]
        new["solution/r"][...] = start[:len(new["solution/r"])]
        for name in ("solution/l", "cardhouse/solution/r"):
            if name in new and name in old and len(new[name]) == len(old[name]):
                new[name][...] = old[name][:]


def keep(folder, name, out):
    for step in KEPT:
        at = {k: os.path.join(folder, f"step-{k:08d}.hdf5") for k in (step - 1, step)}
        if not os.path.exists(at[step]):
            continue
        cold = os.path.join(out, f"{name}-s{step}.hdf5")
        shutil.copy(at[step], cold)
        if not os.path.exists(at[step - 1]):
            continue
        warm = cold.replace(".hdf5", "-warm.hdf5")
        shutil.copy(at[step], warm)
        try:
            start_from(at[step - 1], warm)
        except (KeyError, ValueError):
            os.remove(warm)


def run(program, scene, name, out, seconds):
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", scene, "--until", "1e9", "--problems", folder, "--quiet", "--tol", "1e-6",
                   "--step-limit", "100", "--threads", "1", "--rest", "off"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        last = os.path.join(folder, f"step-{KEPT[-1] + 1:08d}.hdf5")
        for _ in range(int(10 * seconds)):
            try:
                process.wait(0.1)
                break
            except subprocess.TimeoutExpired:
                prune(folder)
                if os.path.exists(last):
                    break
        process.terminate()
        process.wait()
        keep(folder, name, out)


def prune(folder):
    """Deletes the steps that nobody keeps, all but the newest."""
    wanted = {k - back for k in KEPT for back in (0, 1)}
    for file in sorted(os.listdir(folder))[:-2]:
        if file.startswith("step-") and int(file[5:13]) not in wanted:
            os.remove(os.path.join(folder, file))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--out", required=True)
    parser.add_argument("--scenes", help="a folder of scene files")
    parser.add_argument("--problems", nargs="*", default=[], help="folders of problem files")
    parser.add_argument("--seconds", type=float, default=25.0, help="clock that a scene may take")
    parser.add_argument("--only", help="names between commas; default: all")
    a = parser.parse_args()
    program = os.path.join(a.build, "cardhouse")
    os.makedirs(a.out, exist_ok=True)
    for folder in a.problems:
        for file in sorted(os.listdir(folder)):
            link = os.path.join(a.out, file)
            if file.endswith((".hdf5", ".h5", ".dat")) and not os.path.exists(link):
                os.symlink(os.path.abspath(os.path.join(folder, file)), link)
    only = a.only.split(",") if a.only else None
    for file in sorted(os.listdir(a.scenes)) if a.scenes else []:
        name = file.removesuffix(".json")
        if file.endswith(".json") and (not only or name in only):
            run(program, os.path.join(a.scenes, file), name, a.out, a.seconds)
    for name, words in BUILT_IN.items():
        if only and name not in only:
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".json") as scene:
            subprocess.run([program, "scene", *words], stdout=scene, check=True)
            scene.flush()
            run(program, scene.name, name, a.out, a.seconds)


if __name__ == "__main__":
    main()
