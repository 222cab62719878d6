#!/usr/bin/env python3
"""Every example runs, in under a minute, and finds what physics says."""
import contextlib
import importlib
import io
import os
import pathlib
import sys
import tempfile
import time
import unittest

EXAMPLES = pathlib.Path(os.environ["CH_SOURCE"]) / "python" / "examples"
sys.path.insert(0, str(EXAMPLES))


def run(name, *arguments):
    """What the example's main returns; its printed lines are kept quiet."""
    start = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        found = importlib.import_module(name).main(*arguments)
    if not os.environ.get("CH_SLOW") and time.process_time() - start > 60:
        raise AssertionError(f"{name} took more than a minute")
    return found


class Examples(unittest.TestCase):
    def test_arm_reaches_and_presses(self):
        found = run("arm_pd")
        self.assertLess(found["error"], 1e-3)
        self.assertGreater(found["normal"], 10.0)
        self.assertLess(found["natural"], 1e-8)

    def test_the_box_is_lifted_from_the_force_on_that_coulomb_says(self):
        found = run("grasp_and_lift")
        for force, height in found["lifted"].items():
            self.assertEqual(height > 0.02, force > found["limit"], force)
        self.assertLess(found["natural"], 1e-8)

    @unittest.skipIf(os.environ.get("CH_SLOW"), "too slow under a sanitizer")
    def test_grains_leave_about_as_beverloo_says(self):
        found = run("hopper_beverloo", (6, 8))
        self.assertTrue(1.0 < found["k"] < 2.5, found)
        self.assertLess(found["missed"], 0.01)

    @unittest.skipIf(os.environ.get("CH_SLOW"), "too slow under a sanitizer")
    def test_the_arch_falls_where_limit_analysis_says(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "arch.png"
            try:
                import matplotlib  # noqa: F401
            except ImportError:
                path = None
            found = run("arch_friction", path)
            self.assertTrue(path is None or path.stat().st_size > 1000)
        for mu, moved in zip(found["mu"], found["moved"]):
            self.assertEqual(moved > 1e-3, mu < found["limit"], mu)

    def test_a_solver_of_ones_own_comes_nearer_with_its_sweeps(self):
        found = run("own_solver")
        self.assertLess(found[100], 0.1 * found[10])
        self.assertLess(found[1000], 0.1 * found[100])

    def test_friction_is_identified_to_the_noise(self):
        found = run("identify_friction")
        self.assertLess(abs(found["found"] / found["truth"] - 1.0), 0.02)

    def test_every_problem_is_solved_by_some_method(self):
        found = run("compare_solvers")
        self.assertTrue((found["ratio"].min(axis=1) == 1.0).all())
        self.assertTrue((found["ratio"][:, found["methods"].index("auto")] < 100).all())

    @unittest.skipIf(os.environ.get("CH_SLOW"), "too slow under a sanitizer")
    def test_random_search_learns(self):
        found = run("learn_peg", 5, range(100, 104))
        self.assertGreater(found["after"], found["before"] + 1.0)
        self.assertLess(found["natural"], 1e-8)


class Pages(unittest.TestCase):
    def test_every_example_has_a_page_that_quotes_it(self):
        docs = EXAMPLES.parent.parent / "docs"
        text = "".join(page.read_text() for page in docs.glob("python_*.md"))
        for example in EXAMPLES.glob("*.py"):
            self.assertIn(f"../python/examples/{example.name}", text)

    def test_notebooks_are_stored_without_outputs(self):
        import json

        for path in EXAMPLES.glob("*.ipynb"):
            for cell in json.loads(path.read_text())["cells"]:
                self.assertFalse(cell.get("outputs"), path)
                self.assertIsNone(cell.get("execution_count"), path)

    @unittest.skipIf(os.environ.get("CH_SLOW"), "too slow under a sanitizer")
    def test_notebooks_run(self):
        try:
            import ipykernel  # noqa: F401
            import nbclient
            import nbformat
        except ImportError:
            self.skipTest("no nbclient here")
        for path in sorted(EXAMPLES.glob("*.ipynb")):
            with self.subTest(path.name):
                book = nbformat.read(path, as_version=4)
                nbclient.NotebookClient(book, timeout=120, kernel_name="python3",
                                        resources={"metadata": {"path": str(EXAMPLES)}}).execute()


if __name__ == "__main__":
    unittest.main()
