#!/usr/bin/env python3
"""Gathers the problems that `make bench-portfolio` measures, cold and warm.

    python3 bench/portfolio_set.py --build build --out FOLDER [--scenes FOLDER] [--problems FOLDER ...]

    python3 bench/portfolio_set.py --build build --out FOLDER --unseen [--scenes FOLDER]

Problem files are linked as they are. Scenes and built-ins are run for a while; some of their steps' problems are kept
as NAME.hdf5, and as NAME-warm.hdf5 with the reactions that the step before had for the same contacts. A contact is the
same where it is between the same bodies and its columns of H are nearest.

The second form gathers problems that no threshold of `auto` was chosen by: the scenes at another moment, and the tests'
generators with other sizes, frictions and seeds.
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
UNSEEN = (120,)  # and of the unseen set

GENERATED = {  # of the unseen set: name: arguments of make_problems
    "tower-40": "tower --n 40 --mu 0.5", "tower-60": "tower --n 60 --mu 0.6",
    "tower-heavy-8": "tower --n 8 --mu 0.5 --mass-ratio 300",
    "tower-shaken-9": "tower --n 9 --mu 0.4 --noise 0.02 --seed 7",
    "tower-shaken-20": "tower --n 20 --mu 0.3 --noise 0.01 --seed 3",
    "cards-3-shaken-5": "cards --n 3 --noise 0.01 --seed 5", "cards-4-shaken-2": "cards --n 4 --noise 0.02 --seed 2",
    "cards-6": "cards --n 6 --mu 0.5", "cards-7-shaken": "cards --n 7 --noise 0.01 --seed 4",
    "cards-14": "cards --n 14", "arch-20": "arch --n 20", "arch-50": "arch --n 50",
    "arch-21-thin": "arch --n 21 --thickness 0.07", "arch-40-shaken": "arch --n 40 --noise 0.01 --seed 6",
    "pile-9": "pile --n 9 --mu 0.8", "pile-13-slippery": "pile --n 13 --mu 0.1",
    "pile-11-shaken": "pile --n 11 --mu 0.3 --noise 0.05 --seed 18",
    "pile-16-shaken": "pile --n 16 --mu 0.5 --noise 0.02 --seed 19", "pile-30": "pile --n 30 --mu 0.8",
    "pyramid-3": "pyramid --n 3 --mu 0.45", "pyramid-5": "pyramid --n 5 --mu 0.75",
    "pyramid-6": "pyramid --n 6 --mu 0.65", "pyramid-5-shaken": "pyramid --n 5 --mu 0.4 --noise 0.05 --seed 2",
    "pyramid-7-shaken": "pyramid --n 7 --mu 0.5 --noise 0.02 --seed 3", "pyramid-10": "pyramid --n 10 --mu 0.7",
    "wall-5": "wall --n 5", "wall-8": "wall --n 8", "wall-4-shaken": "wall --n 4 --noise 0.02 --seed 4",
    "wall-7-shaken": "wall --n 7 --noise 0.02 --seed 5", "wall-16": "wall --n 16", "disks-10": "disks --n 10 --mu 0.7",
    "disks-9-shaken": "disks --n 9 --mu 0.3 --noise 0.05 --seed 6", "disks-12-slip": "disks --n 12 --mu 0.1",
    "disks-18": "disks --n 18 --mu 0.8", "planar-wall-7": "planar-wall --n 7",
    "planar-wall-6-shaken": "planar-wall --n 6 --noise 0.02 --seed 3",
    "planar-wall-20": "planar-wall --n 20 --noise 0.01 --seed 2", "beads-7": "beads --n 7",
    "beads-6-shaken": "beads --n 6 --noise 0.1 --seed 2",
    "skates-5": "skates --n 5 --mu 0.6 --mu2 0.2 --noise 0.1 --seed 2", "chain-12": "chain --n 12",
    "chain-10-heavy": "chain --n 10 --mass-ratio 50 --noise 0.1 --seed 3",
    "door-3": "door --n 3 --mu 0.4 --noise 0.1 --seed 4", "wheels-3": "wheels --n 3 --noise 0.1 --seed 2",
    "rain-20": "rain --n 20 --mu 0.4 --noise 0.5 --seed 3", "bag-16": "bag --n 16 --asymmetry 0.001 --seed 11 --local",
    "bag-40": "bag --n 40 --asymmetry 0.005 --seed 12 --local",
}


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


def keep(folder, name, out, steps):
    for step in steps:
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


def run(program, scene, name, out, seconds, steps):
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", scene, "--until", "1e9", "--problems", folder, "--quiet", "--tol", "1e-6",
                   "--step-limit", "100", "--threads", "1", "--rest", "off"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        last = os.path.join(folder, f"step-{steps[-1] + 1:08d}.hdf5")
        for _ in range(int(10 * seconds)):
            try:
                process.wait(0.1)
                break
            except subprocess.TimeoutExpired:
                prune(folder, steps)
                if os.path.exists(last):
                    break
        process.terminate()
        process.wait()
        keep(folder, name, out, steps)


def prune(folder, steps):
    """Deletes the steps that nobody keeps, all but the newest."""
    wanted = {k - back for k in steps for back in (0, 1)}
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
    parser.add_argument("--unseen", action="store_true", help="problems that no threshold was chosen by")
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
    steps = UNSEEN if a.unseen else KEPT
    for name, words in GENERATED.items() if a.unseen else ():
        subprocess.run([os.path.join(a.build, "make_problems"), *words.split(), "--out", os.path.join(a.out, f"new-{name}.hdf5")],
                       stdout=subprocess.DEVNULL, check=True)
    for file in sorted(os.listdir(a.scenes)) if a.scenes else []:
        name = file.removesuffix(".json")
        if file.endswith(".json") and (not only or name in only):
            run(program, os.path.join(a.scenes, file), name, a.out, a.seconds, steps)
    for name, words in BUILT_IN.items():
        if only and name not in only:
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".json") as scene:
            subprocess.run([program, "scene", *words], stdout=scene, check=True)
            scene.flush()
            run(program, scene.name, name, a.out, a.seconds, steps)


if __name__ == "__main__":
    main()
