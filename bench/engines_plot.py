#!/usr/bin/env python3
"""Draws what engines.csv says: metres moved against microseconds a step, one panel a scene and step size.

    python3 bench/engines_plot.py engines.csv engines.svg

Down is exact, left is fast. A scene that fell stands at the top, one that did not move at all at the bottom.
"""
import csv
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "pictures"))
import plot  # noqa: E402

FELL, STILL = 1.0, 1e-16  # metres
WIDTH, HEIGHT, GAP_X, GAP_Y, PER_ROW = 260, 210, 210, 80, 2


def panels(rows):
    """{(scene, h): {engine: (microseconds, metres)}}: the worst of a scene's cases that are to stand."""
    found = {}
    for row in rows:
        stands = row["kind"] in ("displacement", "creep") and "must fall" not in row["case"]
        if not stands or row["ending"] in ("failed", "not run"):
            continue
        metres = FELL if row["ending"] == "fell" else min(max(float(row["figure"]), STILL), FELL)
        engines = found.setdefault((row["scene"], row["h"]), {})
        worst = engines.get(row["engine"], (0.0, 0.0))
        engines[row["engine"]] = (max(worst[0], float(row["late_us"])), max(worst[1], metres))
    return found


def main(source, target):
    with open(source, newline="", encoding="utf-8") as file:
        found = panels(csv.DictReader(file))
    body, rows = [], -(-len(found) // PER_ROW)
    for k, ((scene, h), engines) in enumerate(found.items()):
        left, top = 60 + (k % PER_ROW) * (WIDTH + GAP_X), 30 + (k // PER_ROW) * (HEIGHT + GAP_Y)
        curves = [(name, [point]) for name, point in engines.items()]
        body.append(plot.panel(left, top, WIDTH, HEIGHT, curves, f"{scene}, h = {h} s", "microseconds a step",
                               "metres moved", x_log=True, y_floor=STILL))
    with open(target, "w", encoding="utf-8") as file:
        file.write(plot.document(60 + PER_ROW * (WIDTH + GAP_X), 30 + rows * (HEIGHT + GAP_Y), "\n".join(body)))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
