#!/usr/bin/env python3
"""Worlds: built by hand, read, the library's own; what is wrong is told with file, line and path."""
import json
import os
import pathlib
import tempfile
import unittest

import numpy as np

import cardhouse
from cardhouse import World

TABLE = """{"cardhouse": 1,
 "bodies": [
  {"name": "floor", "fixed": true, "shapes": [{"type": "halfspace"}]},
  {"name": "ball", "position": [0, 0, 1],
   "shapes": [{"type": "sphere", "radius": 0.1}]}]}"""


def every_shape():
    world = World("shapes")
    world.add_material("wood", density=600, friction=0.5, restitution=0.1)
    world.add_material("ice", friction=0.05)
    world.add_pair("wood", "ice", friction=0.1, restitution=0)
    world.add_halfspace(name="floor", material="wood")
    world.add_box([0.1, 0.1, 0.1], name="box", position=[0, 0, 1], material="wood")
    world.add_sphere(0.1, position=np.array([1, 0, 1.0]), velocity=(0, 0, 1), spin=[1, 0, 0])
    world.add_capsule(0.1, 0.2, position=[2, 0, 1], orientation={"axis": [1, 0, 0], "degrees": 90})
    world.add_cylinder(0.1, 0.2, position=[3, 0, 1])
    world.add_ellipsoid([0.1, 0.2, 0.3], position=[4, 0, 1])
    corners = np.array([[x, y, z] for x in (0, 0.2) for y in (0, 0.2) for z in (0, 0.2)])
    world.add_hull(corners, position=[5, 0, 1])
    faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    world.add_mesh([[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3]], faces, position=[6, 0, 1])
    world.add_heightfield(np.zeros((3, 4)), cell=0.5, at=[-3, 2, -1])
    world.add_segments([[0, 0, 0], [0.3, 0, 0], [0.3, 0.3, 0]], line_density=0.2, position=[8, 0, 1])
    world.add_points(corners, radius=0.02, point_mass=0.1, position=[9, 0, 1])
    table = world.add_body("table", position=[7, 0, 0.5])
    table.add_box([0.5, 0.5, 0.05]).add_cylinder(0.05, 0.2, at=[0, 0, -0.25])
    return world


class Builder(unittest.TestCase):
    def test_every_shape_is_taken_and_falls(self):
        sim = cardhouse.Simulation(every_shape())
        self.assertEqual(sim.step(50).missed, 0)
        self.assertTrue((sim.velocity[1:, 2] < 0.6).all())

    def test_the_plane_has_its_own_shapes(self):
        world = World(dimension=2)
        world.add_halfplane()
        world.add_chain([[5, 1], [-5, 1]][::-1], name="shelf", at=[0, -3])
        for k, add in enumerate((lambda: world.add_disk(0.1, position=[0, 1]),
                                 lambda: world.add_box([0.1, 0.2], position=[1, 1]),
                                 lambda: world.add_ellipse([0.1, 0.2], position=[2, 1], spin=1.0),
                                 lambda: world.add_polygon([[0, 0], [0.2, 0], [0, 0.2]], position=[3, 1]))):
            self.assertEqual(add().name, f"body {k + 2}")
        sim = cardhouse.Simulation(world)
        sim.step(10)
        self.assertEqual(sim.position.shape, (6, 2))
        self.assertEqual(sim.orientation.shape, (6,))
        self.assertEqual(sim.spin.shape, (6,))
        self.assertEqual(sim.wrench.shape, (6, 3))
        self.assertAlmostEqual(float(sim.orientation[4]), 0.01, places=4)

    def test_joints_motors_springs(self):
        world = World(gravity=[0, 0, 0])
        arm = world.add_box([0.5, 0.05, 0.05], name="arm", position=[0.5, 0, 0])
        hinge = world.add_joint("hinge", cardhouse.GROUND, arm, at=[0, 0, 0], axis=[0, 0, 1], upper=2.0, lower=-2.0)
        world.add_motor(hinge, "velocity", 1.0, strength=1e4)
        a = world.add_sphere(0.1, position=[0, 5, 0])
        b = world.add_sphere(0.1, position=[1, 5, 0])
        world.add_spring(a, b, 100.0, length=0.5)
        world.ignore(a, b)
        sim = cardhouse.Simulation(world)
        sim.step(100)
        self.assertAlmostEqual(float(sim.joint_position[0]), 0.1, places=6)
        self.assertAlmostEqual(float(sim.joint_speed[0]), 1.0, places=6)
        self.assertLess(sim.position[2, 0] - sim.position[1, 0], 0.99)

    def test_a_world_may_repeat_itself(self):
        world = World(periodic={"x": (0, 2)}, gravity=[0, 0, 0])
        world.add_sphere(0.25, name="left", position=[0.5, 0, 0], velocity=[-1, 0, 0])
        world.add_sphere(0.25, name="right", position=[1.5, 0, 0])
        sim = cardhouse.Simulation(world)
        sim.step(1000)
        self.assertAlmostEqual(sim.velocity[1, 0], -0.5, places=6)  # hit through the border; no bounce
        with self.assertRaises(cardhouse.SceneError):
            World(periodic={"x": (1, 0)}).check()

    def test_worlds_go_to_json_and_back(self):
        for world in (every_shape(), cardhouse.scenes.cards(levels=2), cardhouse.scenes.slider_crank()):
            self.assertEqual(cardhouse.load(world.to_json()), world)
            self.assertEqual(cardhouse.load(world.document), world)
            self.assertEqual(json.loads(world.to_json(indent=2)), world.document)

    def test_copies_are_written_out(self):
        text = json.dumps({"cardhouse": 1, "bodies": [
            {"name": "floor", "fixed": True, "shapes": [{"type": "halfspace"}]},
            {"name": "ball", "copies": [0, 0, 1, 0.5, 0, 2], "shapes": [{"type": "sphere", "radius": 0.1}]}]})
        world = cardhouse.load(text)
        self.assertEqual(world.bodies, ["floor", "ball 1", "ball 2"])
        self.assertEqual([body["position"] for body in world.document["bodies"][1:]], [[0, 0, 1], [0.5, 0, 2]])
        np.testing.assert_array_equal(cardhouse.Simulation(world).position[1:], [[0, 0, 1], [0.5, 0, 2]])

    def test_what_is_no_number_is_refused_at_once(self):
        with self.assertRaisesRegex(ValueError, "radius is nan"):
            World().add_sphere(float("nan"))
        with self.assertRaisesRegex(TypeError, "cannot be in a scene"):
            World().add_sphere(object())
        with self.assertRaisesRegex(ValueError, "no joint 'elbow'"):
            World().add_motor("elbow")
        with self.assertRaisesRegex(TypeError, "belongs to the body"):
            World().add_body("a").add_box([1, 1, 1], position=[0, 0, 0])


