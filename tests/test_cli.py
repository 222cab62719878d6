#!/usr/bin/env python3
"""The command line as its users and scripts rely on it: exit statuses, messages, JSON, files."""
import csv
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.dom.minidom

PROGRAM = os.environ.get("CARDHOUSE", "build/cardhouse")
FIELDS = ["natural", "siconos", "cone", "signorini", "dissipation", "balance", "rigid"]


def run(*words, **options):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120, **options)


def dense(matrix):
    """A matrix as Siconos' text form writes it: storage 0, sizes twice, columns first."""
    n = len(matrix)
    columns = [str(matrix[i][j]) for j in range(n) for i in range(n)]
    return f"0\n{n} {n}\n{n} {n}\n" + " ".join(columns)


def problem_text(contacts=1, mu=0.5, q=(-1.0, 0.1, 0.0), coupling=0.0):
    """Contacts on particles of unit mass, neighbours coupled so that they have to be solved together."""
    n = 3 * contacts
    W = [[1.0 if i == j else coupling if abs(i - j) == 3 else 0.0 for j in range(n)] for i in range(n)]
    return f"3\n{contacts}\n{dense(W)}\n" + " ".join(map(str, list(q) * contacts)) + "\n" + f"{mu} " * contacts + "\n"


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.problem = self.write("one.dat", problem_text())

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="latin-1") as file:
            file.write(text)
        return self.path(name)

    def expect(self, result, status, *words):
        self.assertEqual(result.returncode, status, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertNotIn("Sanitizer", result.stderr)


class Usage(Command):
    def test_help_is_everywhere(self):
        for words in (["--help"], ["help"], ["solve", "--help"], ["analyze", "-h"], ["methods", "--help"], ["help", "solve"]):
            result = run(*words)
            self.expect(result, 0)
            self.assertIn("usage: cardhouse", result.stdout)
            self.assertIn("examples:", result.stdout)

    def test_no_command_is_bad_usage(self):
        self.expect(run(), 2, "usage: cardhouse")

    def test_unknown_words_get_the_nearest_known_one(self):
        self.expect(run("sovle", "x"), 2, "did you mean 'solve'")
        self.expect(run("solve", "x", "--methd", "nsgs"), 2, "did you mean '--method'")
        self.expect(run("solve", "x", "--method", "nsg"), 2, "did you mean 'nsgs'")
        self.expect(run("solve", "x", "--pose", "coulom"), 2, "did you mean 'coulomb'")
        self.expect(run("solve", "x", "--cone", "elipse"), 2, "did you mean 'elliptic'")

    def test_a_parameter_among_the_options_of_methods_is_told_its_place(self):
        self.expect(run("run", "cards", "--set", "mu=0.3"), 2, "unknown option 'mu'", "--param mu=0.3")

    def test_values_are_checked_by_range(self):
        self.expect(run("solve", "x", "--tol", "nan"), 2, "--tol is nan, allowed")
        self.expect(run("solve", "x", "--tol", "-1"), 2, "--tol is -1, allowed")
        self.expect(run("solve", "x", "--tol", "1e-8x"), 2, "must be a number")
        self.expect(run("solve", "x", "--max-iterations=2.5"), 2, "must be a whole number")
        self.expect(run("solve", "x", "--tol"), 2, "--tol needs a value")
        self.expect(run("solve", "x", "--json=yes"), 2, "takes no value")
        self.expect(run("solve", "x", "--set", "a"), 2, "must be NAME=VALUE")
        self.expect(run("solve", "x", "--set", "no.such=1"), 2, "unknown option 'no.such'")

    def test_operands_are_counted(self):
        self.expect(run("solve"), 2, "PROBLEM is missing")
        self.expect(run("analyze", "a", "b"), 2, "'b' is one word too many")

    def test_cones_of_other_versions_are_named(self):
        self.expect(run("solve", self.problem, "--cone", "polygon:7"), 2, "even")
        self.expect(run("solve", self.problem, "--cone", "polygon:8", "--method", "nsgs"), 2, "polygons")

    def test_version(self):
        self.assertRegex(run("--version").stdout, r"^cardhouse \d+\.\d+\.\d+\n$")


class BadFiles(Command):
    def test_each_bad_file_is_refused_by_name(self):
        bad = {
            "missing": self.path("missing.dat"),
            "directory": self.folder,
            "empty": self.write("empty.hdf5", ""),
            "picture": self.write("picture.hdf5", "\xff\xd8\xff\xe0 JFIF"),
            "truncated": self.write("truncated.dat", problem_text()[:40]),
            "nan": self.write("nan.dat", problem_text(q=(float("nan"), 0, 0))),
            "negative mu": self.write("negative.dat", problem_text(mu=-0.1)),
        }
        for name, path in bad.items():
            for command in ("solve", "analyze") if name != "directory" else ("analyze",):  # `solve` takes folders
                with self.subTest(file=name, command=command):
                    result = run(command, path)
                    self.expect(result, 2, path)
                    self.assertEqual(result.stdout, "")

    def test_places_that_cannot_be_written(self):
        nowhere = self.path("no/such/folder/out.hdf5")
        self.expect(run("solve", self.problem, "--out", nowhere), 2, nowhere)
        self.expect(run("solve", self.problem, "--out", self.folder), 2, "is a directory")
        self.expect(run("solve", self.problem, "--history", nowhere), 2, nowhere)

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_a_full_disk_is_a_fault_of_the_machine(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([PROGRAM, "solve", self.problem], stdout=full, stderr=subprocess.PIPE, text=True)
        self.expect(result, 3, "could not be written")
        self.expect(run("solve", self.problem, "--history", "/dev/full"), 3, "/dev/full")


class Solve(Command):
    def solve(self, *words):
        result = run("solve", *words, "--json")
        self.expect(result, 0)
        return json.loads(result.stdout)

    def test_json_holds_what_is_promised(self):
        answer = self.solve(self.problem)
        self.assertEqual(answer["status"], "solved")
        problem = answer["problem"]
        self.assertEqual(problem["file"], self.problem)
        expected = {"form": "local", "dimension": 3, "contacts": 1, "unilaterals": 0, "bilaterals": 0, "dof": 3}
        self.assertEqual({key: problem[key] for key in expected}, expected)
        self.assertEqual(answer["method"], "auto")
        self.assertEqual((answer["cone"], answer["pose"], answer["tolerance"]), ("circular", "coulomb", 1e-8))
        self.assertIsInstance(answer["inner"], str)
        self.assertEqual(set(answer["iterations"]), {"outer", "inner"})
        self.assertEqual(set(answer["seconds"]), {"read", "setup", "solve"})
        self.assertEqual(set(answer["certificate"]), {"laws", *FIELDS})
        self.assertEqual(answer["certificate"]["laws"], ["contact"])
        self.assertEqual(set(answer["take_off"]), {"mean", "max", "contacts"})
        for field in ("natural", "siconos", "balance"):
            self.assertLessEqual(answer["certificate"][field], 1e-8)

    def test_compliant_contacts_are_named_and_kept(self):
        """The block of this problem weighs 1 / W_nn: with c = W_nn it takes half the rigid reaction, and sinks."""
        out = os.path.join(self.folder, "compliant.hdf5")
        rigid, soft = self.solve(self.problem), self.solve(self.problem, "--compliance", "1", "--out", out)
        again = self.solve(out)
        for answer in (soft, again):
            self.assertEqual(answer["status"], "solved")
            self.assertEqual(answer["certificate"]["laws"], ["compliant"])
            self.assertEqual((answer["problem"]["contacts"], answer["problem"]["compliant contacts"]), (0, 1))
            self.assertGreater(answer["certificate"]["rigid"], 0.1)
        self.assertEqual(rigid["certificate"]["rigid"], rigid["certificate"]["natural"])
        self.assertIn("certificate of compliant", run("solve", out).stdout)
        self.assertIn("contacts yield", run("analyze", out).stdout)

    def test_text_says_what_and_how_well(self):
        result = run("solve", self.problem)
        self.expect(result, 0)
        for word in ["1 contact", "auto", "solved to 1e-08", *FIELDS]:
            self.assertIn(word, result.stdout)
        self.assertNotIn("\033", result.stdout + result.stderr)

    def test_quiet_is_silent(self):
        result = run("solve", self.problem, "--quiet")
        self.assertEqual((result.stdout, result.stderr), ("", ""))

    def test_strict_tells_whether_the_tolerance_was_met(self):
        self.expect(run("solve", self.problem, "--strict"), 0)
        # Tightly coupled contacts that one iteration of Gauss-Seidel cannot settle.
        hard = self.write("hard.dat", problem_text(contacts=20, coupling=0.49))
        words = ["solve", hard, "--method", "nsgs", "--max-iterations", "1", "--tol", "1e-14"]
        result = run(*words, "--json")
        self.expect(result, 0)
        self.assertEqual(json.loads(result.stdout)["status"], "iteration_limit")
        self.assertIn("NOT solved", run(*words).stdout)
        self.expect(run(*words, "--strict"), 1)

    def test_history_has_a_line_for_every_iteration(self):
        history = self.path("history.csv")
        hard = self.write("hard.dat", problem_text(contacts=20, coupling=0.49))
        self.solve(hard, "--method", "nsgs", "--history", history)
        with open(history) as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), ["part", "stage", "iteration", "seconds", "error"])
        self.assertTrue(all(math.isfinite(float(row["error"])) and float(row["seconds"]) >= 0 for row in rows))
        self.assertGreater(len(rows), 1)

    def test_the_answer_is_written_and_can_be_started_from(self):
        hard = self.write("hard.dat", problem_text(contacts=20, coupling=0.49))
        out = self.path("solved.hdf5")
        first = self.solve(hard, "--out", out)
        self.assertEqual(first["status"], "solved")
        again = self.solve(out, "--warm", out)
        self.assertEqual(again["status"], "solved")
        self.assertLessEqual(again["iterations"]["outer"], first["iterations"]["outer"])

    def test_every_pose_is_solved(self):
        for pose in ("coulomb", "relaxed", "frictionless"):
            answer = self.solve(self.problem, "--pose", pose)
            self.assertEqual((answer["status"], answer["pose"]), ("solved", pose))

    def test_sliding_particle_has_its_closed_form(self):
        # u = r + q with q = (-1, 2, 0), mu = 0.5: r_n = 1 keeps it on the floor, friction 0.5 slows 2 to 1.5.
        sliding = self.write("sliding.dat", problem_text(q=(-1.0, 2.0, 0.0)))
        out = self.path("sliding.hdf5")
        self.solve(sliding, "--out", out, "--tol", "1e-12")
        try:
            import h5py
        except ImportError:
            self.skipTest("h5py is not installed")
        with h5py.File(out) as file:
            r, u = file["solution/r"][:], file["solution/u"][:]
        for found, expected in zip([*r, *u], [1.0, -0.5, 0.0, 0.0, 1.5, 0.0]):
            self.assertAlmostEqual(found, expected, delta=1e-11)

    def test_relaxed_answers_tell_their_take_off(self):
        # r = n (1, -mu): u = (n - 1, 2 - n / 2) with u_n = mu u_T gives n = 1.6, u_n = 0.6.
        sliding = self.write("sliding.dat", problem_text(q=(-1.0, 2.0, 0.0)))
        take_off = self.solve(sliding, "--method", "relaxed")["take_off"]
        self.assertEqual(take_off["contacts"], 1)
        self.assertAlmostEqual(take_off["mean"], 0.6, delta=1e-7)
        self.assertAlmostEqual(take_off["max"], 0.6, delta=1e-7)
        self.assertIn("take-off", run("solve", sliding, "--method", "relaxed").stdout)
        self.assertNotIn("take-off", run("solve", sliding).stdout)

    def test_the_same_bits_every_time_and_with_any_number_of_threads(self):
        hard = self.write("hard.dat", problem_text(contacts=20, coupling=0.49))
        certificates = [self.solve(hard, "--threads", str(n))["certificate"] for n in (1, 1, 2, 3)]
        self.assertTrue(all(c == certificates[0] for c in certificates))

    def test_every_listed_method_can_be_called(self):
        listed = json.loads(run("methods", "--json").stdout)["methods"]
        for method in listed:
            with self.subTest(method=method["name"]):
                result = run("solve", self.problem, "--method", method["name"], "--tol", "1e-4", "--json")
                self.assertIn(result.returncode, (0, 2), result.stderr)


