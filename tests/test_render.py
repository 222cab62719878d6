#!/usr/bin/env python3
"""`cardhouse replay` and `cardhouse render`: what they write, what they refuse, and what they say where a program is missing."""
import base64
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
import time
import unittest
import zlib

PROGRAM = os.environ.get("CARDHOUSE", "build/cardhouse")
CHROMIUM = os.environ.get("CARDHOUSE_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


def run(*words, **more):
    return subprocess.run([PROGRAM, *words], capture_output=True, timeout=300, **more)


def recording(html):
    """The head as an object, and the blocks by name, unpacked."""
    parts = dict(re.findall(rb'<script type="[^"]*" data-recording="(\w+)">(.*?)</script>', html, re.S))
    head = json.loads(parts.pop(b"head"))
    return head, {name.decode(): zlib.decompress(base64.b64decode(text)) for name, text in parts.items()}


def frames(head, blocks):
    """[(time, step, poses, contacts)], poses as lists of seven numbers a body."""
    bodies = len(head["scene"]["bodies"])
    found = []
    for index, told in enumerate(head["blocks"]):
        block, n = blocks[str(index)], told["frames"]
        times = struct.unpack_from(f"<{n}d", block, 0)
        steps = struct.unpack_from(f"<{n}I", block, 8 * n)
        counts = struct.unpack_from(f"<{n}I", block, 12 * n)
        total = 8 * bodies * n + 17 * sum(counts)
        planes = block[16 * n:]
        assert len(planes) == 4 * total == told["size"] - 16 * n
        words = [planes[k] | planes[total + k] << 8 | planes[2 * total + k] << 16 | planes[3 * total + k] << 24
                 for k in range(8 * bodies * n)]
        for f in range(n):
            at = 8 * bodies * f
            if f > 0:
                for k in range(at, at + 8 * bodies):
                    words[k] ^= words[k - 8 * bodies]
            numbers = struct.unpack(f"<{7 * bodies}f", struct.pack(f"<{7 * bodies}I", *words[at:at + 7 * bodies]))
            found.append((times[f], steps[f], numbers, counts[f]))
    return found


@unittest.skipIf(b"built without the viewer" in run("replay", "cards").stderr, "the viewer is not built")
class Replay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.path = os.path.join(cls.folder, "run.h5")
        scene = {"cardhouse": 1, "name": "a </script> in a name", "step": {"h": 0.01, "until": 1},
                 "materials": {"stone": {"density": 1000, "friction": 0.5}},
                 "bodies": [{"name": "floor", "fixed": True,
                             "shapes": [{"type": "halfspace", "normal": [0, 0, 1], "offset": 0, "material": "stone"}]},
                            {"name": "ball", "position": [0, 0, 2], "velocity": [1, 0, 0],
                             "shapes": [{"type": "sphere", "radius": 0.5, "material": "stone"}]}]}
        file = os.path.join(cls.folder, "ball.json")
        with open(file, "w") as out:
            json.dump(scene, out)
        result = run("run", file, "--out", cls.path, "--quiet")
        assert result.returncode == 0, result.stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def replay(self, *words):
        result = run("replay", self.path, *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def test_the_motion_comes_out_again(self):
        """A ball in free flight: x = t, z = 2 - g t (t + h) / 2 as symplectic Euler has it."""
        head, blocks = recording(self.replay("--fps", "1000").stdout)
        told = frames(head, blocks)
        self.assertEqual(len(told), 101)
        for time, step, poses, _ in told[:50]:
            self.assertAlmostEqual(step, time / 0.01, places=6)
            self.assertAlmostEqual(poses[7], time, delta=1e-5)
            self.assertAlmostEqual(poses[9], 2 - 9.81 * time * (time + 0.01) / 2, delta=1e-5)
        self.assertEqual(told[-1][3], 1)  # it lies on the floor
        self.assertEqual(len(blocks["stats"]), 48 * 101)
        self.assertEqual(head["scene"]["name"], "a </script> in a name")

    def test_frames_are_thinned_and_parts_are_chosen(self):
        result = self.replay("--fps", "20")
        head, blocks = recording(result.stdout)
        self.assertEqual(head["frames"], 21)
        self.assertIn(b"21 of 101", result.stderr)
        head, blocks = recording(self.replay("--from", "0.25", "--to", "0.5", "--fps", "1000", "--quiet").stdout)
        times = [frame[0] for frame in frames(head, blocks)]
        self.assertAlmostEqual(times[0], 0.25, delta=1e-9)
        self.assertAlmostEqual(times[-1], 0.5, delta=1e-9)
        self.assertEqual(len(blocks["stats"]) // 48, len(times))

    def test_contacts_may_be_left_out(self):
        head, blocks = recording(self.replay("--no-contacts").stdout)
        self.assertFalse(head["contacts"])
        self.assertEqual({frame[3] for frame in frames(head, blocks)}, {0})

    def test_the_file_fetches_nothing(self):
        html = self.replay().stdout
        markup = re.sub(rb"<script[^>]*>.*?</script>", b"", html, flags=re.S)
        self.assertNotRegex(markup, rb'(src|href)="(?!data:|#)[^"]')

    def test_what_cannot_be_replayed(self):
        for words, what in ((["no-such.h5"], b"No such file"), (["cadrs"], b"cards"), ([], b"missing"),
                            ([self.path, "--from", "5"], b"goes from 0 s to 1 s"),
                            ([self.path, "--out", "/no/such/folder/x.html"], b"/no/such/folder")):
            result = run("replay", *words)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(what, result.stderr)

    # What a full disk leaves of a run: a file that was stretched, and has no head yet.
    def test_an_incomplete_trajectory_is_told(self):
        torn = os.path.join(self.folder, "torn.h5")
        with open(torn, "wb") as file:
            file.truncate(275200)
        self.addCleanup(os.unlink, torn)
        for words in (["replay", torn], ["render", torn, "--png", os.path.join(self.folder, "x.png")],
                      ["view", torn, "--no-browser"], ["measure", torn, "--packing"]):
            result = run(*words)
            self.assertEqual(result.returncode, 2, words)
            self.assertIn(b"torn.h5: an incomplete trajectory: the run that wrote it ended before", result.stderr)

    def test_a_full_disk_is_a_fault(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        with open("/dev/full", "wb") as full:
            result = subprocess.run([PROGRAM, "replay", self.path], stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(result.returncode, 3)
        self.assertEqual(result.stderr.count(b"\n"), 1, result.stderr)
        self.assertIn(b"No space left on device", result.stderr)

    def test_render_says_what_is_missing(self):
        nothing = dict(os.environ, PATH="/no/such/folder")
        nothing.pop("CARDHOUSE_CHROMIUM", None)
        for words, what in ((["--png", "x.png"], b"chromium"), (["--mp4", "x.mp4"], b"ffmpeg")):
            result = run("render", self.path, *words, env=nothing, cwd=self.folder)
            self.assertEqual(result.returncode, 3)
            self.assertIn(b"apt-get install " + what, result.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["ball.json", "run.h5"])

    def test_render_refuses_what_it_does_not_know(self):
        for words in ([], ["--png", "x.png", "--mp4", "x.mp4"], ["--png", "x.png", "--size", "12"],
                      ["--png", "x.png", "--size", "1x1"], ["--png", "x.png", "--view", "below"]):
            self.assertEqual(run("render", self.path, *words).returncode, 2, words)

    def test_render_refuses_a_moment_that_was_not_recorded(self):
        for words in (["--png", "x.png", "--time", "1e9"], ["--mp4", "x.mp4", "--from", "5"]):
            result = run("render", self.path, *words, cwd=self.folder)
            self.assertEqual(result.returncode, 2)
            self.assertIn(b"the recording goes from 0 s to 1 s", result.stderr)
        result = run("render", "cards", "--until", "1", "--png", "x.png", "--time", "2", cwd=self.folder)
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"--time 2: the run ends at --until, 1 s", result.stderr)

    @unittest.skipUnless(CHROMIUM, "there is no Chromium")
    def test_a_signal_ends_the_drawing_at_once_and_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(self.folder, "never.png")
            process = subprocess.Popen([PROGRAM, "render", self.path, "--png", picture], stderr=subprocess.DEVNULL,
                                       env={**os.environ, "TMPDIR": folder})
            end = time.monotonic() + 60
            while not os.listdir(folder) and time.monotonic() < end:  # until the browser has its profile
                time.sleep(0.01)
            began = time.monotonic()
            process.terminate()
            self.assertEqual(process.wait(60), 3)
            self.assertLess(time.monotonic() - began, 3.0)
            self.assertEqual(os.listdir(folder), [])
            self.assertFalse(os.path.exists(picture))

    @unittest.skipUnless(CHROMIUM, "there is no Chromium")
    def test_a_picture_is_drawn(self):
        picture = os.path.join(self.folder, "ball.png")
        result = run("render", self.path, "--png", picture, "--time", "0.2", "--size", "320x200")
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(picture, "rb") as file:
            data = file.read()
        os.unlink(picture)
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", data[16:24]), (320, 200))
        self.assertGreater(len(data), 5000, "an empty picture")


if __name__ == "__main__":
    unittest.main()
