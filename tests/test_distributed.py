#!/usr/bin/env python3
"""Many processes on one world: the motion of one, on any number of them; and every fault ends in order."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import h5py
import numpy

PROGRAM = os.environ.get("CARDHOUSE", "build/cardhouse")
SOURCE = os.environ.get("CH_SOURCE", os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Processes are more than processors here, and a container's user is root.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
SECONDS = 300


def command(ranks, *words):
    run = [PROGRAM, "run", *words]
    patience = [] if "--patience" in words else ["--patience", "60"]
    return ["mpirun", "-n", str(ranks), *run, "--distributed", *patience] if ranks else run


def run(ranks, *words):
    return subprocess.run(command(ranks, *words), capture_output=True, text=True, env=ENVIRONMENT, timeout=SECONDS)


def built():
    words = [PROGRAM, "run", "cards", "--until", "0", "--distributed", "--problems", "x"]
    alone = subprocess.run([*words[:-2]], capture_output=True, text=True, env=ENVIRONMENT, timeout=SECONDS)
    return "without MPI" not in alone.stderr


def columns(path):
    """All that a trajectory says but how long steps took, and sums over bodies, which round as they are added up."""
    found = {}
    left_out = ("step/seconds", "step/kinetic", "step/potential", "step/momentum", "step/angular_momentum", "step/gain",
                "step/work", "step/stored", "step/exchanged", "body/name")
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.__setitem__(name, item[()])
                        if isinstance(item, h5py.Dataset) and name not in left_out else None)
    return found


class Distributed(unittest.TestCase):
    def setUp(self):
        if not shutil.which("mpirun") or not built():
            self.skipTest("built without MPI")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def record(self, ranks, out, *words):
        made = run(ranks, *words, "--out", self.path(out), "--quiet")
        self.assertEqual((made.returncode, made.stderr), (0, ""), (ranks, words))
        return columns(self.path(out))

    def same(self, a, b, what):
        self.assertEqual(sorted(a), sorted(b), what)
        for name in a:
            self.assertEqual(a[name].shape, b[name].shape, (what, name))
            words = a[name].dtype == object  # their bytes are addresses
            self.assertEqual(a[name].tolist() if words else a[name].tobytes(),
                             b[name].tolist() if words else b[name].tobytes(), (what, name))

    def check_bits(self, *words):
        alone = self.record(0, "alone.h5", *words)
        self.assertGreater(len(alone["contact/gap"]), 0, words)
        for ranks in (1, 2, 3):
            self.same(self.record(ranks, f"{ranks}.h5", *words), alone, (ranks, *words))

    def test_spheres_that_fall_and_meet_move_as_on_one(self):
        self.check_bits("box-of-spheres", "--n", "100", "--until", "0.3")

    def test_a_wall_hit_by_a_ball_on_a_chain_moves_as_on_one(self):
        self.check_bits("wrecking-ball", "--until", "0.02")

    def test_joints_motors_and_driven_bodies_move_as_on_one(self):
        self.check_bits(os.path.join(SOURCE, "scenes", "gripper.json"), "--until", "0.15")

    def test_what_rests_stays_at_rest(self):
        self.check_bits("cards", "--until", "0.05")

    def test_a_heap_that_all_solve_is_the_same_on_any_number(self):
        words = ("box-of-spheres", "--n", "60", "--until", "0.16", "--together", "10", "--every", "5", "--json")
        first, natural = None, None
        for ranks in (1, 2, 3):
            made = run(ranks, *words, "--out", self.path(f"{ranks}.h5"))
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            report = json.loads(made.stdout)
            processes = report["processes"]
            self.assertGreater(processes[0]["sweeps"], 100)
            self.assertTrue(all(one["together"] > 0 for one in processes))
            self.assertLessEqual(report["certificate"]["natural"]["max"], 1e-6)
            if first is None:
                first, natural = columns(self.path("1.h5")), report["certificate"]
            self.same(columns(self.path(f"{ranks}.h5")), first, ranks)
            self.assertEqual(report["certificate"], natural)
        alone = self.record(0, "alone.h5", *words[:-1][:5], "--every", "5")
        self.assertLess(numpy.abs(alone["body/position"] - first["body/position"]).max(), 1e-4)

    def test_a_run_goes_on_with_another_number_of_processes(self):
        scene = ("box-of-spheres", "--n", "60")
        whole = self.record(0, "whole.h5", *scene, "--until", "0.12")
        state = self.path("state")
        self.record(3, "parts.h5", *scene, "--until", "0.04", "--checkpoint", state)
        self.record(2, "parts.h5", *scene, "--until", "0.08", "--checkpoint", state, "--resume", state)
        self.same(self.record(0, "parts.h5", *scene, "--until", "0.12", "--resume", state), whole, "3, 2 and 1")

    def test_the_report_is_one_and_tells_what_each_process_did(self):
        made = run(2, "box-of-spheres", "--n", "60", "--until", "0.02", "--json")
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        report = json.loads(made.stdout)
        self.assertEqual(len(report["processes"]), 2)
        self.assertEqual(sum(one["bodies"] for one in report["processes"]), 60)
        alone = json.loads(run(0, "box-of-spheres", "--n", "60", "--until", "0.02", "--json").stdout)
        self.assertEqual(report["certificate"], alone["certificate"])

    def test_what_cannot_be_distributed_is_refused_by_name(self):
        for words, what in ((("soft-bar",), "a deformable body"), (("periodic-cell",), "a periodic world"),
                            (("cards", "--integrator", "midpoint"), "an integrator other than euler"),
                            (("cards", "--restitution", "0.5"), "restitution in rigid contact"),
                            (("pebble-bed", "--n", "300", "--packing", "random", "--outlet", "3"), "recirculation"),
                            (("cards", "--realtime"), "--realtime")):
            made = run(2, *words, "--until", "0.01")
            self.assertEqual(made.returncode, 2, words)
            self.assertIn(what, made.stderr, words)

    def begin(self, *words):
        process = subprocess.Popen(command(2, "box-of-spheres", "--n", "300", "--until", "100", "--checkpoint",
                                           self.path("state"), "--checkpoint-every", "5", "--quiet", *words),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        self.addCleanup(process.kill)
        until = time.monotonic() + 120
        while not os.path.exists(self.path("state")) and time.monotonic() < until:
            time.sleep(0.05)
        self.assertTrue(os.path.exists(self.path("state")))
        return process

    def ranks_of(self, process):
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]

    def goes_on(self):
        made = run(2, "box-of-spheres", "--n", "300", "--until", "0.06", "--resume", self.path("state"), "--quiet")
        if "must be later" in made.stderr:  # it was further than that
            return
        self.assertEqual((made.returncode, made.stderr), (0, ""))

    def test_a_signal_to_the_launcher_ends_all(self):
        process = self.begin()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
        self.assertIn("interrupted at t =", errors)
        self.goes_on()

    def test_a_process_that_stands_still_ends_the_run_with_status_3(self):
        process = self.begin("--patience", "1")
        ranks = self.ranks_of(process)
        self.assertEqual(len(ranks), 2)
        os.kill(ranks[1], signal.SIGSTOP)
        try:
            _, errors = process.communicate(timeout=120)
        finally:
            try:
                os.kill(ranks[1], signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.assertEqual(process.returncode, 3)
        self.assertRegex(errors, r"process 0 of 2 has waited 1 s for the others \(.*, step \d+\)")
        self.goes_on()

    def test_a_process_that_dies_ends_the_run(self):
        process = self.begin()
        os.kill(self.ranks_of(process)[1], signal.SIGKILL)
        _, errors = process.communicate(timeout=120)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("signal 9", errors)
        self.goes_on()

    def test_a_full_disk_ends_all_with_status_3(self):
        made = run(2, "box-of-spheres", "--n", "60", "--until", "0.05", "--csv", "/dev/full", "--quiet")
        self.assertEqual(made.returncode, 3)
        self.assertIn("/dev/full", made.stderr)


class BuiltForOne(unittest.TestCase):
    def test_says_what_it_lacks(self):
        if built():
            self.skipTest("built with MPI")
        made = run(0, "cards", "--until", "0", "--distributed")
        self.assertEqual(made.returncode, 2)
        self.assertIn("was built without MPI", made.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
