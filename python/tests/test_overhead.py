#!/usr/bin/env python3
"""Stepping from Python: memory stays flat over 1e5 steps, and a call costs less than 3 us more than in C."""
import os
import time
import unittest

import cardhouse

STEPS = 20_000 if os.environ.get("CH_SLOW") else 100_000


def resident():
    """Bytes of memory in use now."""
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def resting():
    """A house at rest, so that a step in C costs next to nothing; every view is in use."""
    sim = cardhouse.Simulation(cardhouse.scenes.cards(levels=2))
    sim.step(1000)
    views = [sim.position, sim.orientation, sim.velocity, sim.spin, sim.wrench]
    return sim, views


class Overhead(unittest.TestCase):
    def test_memory_is_flat(self):
        sim, views = resting()
        for _ in range(STEPS // 10):
            sim.step()
        before = resident()
        for _ in range(STEPS):
            sim.step()
            views[2][3, 0] = 0.0  # writing, too
        self.assertLess(resident() - before, 1 << 20)

    @unittest.skipIf(os.environ.get("CH_SLOW"), "the clock of a sanitized build says nothing")
    def test_a_call_costs_less_than_three_microseconds(self):
        for viewed in (False, True):
            sim, views = resting()
            if not viewed:
                sim = sim.copy()
                sim.step(1000)
            calls, best = 5000, 1.0
            for _ in range(7):
                begun = time.process_time()
                for _ in range(calls):
                    sim.step()
                between = time.process_time()
                sim.step(calls)
                ended = time.process_time()
                best = min(best, ((between - begun) - (ended - between)) / calls)
            self.assertLess(best, 3e-6)


if __name__ == "__main__":
    unittest.main()
