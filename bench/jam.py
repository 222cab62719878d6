#!/usr/bin/env python3
"""Contact problems made compliant: which methods solve them, in how many iterations and how much processor time.

    bench/jam.py PROGRAM FILE.hdf5 ... [--compliance 0,1e-3,1e-2] [--tol 1e-6] [--methods ansgs,newton] [--limit S]
                 [--iterations N] [--repeat N] [--warm NOISE] [--csv FILE]

A row a problem, compliance, tolerance and method; a summary at the end. Compliance 0 is the rigid law. Seconds are processor
time, the least of --repeat runs, beyond that of reading the file and one sweep of ansgs. With --warm every solve starts from the answer to
the same problem with loads changed by NOISE of their size, which stands for the last step of a run. Needs h5py for that.
"""
import argparse
import csv
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

def run_often(repeat, *arguments):
    """The one that took the least: what else the machine did counts least there."""
    rows = [run(*arguments) for _ in range(repeat)]
    return min(rows, key=lambda row: row["seconds"]) if None not in rows else None

def run(program, file, compliance, tol, method, limit, iterations, more=()):
    words = [program, "solve", file, "--tol", tol, "--method", method, "--time-limit", str(limit), "--json", *more]
    if iterations:
        words += ["--max-iterations", str(iterations)]
    if float(compliance) > 0:
        words += ["--compliance", compliance]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        return None
    answer = json.loads(done.stdout)
    contacts = sum(answer["problem"].get(kind, 0) for kind in ("contacts", "compliant contacts"))
    return dict(file=os.path.basename(file), contacts=contacts, compliance=compliance, tol=tol, method=method,
                solved=int(answer["status"] == "solved"), iterations=answer["iterations"]["outer"],
                factorizations=answer["factorizations"], work=answer["work"],
                seconds=after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime,
                natural=answer["certificate"]["natural"], rigid=answer["certificate"]["rigid"])

def change_loads(file, out, noise):
    """The same problem with f (global form) or q (local form) changed by a fixed pattern of relative size `noise`."""
    import h5py
    import numpy as np
    shutil.copy(file, out)
    with h5py.File(out, "r+") as h:
        load = h["fclib_global/vectors/f" if "fclib_global" in h else "fclib_local/vectors/q"]
        random = np.random.default_rng(1)
        load[...] = load[...] + noise * np.abs(load[...]) * random.standard_normal(load.shape)

def warm_start(options, folder, file, compliance):
    changed, start = os.path.join(folder, "changed.hdf5"), os.path.join(folder, "start.hdf5")
    change_loads(file, changed, options.warm)
    run(options.program, changed, compliance, "1e-6", "ansgs", options.limit, 3000, ("--out", start))
    return ("--warm", start)

def summarize(rows):
    print(f"\n{'compliance':>10} {'tol':>6} {'method':<12} {'solved':>9} {'iterations':>10} {'most':>6} {'factors':>7} "
          f"{'seconds':>8} {'most':>8}   (medians of what was solved)")
    keys = sorted({(row["compliance"], row["tol"], row["method"]) for row in rows}, key=lambda k: (float(k[0]), -float(k[1]), k[2]))
    for key in keys:
        mine = [row for row in rows if (row["compliance"], row["tol"], row["method"]) == key]
        good = [row for row in mine if row["solved"]]
        figures = ""
        if good:
            column = lambda name: [row[name] for row in good]
            figures = (f"{statistics.median(column('iterations')):10.0f} {max(column('iterations')):6.0f} "
                       f"{statistics.median(column('factorizations')):7.0f} {statistics.median(column('seconds')):8.4f} "
                       f"{max(column('seconds')):8.4f}")
        print(f"{key[0]:>10} {key[1]:>6} {key[2]:<12} {len(good):3d} of {len(mine):2d} {figures}")

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--compliance", default="0,1e-3,1e-2")
    parser.add_argument("--tol", default="1e-6")
    parser.add_argument("--methods", default="ansgs")
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--iterations", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--warm", type=float, default=0.0)
    parser.add_argument("--csv")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for file in options.files:
            for compliance in options.compliance.split(","):
                reading = run_often(max(options.repeat, 3), options.program, file, compliance, "1e-15", "ansgs", 60.0, 1)["seconds"]
                more = warm_start(options, folder, file, compliance) if options.warm > 0 else ()
                for tol in options.tol.split(","):
                    for method in options.methods.split(","):
                        row = run_often(options.repeat, options.program, file, compliance, tol, method, options.limit,
                                        options.iterations, more)
                        if row is None:
                            print(f"{os.path.basename(file)}: {method} does not take it")
                            continue
                        row["seconds"] = max(row["seconds"] - reading, 0.0)
                        rows.append(row)
                        print(f"{row['file']:<28} {row['contacts']:6d} {compliance:>6} {tol:>6} {method:<12} "
                              f"{'solved' if row['solved'] else 'missed'} {row['iterations']:6d} {row['factorizations']:5d} "
                              f"{row['seconds']:8.4f} {row['natural']:.1e} {row['rigid']:.1e}", flush=True)
    summarize(rows)
    if options.csv:
        with open(options.csv, "w", newline="") as out:
            writer = csv.DictWriter(out, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
    return 0

if __name__ == "__main__":
    sys.exit(main())
