#!/usr/bin/env python3
"""A wrong call never crashes the interpreter: named ones here, and some seconds of random ones (fuzz_calls.py)."""
import gc
import os
import subprocess
import sys
import unittest
import weakref

import cardhouse
from cardhouse import _core

HERE = os.path.dirname(os.path.abspath(__file__))
NAN, INF = float("nan"), float("inf")


class WrongCalls(unittest.TestCase):
    def setUp(self):
        self.sim = cardhouse.Simulation(cardhouse.scenes.cards(levels=1))

    def test_wrong_types_lengths_and_numbers(self):
        sim = self.sim
        wrong = [
            (TypeError, lambda: sim.step("1")), (TypeError, lambda: sim.step(1.5)), (TypeError, lambda: sim.step(1, 2)),
            (TypeError, lambda: sim.step(m=1)), (ValueError, lambda: sim.step(0)), (ValueError, lambda: sim.step(-1)),
            (ValueError, lambda: sim.step(10**30)), (TypeError, lambda: sim.body(None)), (TypeError, lambda: sim.body(1.0)),
            (cardhouse.Error, lambda: sim.body(-1)), (cardhouse.Error, lambda: sim.body(99)),
            (cardhouse.Error, lambda: sim.body("nobody")), (ValueError, lambda: sim.body("a\0b")),
            (cardhouse.Error, lambda: sim.joint(0)), (ValueError, lambda: sim.push(1, [0, 0])),
            (TypeError, lambda: sim.push(1, "abc")), (ValueError, lambda: sim.push(1, [0, 0, NAN])),
            (ValueError, lambda: sim.push(1, [0, 0, 1], [INF, 0, 0])), (cardhouse.Error, lambda: sim.push(0, [0, 0, 1])),
            (cardhouse.Error, lambda: sim.move(1, [0, 0, 0])), (ValueError, lambda: sim.cast_ray([0, 0, NAN], [0, 0, 1])),
            (cardhouse.Error, lambda: sim.cast_ray([0, 0, 0], [0, 0, 0])),
            (ValueError, lambda: sim.cast_ray([0, 0, 0], [0, 0, 1], NAN)),
            (cardhouse.Error, lambda: sim.cast_ray([0, 0, 0], [0, 0, 1], -1)),
            (cardhouse.Error, lambda: sim.closest(1, 2, -1)), (cardhouse.Error, lambda: sim.near([0, 0, 0], -1)),
            (ValueError, lambda: sim.set_friction(NAN)), (cardhouse.Error, lambda: sim.set_friction(-1)),
            (ValueError, lambda: sim.set_gravity([0, 0])), (ValueError, lambda: sim.run(NAN)),
            (ValueError, lambda: sim.run(1, every=0)), (OSError, lambda: cardhouse.load("/no/such/file")),
            (cardhouse.Error, lambda: sim.run(1, out="/no/such/folder/file.h5")), (TypeError, lambda: cardhouse.Simulation(3)),
            (TypeError, lambda: _core.Simulation()), (TypeError, lambda: _core.contacts(3)),
            (ValueError, lambda: sim._array("nothing")), (cardhouse.Error, lambda: _core.Simulation.__init__(sim, "{}", "x")),
            (TypeError, lambda: _core.Report()), (TypeError, lambda: _core.Block()), (TypeError, lambda: sim._load("text")),
            (cardhouse.Error, lambda: sim._steer(0, 1.0)), (AttributeError, lambda: setattr(sim, "time", 3)),
        ]
        for k, (kind, call) in enumerate(wrong):
            with self.subTest(k), self.assertRaises(kind):
                call()
        self.assertEqual(sim.step().missed, 0)

    def test_what_is_closed_or_not_made_refuses_everything(self):
        sim = self.sim
        body, view = sim.body(1), sim.position
        sim.close()
        sim.close()
        unmade = cardhouse.Simulation.__new__(cardhouse.Simulation)
        for call in (sim.step, sim.save, lambda: sim.time, lambda: sim.position, lambda: sim.contacts, lambda: sim.bodies,
                     lambda: sim.report, lambda: body.row, lambda: body.position, lambda: sim.copy(), sim.reset,
                     unmade.step, lambda: unmade.time, lambda: _core.counts(unmade), lambda: cardhouse.Body(unmade, 0),
                     lambda: cardhouse.Body.__new__(cardhouse.Body).row):
            with self.assertRaises(cardhouse.Error):
                call()
        view[:] = 1  # memory of its own

    def test_objects_keep_their_owners_alive_and_let_them_go(self):
        sim = cardhouse.Simulation(cardhouse.scenes.cards(levels=1))
        body = sim.body(1)
        sim.mine = body  # a circle
        there = weakref.ref(sim)
        del sim
        gc.collect()
        self.assertEqual(body.name, body.simulation.bodies[1].name)
        del body
        gc.collect()
        self.assertIsNone(there())

    def test_random_calls(self):
        done = subprocess.run([sys.executable, "-X", "faulthandler", os.path.join(HERE, "fuzz_calls.py"), "5"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
