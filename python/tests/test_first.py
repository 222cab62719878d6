#!/usr/bin/env python3
"""The first lines of a user: a built-in scene, steps, a certificate."""
import unittest

import cardhouse


class First(unittest.TestCase):
    def test_a_card_house_stands_and_is_certified(self):
        sim = cardhouse.Simulation(cardhouse.scenes.cards(levels=3))
        start = sim.position.copy()
        report = sim.step(100)
        self.assertEqual(report.steps, 100)
        self.assertEqual(report.missed, 0)
        self.assertTrue(sim.certificate.met(1e-8))
        self.assertAlmostEqual(sim.time, 0.1)
        self.assertLess(abs(sim.position - start).max(), 1e-4)

    def test_writing_a_velocity_moves_the_body_in_the_next_step(self):
        sim = cardhouse.Simulation(cardhouse.scenes.cards(levels=1))
        top = sim.position[2, 2]
        sim.velocity[2] = [0, 0, 3]
        sim.step()
        self.assertGreater(sim.position[2, 2], top + 1e-3)


if __name__ == "__main__":
    unittest.main()
