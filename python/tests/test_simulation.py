#!/usr/bin/env python3
"""Simulations: views, state, commands, questions."""
import copy
import math
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

import cardhouse
from cardhouse import World


def machine():
    """A box on the floor, an arm with a motor, a kinematic plate, a ball."""
    world = World("machine")
    world.add_halfspace(name="floor")
    world.add_box([0.1, 0.1, 0.1], name="box", position=[0, 0, 0.1])
    world.add_box([0.5, 0.05, 0.05], name="arm", position=[0.5, 2, 1])
    world.add_joint("hinge", "ground", "arm", at=[0, 2, 1], axis=[0, 1, 0], name="elbow", drive="position", target=0.3,
                    strength=1e5)
    world.add_box([0.2, 0.2, 0.02], name="plate", position=[3, 0, 1], motion=[0, 0, 0])
    world.add_sphere(0.1, name="ball", position=[0, 5, 2])
    return world


class Views(unittest.TestCase):
    def test_a_view_shows_every_step_without_being_asked_for_again(self):
        sim = cardhouse.Simulation(machine())
        z = sim.position[4, 2:]
        self.assertIs(sim.position, sim.position)
        self.assertTrue(np.shares_memory(z, sim.position))
        sim.step(10)
        self.assertAlmostEqual(float(z[0]), 2 - 9.81 * 1e-6 * 55, places=9)

    def test_what_is_written_is_taken_before_the_next_step(self):
        sim = cardhouse.Simulation(machine())
        sim.velocity[4] = [1, 0, 0]
        sim.position[1] = [0, 0, 1]
        sim.orientation[1] = [math.cos(0.5), 0, 0, math.sin(0.5)]
        sim.spin[4] = [0, 0, 2]
        sim.step()
        self.assertAlmostEqual(sim.position[4, 0], 1e-3)
        self.assertAlmostEqual(sim.position[1, 2], 1, places=4)
        self.assertAlmostEqual(sim.orientation[1, 3], math.sin(0.5))
        self.assertAlmostEqual(sim.spin[4, 2], 2)
        before = sim.momentum.linear
        sim.velocity[4] += [0, 0, 3]
        np.testing.assert_allclose(sim.momentum.linear - before, [0, 0, 3 * sim.body("ball").mass], atol=1e-9)

    def test_what_is_wrong_is_refused_as_a_whole_and_the_state_stays(self):
        sim = cardhouse.Simulation(machine())
        sim.step()
        for name, row, value, text in (("velocity", 4, math.nan, "velocity of body 'ball' must be finite"),
                                       ("position", 4, math.inf, "must be finite"),
                                       ("orientation", 4, [2, 0, 0, 0], r"orientation\[4\].*unit quaternion"),
                                       ("orientation", 4, 0, "unit quaternion"),
                                       ("velocity", 0, 1, "'floor' does not move freely"),
                                       ("wrench", 4, math.nan, r"wrench\[4\].*must be finite"),
                                       ("wrench", 0, 1, "does not move freely"),
                                       ("target", 0, math.nan, "must be finite")):
            with self.subTest(name=name, value=value):
                before = getattr(sim, name).copy()
                other = sim.position[1].copy()
                sim.position[1, 0] = 7
                getattr(sim, name)[row] = value
                with self.assertRaisesRegex(cardhouse.Error, text):
                    sim.step()
                np.testing.assert_array_equal(getattr(sim, name), before)
                np.testing.assert_array_equal(sim.position[1], other)
                sim.step()

    def test_what_cannot_be_written_is_for_reading(self):
        sim = cardhouse.Simulation(machine())
        for name in ("joint_position", "joint_speed", "joint_force", "joint_wrench"):
            with self.subTest(name=name), self.assertRaises(ValueError):
                getattr(sim, name)[...] = 0

    def test_a_wrench_acts_until_it_is_set_again(self):
        sim = cardhouse.Simulation(machine())
        ball = sim.body("ball")
        ball.wrench = [ball.mass, 0, 9.81 * ball.mass, 0, 0, 0]
        sim.step(1000)
        np.testing.assert_allclose(ball.velocity, [1, 0, 0], atol=1e-9)
        ball.wrench = 0
        sim.step(10)
        np.testing.assert_allclose(ball.velocity, [1, 0, -0.0981], atol=1e-9)

    def test_a_target_moves_the_motor(self):
        sim = cardhouse.Simulation(machine())
        sim.step(1000)
        self.assertAlmostEqual(float(sim.joint_position[0]), 0.3, places=3)
        sim.target[0] = -0.2
        sim.step(1000)
        self.assertAlmostEqual(float(sim.joint("elbow").position[0]), -0.2, places=3)
        sim.joint("elbow").set_drive("none")
        self.assertTrue(math.isnan(sim.target[0]))
        sim.target[0] = 1
        with self.assertRaisesRegex(cardhouse.Error, "not driven"):
            sim.step()

    def test_arrays_outlive_their_simulation(self):
        sim = cardhouse.Simulation(machine())
        sim.step()
        view = sim.position
        kept = view.copy()
        del sim
        np.testing.assert_array_equal(view, kept)
        view[:] = 0

    def test_modes_of_deformable_bodies(self):
        sim = cardhouse.Simulation(cardhouse.scenes.soft_bar())
        sim.step(5)
        soft = next(body for body in sim.bodies if body.deformable)
        self.assertEqual(len(soft.modes), len(sim.modes))
        self.assertTrue(np.isfinite(sim.modes).all() and np.isfinite(sim.rates).all())
        self.assertEqual(len(sim.bodies[0].modes), 0)
        potential = sim.energy.potential
        sim.modes[0] += 0.1
        self.assertGreater(sim.energy.potential, potential + 1e-3)
        sim.step()
        sim.rates[1] = math.nan
        with self.assertRaisesRegex(cardhouse.Error, r"rates\[1\] is nan"):
            sim.step()
        sim.step()