class Reading(unittest.TestCase):
    def test_a_path_a_text_a_document_and_a_name(self):
        world = cardhouse.load(TABLE)
        self.assertEqual(world.bodies, ["floor", "ball"])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.json")
            world.save(path)
            self.assertEqual(cardhouse.load(path), world)
        self.assertEqual(cardhouse.load("pendulum").document, cardhouse.load(cardhouse.scenes.pendulum().document).document)

    def test_a_scene_finds_its_files(self):
        """From whatever folder it is loaded: the hills of scenes/terrain.json lie beside it."""
        path = pathlib.Path(os.environ["CH_SOURCE"]) / "scenes"
        self.assertEqual(cardhouse.Simulation(cardhouse.load(path / "terrain.json")).step(1).missed, 0)
        self.assertEqual(cardhouse.Simulation(cardhouse.load(os.path.relpath(path / "terrain.json"))).step(1).missed, 0)

    def test_a_robot(self):
        path = pathlib.Path(os.environ["CH_SOURCE"]) / "scenes"
        with self.assertWarnsRegex(UserWarning, "velocity of <limit>"):
            arm = cardhouse.load(path / "arm.urdf", base="free", floor=-0.3)
        self.assertEqual(cardhouse.Simulation(arm).step(20).missed, 0)
        self.assertEqual(arm.bodies[:2], ["floor", "stand"])
        with self.assertRaisesRegex(cardhouse.SceneError, "must be fixed or free"):
            cardhouse.load(path / "arm.urdf", base="loose")
        with self.assertRaises(TypeError):
            cardhouse.load("{}", base="free")

    def test_a_wrong_scene_tells_where(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a:b.json")
            with open(path, "w") as stream:
                stream.write(TABLE.replace("0.1", "-0.1"))
            with self.assertRaises(cardhouse.SceneError) as caught:
                cardhouse.load(path)
        error = caught.exception
        self.assertEqual((error.file, error.line, error.path), (path, 5, "$.bodies[1].shapes[0].radius"))
        self.assertIn("must be > 0", error.reason)
        self.assertIsInstance(error, cardhouse.Error)
        self.assertIsInstance(error, ValueError)

    def test_what_is_no_scene_is_refused(self):
        for wrong in ("{", "{}", '{"cardhouse": 1, "x": "\u00e4\\u0000"}', {"cardhouse": 2}, {"cardhouse": 1, "bodies": 3}):
            with self.subTest(wrong=wrong), self.assertRaises(cardhouse.SceneError):
                cardhouse.load(wrong)
        with self.assertRaises(FileNotFoundError):
            cardhouse.load("no such file.json")
        with self.assertRaises(ValueError):
            cardhouse.load('{"cardhouse": 1}\0')
        with self.assertRaises(TypeError):
            cardhouse.load(3)
        with self.assertRaises(ValueError):
            cardhouse.load({"cardhouse": float("nan")})


class BuiltIn(unittest.TestCase):
    def test_each_scene_of_the_library_is_a_function_with_its_parameters(self):
        self.assertIn("box_of_spheres", cardhouse.scenes.names)
        for name in cardhouse.scenes.names:
            self.assertIn("(", getattr(cardhouse.scenes, name).__doc__)
        self.assertEqual(len(cardhouse.scenes.cards(levels=1).bodies), 3)
        self.assertEqual(cardhouse.scenes.stack(n=3, mu=0.25).document["materials"]["default"]["friction"]
                         if "default" in cardhouse.scenes.stack().document.get("materials", {}) else 0.25, 0.25)

    def test_an_unknown_one_is_refused_with_the_nearest(self):
        with self.assertRaisesRegex(cardhouse.SceneError, "levels"):
            cardhouse.scenes.cards(level=3)
        with self.assertRaises(cardhouse.SceneError):
            cardhouse.scenes.cards(levels="many")
        with self.assertRaisesRegex(AttributeError, "there are: cards"):
            cardhouse.scenes.crads


if __name__ == "__main__":
    unittest.main()
