"""Without libwebsockets the program builds, runs scenes, and says what the viewer lacks."""
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.path.join(os.environ["CH_BUILD"], "tests", "cardhouse_without_viewer")


def cardhouse(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60)


class WithoutTheViewer(unittest.TestCase):
    def test_scenes_run(self):
        with tempfile.TemporaryDirectory() as folder:
            done = cardhouse("run", "cards", "--until", "0.01", "--out", os.path.join(folder, "cards.h5"))
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_commands_that_need_it_say_what_is_missing(self):
        for words in (["view", "cards"], ["replay", "cards.h5"], ["render", "cards.h5", "--png", "cards.png"]):
            done = cardhouse(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn("built without the viewer, which needs libwebsockets and zlib", done.stderr)


if __name__ == "__main__":
    unittest.main()
