#!/usr/bin/env python3
"""Contact problems from Python: built, read, written, solved, graded, refused."""
import pathlib
import pickle
import signal
import tempfile
import unittest

import numpy as np

import cardhouse
from cardhouse.problem import BLOCK, Problem, blocks_of, certify, methods, solve, take_off

try:
    import scipy.sparse
except ImportError:
    scipy = None


def block_on_the_floor(push=0.0, mu=0.5):
    """A mass of 2 kg that falls by 1 m/s and slides by `push`: global form, one contact at its centre."""
    return Problem(M=2.0 * np.eye(3), H=np.eye(3), f=2.0 * np.array([-1.0, push, 0.0]), mu=mu)


class Building(unittest.TestCase):
    def test_sliding_friction_is_mu_times_the_normal_impulse_against_the_slip(self):
        answer = solve(block_on_the_floor(push=3.0))
        self.assertTrue(answer.solved)
        np.testing.assert_allclose(answer.r, [2.0, -1.0, 0.0], atol=1e-8)
        np.testing.assert_allclose(answer.v, [0.0, 2.5, 0.0], atol=1e-8)

    def test_local_and_global_form_have_one_answer(self):
        p = block_on_the_floor(push=0.3)
        local = Problem(W=np.eye(3) / 2.0, w=[-1.0, 0.3, 0.0], mu=0.5)
        np.testing.assert_allclose(solve(p).r, solve(local).r, atol=1e-8)
        self.assertEqual((p.form, p.dof, local.form, local.dof), ("global", 3, "local", 0))

    @unittest.skipUnless(scipy, "no scipy here")
    def test_scipy_matrices_go_in_and_come_out(self):
        M, H = scipy.sparse.diags([2.0, 2.0, 2.0]), scipy.sparse.identity(3, format="csr")
        p = Problem(M=M, H=H, f=[-2.0, 0.0, 0.0], mu=[0.5])
        self.assertEqual(abs(p.matrix("M") - M).max(), 0.0)
        self.assertIsNone(p.matrix("W"))

    def test_every_law_can_be_stated(self):
        blocks = blocks_of([{"law": "contact", "mu": (0.2, 0.4)}, {"law": "bilateral", "dimension": 2}, {"law": "unilateral"},
                            {"law": "limit", "lo": -1.0, "hi": 2.0}, {"law": "compliant", "mu": 0.3, "compliance": 0.1}])
        p = Problem(W=np.eye(10), w=-np.ones(10), blocks=blocks)
        self.assertTrue(solve(p).solved)
        np.testing.assert_array_equal(p.blocks["row"], [0, 3, 5, 6, 7])
        self.assertEqual(p.contacts, 2)
        self.assertEqual(p.blocks.dtype, BLOCK)
        blocks["section"][0] = 7  # an address, which is never followed
        with self.assertRaisesRegex(ValueError, "block 0 has a section"):
            Problem(W=np.eye(10), w=-np.ones(10), blocks=blocks)

    def test_a_contact_that_yields_along_its_tangents_sticks_on_a_spring(self):
        blocks = blocks_of([{"law": "compliant", "mu": 0.5, "compliance": 0.1, "shear": 0.2}])
        r = solve(Problem(W=np.eye(3), w=[-1.0, 0.1, 0.0], blocks=blocks), tol=1e-12).r
        np.testing.assert_allclose(r, [1.0 / 1.1, -0.1 / 1.2, 0.0], atol=1e-12)  # (W + c) r = -w, inside the cone

    def test_another_friction_or_section_makes_another_problem(self):
        p = block_on_the_floor(push=3.0)
        self.assertAlmostEqual(solve(p.with_mu(0.1)).r[1], -0.2)
        self.assertEqual(p.with_polygon(8).blocks["sides"][0], 8)
        self.assertEqual(p.blocks["sides"][0], 0)

    def test_pickles_have_the_same_bits(self):
        p = block_on_the_floor(push=3.0)
        q = pickle.loads(pickle.dumps(p))
        np.testing.assert_array_equal(solve(q).r, solve(p).r)


class Files(unittest.TestCase):
    def test_a_written_problem_is_read_again_with_its_solution(self):
        p = block_on_the_floor(push=3.0)
        answer = solve(p)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "block.hdf5"
            p.write(path, answer)
            q = Problem.read(path)
            np.testing.assert_array_equal(q.read_reaction(path), answer.r)
            np.testing.assert_array_equal(q.f, p.f)
            p.write(str(path))

    def test_the_problem_of_a_step_is_graded_as_the_step_was(self):
        sim = cardhouse.Simulation(cardhouse.scenes.cards(levels=2))
        sim.step(20)
        problem, reaction = sim.problem()
        self.assertTrue(certify(problem, reaction).met(1e-8))
        self.assertTrue(solve(problem, tol=1e-6, warm=reaction).solved)


