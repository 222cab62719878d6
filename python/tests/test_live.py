#!/usr/bin/env python3
"""Pages that follow a simulation while Python steps it: what they are told, and how they end."""
import gc
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import warnings

import cardhouse
from cardhouse import _core, looking

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests"))
import viewer_client  # noqa: E402


class Socket(viewer_client.Page):
    """The other end of a page's socket."""

    def __init__(self, url):
        self.port, self.key = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?key=(\w+)", url).groups()
        super().__init__(self)

    def with_key(self, path):
        return f"{path}?key={self.key}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def until(condition, what):
    end = time.monotonic() + viewer_client.PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"never seen: {what}")
        time.sleep(0.02)


def is_alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{process}/stat") as stream:
        return stream.read().rsplit(")", 1)[1].split()[0] != "Z"


@unittest.skipUnless(viewer_client.has_viewer(), "the program was built without the viewer")
class Live(unittest.TestCase):
    def setUp(self):
        self.sim = cardhouse.Simulation(cardhouse.scenes.stack(n=2), h=1e-3)

    def test_a_page_shows_what_was_stepped(self):
        with self.sim.view(browser=False) as page, Socket(page.url) as socket:
            self.assertEqual(socket.text("hello")["mode"], "follow")
            self.assertEqual(len(socket.text("scene")["bodies"]), 3)
            self.sim.step(25)
            frame = socket.frame(lambda frame: frame.step == 25)
            self.assertAlmostEqual(frame.time, self.sim.time)
            self.assertEqual(len(frame.contacts), len(self.sim.contacts))
            self.sim.body(2).position = [0, 0, 7]
            self.sim.step()
            frame = socket.frame(lambda frame: frame.step == 26)
            self.assertAlmostEqual(frame.poses[2][2], self.sim.position[2, 2], places=5)
            socket.send(type="reset")
            self.assertIn("only shows", socket.text("error")["text"])

    def test_pages_see_who_comes_and_goes(self):
        with self.sim.view(browser=False) as page, Socket(page.url) as socket:
            socket.text("scene")
            ball = self.sim.add_sphere(0.05, name="late", position=[3, 0, 1])
            self.assertEqual(socket.text("scene")["bodies"][3]["name"], "late")
            self.sim.step()
            self.assertAlmostEqual(socket.frame(lambda frame: len(frame.poses) == 4).poses[3][0], 3)
            ball.remove()
            self.assertEqual(len(socket.text("scene")["bodies"]), 3)
            self.sim.step(9)
            socket.frame(lambda frame: frame.step == 10 and len(frame.poses) == 3)
            self.sim.reset()
            socket.frame(lambda frame: frame.step == 0)

    def test_steps_are_the_same_with_and_without_pages(self):
        other = self.sim.copy()
        with self.sim.view(browser=False):
            self.sim.step(50)
        other.step(50)
        self.assertTrue((self.sim.position == other.position).all())

    def test_two_pages_share_what_is_written(self):
        one, two = self.sim.view(browser=False), self.sim.view(browser=False)
        folder = self.sim._feed.folder.path
        one.close()
        one.close()
        self.assertTrue(two.running and _core.is_followed(self.sim) and os.path.exists(folder))
        two.close()
        gc.collect()
        self.assertFalse(_core.is_followed(self.sim) or two.running or os.path.exists(folder))
        with self.sim.view(browser=False) as again, Socket(again.url) as socket:
            self.sim.step(3)
            socket.frame(lambda frame: frame.step == 3)

    def test_a_simulation_may_end_first(self):
        page = self.sim.view(browser=False)
        with Socket(page.url) as socket:
            self.sim.step(4)
            del self.sim
            gc.collect()
            while not socket.text("state")["over"]:
                pass
            socket.frame(lambda frame: frame.step == 4)
        self.assertTrue(page.running)
        page.close()
        closed = cardhouse.Simulation(cardhouse.scenes.stack(n=2))
        with closed.view(browser=False):
            closed.close()
            with self.assertRaises(cardhouse.Error):
                closed.view(browser=False)

    def test_a_fork_leaves_pages_alone(self):
        page = self.sim.view(browser=False)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                self.sim.step(7)
                page.close()
                status = 0 if self.sim.step_count == 7 and not _core.is_followed(self.sim) else 2
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertTrue(page.running and _core.is_followed(self.sim))
        with Socket(page.url) as socket:
            self.sim.step(2)
            socket.frame(lambda frame: frame.step == 2)
        page.close()

    def test_viewers_end_with_the_program_however_it_ends(self):
        text = ("import cardhouse, os, signal, sys\nsim = cardhouse.Simulation(cardhouse.scenes.stack(n=2))\n"
                "page = sim.view(browser=False)\nprint(page._process.pid, sim._feed.folder.path, flush=True)\nsim.step(3)\n")
        for last in ("", "sys.exit(3)", "raise ValueError", "os.kill(os.getpid(), signal.SIGKILL)", "os._exit(0)"):
            done = subprocess.run([sys.executable, "-c", text + last], capture_output=True, text=True)
            viewer, path = done.stdout.split()
            until(lambda: not is_alive(int(viewer)), f"the end of the viewer after {last!r}")
            if "kill" in last or "_exit" in last:  # nobody was left to clean up
                subprocess.run(["rm", "-r", path], check=True)
            self.assertFalse(os.path.exists(path))

    def test_ctrl_c_is_not_for_viewers(self):
        page = self.sim.view(browser=False)
        self.assertNotEqual(os.getpgid(page._process.pid), os.getpgid(0))
        page.close()

    def test_a_feed_that_cannot_be_written_warns_and_steps_go_on(self):
        with self.sim.view(browser=False), warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            before = resource.getrlimit(resource.RLIMIT_FSIZE)
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))
            try:
                self.sim.step(2)
                self.sim.step(2)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, before)
        self.assertEqual([warning.category for warning in told], [RuntimeWarning])
        self.assertEqual(self.sim.step_count, 4)

    def test_a_page_stands_in_a_notebook(self):
        with self.sim.view(browser=False, height=333) as page:
            self.assertIn(f'<iframe src="{page.url}"', page._repr_html_())
            self.assertIn('height="333"', page._repr_html_())

    def test_what_the_program_says_is_the_error(self):
        with self.assertRaisesRegex(cardhouse.Error, "not a feed"):
            with tempfile.NamedTemporaryFile() as file:
                looking.Page(file.name, options=("--follow",), browser=False)


if __name__ == "__main__":
    unittest.main()
