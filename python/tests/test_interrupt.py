#!/usr/bin/env python3
"""Ctrl-C ends a long run: between two steps, and amid one."""
import signal
import subprocess
import sys
import time
import unittest

LONG = """
import sys, cardhouse
sim = cardhouse.Simulation({scene})
view = sim.position
print("ready", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print("interrupted", sim.step_count, len(sim.trajectory or ()), flush=True)
    before = view.copy()
    sim.step()
    print("goes on", flush=True)
"""


def interrupted(scene, work):
    """Seconds that the program takes to notice, and what it prints."""
    child = subprocess.Popen([sys.executable, "-c", LONG.format(scene=scene, work=work)], stdout=subprocess.PIPE, text=True)
    try:
        child.stdout.readline()
        time.sleep(1.0)
        begun = time.monotonic()
        child.send_signal(signal.SIGINT)
        line = child.stdout.readline()
        seconds = time.monotonic() - begun
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
    return seconds, line


class Interrupts(unittest.TestCase):
    def test_many_steps(self):
        seconds, line = interrupted("cardhouse.scenes.cards(levels=3), rest=False", "sim.step(10**9)")
        self.assertRegex(line, r"interrupted [1-9]")
        self.assertLess(seconds, 5)

    def test_a_run(self):
        seconds, line = interrupted("cardhouse.scenes.cards(levels=3), rest=False", "sim.run(1e6, every=1000)")
        self.assertRegex(line, r"interrupted [1-9]\d+ [1-9]")  # the rows so far are kept
        self.assertLess(seconds, 5)

    def test_one_step_that_never_meets_its_tolerance(self):
        scene = ("cardhouse.scenes.box_of_spheres(n=800, contact='rigid'), tolerance=1e-15, method='nsgs', "
                 "work_limit=1e15, max_iterations=10**9")
        seconds, line = interrupted(scene, "sim.step(10**6)")
        self.assertRegex(line, r"interrupted \d")
        self.assertLess(seconds, 5)


if __name__ == "__main__":
    unittest.main()