class Contacts(unittest.TestCase):
    def test_a_block_on_a_slope_sticks_below_the_angle_of_friction_and_slips_above(self):
        for ratio, sticks in ((0.9, True), (1.1, False)):
            sim = cardhouse.Simulation(cardhouse.scenes.incline(mu=0.5, ratio=ratio))
            sim.step(200)
            rows = sim.contacts
            self.assertGreater(len(rows), 0)
            loaded = rows["force"] @ np.array([0, 0, 1.0]) > 1e-9
            np.testing.assert_array_equal(rows["sticking"][loaded], sticks)
            np.testing.assert_allclose(rows["friction"], 0.5)
            normal = np.einsum("ij,ij->i", rows["force"], rows["normal"])
            along = rows["force"] - normal[:, None] * rows["normal"]
            self.assertTrue((np.linalg.norm(along, axis=1) <= 0.5 * normal * (1 + 1e-6) + 1e-9).all())

    def test_forces_of_contacts_carry_the_weight(self):
        sim = cardhouse.Simulation(cardhouse.scenes.stack(n=4))
        sim.step(100)
        rows = sim.contacts
        on_ground = rows["force"][(rows["bodies"] == 0).any(axis=1)].sum(axis=0)
        weight = 9.81 * sum(body.mass for body in sim.bodies)
        self.assertAlmostEqual(abs(on_ground[2]) / weight, 1, places=6)


