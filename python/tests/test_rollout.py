#!/usr/bin/env python3
"""Batches: the bits of one copy after another, whatever the threads."""
import os
import pathlib
import signal
import unittest

import numpy as np

import cardhouse

GRIPPER = pathlib.Path(os.environ["CH_SOURCE"]) / "scenes" / "gripper.json"


def forces(copies, steps, seed=0):
    """How hard the fingers press, newton, another force in every copy and step."""
    pressed = np.random.default_rng(seed).uniform(20.0, 60.0, (copies, steps, 1))
    return np.concatenate([pressed, -pressed], axis=2)


class Rollouts(unittest.TestCase):
    def setUp(self):
        self.world = cardhouse.load(GRIPPER)

    def test_bits_do_not_depend_on_threads(self):
        controls = forces(6, 30)
        one = cardhouse.rollout(self.world, 6, controls, threads=1)
        three = cardhouse.rollout(self.world, 6, controls, threads=3)
        for name in ("position", "orientation", "velocity", "spin", "natural"):
            np.testing.assert_array_equal(getattr(one, name), getattr(three, name))
        self.assertEqual(one.states, three.states)
        self.assertLess(one.natural.max(), 1e-8)

    def test_a_copy_has_the_bits_of_a_simulation_by_itself(self):
        controls = forces(3, 20)
        batch = cardhouse.rollout(self.world, 3, controls, threads=1)
        for copy in range(3):
            sim = cardhouse.Simulation(self.world)
            for step in range(20):
                sim.target[:] = controls[copy, step]
                sim.step()
                np.testing.assert_array_equal(batch.position[copy, step + 1], sim.position)
                np.testing.assert_array_equal(batch.velocity[copy, step + 1], sim.velocity)

    def test_a_batch_goes_on_where_another_ended(self):
        whole = cardhouse.rollout(self.world, 2, steps=20)
        first = cardhouse.rollout(self.world, 2, steps=10)
        second = cardhouse.rollout(self.world, first.states, steps=10)
        np.testing.assert_array_equal(second.position[:, -1], whole.position[:, -1])

    def test_rows_are_written_every_so_often(self):
        self.assertEqual(cardhouse.rollout(self.world, 1, steps=10, every=5).position.shape[:2], (1, 3))

    def test_ctrl_c_ends_a_batch(self):
        before = signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with self.assertRaises(KeyboardInterrupt):
                cardhouse.rollout(self.world, 8, steps=1_000_000, every=1_000_000)
        finally:
            signal.signal(signal.SIGALRM, before)

    def test_a_simulation_starts_all_copies_where_it_is(self):
        sim = cardhouse.Simulation(self.world)
        sim.step(10)
        batch = cardhouse.rollout(sim, 2, steps=5)
        sim.step(5)
        np.testing.assert_array_equal(batch.position[1, -1], sim.position)

    def test_a_state_with_commands_is_refused(self):
        sim = cardhouse.Simulation(self.world)
        sim.wrench[4] = 1.0
        with self.assertRaisesRegex(ValueError, "wrench"):
            cardhouse.rollout(sim, 1, steps=1)

    def test_wrong_calls_raise(self):
        world = self.world
        bad = [lambda: cardhouse.rollout(world, 2), lambda: cardhouse.rollout(world, 1, steps=-1),
               lambda: cardhouse.rollout(world, [b"no state"], steps=1), lambda: cardhouse.rollout(world, ["x"], steps=1),
               lambda: cardhouse.rollout(world, 2, np.zeros((2, 3, 5))), lambda: cardhouse.rollout(world, 1, steps=1, every=0),
               lambda: cardhouse.rollout(world, 1, np.full((3, 2), np.nan)), lambda: cardhouse.rollout(None, 1, steps=1),
               lambda: cardhouse.rollout(world, 1, steps=1, threads=-1)]
        for k, call in enumerate(bad):
            with self.subTest(k), self.assertRaises((cardhouse.Error, ValueError, TypeError, AttributeError)):
                call()


if __name__ == "__main__":
    unittest.main()
