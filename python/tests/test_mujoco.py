#!/usr/bin/env python3
"""MuJoCo's steps as contact problems, with Debian's libmujoco where it is installed."""
import os
import pathlib
import sys
import unittest

import numpy as np

import cardhouse
from cardhouse.adapters import mujoco as adapter

sys.path.insert(0, str(pathlib.Path(os.environ["CH_SOURCE"]) / "bench"))
import libmujoco  # noqa: E402

try:
    LIBRARY = None if os.environ.get("CH_SLOW") else libmujoco.Library()
except libmujoco.Missing:
    LIBRARY = None

BALL = "<body pos='0 0 0.1'><freejoint/><geom size='0.1'/></body>"
LEG = """<body pos='0 0 1'><joint type='slide' axis='0 0 1' damping='5'/><joint type='slide' axis='1 0 0'/><geom type='box' size='.1 .1 .1'/>
<body pos='0 0 -.1'><joint axis='0 1 0' limited='true' range='-5 60' damping='1' frictionloss='0.3'/>
<geom type='capsule' fromto='0 0 0 .1 0 -.45' size='.05'/>
<body pos='.1 0 -.45'><joint axis='0 1 0' damping='1'/><geom type='capsule' fromto='0 0 0 -.1 0 -.45' size='.05' condim='{condim}'/></body>
</body></body>"""


def model(bodies, option="", plane=""):
    return LIBRARY.load(f"<mujoco>{option}<worldbody><geom type='plane' size='5 5 1' {plane}/>{bodies}</worldbody></mujoco>")


@unittest.skipUnless(LIBRARY, "no libmujoco here")
class Adapter(unittest.TestCase):
    def check_steps(self, m, d, steps=150):
        """Momentum is balanced in every step: M, H, f and r are those that MuJoCo's own step has."""
        touched = 0
        for _ in range(steps):
            LIBRARY.step(m, d)
            step = adapter.last_step(m, d)
            self.assertLess(step.certificate.balance, 1e-10)
            touched += np.count_nonzero(step.reaction)
        self.assertGreater(touched, 0)
        return step

    def test_a_resting_ball_carries_its_weight(self):
        m, d = model(BALL)
        LIBRARY.step(m, d, 500)
        step = adapter.last_step(m, d)
        weight = m.body_mass[1] * 9.81
        self.assertAlmostEqual(step.reaction[0], weight * m.opt.timestep, places=6)

    def test_pyramids_ellipses_and_condim_are_all_read(self):
        for cone in ("pyramidal", "elliptic"):
            for condim in (1, 3, 4, 6):
                with self.subTest(cone=cone, condim=condim):
                    m, d = model(LEG.format(condim=condim), f"<option cone='{cone}'/>", f"condim='{condim}'")
                    step = self.check_steps(m, d)
                    self.assertLess(step.certificate.cone, 1e-10)

    def test_a_sparse_jacobian_is_read_as_a_dense_one(self):
        answers = []
        for jacobian in ("dense", "sparse"):
            m, d = model(LEG.format(condim=3), f"<option jacobian='{jacobian}'/>")
            answers.append(self.check_steps(m, d))
        np.testing.assert_allclose(answers[0].reaction, answers[1].reaction, rtol=1e-6, atol=1e-9)

    def test_cardhouse_solves_what_mujoco_approximates(self):
        m, d = model("<body pos='0 0 0.1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>", "<option gravity='4 0 -9'/>")
        LIBRARY.step(m, d, 100)
        step = adapter.last_step(m, d)
        self.assertGreater(step.certificate.natural, 1e-4)
        self.assertTrue(cardhouse.solve(step.problem).solved)

    def test_other_integrators_are_refused(self):
        m, d = model(BALL, "<option integrator='RK4'/>")
        LIBRARY.step(m, d)
        with self.assertRaisesRegex(ValueError, "integrator"):
            adapter.last_step(m, d)


if __name__ == "__main__":
    unittest.main()