class States(unittest.TestCase):
    def test_restoring_goes_on_bit_for_bit(self):
        sim = cardhouse.Simulation(machine())
        sim.step(50)
        early = sim.save()
        sim.target[0] = -0.5
        sim.wrench[1] = [0.5, 0, 0, 0, 0, 0]
        sim.set_gravity([0, 0, -5])
        sim.move("plate", [3, 0, 1.5])
        sim.step(100)
        late = sim.save()
        copies = [sim.copy(), copy.copy(sim), copy.deepcopy(sim), pickle.loads(pickle.dumps(sim))]
        sim.step(50)
        end = sim.save()
        for other in copies:
            other.step(50)
            self.assertEqual(other.save(), end)
        sim.restore(late)
        sim.step(50)
        self.assertEqual(sim.save(), end)
        sim.restore(early)
        self.assertAlmostEqual(float(sim.target[0]), 0.3)
        fresh = cardhouse.Simulation(machine())
        fresh.step(100)
        sim.step(50)
        np.testing.assert_array_equal(sim.position, fresh.position)
        np.testing.assert_array_equal(sim.spin, fresh.spin)

    def test_reset_and_keyframes(self):
        sim = cardhouse.Simulation(machine())
        start = sim.save()
        sim.step(20)
        kept = sim.keep("twenty")
        sim.set_friction(0.1)
        sim.step(20)
        sim.reset("twenty")
        self.assertEqual(sim.save(), kept)
        sim.reset()
        self.assertEqual(sim.save(), start)
        self.assertEqual(sim.time, 0)
        with self.assertRaises(KeyError):
            sim.reset("nothing")

    def test_a_state_of_another_world_is_refused(self):
        sim = cardhouse.Simulation(machine())
        other = cardhouse.Simulation(cardhouse.scenes.cards(levels=2)).save()
        before = sim.save()
        for wrong in (other, cardhouse.State(b""), cardhouse.State(b"CHSTATE6" * 100),
                      cardhouse.State(before.block, b"12345678")):
            with self.assertRaises(cardhouse.Error):
                sim.restore(wrong)
        with self.assertRaises(TypeError):
            sim.restore(b"")
        self.assertEqual(sim.save(), before)


class Running(unittest.TestCase):
    def test_a_run_gives_a_row_every_so_many_steps(self):
        sim = cardhouse.Simulation(machine(), h=2e-3)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.h5")
            rows = sim.run(0.1, every=10, contacts=True, out=path)
            self.assertGreater(os.path.getsize(path), 1000)
        self.assertAlmostEqual(sim.time, 0.1)
        np.testing.assert_allclose(rows.time, np.linspace(0, 0.1, 6))
        self.assertEqual(rows.position.shape, (6, 5, 3))
        self.assertEqual(rows.joint_position.shape, (6, 1))
        np.testing.assert_array_equal(rows.position[-1], sim.position)
        self.assertLess(rows.certificate["natural"].max(), 1e-8)
        self.assertEqual(len(rows.contacts), 6)
        self.assertEqual(rows.body("ball"), 4)
        with self.assertRaises(AttributeError):
            rows.nothing

    def test_a_bar_shows_how_far_a_run_is_in_a_terminal_only(self):
        code = "import cardhouse; cardhouse.Simulation(cardhouse.scenes.cards(levels=1)).run(0.5, 10, progress=True)"
        reader, writer = os.openpty()
        subprocess.run([sys.executable, "-c", code], stderr=writer, check=True)
        self.assertRegex(os.read(reader, 10000).decode(), r"\[#{30}\] 0.5 of 0.5 s, \d+ steps/s, worst ")
        os.close(reader), os.close(writer)
        quiet = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(quiet.stderr, "")

    def test_a_controller_is_called_before_every_step(self):
        sim = cardhouse.Simulation(machine())
        seen = []
        sim.run(0.02, every=5, control=lambda s: seen.append(s.time))
        np.testing.assert_allclose(seen, np.arange(20) * 1e-3, atol=1e-12)

    def test_options_are_those_of_scenes(self):
        sim = cardhouse.Simulation(machine(), h=5e-4, tolerance=1e-10, method="nsgs", warm=False, islands=False)
        self.assertEqual(sim.step().h, 5e-4)
        sim.set_options(h=1e-3)
        self.assertEqual(sim.step().h, 1e-3)
        self.assertEqual(sim.world.document["method"], {"tolerance": 1e-10, "name": "nsgs"})
        with self.assertRaisesRegex(TypeError, "did you mean 'tolerance'"):
            cardhouse.Simulation(machine(), tolerence=1)
        with self.assertRaisesRegex(cardhouse.SceneError, "must be"):
            cardhouse.Simulation(machine(), h=-1)
        with self.assertRaises(cardhouse.SceneError):
            sim.set_options(method="none")
        self.assertEqual(sim.step().h, 1e-3)

    def test_other_threads_run_while_one_steps_and_may_not_interfere(self):
        sim = cardhouse.Simulation(cardhouse.scenes.cards(levels=4), rest=False)
        worker = threading.Thread(target=sim.step, args=(1000,))
        worker.start()
        refused = 0
        while worker.is_alive():
            try:
                sim.time
            except cardhouse.Error:
                refused += 1
        worker.join()
        self.assertGreater(refused, 0)
        self.assertAlmostEqual(sim.time, 1.0)