class SolveMany(Command):
    """Several files, several methods: a table, and what is wrong with one file does not stop the rest."""

    def setUp(self):
        super().setUp()
        self.write("hard.dat", problem_text(contacts=20, coupling=0.49))

    def table(self, *words, status=0):
        path = self.path("table.csv")
        result = run("solve", *words, "--csv", path)
        self.expect(result, status)
        with open(path, newline="") as file:
            return list(csv.DictReader(file)), result

    def test_a_folder_and_three_methods_make_six_lines(self):
        rows, result = self.table(self.folder, "--method", "auto,nsgs,ipm")
        self.assertEqual([row["method"] for row in rows], ["auto", "nsgs", "ipm"] * 2)
        self.assertEqual([os.path.basename(row["file"]) for row in rows], ["hard.dat"] * 3 + ["one.dat"] * 3)
        for row in rows:
            alone = json.loads(run("solve", row["file"], "--method", row["method"], "--json").stdout)
            self.assertEqual(row["status"], "solved")
            self.assertEqual(float(row["natural"]), float(f"{alone['certificate']['natural']:.10g}"))
            self.assertEqual(float(row["work"]), float(f"{alone['work']:.10g}"))
            self.assertEqual((int(row["outer"]), int(row["rows"])), (alone["iterations"]["outer"], alone["problem"]["rows"]))
        self.assertEqual(result.stdout.count("2 of 2"), 3)

    def test_a_bad_file_is_told_and_the_rest_is_solved(self):
        bad = self.write("bad.dat", "no problem at all")
        rows, result = self.table(bad, self.problem, self.path("absent.dat"), status=2)
        self.assertEqual([row["file"] for row in rows], [self.problem])
        self.assertIn("bad.dat", result.stderr)
        self.assertIn("absent.dat", result.stderr)

    def test_json_has_solves_sums_and_errors(self):
        bad = self.write("bad.dat", "no problem at all")
        result = run("solve", bad, self.problem, "--method", "auto,nsgs", "--json")
        self.expect(result, 2, "bad.dat")
        told = json.loads(result.stdout)
        self.assertEqual((told["files"], len(told["solves"]), len(told["errors"])), (2, 2, 1))
        self.assertEqual([m["solved"] for m in told["methods"]], [1, 1])
        self.assertEqual(told["errors"][0]["file"], bad)

    def test_profiles_are_of_the_method_that_solves_more(self):
        profile = self.path("profile.svg")
        result = run("solve", self.folder, "--method", "auto,nsgs", "--max-iterations", "2", "--profile", profile, "--strict")
        self.expect(result, 1)
        with open(profile) as file:
            text = file.read()
        self.assertIn("nsgs (1 of 2)", text)
        self.assertIn("by work", text)
        self.assertIn("by time", text)
        xml.dom.minidom.parseString(text)

    def test_names_with_commas_stay_one_field(self):
        odd = self.write('a,"b".dat', problem_text())
        rows, _ = self.table(odd)
        self.assertEqual(rows[0]["file"], odd)

    def test_what_belongs_to_one_solve_is_refused(self):
        for option in ("--out", "--warm", "--history", "--diagnostics"):
            self.expect(run("solve", self.folder, option, self.path("x")), 2, option, "one file and one method")
        self.expect(run("solve", self.problem, "--method", "auto,nsg"), 2, "did you mean 'nsgs'")
        os.mkdir(self.path("empty"))
        self.expect(run("solve", self.path("empty")), 2, "holds no .hdf5 or .dat file")

    def test_history_tells_parts_apart(self):
        n = 6  # two contacts that share nothing
        W = [[1.0 if i == j else 0.3 if abs(i - j) == 1 and i // 3 == j // 3 else 0.0 for j in range(n)] for i in range(n)]
        apart = self.write("apart.dat", f"3\n2\n{dense(W)}\n-1 0.4 0.1 -1 0.2 0.7\n0.5 0.5\n")
        history = self.path("history.csv")
        self.expect(run("solve", apart, "--method", "nsgs", "--set", "nsgs.anderson=0", "--tol", "1e-12", "--history", history), 0)
        with open(history) as file:
            parts = {row["part"] for row in csv.DictReader(file)}
        self.assertEqual(parts, {"1", "2"})


class Interrupt(Command):
    def test_ctrl_c_leaves_whole_lines(self):
        hard = self.write("hard.dat", problem_text(contacts=150, coupling=0.4999999))
        history = self.path("history.csv")
        words = ["solve", hard, "--method", "nsgs", "--tol", "1e-16", "--max-iterations", "1000000000"]
        words += ["--set", "nsgs.anderson=0"] if "nsgs.anderson" in run("methods", "--options").stdout else []
        with subprocess.Popen([PROGRAM, *words, "--history", history], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            deadline = time.monotonic() + 20
            while child.poll() is None and time.monotonic() < deadline:
                if os.path.exists(history) and os.path.getsize(history) > 200:
                    child.send_signal(signal.SIGINT)
                    break
                time.sleep(0.01)
            child.communicate(timeout=20)
        if child.returncode == 0:
            self.skipTest("the solve ended before it could be interrupted")
        self.assertEqual(child.returncode, 130)
        with open(history) as file:
            text = file.read()
        self.assertTrue(text.endswith("\n"))
        self.assertTrue(all(line.count(",") == 4 for line in text.splitlines()))


class Analyze(Command):
    def test_two_contacts_in_one_place_are_redundant(self):
        twice = self.write("twice.dat", problem_text(contacts=2, coupling=1.0))
        answer = json.loads(run("analyze", twice, "--json").stdout)
        self.assertEqual((answer["rank"], answer["hyperstaticity"], answer["components"]), (3, 3, 1))
        self.assertEqual(answer["rho"], {"min": 1.0, "max": 1.0})
        self.assertAlmostEqual(answer["certificate_at_zero"]["natural"], 1.0)

    def test_text(self):
        result = run("analyze", self.problem)
        self.expect(result, 0)
        for word in ("rank", "3 of 3 rows", "symmetric", "friction", "units"):
            self.assertIn(word, result.stdout)


class Methods(Command):
    def test_every_method_has_a_line(self):
        listed = json.loads(run("methods", "--json").stdout)
        text = run("methods", "--options").stdout
        self.assertIn("auto", [method["name"] for method in listed["methods"]])
        for entry in listed["methods"] + listed["options"]:
            self.assertIn(entry["name"], text)


if __name__ == "__main__":
    if not os.path.exists(PROGRAM):
        sys.exit(f"{PROGRAM} is not there: build it, or name it with CARDHOUSE=path")
    unittest.main()
