#!/usr/bin/env python3
"""Bodies, joints and forces that come and go between two steps of a simulation."""
import json
import os
import tempfile
import unittest

import numpy as np

import cardhouse

try:
    import h5py
except ImportError:
    h5py = None


def world():
    made = cardhouse.World("yard")
    made.add_material("wood", density=600, friction=0.5)
    made.add_halfspace(name="floor", material="wood")
    made.add_box([0.1, 0.1, 0.1], name="crate", position=[0, 0, 0.1], material="wood")
    return made


class Population(unittest.TestCase):
    def setUp(self):
        self.sim = cardhouse.Simulation(world(), h=1e-3)

    def test_who_comes_first_is_as_if_always_there(self):
        whole, late = world(), cardhouse.World()
        for made in (whole, late):
            ball = made.add_sphere(0.1, name="ball", position=[0.02, 0, 0.5], material="wood")
            made.add_spring(ball, cardhouse.GROUND, 20, at=[[0, 0, 0.1], [0, 0, 2]])
        other = cardhouse.Simulation(whole, h=1e-3)
        self.assertEqual([body.name for body in self.sim.add(late)], ["ball"])
        self.sim.step(400), other.step(400)
        np.testing.assert_array_equal(self.sim.position, other.position)

    def test_a_ball_is_dropped_on_a_crate(self):
        self.sim.step(5)
        ball = self.sim.add_sphere(0.05, position=[0, 0, 0.4], material="wood")
        self.assertEqual((ball.row, len(self.sim.position), self.sim.body_names[2]), (2, 3, ball.name))
        self.sim.step(1500)
        self.assertAlmostEqual(ball.position[2], 0.25, places=5)
        self.assertEqual(ball.touching, [self.sim.body("crate")])
        np.testing.assert_allclose(ball.contact_force, [0, 0, ball.mass * 9.81], atol=1e-6)  # it carries its weight
        self.assertLessEqual(self.sim.certificate.natural, 1e-8)

    def test_arrays_are_asked_for_anew(self):
        old = self.sim.position
        self.sim.add_body("compound", shapes=[{"type": "sphere", "radius": 0.1}, {"type": "sphere", "radius": 0.1, "at": [0.3, 0, 0]}],
                          position=[2, 0, 1])
        old[1] = [9, 9, 9]  # nobody looks at it any more
        self.sim.step()
        self.assertEqual((len(old), len(self.sim.position)), (2, 3))
        self.assertLess(abs(self.sim.position[1]).max(), 1)
        np.testing.assert_allclose(self.sim.body("compound").position[:1], 2.15)

    def test_what_was_written_before_counts(self):
        self.sim.velocity[1] = [0, 0, 3]
        self.sim.wrench[1, 2] = 1.0
        self.sim.add_sphere(0.05, position=[5, 0, 1])
        np.testing.assert_array_equal(self.sim.velocity[1], [0, 0, 3])
        np.testing.assert_array_equal(self.sim.wrench[:, 2], [0, 1, 0])  # a wrench stays with its body
        floor = self.sim.add_box([1, 1, 0.1], position=[9, 0, -3], fixed=True)
        self.sim.body("crate").remove()
        np.testing.assert_array_equal(self.sim.wrench[:, 2], [0, 0, 0])
        self.assertEqual(floor.row, 2)

    def test_targets_that_were_set_stay(self):
        arm = self.sim.add_sphere(0.1, name="arm", position=[3, 0, 1])
        hinge = self.sim.add_joint("hinge", "ground", arm, at=[3, 0, 2], axis=[0, 1, 0], drive="position")
        self.sim.target[0] = 0.2
        self.sim.add_sphere(0.1, position=[6, 0, 1])
        self.assertEqual(self.sim.target[0], 0.2)
        state = self.sim.save()
        self.sim.target[0] = -0.1
        self.sim.step()
        self.sim.restore(state)
        self.assertEqual(self.sim.target[0], 0.2)
        self.sim.step(500)
        self.assertAlmostEqual(hinge.position[0], 0.2, places=6)
        hinge.remove()
        self.assertEqual((self.sim.joint_names, len(self.sim.target)), ([], 0))
        with self.assertRaises(cardhouse.Error):
            hinge.position

    def test_handles_of_who_went_are_stale(self):
        crate, ball = self.sim.body("crate"), self.sim.add_sphere(0.1, position=[3, 0, 1])
        crate.remove()
        for use in (lambda: crate.position, lambda: crate.push([0, 0, 1]), crate.remove, lambda: self.sim.body("crate")):
            with self.assertRaises(cardhouse.Error):
                use()
        self.assertEqual(ball.row, 1)
        self.sim.step(10)

    def test_joints_bind_where_bodies_are_now(self):
        ball = self.sim.add_sphere(0.1, position=[3, 0, 1], velocity=[1, 0, 0])
        self.sim.set_gravity([0, 0, 0])
        self.sim.step(100)
        joint = self.sim.add_joint("ball", "ground", ball, at=[3.1, 0, 1.5])
        self.assertEqual(joint.bodies, (None, ball))
        self.sim.step(500)
        # It swings by half a radian; the joint is held to second order in h.
        self.assertAlmostEqual(np.linalg.norm(ball.position - [3.1, 0, 1.5]), 0.5, places=5)

    def test_springs_go_by_their_names(self):
        rope = self.sim.add_spring("crate", "ground", 50)
        self.sim.step()
        self.sim.remove_force(rope)
        with self.assertRaises(cardhouse.Error):
            self.sim.remove_force(rope)

    def test_states_of_these_rows_are_restored(self):
        self.sim.add_sphere(0.1, position=[0.01, 0, 0.6])
        state = self.sim.save()
        self.sim.step(200)
        there = self.sim.position.copy()
        self.sim.restore(state)
        self.sim.step(200)
        np.testing.assert_array_equal(self.sim.position, there)
        with self.assertRaises(cardhouse.Error):
            self.sim.copy()
        self.sim.reset()
        self.assertEqual((self.sim.body_names, self.sim.time), (["floor", "crate"], 0.0))

    def test_what_is_wrong_is_said_and_nothing_comes(self):
        for wrong, where in (({"shapes": [{"type": "sphere", "radius": -1}]}, "radius"), ({"name": "crate", "mass": 1}, "crate"),
                             ({"shapes": [{"type": "sphere", "radius": 1, "material": "ice"}]}, "ice"), ({"mass": float("nan")}, "mass")):
            with self.assertRaisesRegex(ValueError, where):  # SceneError is a ValueError
                self.sim.add_body(**wrong)
        with self.assertRaises(cardhouse.SceneError):
            self.sim.add_joint("hinge", "crate", "floor", at=[0, 0, 0])
        with self.assertRaises(cardhouse.Error):
            self.sim.add_joint("hinge", "crate", "nobody", at=[0, 0, 0], axis=[0, 1, 0])
        with self.assertRaises(TypeError):
            self.sim.add("cards")
        self.assertEqual(len(self.sim.bodies), 2)
        self.sim.step()

    def test_many_come_and_go(self):
        sim, ball = self.sim, {"type": "sphere", "radius": 0.05, "material": "wood"}
        made = [sim.add_body(shapes=[ball], position=[k % 7 - 3, k // 7 - 3, 0.5]) for k in range(60)]
        for body in made[::2]:
            body.remove()
        sim.step(20)
        self.assertEqual(len(sim.position), 32)
        self.assertEqual(len(json.loads(sim._scene_now())["bodies"]), 32)  # what pages draw follows the rows
        self.assertEqual([body["name"] for body in json.loads(sim._scene_now())["bodies"]], sim.body_names)

    def test_runs_say_where_rows_differ(self):
        def pour(sim):
            if sim.step_count == 5:
                sim.add_sphere(0.1, position=[3, 0, 1])

        run = self.sim.run(0.01, control=pour)
        self.assertEqual([len(row) for row in run.rows("position")], [2] * 6 + [3] * 5)
        self.assertEqual(run.kinetic.shape, (11,))
        with self.assertRaisesRegex(cardhouse.Error, "were added or removed"):
            run.position
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.h5")
            with self.assertRaisesRegex(cardhouse.Error, "after bodies"):
                self.sim.run(0.02).recording
            self.assertEqual(self.sim.run(0.03, out=path).position.shape[1:], (3, 3))
            if h5py:
                with h5py.File(path) as file:
                    self.assertEqual(len(file["body/name"]), 3)

    def test_a_plane_world_takes_plane_shapes(self):
        sim = cardhouse.Simulation(cardhouse.World(dimension=2))
        disk = sim.add_disk(0.1, position=[0, 1])
        sim.step(10)
        self.assertEqual(disk.rotation.shape, (2, 2))
        with self.assertRaises(cardhouse.SceneError):
            sim.add_sphere(0.1)

    def test_a_simulation_in_a_with_statement_is_closed(self):
        with cardhouse.Simulation(world()) as sim:
            sim.step()
        self.assertTrue(sim.closed)

    def test_rotation_turns_axes(self):
        crate = self.sim.body("crate")
        crate.orientation = [np.cos(0.3), 0, 0, np.sin(0.3)]  # 0.6 radian about z
        np.testing.assert_allclose(crate.rotation @ [1, 0, 0], [np.cos(0.6), np.sin(0.6), 0], atol=1e-12)


if __name__ == "__main__":
    unittest.main()
