#!/usr/bin/env python3
"""What the floor of a trajectory carries in its last row: the sum of the contact forces on what stands on it."""
import sys

import h5py

path = sys.argv[1] if len(sys.argv) > 1 else sys.exit("floor_load.py MOTION.h5")
with h5py.File(path) as file:
    rows = len(file["time"])
    first, last = file["contact/offset"][rows - 1], file["contact/offset"][rows]
    bodies, force = file["contact/bodies"][first:last], file["contact/force"][first:last]
    names = [name.decode() for name in file["body/name"]]
on_floor = bodies[:, 0] == names.index("floor")
print(f"{on_floor.sum()} points carry {force[on_floor, 2].sum():.2f} N")
