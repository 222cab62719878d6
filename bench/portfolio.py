#!/usr/bin/env python3
"""Every member of the portfolio and `auto` on a folder of problems: the table, what it says, and performance profiles.

    python3 bench/portfolio.py [--build build] --problems FOLDER [--work 4e8] [--csv bench/portfolio.csv] [--svg FILE]
    python3 bench/portfolio.py [--build build] --problems FOLDER --again TABLE [--csv FILE]
    python3 bench/portfolio.py --report bench/portfolio.csv [--svg FILE]

The first form measures and writes the table. The second measures `auto` and, in the same run, the members that were the fastest on each problem in an earlier
table, whose other rows it keeps. The third reads a table. All print it in short, as Markdown, and name every problem on which `auto` is not within twice the fastest.
"""
import argparse
import csv
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "pictures"))
import plot  # noqa: E402

FIELDS = ("problem", "contacts", "dof", "member", "tolerance", "solved", "natural", "work", "iterations", "cpu")
FLOOR = {"cpu": 5e-5, "work": 5e4}  # below which a ratio says nothing: 50 microseconds


def run(a, problems, names):
    command = [os.path.join(a.build, "bench", "portfolio"), "--work", str(a.work), *problems]
    if names:
        command[1:1] = ["--methods", names]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        return list(csv.DictReader(process.stdout))


def files(paths):
    for path in paths:
        inside = [os.path.join(path, name) for name in sorted(os.listdir(path))] if os.path.isdir(path) else [path]
        yield from (file for file in inside if file.endswith((".hdf5", ".h5", ".dat")))


def fastest(table, problem):
    """The members that were among the fastest three on this problem, at either tolerance."""
    found = []
    for problems in table.values():
        cells = problems.get(problem, {})
        solved = sorted((c["cpu"], m) for m, c in cells.items() if m != "auto" and c["solved"])
        found += [m for _, m in solved[:3] if m not in found]
    return found


def measure_again(a):
    """Rows of the earlier table, those of `auto` and of the fastest members anew."""
    table, rows = read(a.again), []
    for path in files(a.problems):
        rows += run(a, [path], ",".join([*fastest(table, os.path.basename(path)), "auto"]))
    anew = {(r["problem"], r["member"], float(r["tolerance"])) for r in rows}
    with open(a.again, newline="", encoding="utf-8") as file:
        kept = [r for r in csv.DictReader(file) if (r["problem"], r["member"], float(r["tolerance"])) not in anew]
    return sorted(kept + rows, key=lambda r: (r["problem"], r["member"] == "auto", r["member"], -float(r["tolerance"])))


