#!/usr/bin/env python3
"""Makes the pictures of the documentation from real runs.

    python3 docs/pictures/make.py [--build BUILD] [--out FOLDER] [NAME ...]

BUILD is the folder of cardhouse and make_problems (build), FOLDER where the SVG files go (beside this file), NAME a
picture (all). Needs numpy and h5py. Iteration counts are the same on every run; seconds are those of your machine.
"""
import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

import h5py

import house
import meshes
import plot

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "examples"))
import draw

BUILD, FOLDER = "build", "."
RESTS = ("cards", "--levels", "4")
SLIDES = ("pile", "--n", "12", "--mu", "0.2")
DONE_WITHIN = "10"  # seconds a run may take


def problem(*recipe):
    path = os.path.join(FOLDER, "-".join(recipe).replace("--", "") + ".hdf5")
    if not os.path.exists(path):
        subprocess.run([f"{BUILD}/make_problems", *recipe, "--out", path], check=True, stdout=subprocess.DEVNULL)
    return path


def solve(path, *words):
    command = [f"{BUILD}/cardhouse", "solve", path, "--json", "--time-limit", DONE_WITHIN, *words]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def history(path, *words):
    """[(stage, iteration, seconds, error)]"""
    log = os.path.join(FOLDER, "history.csv")
    solve(path, "--history", log, *words)
    with open(log, newline="") as file:
        rows = list(csv.DictReader(file))
    return [(row["stage"], int(row["iteration"]), float(row["seconds"]), float(row["error"])) for row in rows]


def best_so_far(points):
    low, out = float("inf"), []
    for x, y in points:
        low = min(low, y)
        out.append((x, low))
    return out


def by_iteration(rows):
    return [(k + 1, row[3]) for k, row in enumerate(rows)]


def by_time(rows):
    return best_so_far([(1e3 * row[2], row[3]) for row in rows])


def two_panels(left, right):
    return plot.document(880, 300, plot.panel(64, 30, 250, 210, **left) + plot.panel(500, 30, 250, 210, **right))


def one_panel(**content):
    return plot.document(600, 300, plot.panel(70, 30, 330, 210, **content))


def cardhouse():
    solved = os.path.join(FOLDER, "solved.hdf5")
    answer = solve(problem(*RESTS), "--tol", "1e-12", "--out", solved)
    return house.draw(solved, [f"forces at all {answer['problem']['contacts']} contacts, certified to "
                               f"{answer['certificate']['natural']:.0e}",
                               "red: upon the card above or to the right; blue: its reaction"])


def first_scene():
    """The scene of docs/first_scene.md, as the page draws it."""
    page = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "first_scene.md")
    scene, motion = os.path.join(FOLDER, "table.json"), os.path.join(FOLDER, "table.h5")
    with open(page, encoding="utf-8") as text, open(scene, "w", encoding="utf-8") as file:
        file.write(re.search(r"```json\n(.*?)```", text.read(), re.S).group(1))
    subprocess.run([f"{BUILD}/cardhouse", "run", scene, "--out", motion, "--every", "10", "--quiet"], check=True)
    return draw.draw(motion, [0, 0.32, 2])


def methods():
    def compare(recipe, title):
        path = problem(*recipe)
        names = ("auto", "newton", "ipm", "admm", "nsgs", "apgd", "staggered", "successive", "pgs")
        curves = [(name, by_time(history(path, "--method", name))) for name in names]
        return dict(curves=curves, title=title, x_label="milliseconds", y_label="error", x_log=True, y_floor=1e-9)
    return two_panels(compare(RESTS, "rests: card house, 84 contacts"),
                      compare(SLIDES, "slides: pile of 78 spheres, mu = 0.2"))


def nsgs():
    path = problem("arch", "--n", "27")
    curves = [(f"look back {depth}" if depth else "plain", by_iteration(history(path, "--method", "nsgs", "--set",
                                                                              f"nsgs.anderson={depth}")))
              for depth in (0, 5, 10, 20)]
    return one_panel(curves=curves, title="arch of 27 voussoirs", x_label="sweeps", y_label="error", x_log=True,
                     y_floor=1e-9)


