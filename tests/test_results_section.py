#!/usr/bin/env python3
"""bench/results_section.py replaces one section of a file of results and nothing else; bench/RESULTS.md is written by it alone."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ.get("CH_SOURCE", os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WRITER = os.path.join(SOURCE, "bench", "results_section.py")
sys.path.insert(0, os.path.dirname(WRITER))
import results_section as writer  # noqa: E402


class Writer(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.file = os.path.join(self.folder, "RESULTS.md")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def measure(self, section, *command, script=WRITER, file=None):
        words = [sys.executable, script, "--results", file or self.file, section, "--", *command]
        return subprocess.run(words, capture_output=True, text=True, check=False, cwd=self.folder, timeout=60)

    def text(self):
        with open(self.file, encoding="utf-8") as file:
            return file.read()

    def keep(self, text):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(text)

    def refused(self, result, words, before):
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn(words, result.stderr)
        self.assertNotIn("Traceback", result.stderr)
        self.assertEqual(self.text(), before)
        self.assertEqual(os.listdir(self.folder), ["RESULTS.md"])

    def test_a_new_file_has_its_head_and_the_section(self):
        result = self.measure("engines", "echo", "### S1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("### S1\n", result.stdout)
        self.assertTrue(self.text().startswith("# Measured figures\n"))
        self.assertRegex(self.text(), r"\n## Engines\n\n20\d\d-\d\d-\d\d \d\d:\d\d UTC, commit \w+[^;]*; .*load average [\d.]+ before and [\d.]+ after; \d+ s\.\n"
                                      r"\n    echo '### S1'\n\n### S1\n<!-- end of section engines -->\n$")

    def test_only_the_section_is_replaced(self):
        for name in ("viewer", "solvers", "engines"):
            self.assertEqual(self.measure(name, "echo", f"first {name}").returncode, 0)
        self.keep(self.text().replace("# Measured figures\n", "# Measured figures\n\nBy hand.\n"))
        before = dict(writer.split(self.text()))
        self.assertEqual([name for name, _ in writer.split(self.text()) if name], ["solvers", "engines", "viewer"])
        self.assertEqual(self.measure("engines", "echo", "second").returncode, 0)
        after = dict(writer.split(self.text()))
        self.assertIn("\nsecond\n", "\n".join(after["engines"]) + "\n")
        self.assertNotIn("first engines", self.text())
        for name in ("viewer", "solvers", None):
            self.assertEqual(before[name], after[name])
        self.assertIn("By hand.", self.text())

    def test_the_same_figures_give_the_same_file(self):
        body = "figures\n"
        once = writer.replaced(writer.replaced(None, "large", body), "solvers", body)
        self.assertEqual(writer.replaced(once, "solvers", body), once)
        self.assertEqual(writer.replaced(writer.replaced(None, "solvers", body), "large", body), once)

    def test_a_missing_marker_is_told_and_nothing_is_written(self):
        for text, words in ((f"{writer.begin('solvers')}\n## Solvers\n", "section 'solvers' has no end marker"),
                            (f"{writer.end('solvers')}\n", "ends and has not begun"),
                            (f"{writer.begin('solvers')}\n{writer.begin('viewer')}\n", "whose end marker is missing"),
                            (f"{writer.begin('viewer')}\n{writer.end('viewer')}\n" * 2, "is there twice")):
            with self.subTest(words=words):
                self.keep(text)
                self.refused(self.measure("engines", "echo", "figures"), words, text)

    def test_a_file_without_sections_keeps_its_text(self):
        self.keep("# Notes\n\nkept\n")
        self.assertEqual(self.measure("collide", "echo", "figures").returncode, 0)
        self.assertTrue(self.text().startswith("# Notes\n\nkept\n\n" + writer.begin("collide")))

    def test_what_cannot_be_written_is_told(self):
        self.keep("# Notes\n")
        os.chmod(self.file, 0o444)
        self.refused(self.measure("viewer", "echo", "figures"), "is read-only", "# Notes\n")
        for file, words in ((os.path.join(self.folder, "nowhere", "x.md"), "No such file"), (self.folder, "Is a directory")):
            result = self.measure("viewer", "echo", "figures", file=file)
            self.assertEqual(result.returncode, 3)
            self.assertIn(words, result.stderr)
            self.assertNotIn("Traceback", result.stderr)

    def test_a_benchmark_that_fails_leaves_the_file_alone(self):
        self.keep("# Notes\n")
        result = self.measure("viewer", "sh", "-c", "echo half; exit 7")
        self.assertEqual((result.returncode, self.text()), (7, "# Notes\n"))
        self.assertIn("ended with status 7", result.stderr)
        self.refused(self.measure("viewer", "./no-such-program"), "No such file", "# Notes\n")
        self.refused(self.measure("viewer", "echo", writer.end("viewer")), "printed a marker", "# Notes\n")

    def test_words_that_are_not_understood(self):
        self.assertEqual(self.measure("nothing", "echo").returncode, 2)
        self.assertEqual(self.measure("viewer").returncode, 2)

    def test_places_of_one_machine_are_not_shown(self):
        self.assertEqual(self.measure("solvers", "echo", "/some/where/problems/", os.path.join(SOURCE, "bench")).returncode, 0)
        head = self.text().split("\n    echo")[1].splitlines()[0]
        self.assertEqual(head, " problems bench")

    def test_an_unpacked_archive_has_no_commit(self):
        copy = os.path.join(self.folder, "bench")
        os.mkdir(copy)
        shutil.copy(WRITER, copy)
        self.assertEqual(self.measure("viewer", "echo", script=os.path.join(copy, "results_section.py")).returncode, 0)
        self.assertIn("commit unknown;", self.text())

    def test_runs_at_once_lose_nothing(self):
        words = [sys.executable, WRITER, "--results", self.file]
        running = [subprocess.Popen([*words, name, "--", "echo", name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                   for name in writer.SECTIONS]
        self.assertEqual([process.wait(60) for process in running], [0] * len(writer.SECTIONS))
        self.assertEqual([name for name, _ in writer.split(self.text()) if name], list(writer.SECTIONS))


class Results(unittest.TestCase):
    def test_programs_wrote_every_line(self):
        with open(os.path.join(SOURCE, "bench", "RESULTS.md"), encoding="utf-8") as file:
            parts = writer.split(file.read())
        self.assertEqual("\n".join(parts[0][1]).strip(), writer.PREAMBLE.strip())
        for name, lines in parts[1:]:
            if name is None:
                self.assertFalse("".join(lines).strip(), "text outside of the sections")
                continue
            self.assertEqual(lines[:2], [writer.begin(name), f"## {writer.SECTIONS[name][0]}"])
            self.assertRegex(lines[3], r"^20\d\d-.* commit \w+.*load average")
            self.assertFalse([line for line in lines[2:] if line.startswith(("# ", "## "))], "a heading that belongs to the file")
            self.assertNotRegex("\n".join(lines), r"(?m)^    .*\s/")


if __name__ == "__main__":
    unittest.main()
