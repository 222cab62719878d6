#!/usr/bin/env python3
"""Writes a load for `cardhouse analyze --load`: weight pushed sideways, as an earthquake of 1 g along x would.

    python3 arch_load.py arch.hdf5 sideways.txt

For spatial bodies with six unknowns each (velocity, angular velocity) under gravity along -z alone: f is the weight
times the step, so that swapping its z entries into x gives the same weight acting sideways.
"""
import sys

import h5py
import numpy as np


def sideways(f):
    body = np.reshape(f, (-1, 6))
    load = np.zeros_like(body)
    load[:, 0] = -body[:, 2]
    return load.ravel()


if __name__ == "__main__":
    with h5py.File(sys.argv[1]) as file:
        np.savetxt(sys.argv[2], sideways(file["fclib_global/vectors/f"][:]))