class Bodies(unittest.TestCase):
    def test_handles_name_what_is_there(self):
        sim = cardhouse.Simulation(machine())
        ball = sim.body("ball")
        self.assertEqual((ball.row, ball.kind, ball.name), (4, "dynamic", "ball"))
        self.assertAlmostEqual(ball.mass, 1000 * 4 / 3 * math.pi * 1e-3)
        self.assertEqual([body.name for body in sim.bodies], sim.world.bodies)
        self.assertEqual(sim.body(4), ball)
        self.assertEqual(hash(sim.body(4)), hash(ball))
        self.assertNotEqual(sim.body(1), ball)
        elbow = sim.joint("elbow")
        self.assertEqual((elbow.type, elbow.bodies), ("hinge", (None, sim.body("arm"))))
        sim.step(100)
        self.assertEqual(elbow.wrench.shape, (6,))

    def test_a_handle_is_stale_once_its_body_is_gone(self):
        sim = cardhouse.Simulation(machine())
        box, ball, elbow = sim.body("box"), sim.body("ball"), sim.joint("elbow")
        sim.remove_body("box")
        self.assertEqual(ball.row, 3)
        self.assertEqual(len(sim.position), 4)
        for use in (lambda: box.row, lambda: box.position, lambda: sim.push(box, [0, 0, 1]), lambda: sim.remove_body(box)):
            with self.assertRaisesRegex(cardhouse.Error, "stale"):
                use()
        sim.step()
        sim.remove_body("arm")
        with self.assertRaisesRegex(cardhouse.Error, "stale"):
            elbow.row
        with self.assertRaisesRegex(cardhouse.Error, "were added or removed"):
            sim.copy()
        sim.reset()
        self.assertEqual(len(sim.bodies), 5)
        with self.assertRaisesRegex(cardhouse.Error, "stale"):
            ball.row
        with self.assertRaisesRegex(cardhouse.Error, "another simulation"):
            cardhouse.Simulation(machine()).push(sim.body("ball"), [0, 0, 1])

    def test_pushing_moving_pulling(self):
        sim = cardhouse.Simulation(machine())
        ball = sim.body("ball")
        ball.push([ball.mass, 0, 0])
        self.assertAlmostEqual(ball.velocity[0], 1)
        sim.move("plate", [3, 0, 1.001])
        sim.step()
        self.assertAlmostEqual(sim.body("plate").velocity[2], 1)
        for _ in range(2000):
            sim.pull("ball", [0, 0, 0], [0, 5, 3])
            sim.step()
        self.assertLess(np.linalg.norm(ball.position - [0, 5, 3]), 0.05)

    def test_questions(self):
        sim = cardhouse.Simulation(machine())
        hit = sim.cast_ray([0, 5, 9], [0, 0, -2])
        self.assertEqual(hit.body, sim.body("ball"))
        self.assertAlmostEqual(hit.distance, 6.9)
        self.assertIsNone(sim.cast_ray([0, 5, 9], [0, 0, 1]))
        self.assertIsNone(sim.cast_ray([0, 5, 9], [0, 0, -1], reach=1))
        self.assertAlmostEqual(sim.closest("ball", "floor").gap, 1.9)
        self.assertIsNone(sim.closest("ball", "floor", within=1))
        self.assertEqual([near.body.name for near in sim.near([0, 5, 2.5], 0.45)], ["ball"])
        sim.position[4, 2] = 1.0
        self.assertAlmostEqual(sim.closest("ball", "floor").gap, 0.9)

    def test_overlapping_bodies_are_healed(self):
        sim = cardhouse.Simulation(machine())
        sim.position[1, 2] = 0.09
        healing = sim.heal()
        self.assertAlmostEqual(healing.before, 0.01)
        self.assertLess(healing.after, 1e-9)
        self.assertEqual(healing.body, sim.body("box"))


if __name__ == "__main__":
    unittest.main()