def ansgs():
    steps, scene = os.path.join(FOLDER, "box-of-spheres"), os.path.join(FOLDER, "box.json")
    with open(scene, "w") as file:
        subprocess.run([f"{BUILD}/cardhouse", "scene", "box-of-spheres", "--n", "300"], check=True, stdout=file)
    subprocess.run([f"{BUILD}/cardhouse", "run", scene, "--method", "ansgs", "--tol", "1e-4", "--until", "0.35",
                    "--problems", steps, "--problems-every", "35", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    path = os.path.join(steps, "step-00000035.hdf5")
    words = ("--tol", "1e-6")
    curves = [("nsgs", by_iteration(history(path, "--method", "nsgs", *words))),
              ("apgd", by_iteration(history(path, "--method", "apgd", *words))),
              ("ansgs", by_iteration(history(path, "--method", "ansgs", *words)))]
    return one_panel(curves=curves, title="300 spheres that fall into a box, one step", x_label="sweeps or iterations", y_label="error",
                     x_log=True, y_floor=1e-7)


def seeded():
    path = problem("pile", "--n", "20", "--mu", "0.55")
    curves = [(name, by_iteration(history(path, "--method", name, "--tol", "1e-6"))) for name in ("ansgs", "ipm", "seeded")]
    return one_panel(curves=curves, title="pile of 210 spheres at mu = 0.55", x_label="sweeps or factorisations", y_label="error",
                     x_log=True, y_floor=1e-7)


def condense():
    """Its small problems have errors of their own, which are left out."""
    path = problem("pile", "--n", "12", "--mu", "0.5")
    curves = [(name, by_time([row for row in history(path, "--method", name, "--time-limit", "2") if row[0] in (name, "ansgs")]))
              for name in ("ansgs", "newton", "leap", "condense")]
    return one_panel(curves=curves, title="pile of 78 spheres at mu = 0.5", x_label="milliseconds", y_label="error",
                     x_log=True, y_floor=1e-9)


def trek():
    path = problem("pile", "--n", "12", "--mu", "0.5")
    curves = [(name, by_time([row for row in history(path, "--method", name, "--time-limit", "2", *words) if row[0] in (name, "ansgs")]))
              for name, words in (("ansgs", ()), ("newton", ()), ("condense", ()), ("trek", ("--set", "trek.sweeps=300")))]
    return one_panel(curves=curves, title="pile of 78 spheres at mu = 0.5", x_label="milliseconds", y_label="error",
                     x_log=True, y_floor=1e-9)


def working_set():
    steps, scene = os.path.join(FOLDER, "chair"), os.path.join(FOLDER, "chair.json")
    with open(scene, "w") as file:
        subprocess.run([f"{BUILD}/cardhouse", "scene", "chairs", "--n", "1", "--modes", "34", "--cells", "6"], check=True, stdout=file)
    subprocess.run([f"{BUILD}/cardhouse", "run", scene, "--until", "0.2", "--problems", steps, "--problems-every", "10", "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    path = os.path.join(steps, "step-00000010.hdf5")
    curves = [(name, by_time(history(path, "--method", name))) for name in ("newton", "ipm", "working-set")]
    return one_panel(curves=curves, title="a chair of 40 freedoms on 196 contacts, one step", x_label="milliseconds", y_label="error",
                     x_log=True, y_floor=1e-9)


def longest_part(rows):
    """Of a problem in several parts, solved one after the other, the one that took longest, from its own start."""
    parts, end = [[]], 0.0
    for stage, iteration, seconds, error in rows:
        if parts[-1] and iteration <= parts[-1][-1][1]:
            parts.append([])
            end = last
        parts[-1].append((stage, iteration, seconds - end, error))
        last = seconds
    return max(parts, key=lambda part: part[-1][2])


def leap():
    steps = os.path.join(FOLDER, "hand")
    subprocess.run([f"{BUILD}/cardhouse", "run", "haptic", "--until", "3.5", "--problems", steps, "--problems-every", "3500", "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    path = os.path.join(steps, "step-00003500.hdf5")
    curves = [(name, by_time(longest_part(history(path, "--method", name)))) for name in ("newton", "ipm", "leap")]
    return one_panel(curves=curves, title="a hand squeezes soft bodies, one step from nothing", x_label="milliseconds", y_label="error",
                     x_log=True, y_floor=1e-9)


def walk():
    path = problem("tower", "--n", "6", "--mu", "0.4", "--noise", "0.02")
    curves = [(name, by_time(history(path, "--method", name))) for name in ("newton", "ipm", "walk")]
    return one_panel(curves=curves, title="a shaken tower, 24 contacts", x_label="milliseconds", y_label="error", x_log=True,
                     y_floor=1e-9)


def newton():
    curves = []
    for name, recipe in (("card house", RESTS), ("arch", ("arch", "--n", "27")), ("sliding pile", SLIDES)):
        rows = history(problem(*recipe), "--method", "newton", "--tol", "1e-12")
        curves.append((name, by_iteration(rows)))
    return one_panel(curves=curves, title="newton from r = 0", x_label="proximal steps", y_label="error", y_floor=1e-13)


def successive():
    """LCP1 as printed: error of every pass, and the factor by which the later passes shrink it."""
    def passes(n, mu):
        path = problem("disks", "--n", str(n), "--mu", str(mu), "--h", "0.05")
        rows = history(path, "--method", "successive", "--set", "successive.paper_rule=1e-9", "--max-iterations", "40")
        return [error for _, _, _, error in rows]

    def factor(errors):
        errors = [e for e in errors if e > 1e-8]  # below that, the inner solves are seen
        half = len(errors) // 2
        return (errors[-1] / errors[half]) ** (1.0 / max(1, len(errors) - 1 - half))

    left = dict(curves=[(f"mu = {mu}", list(enumerate(passes(8, mu), 1))) for mu in (0.02, 0.05, 0.1, 0.15, 0.2)],
                title="pile of 36 disks", x_label="passes", y_label="error", y_floor=1e-9)
    frictions = [0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2]
    right = dict(curves=[(f"{n * (n + 1) // 2} disks", [(mu, factor(passes(n, mu))) for mu in frictions])
                         for n in (4, 8, 16)],
                 title="contraction factor", x_label="mu", y_label="factor a pass", y_log=False)
    return two_panels(left, right)


def admm():
    def compare(recipe, title):
        curves = [(f"rho = {rho}", by_iteration(history(problem(*recipe), "--method", "admm", "--set", f"admm.rho={rho}",
                                                        "--max-iterations", "1000"))) for rho in (0.01, 0.05, 0.2, 1.0)]
        return dict(curves=curves, title=title, x_label="iterations", y_label="error", x_log=True, y_floor=1e-9)
    return two_panels(compare(RESTS, "rests: card house"), compare(SLIDES, "slides: pile, mu = 0.2"))


def ipm():
    path = problem(*SLIDES)
    curves = [(f"smoothing {value}", by_iteration(history(path, "--method", "ipm", "--set", f"ipm.smoothing={value}")))
              for value in (0, 3, 30, 300)]
    curves.append(("pose relaxed", by_iteration(history(path, "--method", "ipm", "--pose", "relaxed"))))
    return one_panel(curves=curves, title="sliding pile, mu = 0.2", x_label="iterations", y_label="error", y_floor=1e-9)


def staggered():
    """Algorithm 1 on what slides: the terms of its analysis, and three measures of its distance to the end."""
    log = os.path.join(FOLDER, "terms.csv")
    words = ("--method", "staggered", "--cone", "polygon:8", "--set", "staggered.algorithm1=1", "--set",
             "staggered.rel_err=1e-16", "--diagnostics", log)
    errors = by_iteration(history(problem(*SLIDES), *words))
    with open(log, newline="") as file:
        rows = list(csv.DictReader(file))

    def column(name):
        return [(int(row["iteration"]), abs(float(row[name]))) for row in rows if float(row[name]) != 0.0 and row[name] != "nan"]

    terms = [("gamma", column("gamma")), ("|delta|", column("delta")), ("|nu|", column("nu"))]
    ends = [("residual", column("residual")), ("|objective|", column("objective")), ("natural map", errors)]
    return two_panels(dict(curves=terms, title="sliding pile: the terms of (6.23)", x_label="iterations", y_label="energy",
                           y_floor=1e-16),
                      dict(curves=ends, title="and its end", x_label="iterations", y_label="", y_floor=1e-10))


def portfolio():
    """auto: the curve changes colour with the stage."""
    rows = history(problem("pile", "--n", "20", "--mu", "0.2"), "--tol", "1e-10")
    curves = []
    for k, (stage, _, _, error) in enumerate(rows):
        if not curves or curves[-1][0] != stage:
            curves.append((stage, []))
        curves[-1][1].append((k + 1, error))
    return one_panel(curves=curves, title="auto on a pile of 210 spheres, mu = 0.2", x_label="iterations of any kind",
                     y_label="error", y_floor=1e-11)


def lemke():
    """Pivots from the basis of slacks; where they pass 10,000 the curve ends."""
    curves = []
    for mu in ("0", "0.1", "0.2", "0.4", "0.8"):
        answers = [solve(problem("disks", "--n", str(n), "--mu", mu), "--method", "lemke", "--set", "lemke.crash=0",
                         "--max-iterations", "10000") for n in range(3, 14)]
        curves.append((f"mu = {mu}", [(a["problem"]["contacts"], a["iterations"]["inner"]) for a in answers
                                      if a["status"] == "solved"]))
    return one_panel(curves=curves, title="Lemke's method from slacks", x_label="contacts of a plane pile",
                     y_label="pivots", x_log=True)


def active_set():
    """Changes of the active set from a cold start, and over the passes of an outer loop."""
    curves = []
    for name, family, sizes, words in (("wall, at rest", "wall", (2, 4, 6, 8, 10), ()),
                                       ("wall, shaken", "wall", (2, 4, 6, 8, 10), ("--noise", "0.05")),
                                       ("pile, shaken", "pile", (4, 7, 10, 14, 20), ("--mu", "0.4", "--noise", "0.02"))):
        points = []
        for n in sizes:
            answer = solve(problem(family, "--n", str(n), *words), "--method", "active-set", "--pose", "relaxed",
                           "--cone", "polygon:8")
            points.append((answer["problem"]["contacts"], answer["iterations"]["inner"]))
        curves.append((name, points))
    wall = problem("wall", "--n", "6", "--noise", "0.02")
    words = ("--method", "successive", "--inner", "active-set", "--cone", "polygon:8")
    hot = [(k, after(wall, k, *words)["iterations"]["inner"]) for k in range(1, 31)]
    cold = [(k, k * hot[0][1]) for k in range(1, 7)]
    left = dict(curves=curves, title="from a cold start", x_label="contacts", y_label="changes", x_log=True)
    right = dict(curves=[("hot starts", hot), ("all as the first", cold)], title="successive on a shaken wall",
                 x_label="passes", y_label="changes, added up", y_log=False)
    return two_panels(left, right)


def linear_systems():
    """Seconds of a Newton step in either space."""
    curves = []
    for family, sizes in (("pyramid", (4, 6, 8, 10)), ("wall", (4, 8, 12, 18))):
        for number, space in ((1, "reactions"), (2, "velocities")):
            points = []
            for n in sizes:
                answer = solve(problem(family, "--n", str(n)), "--method", "newton", "--set", f"newton.space={number}",
                               "--max-iterations", "20", "--tol", "1e-12")
                count = max(1, answer["factorizations"])
                points.append((answer["problem"]["contacts"], 1e3 * answer["seconds"]["solve"] / count))
            curves.append((f"{family}, {space}", points))
    return one_panel(curves=curves, title="one Newton step", x_label="contacts", y_label="milliseconds", x_log=True)


def in_other_units(path, factor):
    """The same problem with the unit of mass divided by `factor`: M and f grow, velocities stay."""
    copy = f"{path[:-5]}-mass-{factor:g}.hdf5"
    with open(path, "rb") as source, open(copy, "wb") as target:
        target.write(source.read())
    with h5py.File(copy, "r+") as file:
        for name in ("M/x", "vectors/f"):
            file["fclib_global/" + name][...] *= factor
    return copy


def scaling():
    """What 50 sweeps are worth, by either measure, in other units of mass."""
    path = problem(*RESTS)
    factors = [10.0 ** k for k in range(-6, 7)]
    answers = [solve(in_other_units(path, f), "--method", "nsgs", "--max-iterations", "50")["certificate"] for f in factors]
    curves = [(name, [(f, a[name]) for f, a in zip(factors, answers)]) for name in ("natural", "siconos")]
    return one_panel(curves=curves, title="one answer, many units", x_label="units of mass in a kilogram",
                     y_label="error", x_log=True)


def after(path, count, *words):
    """The answer after so many iterations."""
    return solve(path, "--max-iterations", str(count), *words)


def pgs():
    """Cone and box: in space the box is another law, in the plane the same one."""
    def compare(recipe, title):
        kinds = (("cone", ()), ("omega = 1.5", ("--set", "pgs.omega=1.5")), ("box", ("--set", "pgs.box=1")))
        curves = [(name, by_iteration(history(problem(*recipe), "--method", "pgs", "--max-iterations", "12000", "--set",
                                              "pgs.check=1", *words))) for name, words in kinds]
        return dict(curves=curves, title=title, x_label="sweeps", y_label="error", x_log=True, y_floor=1e-9)
    return two_panels(compare(RESTS, "in space: card house"),
                      compare(("disks", "--n", "8", "--mu", "0.5"), "in the plane: 36 disks"))


def apgd():
    """Iterations over the weight of a tower's top, and the effect of letting L fall."""
    def count(method, ratio):
        path = problem("tower", "--n", "5", "--mass-ratio", str(ratio))
        answer = solve(path, "--method", method, "--max-iterations", "30000")
        return answer["iterations"]["outer"] if answer["status"] == "solved" else None

    ratios = (1, 3, 10, 30, 100, 300, 1000)
    curves = []
    for method in ("apgd", "pgs", "nsgs"):
        counts = [(ratio, count(method, ratio)) for ratio in ratios]
        curves.append((method, [point for point in counts if point[1]]))
    left = dict(curves=curves, title="tower of five, heavy on top", x_label="mass of the top box over the others",
                y_label="iterations", x_log=True)
    path = problem("arch", "--n", "27")
    curves = []
    for shrink in (1.0, 0.9, 0.7):
        rows = history(path, "--method", "apgd", "--set", f"apgd.shrink={shrink}", "--set", "apgd.check=1")
        curves.append((f"L times {shrink}" if shrink < 1 else "L never falls", by_iteration(rows)))
    right = dict(curves=curves, title="arch of 27 voussoirs", x_label="iterations", y_label="error",
                 y_floor=1e-9)
    return two_panels(left, right)


def motion(scene, *words):
    """A built-in scene run with a method: the rows of its table."""
    path, log = os.path.join(FOLDER, "scene.json"), os.path.join(FOLDER, "motion.csv")
    with open(path, "w") as file:
        subprocess.run([f"{BUILD}/cardhouse", "scene", *scene], check=True, stdout=file)
    subprocess.run([f"{BUILD}/cardhouse", "run", path, "--rest", "off", "--csv", log, "--quiet", *words], check=True)
    with open(log, newline="") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


def over_time(rows, *names):
    return [(row["time"], sum(row[name] for name in names)) for row in rows]


def penalty():
    """How deep a card house sinks, and what a step by the beginning's forces does to it."""
    curves = [(f"k = {k}", over_time(motion(("cards",), "--method", "penalty", "--set", f"penalty.stiffness={k}", "--h", "0.01",
                                            "--until", "1"), "penetration")) for k in ("1e6", "1e7", "1e8")]
    left = dict(curves=curves, title="card house: deepest overlap", x_label="seconds", y_label="m", y_floor=1e-7)
    curves = [(name, over_time(motion(("cards",), "--method", "penalty", "--set", f"penalty.implicit={on}", "--h", h, "--until", "0.1"),
                               "kinetic")) for name, on, h in (("implicit, 10 ms", 1, "0.01"), ("explicit, 10 ms", 0, "0.01"),
                                                               ("explicit, 1 ms", 0, "0.001"), ("explicit, 0.1 ms", 0, "0.0001"))]
    right = dict(curves=curves, title="its kinetic energy, k = 1e7", x_label="seconds", y_label="J", y_floor=1e-8)
    return two_panels(left, right)


def two_pass():
    """Potential energy of card houses of several levels; the error that one step has."""
    curves = []
    for levels in (2, 3, 4):
        rows = motion(("cards", "--levels", str(levels)), "--method", "two-pass", "--h", "0.01", "--until", "10")
        curves.append((f"{levels} levels", [(row["time"], row["potential"] / rows[0]["potential"]) for row in rows]))
    left = dict(curves=curves, title="card houses", x_label="seconds", y_label="potential energy, share", y_log=False)
    curves = []
    for name, family, sizes in (("tower", "tower", (3, 5, 8, 12)), ("arch", "arch", (7, 11, 19, 31)), ("cards", "cards", (2, 3, 4, 6))):
        points = []
        for n in sizes:
            answer = solve(problem(family, "--n" if family != "cards" else "--levels", str(n)), "--method", "two-pass")
            points.append((answer["problem"]["contacts"], answer["certificate"]["natural"]))
        curves.append((name, points))
    right = dict(curves=curves, title="error of one step", x_label="contacts", y_label="error", x_log=True, y_floor=1e-13)
    return two_panels(left, right)


def shock():
    """A card house and what of a stack's momentum is lost."""
    curves = []
    for fraction in ("1", "0.9", "0.5", "0.002"):
        rows = motion(("cards",), "--method", "shock", "--h", "0.01", "--until", "5", "--set", f"shock.fraction={fraction}")
        curves.append((f"fraction {fraction}", [(row["time"], row["potential"] / rows[0]["potential"]) for row in rows]))
    left = dict(curves=curves, title="card house", x_label="seconds", y_label="potential energy, share", y_log=False)
    curves = []
    for fraction in ("0", "0.5", "1"):
        answers = [(n, motion(("stack", "--n", str(n)), "--method", "shock", "--set", f"shock.fraction={fraction}", "--h", "0.01",
                              "--until", "0.01")) for n in (2, 4, 8, 16, 32)]
        curves.append((f"fraction {fraction}", [(n, rows[0]["balance"]) for n, rows in answers]))
    right = dict(curves=curves, title="a stack: momentum lost in a step", x_label="cubes", y_label="balance", x_log=True)
    return two_panels(left, right)


def interior_lcp():
    """The plain method on the polygonal problem, with friction and without."""
    curves = []
    for name, recipe, words in (("card house", RESTS, ()), ("shaken", ("cards", "--levels", "4", "--noise", "0.01"), ()),
                                ("sliding pile", ("pile", "--n", "6", "--mu", "0.2"), ()),
                                ("pile, relaxed", ("pile", "--n", "6", "--mu", "0.2"), ("--pose", "relaxed"))):
        rows = history(problem(*recipe), "--method", "interior-lcp", "--cone", "polygon:8", *words)
        curves.append((name, by_iteration(rows)))
    return one_panel(curves=curves, title="interior points from y = s = 1", x_label="iterations", y_label="error", y_floor=1e-9)


def value_of(answer):
    """What `sqp` and `indefinite-qp` note: y'(A y + b) where they stand."""
    return float(answer["note"].split()[-1])


def values(recipe, method, counter, counts):
    """Value after so many iterations, up to the end of the run."""
    points = []
    for count in counts:
        answer = after(problem(*recipe), count, "--method", method)
        if answer["iterations"][counter] < count:
            break
        points.append((count, value_of(answer)))
    start = next(k for k, (_, value) in enumerate(points) if value > 1e-12)  # nothing is loaded before
    return [(k, max(value, 1e-16)) for k, value in points[start:]]


def sqp():
    """The objective of (5.32), and the error, where it ends at a solution and where it does not."""
    cases = (("10 disks: solved", ("disks", "--n", "4", "--mu", "0.8", "--noise", "0.05")),
             ("15 disks: not", ("disks", "--n", "5", "--mu", "0.8", "--noise", "0.05")))
    left, right = [], []
    for name, recipe in cases:
        left.append((name, values(recipe, "sqp", "outer", range(1, 57))))
        right.append((name, best_so_far(by_iteration(history(problem(*recipe), "--method", "sqp")))))
    return two_panels(dict(curves=left, title="objective (5.32)", x_label="steps", y_label="", y_floor=1e-14),
                      dict(curves=right, title="natural map, best so far", x_label="steps", y_label="error", y_floor=1e-14))


def indefinite_qp():
    """The same objective pivot by pivot."""
    curves = []
    for name, recipe in (("10 disks: a solution", ("disks", "--n", "4", "--mu", "0.8")),
                         ("6 disks: stationary", ("disks", "--n", "3", "--mu", "0.8", "--noise", "0.05")),
                         ("15 disks: stationary", ("disks", "--n", "5", "--mu", "0.8"))):
        curves.append((name, values(recipe, "indefinite-qp", "inner", range(1, 320, 3))))
    return one_panel(curves=curves, title="y'(A y + b) along the pivots", x_label="pivots", y_label="objective",
                     y_floor=1e-6)


def regularized_lcp():
    """Plain regularisation ends at a floor that its parameter sets; proximal steps do not."""
    def setting(name, value):
        return "--set", f"regularized-lcp.{name}={value}"

    def floor(mu, eps):
        words = (*setting("eps", eps), *setting("reduce", 1), *setting("centre", 0), *setting("sweeps", 20000))
        path = problem("disks", "--n", "5", "--mu", mu)
        return after(path, 30, "--method", "regularized-lcp", *words)["certificate"]["natural"]

    def best(recipe, centre):
        words = ("--method", "regularized-lcp", "--cone", "polygon:8", "--max-iterations", "500", "--time-limit", "90")
        rows = history(problem(*recipe), *words, *setting("centre", centre))
        return best_so_far([(x, y) for x, y in by_iteration(rows) if y < 1e3])

    sizes = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001)
    left = dict(curves=[(f"mu = {mu}", [(eps, floor(mu, eps)) for eps in sizes]) for mu in ("0", "0.1", "0.3", "0.8")],
                title="plain: the floor over eps, 15 disks", x_label="eps asked for", y_label="error", x_log=True)
    kinds = (("proximal", 1), ("plain", 0))
    recipes = (("cards", ("cards", "--levels", "3")), ("disks", ("disks", "--n", "7", "--mu", "0.3", "--noise", "0.05")))
    curves = [(f"{name}, {kind}", best(recipe, centre)) for name, recipe in recipes for kind, centre in kinds]
    right = dict(curves=curves, title="best so far", x_label="steps", y_label="error", x_log=True, y_floor=1e-9)
    return two_panels(left, right)


def boxmin():
    """Runs on contact problems; the objective that one start of each of 200 grasps ends with."""
    cases = (("10 disks, mu 0.8", ("disks", "--n", "4", "--mu", "0.8"), "coulomb"),
             ("21 disks, mu 0.05", ("disks", "--n", "6", "--mu", "0.05"), "coulomb"),
             ("the same, relaxed", ("disks", "--n", "6", "--mu", "0.05"), "relaxed"))
    left = dict(curves=[(name, by_iteration(history(problem(*recipe), "--method", "boxmin", "--pose", pose)))
                        for name, recipe, pose in cases],
                title="contact problems", x_label="trust-region iterations", y_label="error", y_floor=1e-13)
    curves = []
    for form in ("sliding", "coulomb", "pyramid"):
        ends = sorted(max(grasp(form, seed), 1e-30) for seed in range(1, 201))
        curves.append((form, list(enumerate(ends, 1))))
    right = dict(curves=curves, title="200 grasps, one start each", x_label="grasps", y_label="objective (2)",
                 y_floor=1e-30)
    return two_panels(left, right)


def grasp(form, seed):
    words = [f"{BUILD}/cardhouse", "mcp", f"grasp-{form}:seed={seed}", "--restarts", "0", "--json"]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)["objective"]


def tet_shapes():
    """Shapes of `cardhouse mesh`, coarse enough to see what they are made of."""
    shapes = (("bar", "10,2,2", 35, 25), ("plate", "8,8,1", 35, 35), ("strand", "48,3,1", 25, 20), ("torus", "24,2", 35, 40),
              ("block", "4,3,2", 35, 25), ("chair", "1,5,6", 30, 20), ("dino", "20", 25, 15), ("rabbit", "16", 40, 15))
    rows = []
    for name, cells, turn, lift in shapes:
        path = os.path.join(FOLDER, name + ".msh")
        wave = ("--amplitude", "0.015", "--period", "0.13") if name == "strand" else ()
        subprocess.run([f"{BUILD}/cardhouse", "mesh", name, "--cells", cells, *wave, "--out", path, "--quiet"], check=True)
        rows.append((name, path, turn, lift))
    return meshes.sheet(rows)


def hook_mesh():
    """The mesh that Gmsh made of scenes/hook.geo, from two sides."""
    path = os.path.join(FOLDER, "hook.msh")
    subprocess.run([f"{BUILD}/cardhouse", "mesh", "scenes/hook.msh", "--out", path, "--quiet"], check=True)
    return meshes.sheet([("hook.msh", path, 35, 25), ("from the side", path, 0, 5)])


def frequencies(cells, modes):
    """Hz, of a clamped bar of 1 m by 60 mm by 40 mm, lowest first."""
    scene = {"cardhouse": 1, "name": "bar", "step": {"h": 1e-3, "until": 1e-3}, "gravity": [0, 0, 0],
             "materials": {"steel": {"density": 7800}},
             "bodies": [{"name": "bar", "soft": {
                 "mesh": {"shape": "bar", "size": [1, 0.06, 0.04], "cells": [cells, 2, 2]}, "material": "steel",
                 "young": 2e11, "poisson": 0, "modes": modes, "clamp": [[-0.501, -1, -1], [-0.499, 1, 1]]}}]}
    path = os.path.join(FOLDER, f"bar-{cells}.json")
    with open(path, "w") as file:
        json.dump(scene, file)
    words = [f"{BUILD}/cardhouse", "run", path, "--json"]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)["soft"][0]["frequencies"]


def soft_bodies():
    """How the frequencies of a cantilever converge with the mesh."""
    finest = frequencies(64, 6)
    curves = [(f"{f:.0f} Hz", []) for f in finest[:4]]
    for cells in (4, 6, 8, 12, 16, 24, 32):
        for (_, rows), f, limit in zip(curves, frequencies(cells, 6), finest):
            rows.append((cells, f / limit - 1))
    return one_panel(curves=curves, title="a clamped bar, 60 x 40 mm, 1 m long", x_label="cells along it",
                     y_label="frequency too high by, beside 64 cells", x_log=True)


DRIFTS = {  # name in the picture: (method, sweeps, what `step` has)
    "10 sweeps, stabilised": ("pgs", 10, {}),
    "10 sweeps, from nothing": ("pgs", 10, {"stabilization": {"mode": "off"}, "warm": False}),
    "100 sweeps, from nothing": ("pgs", 100, {"stabilization": {"mode": "off"}, "warm": False}),
    "10 sweeps": ("pgs", 10, {"stabilization": {"mode": "off"}}),
    "solved": ("auto", 0, {"stabilization": {"mode": "off"}}),
}


def drift():
    """How far a card of the house has moved, by what solves its steps."""
    scene, motion = os.path.join(FOLDER, "drift.json"), os.path.join(FOLDER, "drift.h5")
    curves = []
    for name, (method, sweeps, step) in DRIFTS.items():
        world = json.loads(subprocess.run([f"{BUILD}/cardhouse", "scene", "cards"], check=True, capture_output=True).stdout)
        world["step"].update(rest=False, **step)
        world["method"] = {"name": method, "max_iterations": sweeps}
        with open(scene, "w", encoding="utf-8") as file:
            json.dump(world, file)
        subprocess.run([f"{BUILD}/cardhouse", "run", scene, "--until", "4", "--every", "10", "--out", motion, "--quiet"],
                       check=True)
        with h5py.File(motion) as file:
            position, time = file["body/position"][:], file["time"][:]
        moved = ((position - position[0]) ** 2).sum(axis=2).max(axis=1) ** 0.5
        curves.append((name, [(t, m) for t, m in zip(time, moved) if m > 0]))
    return plot.document(640, 300, plot.panel(
        70, 30, 340, 210, curves=curves, title="house of four levels: how far a card has moved, m", x_label="seconds",
        y_label="m", y_floor=1e-15))


PICTURES = {"cardhouse": cardhouse, "drift": drift, "first_scene": first_scene, "methods": methods, "nsgs": nsgs, "ansgs": ansgs,
            "seeded": seeded, "condense": condense, "trek": trek, "working_set": working_set, "leap": leap, "walk": walk,
            "newton": newton, "admm": admm, "ipm": ipm,
            "lemke": lemke, "successive": successive, "staggered": staggered, "auto": portfolio,
            "linear_systems": linear_systems, "scaling": scaling, "pgs": pgs, "apgd": apgd, "active_set": active_set,
            "sqp": sqp, "indefinite_qp": indefinite_qp, "regularized_lcp": regularized_lcp, "boxmin": boxmin,
            "penalty": penalty, "two_pass": two_pass, "shock": shock, "interior_lcp": interior_lcp,
            "tet_shapes": tet_shapes, "hook_mesh": hook_mesh, "soft_bodies": soft_bodies}


def main():
    global BUILD, FOLDER
    parser = argparse.ArgumentParser(description="pictures of the documentation, from real runs")
    parser.add_argument("--build", default="build")
    parser.add_argument("--out", default=os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("names", nargs="*", metavar="NAME", help=" ".join(PICTURES))
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in PICTURES]
    if unknown:
        parser.error(f"no picture is called {unknown[0]}; there are: {' '.join(PICTURES)}")
    BUILD = arguments.build
    with tempfile.TemporaryDirectory() as FOLDER:
        for name in arguments.names or PICTURES:
            content = PICTURES[name]()
            with open(os.path.join(arguments.out, name + ".svg"), "w") as file:
                file.write(content)
            print(f"{name}.svg")


if __name__ == "__main__":
    main()