class Grading(unittest.TestCase):
    def test_doing_nothing_scores_one(self):
        self.assertAlmostEqual(certify(block_on_the_floor(), np.zeros(3)).natural, 1.0)

    def test_relaxed_friction_takes_off(self):
        p = block_on_the_floor(push=3.0)
        exact, relaxed = solve(p), solve(p, pose="relaxed")
        self.assertLess(take_off(p, exact.r).largest, 1e-7)
        self.assertGreater(take_off(p, relaxed.r).largest, 0.5)

    def test_nan_never_passes(self):
        self.assertFalse(certify(block_on_the_floor(), [np.nan, 0.0, 0.0]).met(1.0))

    def test_a_start_that_is_exact_costs_no_iteration(self):
        p = block_on_the_floor(push=3.0)
        self.assertEqual(solve(p, warm=solve(p).r).outer, 0)

    def test_ctrl_c_ends_a_solve(self):
        sim = cardhouse.Simulation(cardhouse.scenes.cards(levels=6))
        sim.step()
        before = signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with self.assertRaises(KeyboardInterrupt):
                solve(sim.problem()[0], "pgs", tol=1e-15, max_iterations=10**9)
        finally:
            signal.signal(signal.SIGALRM, before)

    def test_limits_of_a_block_on_a_slope(self):
        slope = Problem(M=np.eye(3), H=np.eye(3), f=[-1.0, 0.3, 0.0], mu=0.5)
        self.assertAlmostEqual(0.5 * slope.smallest_friction(), 0.3, places=5)
        np.testing.assert_allclose(slope.equilibrium(), [1.0, -0.3, 0.0], atol=1e-9)
        self.assertIsNone(slope.with_mu(0.2).equilibrium())
        self.assertAlmostEqual(slope.largest_load([0.0, 0.1, 0.0]), 2.0, places=5)

    def test_auto_and_its_peers_are_listed(self):
        self.assertIn("auto", [m.name for m in methods()])


class Refused(unittest.TestCase):
    def test_wrong_calls_raise(self):
        p, W = block_on_the_floor(), np.eye(3)
        bad = [lambda: solve(p, "ngss"), lambda: solve(p, warm=[1.0]), lambda: solve(p, warm=[np.nan] * 3),
               lambda: solve(p, tol=np.nan), lambda: solve(p, threads=0), lambda: solve(p, pose="cold"),
               lambda: solve(p, settings={"nsgs.x": 1}), lambda: solve(p, settings={1: 1}), lambda: solve(None),
               lambda: Problem(), lambda: Problem(W=W), lambda: Problem(W=W, M=W, H=W, mu=1), lambda: Problem(W=W, mu=-1),
               lambda: Problem(W=W * np.nan, mu=1), lambda: Problem(W=W, w=[1.0], mu=1), lambda: Problem(W=np.eye(4), mu=1),
               lambda: Problem(M=W, H=W, f=[1.0], mu=1), lambda: Problem(W=W, mu=[1, 2]), lambda: Problem(W=W, blocks=W),
               lambda: Problem(W=W, blocks=np.zeros(1, BLOCK)), lambda: Problem(W="W", mu=1), lambda: Problem.read("/no/file"),
               lambda: p.with_polygon(5), lambda: p.write("/no/folder/x"), lambda: certify(p, [1.0]), lambda: certify(p, None),
               lambda: blocks_of([{"law": "glue"}]), lambda: blocks_of([{"colour": 1}])]
        for k, call in enumerate(bad):
            with self.subTest(k), self.assertRaises((cardhouse.Error, ValueError, TypeError, AttributeError)):
                call()

    def test_the_core_takes_no_wrong_arrays(self):
        core = block_on_the_floor()._core
        for arguments in ((None, None, 0), (b"abc", None, 0), (np.zeros(3), None, 7), (np.zeros(3, "f4"), None, 0),
                          (np.zeros((3, 2))[:, 0], None, 0), (np.zeros(3), np.zeros(2), 0)):
            with self.subTest(arguments), self.assertRaises((cardhouse.Error, ValueError, TypeError)):
                core.certify(*arguments)


if __name__ == "__main__":
    unittest.main()