def measure(a):
    rows = measure_again(a) if a.again else run(a, a.problems, a.members)
    with open(a.csv, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read(path):
    """{tolerance: {problem: {member: row}}}, numbers as numbers."""
    table = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            row["solved"] = row["solved"] == "1"
            for name in ("natural", "work", "cpu"):
                row[name] = float(row[name])
            table.setdefault(float(row["tolerance"]), {}).setdefault(row["problem"], {})[row["member"]] = row
    return table


def members(problems):
    found = []
    for cells in problems.values():
        found += [m for m in cells if m not in found]
    return found


def best(cells, figure):
    """The least of a figure among the members that solved, `auto` left out; None where none did."""
    return min((c[figure] for m, c in cells.items() if m != "auto" and c["solved"]), default=None)


def ratios(problems, member, figure):
    """Of each problem that any member solved: this one's figure over the least; infinite where it missed."""
    out = []
    for cells in problems.values():
        least = best(cells, figure)
        if least is None or member not in cells:
            continue
        cell = cells[member]
        floor = FLOOR[figure]
        out.append(max(cell[figure], floor) / max(least, floor) if cell["solved"] else float("inf"))
    return sorted(out)


def share(values, most):
    return sum(v <= most for v in values) / max(1, len(values))


def print_tolerance(tolerance, problems):
    print(f"\n### To {tolerance:g}: {len(problems)} problems\n")
    print("| member | solved | fastest | within 2 times the fastest's time | within 3 times the least work |")
    print("|---|---:|---:|---:|---:|")
    for member in members(problems):
        solved = sum(c[member]["solved"] for c in problems.values() if member in c)
        time, work = ratios(problems, member, "cpu"), ratios(problems, member, "work")
        print(f"| {member} | {solved} | {100 * share(time, 1.0):.0f} % | {100 * share(time, 2.0):.0f} % "
              f"| {100 * share(work, 3.0):.0f} % |")


def print_lost(tolerance, problems):
    """What a member solved and `auto` did not, and where `auto` is far behind."""
    for name, cells in problems.items():
        least, own = best(cells, "work"), cells.get("auto")
        if not own or least is None:
            continue
        who = next(m for m, c in cells.items() if m != "auto" and c["solved"] and c["work"] == least)
        if not own["solved"]:
            print(f"- {tolerance:g}: {name} is solved by {who} with {least:.1e} of work, by auto not with {own['work']:.1e}")
        elif own["work"] > 5.0 * max(least, FLOOR["work"]):
            print(f"- {tolerance:g}: {name} takes auto {own['work'] / max(least, 1.0):.1f} times the work of {who}")


def print_slow(tolerance, problems):
    """Every problem on which `auto` is not within twice the fastest."""
    for name, cells in sorted(problems.items()):
        least, own = best(cells, "cpu"), cells.get("auto")
        if not own or least is None or not own["solved"]:
            continue
        ratio = max(own["cpu"], FLOOR["cpu"]) / max(least, FLOOR["cpu"])
        if ratio > 2.0:
            who = next(m for m, c in cells.items() if m != "auto" and c["solved"] and c["cpu"] == least)
            print(f"- {tolerance:g}: {name} ({own['contacts']} contacts) takes auto {1e3 * own['cpu']:.2f} ms, {who} {1e3 * least:.2f} ms: {ratio:.1f} times")


def print_order(table):
    """A tighter tolerance must not give a worse answer; all cells have the same limit of work."""
    worse = []
    for loose, tight in zip(sorted(table, reverse=True), sorted(table, reverse=True)[1:]):
        for name, cells in table[loose].items():
            other = table[tight].get(name, {}).get("auto")
            if other and "auto" in cells and other["natural"] > max(cells["auto"]["natural"], tight) * (1 + 1e-9):
                worse.append(f"{name} ({cells['auto']['natural']:.1e} at {loose:g}, {other['natural']:.1e} at {tight:g})")
    print(f"\nAnswers of `auto` that a tighter tolerance makes worse: {', '.join(worse) if worse else 'none'}.")


def profiles(table, path):
    body, top = [], 30
    for tolerance, problems in sorted(table.items(), reverse=True):
        curves = []
        for member in members(problems):
            values = [v for v in ratios(problems, member, "cpu") if v < 1e4]
            count = sum(best(c, "cpu") is not None for c in problems.values())
            points = [(1.0, share(ratios(problems, member, "cpu"), 1.0))]
            points += [(max(v, 1.0), (k + 1) / count) for k, v in enumerate(values)]
            curves.append((member, points + [(1e4, points[-1][1])]))
        body.append(plot.panel(70, top, 420, 260, curves, f"to {tolerance:g}", "time over that of the fastest member",
                               "share of problems", x_log=True, y_log=False))
        top += 340
    with open(path, "w", encoding="utf-8") as file:
        file.write(plot.document(680, top, "\n".join(body)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--problems", nargs="+", help="folders or files")
    parser.add_argument("--members", help="names between commas; default: all, and auto")
    parser.add_argument("--work", type=float, default=4e8, help="limit of a solve, counted; about 1e9 a second")
    parser.add_argument("--csv", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "portfolio.csv"))
    parser.add_argument("--again", help="an earlier table: `auto` and the fastest members of each problem anew")
    parser.add_argument("--report", help="a table that was measured before")
    parser.add_argument("--svg")
    a = parser.parse_args()
    if not a.report and not a.problems:
        parser.error("say which --problems, or which table to --report")
    if not a.report:
        measure(a)
    table = read(a.report or a.csv)
    for tolerance in sorted(table, reverse=True):
        print_tolerance(tolerance, table[tolerance])
    print_order(table)
    print()
    for tolerance in sorted(table, reverse=True):
        print_lost(tolerance, table[tolerance])
        print_slow(tolerance, table[tolerance])
    if a.svg:
        profiles(table, a.svg)


if __name__ == "__main__":
    main()
