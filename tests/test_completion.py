#!/usr/bin/env python3
"""The shells' completion: every script parses, and completes commands, options, their values and the names of scenes."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("CARDHOUSE", "build/cardhouse")


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=60, **options)


class Script:
    """What every shell's script is asked; each class says how its shell is."""

    def setUp(self):
        if not shutil.which(self.shell):
            self.skipTest(f"there is no {self.shell}")
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.script = os.path.join(self.folder, "script")
        with open(self.script, "w") as file:
            done = run(PROGRAM, "completion", self.shell)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            file.write(done.stdout)
        with open(os.path.join(self.folder, "mine.json"), "w"):
            pass

    def check(self, words, present, absent=()):
        found = self.complete(words)
        for word in present:
            self.assertIn(word, found, words)
        for word in absent:
            self.assertNotIn(word, found, words)

    def test_it_parses(self):
        done = run(self.shell, "-n", self.script)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_commands_and_actions(self):
        listed = [line.split()[0] for line in run(PROGRAM, "--help").stdout.split("commands:")[1].splitlines() if line.startswith("  ")]
        commands = listed[: listed.index("completion") + 1]
        self.check([""], commands)
        self.check(["scene", "che"], ["check"])
        self.check(["completion", ""], ["bash", "zsh", "fish"])

    def test_options_are_those_of_the_command(self):
        self.check(["run", "--"], ["--method", "--out", "--until"], ["--profile"])
        self.check(["solve", "--"], ["--profile", "--history"], ["--until"])
        self.check(["scene", "check", "--"], ["--strict"])

    def test_scenes_and_their_parameters(self):
        scenes = [scene["name"] for scene in json.loads(run(PROGRAM, "scene", "list", "--json").stdout)["scenes"]]
        self.check(["run", ""], scenes)
        self.check(["view", "cards", "--"], ["--levels"])
        self.check(["run", "arch", "--form", ""], ["catenary", "semicircle"])

    def test_values(self):
        methods = [m["name"] for m in json.loads(run(PROGRAM, "methods", "--json").stdout)["methods"]]
        self.check(["solve", "x.dat", "--method", ""], methods)
        self.check(["solve", "x.dat", "--pose", ""], ["coulomb", "relaxed", "frictionless"])
        self.check(["run", "x.json", "--warm", ""], ["on", "off"])

    def test_files(self):
        self.check(["run", "mi"], [self.file])
        self.check(["run", "cards", "--out", "mi"], [self.file])


class Bash(Script, unittest.TestCase):
    shell, file = "bash", "mine.json"

    def complete(self, words):
        text = 'source ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cardhouse; printf "%s\\n" "${COMPREPLY[@]}"'
        return run("bash", "--norc", "-c", text, "bash", "cardhouse", *words, cwd=self.folder).stdout.split()


class Zsh(Script, unittest.TestCase):
    shell, file = "zsh", "(files)"

    def complete(self, words):
        text = ("compdef() { : }; compadd() { shift; print -l -- $@ }; _files() { print '(files)' }; "
                "_describe() { print -l -- ${list%%:*} }; source ./script; "
                'words=("$@"); CURRENT=$#; _cardhouse')
        return run("zsh", "-f", "-c", text, "zsh", "cardhouse", *words, cwd=self.folder).stdout.split()


class Fish(Script, unittest.TestCase):
    shell, file = "fish", "mine.json"

    def complete(self, words):
        line = "cardhouse " + " ".join(words)
        done = run("fish", "--no-config", "-c", f"source ./script; complete -C '{line}'", cwd=self.folder)
        return [line.split("\t")[0] for line in done.stdout.splitlines()]


class Words(unittest.TestCase):
    def test_an_unknown_shell_is_refused(self):
        done = run(PROGRAM, "completion", "bsh")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'bash'", done.stderr)


if __name__ == "__main__":
    unittest.main()
