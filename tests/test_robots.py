#!/usr/bin/env python3
"""Robots of others: URDF and MJCF as scenes. Masses, inertias and joints are those that MuJoCo's compiler finds, where
Debian's libmujoco is installed; what is wrong or not known is told with file, line and column."""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

SOURCE = pathlib.Path(os.environ.get("CH_SOURCE", pathlib.Path(__file__).resolve().parent.parent))
PROGRAM = os.path.join(os.path.abspath(os.environ.get("CH_BUILD", "build")), "cardhouse")
sys.path.insert(0, str(SOURCE / "bench"))
import libmujoco  # noqa: E402

try:
    LIBRARY = libmujoco.Library()
except libmujoco.Missing:
    LIBRARY = None

INERTIAL = "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"


def urdf(*parts):
    return "<robot name='r'>\n" + "\n".join(parts) + "\n</robot>\n"


def link(name, inside=INERTIAL):
    return f"<link name='{name}'>{inside}</link>"


def joint(parent, child, kind="continuous", inside="", name=None):
    return (f"<joint name='{name or parent + child}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>"
            f"{inside}</joint>")


def mjcf(bodies, rest="", compiler=""):
    return f"<mujoco model='m'>{compiler}{rest}<worldbody>{bodies}</worldbody></mujoco>\n"


BODY = "<body name='{0}' pos='{1}'><joint name='{0} j'/><geom size='.1'/>{2}</body>"


def rotation(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def placed(body):
    """Mass, centre in the world, inertia about it along the world's axes."""
    turn = rotation(body.get("orientation", [1, 0, 0, 0]))
    xx, yy, zz, xy, xz, yz = body["inertia"]
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return body["mass"], body.get("position", [0, 0, 0]) + turn @ body["centre"], turn @ inertia @ turn.T


class Robots(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, *words):
        return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=120)

    def file(self, text, name="robot.xml"):
        path = self.folder / name
        path.write_text(text)
        return path

    def read(self, path, *words):
        done = self.call("scene", "import", path, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        scene = json.loads(done.stdout)
        return scene, {b["name"]: b for b in scene["bodies"]}, {j["name"]: j for j in scene.get("joints", [])}, done.stderr

    def refused(self, text, *parts, words=()):
        done = self.call("scene", "import", self.file(text), *words)
        self.assertEqual(done.returncode, 2, (text, done.stdout[:300], done.stderr))
        self.assertEqual(done.stdout, "")
        for part in parts:
            self.assertIn(part, done.stderr, text)


@unittest.skipUnless(LIBRARY, "no libmujoco here")
class BesideMuJoCo(Robots):
    """The compiler of MuJoCo says the same of mass, centre, inertia, anchor and axis: to eleven digits; to six where it
    turns a tensor to its principal axes, and for meshes, whose corners it keeps in single precision."""

    def check_same(self, text, digits=1e-11):
        path = self.file(text)
        _, bodies, joints, _ = self.read(path, "--param", "self=pass")
        m, d = LIBRARY.load(text, self.folder)
        LIBRARY.mj.mj_forward(m._address, d._address)
        masses, inertias = m.body_mass, m.body_inertia.reshape(-1, 3)
        centres, turns = d.xipos.reshape(-1, 3), d.ximat.reshape(-1, 3, 3)
        seen = 0
        for k in range(1, m.nbody):
            ours = bodies.get(LIBRARY.name(m, 1, k))
            if ours is None or ours.get("fixed"):
                continue
            mass, centre, inertia = placed(ours)
            theirs = turns[k] @ np.diag(inertias[k]) @ turns[k].T
            self.assertAlmostEqual(mass, masses[k], delta=digits * masses[k])
            np.testing.assert_allclose(centre, centres[k], rtol=0, atol=digits)
            np.testing.assert_allclose(inertia, theirs, rtol=0, atol=digits * np.abs(theirs).max())
            seen += 1
        anchors, axes = d.xanchor.reshape(-1, 3), d.xaxis.reshape(-1, 3)
        for k in range(m.njnt):
            ours = joints.get(LIBRARY.name(m, 3, k))
            if ours is None:
                continue
            np.testing.assert_allclose(ours["at"], anchors[k], atol=1e-11)
            if "axis" in ours:
                np.testing.assert_allclose(ours["axis"], axes[k], atol=1e-11)
            seen += 1
        return seen

    def test_the_scenes(self):
        self.assertEqual(self.check_same((SOURCE / "scenes/crawler.xml").read_text()), 9 + 8)
        self.assertEqual(self.check_same((SOURCE / "scenes/arm.urdf").read_text()), 3 + 3)

    def test_every_way_to_turn(self):
        ways = ["quat='.5 .1 -.3 .7'", "axisangle='1 2 3 40'", "xyaxes='1 .2 0 -.3 1 .5'", "zaxis='.3 -.2 -.9'",
                "euler='20 -30 50'"]
        body = ""
        for k, way in enumerate(ways):
            body = (f"<body name='b{k}' pos='.3 .1 -.4' {way}><joint name='j{k}' pos='.1 0 .2' axis='1 {k} -2'/>"
                    f"<geom type='box' size='.1 .2 .3' pos='.1 .1 0' {ways[(k + 2) % 5]}/>{body}</body>")
        for compiler in ("<compiler eulerseq='zyx'/>", "<compiler eulerseq='XYZ'/>", "<compiler angle='radian' eulerseq='yXz'/>"):
            self.assertEqual(self.check_same(mjcf(body, compiler=compiler)), 10)

    def test_every_geom(self):
        geoms = ["type='sphere' size='.2' pos='.1 0 .3'", "type='capsule' size='.1 .3' euler='10 20 30'",
                 "type='ellipsoid' size='.1 .2 .3' density='20'", "type='cylinder' size='.1 .2' mass='3'",
                 "type='box' size='.3 .1 .2' mass='0'", "type='capsule' size='.05' fromto='0 .1 .2 .4 .3 -.1'",
                 "type='cylinder' size='.05' fromto='0 .1 .2 -.4 .3 -.1'", "type='box' size='.05' fromto='.3 .1 .2 -.4 .3 -.1'",
                 "type='ellipsoid' size='.06' fromto='.3 -.1 .2 -.4 .3 .1'"]
        alone = "".join(f"<body name='b{k}'><joint name='j{k}'/><geom {g}/></body>" for k, g in enumerate(geoms)).replace("mass='0'", "")
        self.assertEqual(self.check_same(mjcf(alone)), 2 * len(geoms))
        together = "".join(f"<geom {g}/>" for g in geoms)
        self.assertEqual(self.check_same(mjcf(f"<body name='a'><joint name='j'/>{together}</body>"), 1e-6), 2)

    def test_inertials(self):
        full = "<inertial pos='.1 .2 .3' mass='2' fullinertia='3 4 5 .1 -.2 .3'/>"
        turned = "<inertial pos='.1 0 .3' mass='5' quat='.9 .1 -.2 .3' diaginertia='1 2 2.5'/>"
        inner = f"<body name='b' pos='1 0 0'><joint name='k' type='slide' axis='1 1 0'/>{turned}<geom size='.3'/></body>"
        self.assertEqual(self.check_same(mjcf(f"<body name='a'><joint name='j'/>{full}{inner}</body>"), 1e-6), 4)

    def test_classes(self):
        rest = """<default><geom density='500' size='.1'/><joint axis='1 0 0'/>
          <default class='outer'><geom type='box' size='.1 .2 .1'/>
            <default class='inner'><geom size='.3 .2 .1'/><joint axis='0 1 1'/></default></default></default>"""
        body = """<body name='a' childclass='outer'><joint name='j'/><geom/>
          <body name='b' pos='0 0 1'><joint name='k' class='inner'/><geom class='inner'/><geom class='main' pos='1 0 0'/></body>
          <body name='c' childclass='inner'><joint name='l'/><geom/></body></body>"""
        self.assertEqual(self.check_same(mjcf(body, rest)), 6)

    def test_meshes(self):
        corners = [(x, y, z) for x in (-1, 2) for y in (0, 1) for z in (0, 3)]
        obj = "".join(f"v {x} {y} {z}\n" for x, y, z in corners)
        obj += "".join(f"f {a} {b} {c}\n" for a, b, c in
                       [(1, 2, 4), (1, 4, 3), (5, 7, 8), (5, 8, 6), (1, 5, 6), (1, 6, 2), (3, 4, 8), (3, 8, 7), (1, 3, 7), (1, 7, 5),
                        (2, 6, 8), (2, 8, 4)])
        (self.folder / "parts").mkdir()
        (self.folder / "parts" / "block.obj").write_text(obj)
        flat = " ".join(f"{x} {y} {z}" for x, y, z in corners)
        assets = (f"<asset><mesh file='block.obj'/><mesh name='small' file='block.obj' scale='.1 .2 -.1'/>"
                  f"<mesh name='own' vertex='{flat}'/></asset>")
        body = "".join(f"<body name='{n}'><joint name='{n} j'/><geom type='mesh' mesh='{n}' pos='0 0 {k}' euler='0 {k} 9'/></body>"
                       for k, n in enumerate(("block", "small", "own")))
        self.assertEqual(self.check_same(mjcf(body, assets, "<compiler meshdir='parts'/>"), 1e-6), 6)


class Meaning(Robots):
    """What a file says, as a scene of ours has it."""

    def test_links_held_by_fixed_joints_are_one(self):
        _, bodies, joints, _ = self.read(SOURCE / "scenes/arm.urdf")
        self.assertEqual(set(bodies), {"stand", "upper", "lower", "finger"})
        self.assertAlmostEqual(bodies["lower"]["mass"], 1.3, delta=1e-15)
        self.assertAlmostEqual(bodies["lower"]["centre"][0], (1 * 0.2 + 0.3 * 0.42) / 1.3, delta=1e-15)
        steiner = 1 * 0.3 / 1.3 * 0.22**2
        self.assertAlmostEqual(bodies["lower"]["inertia"][1], 0.0138 + 0.0004 + steiner, delta=1e-15)
        self.assertEqual(joints["shoulder"]["axes"], [{"lower": -1.6, "upper": 1.6, "friction": 0.1, "damping": 0.5, "strength": 60}])

    def test_the_scenes_are_certified(self):
        for name, words in (("arm.urdf", []), ("arm.urdf", ["--param", "base=free", "--param", "floor=-0.3"]), ("crawler.xml", [])):
            done = self.call("run", SOURCE / "scenes" / name, "--until", "0.1", "--strict", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("every step certified", done.stdout)

    def test_a_joint_starts_within_its_limits(self):
        text = urdf(link("a"), link("b"), joint("a", "b", "revolute", "<axis xyz='0 0 1'/><origin xyz='0 0 1'/>"
                                                "<limit lower='.5' upper='2' effort='3' velocity='1'/>"))
        _, bodies, joints, told = self.read(self.file(text))
        self.assertIn("starts at 0.5, the nearest to 0", told)
        np.testing.assert_allclose(bodies["b"]["orientation"], [math.cos(0.25), 0, 0, math.sin(0.25)], atol=1e-15)
        self.assertEqual(joints["ab"]["axes"], [{"lower": 0, "upper": 1.5, "strength": 3}])
        # MuJoCo's reference, its spring and its motor count from elsewhere.
        joint_text = "<joint name='j' ref='10' range='-20 40' springref='25' stiffness='2' axis='0 1 0'/>"
        text = mjcf(f"<body name='a'>{joint_text}<geom size='.1'/></body>",
                    "<actuator><position joint='j' forcerange='-3 3'/></actuator>")
        _, bodies, joints, _ = self.read(self.file(text))
        axis, degree = joints["j"]["axes"][0], math.pi / 180
        for key, value in (("lower", -30), ("upper", 30), ("rest", 15), ("target", -10)):
            self.assertAlmostEqual(axis[key], value * degree, delta=1e-15)
        self.assertEqual((axis["drive"], axis["strength"], axis["stiffness"]), ("position", 3, 2))

    def test_joints_that_are_one(self):
        plane = "<joint name='x' type='slide' axis='1 0 0'/><joint name='z' type='slide' axis='0 0 1'/><joint name='t' axis='0 1 0' damping='2'/>"
        turn = "<joint name='u' axis='1 0 0' damping='1'/><joint name='v' axis='0 1 0' damping='3'/>"
        screw = "<joint name='p' axis='0 0 1' damping='4'/><joint name='q' type='slide' axis='0 0 1' damping='5'/>"
        text = mjcf("".join(f"<body name='{n}' pos='{k} 0 0'>{j}<geom size='.1'/></body>"
                            for k, (n, j) in enumerate((("a", plane), ("b", turn), ("c", screw)))))
        scene, bodies, joints, _ = self.read(self.file(text))
        self.assertEqual([j["type"] for j in scene["joints"]], ["planar", "universal", "cylindrical"])
        self.assertEqual(joints["t"]["axes"], [{}, {}, {"damping": 2}])
        self.assertEqual(joints["u"]["axes"], [{"damping": 1}, {"damping": 3}])
        self.assertEqual(joints["p"]["axes"], [{"damping": 5}, {"damping": 4}])

    def test_other_joints_make_a_chain_of_the_same_mass(self):
        hip = "<joint name='x' axis='1 0 0'/><joint name='y' axis='0 1 0'/><joint name='z' axis='0 0 1' range='-1 1'/>"
        text = mjcf(f"<body name='a'>{hip}<geom size='.1' pos='.3 0 0'/></body>")
        scene, bodies, joints, told = self.read(self.file(text))
        self.assertIn("has 3 joints", told)
        self.assertEqual([j["bodies"] for j in scene["joints"]], [["ground", "a/x"], ["a/x", "a/y"], ["a/y", "a"]])
        self.assertAlmostEqual(sum(b["mass"] for b in bodies.values()), 1000 * 4 / 3 * math.pi * 1e-3, delta=1e-11)
        done = self.call("run", self.file(text), "--until", "0.1", "--strict")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_friction_of_two_is_the_larger(self):
        text = mjcf("<geom type='plane' size='1 1 1' friction='.3 .01 .001' condim='1'/>" +
                    BODY.format("a", "0 0 9", "<geom size='.1' friction='.9 .02 .003' condim='6'/>"))
        scene, *_ = self.read(self.file(text))
        self.assertEqual(scene["materials"]["material 1"], {"friction": 1})
        self.assertEqual(scene["materials"]["material 2"], {"friction": 0.9, "drilling": 0.02, "rolling": 0.003})
        self.assertEqual(scene["materials"]["material 3"], {"friction": 0})
        pairs = {tuple(p.pop("materials")): p for p in scene["pairs"]}
        self.assertEqual(pairs["material 2", "material 3"], {"friction": 0.9, "drilling": 0.02, "rolling": 0.003})
        self.assertEqual(pairs["material 1", "material 3"], {"friction": 1, "drilling": 0, "rolling": 0})

    def test_who_touches_whom(self):
        bodies = "".join(f"<body name='{n}' pos='{k} 0 0'><freejoint/><geom name='{n}' size='.1' {bits}/></body>" for k, (n, bits) in
                         enumerate((("a", ""), ("b", "contype='2' conaffinity='2'"), ("c", "contype='3'"), ("d", "contype='0' conaffinity='0'"))))
        text = mjcf("<geom type='plane' size='1 1 1' pos='0 0 -1'/>" + bodies,
                    "<contact><exclude body1='a' body2='c'/><pair geom1='c' geom2='a' friction='.2'/></contact>")
        scene, by_name, *_ = self.read(self.file(text))
        ignored = {frozenset(p) for p in scene["ignore"]}
        self.assertEqual(ignored, {frozenset(p) for p in (("a", "c"), ("a", "b"), ("world", "b"))})
        self.assertEqual(by_name["d"]["shapes"], [])
        self.assertIn(0.2, [p["friction"] for p in scene["pairs"]])

    def test_closed_loops(self):
        bodies = BODY.format("a", "0 0 0", "") + BODY.format("b", "1 0 0", "")
        text = mjcf(bodies, "<equality><connect name='c' body1='a' body2='b' anchor='.5 0 0'/><weld body1='a' active='false'/></equality>")
        scene, _, joints, told = self.read(self.file(text))
        self.assertEqual((joints["c"]["type"], joints["c"]["bodies"], joints["c"]["at"]), ("ball", ["a", "b"], [0.5, 0, 0]))
        self.assertIn("not active", told)

    def test_a_rotor_adds_to_the_inertia(self):
        text = mjcf("<body name='a'><joint name='j' axis='0 0 1' armature='.01'/><geom type='box' size='.1 .2 .3' mass='1'/></body>")
        _, bodies, _, told = self.read(self.file(text))
        self.assertAlmostEqual(bodies["a"]["inertia"][2], (0.04 + 0.16) / 12 + 0.01, delta=1e-15)
        self.assertIn("exact while its parent does not turn", told)

    def test_choices(self):
        arm = SOURCE / "scenes/arm.urdf"
        _, bodies, *_ = self.read(arm, "--param", "base=free", "--param", "floor=-1")
        self.assertNotIn("fixed", bodies["stand"])
        self.assertAlmostEqual(bodies["stand"]["mass"], 1000 * 0.3 * 0.3 * 0.4, delta=1e-12)
        self.assertEqual(bodies["floor"]["shapes"], [{"type": "halfspace", "offset": -1}])
        scene, *_ = self.read(arm, "--param", "self=pass")
        self.assertEqual(len(scene["ignore"]), 6)
        for words, part in ((["base=fre"], "must be fixed or free"), (["bsae=free"], "did you mean 'base'"), (["floor=low"], "a height")):
            done = self.call("run", arm, "--param", *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(part, done.stderr)

    def test_a_scene_may_include_a_robot(self):
        self.file((SOURCE / "scenes/arm.urdf").read_text(), "arm.urdf")
        path = self.file('{"cardhouse": 1, "include": ["arm.urdf"], "bodies": [{"name": "ball", "position": [0, 3, 3],'
                         ' "shapes": [{"type": "sphere", "radius": 0.1}]}]}', "scene.json")
        _, bodies, joints, _ = self.read(path)
        self.assertEqual(set(bodies), {"ball", "stand", "upper", "lower", "finger"})

    def test_what_is_not_read_is_told(self):
        text = urdf(link("a"), "<gazebo/>", "<gazebo/>", "<transmission name='t'><type/></transmission>")
        told = self.read(self.file(text))[3]
        self.assertIn("not read: <gazebo> (line 3, 2 times), <transmission> (line 5)", told)
        text = mjcf(BODY.format("a", "0 0 0", "<site/>"), "<option solver='PGS'/><keyframe><key qpos='0'/></keyframe>")
        told = self.read(self.file(text))[3]
        for part in ("<site> in <body>", "solver of <option>", "<keyframe>"):
            self.assertIn(part, told)
        done = self.call("scene", "check", self.file(text), "--json")
        self.assertIn("robot", [w["kind"] for w in json.loads(done.stdout)["warnings"]])


class Refusals(Robots):
    """Every byte may be hostile: file, line, column, what is there and what would be right."""

    def test_xml(self):
        bomb = "<!DOCTYPE r [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]>\n<robot name='&b;'/>"
        self.refused(bomb, "robot.xml:1:", "document type")
        self.refused("<robot name='r'>\n  <link name='a'>\n</robot>", "robot.xml:3:", "not valid XML")
        self.refused("<robot name='&a;'/>", "not valid XML")
        self.refused("<a>" * 300 + "</a>" * 300, "nested deeper than 250")
        self.refused("<robot name='r'>" + "<link/>" * 50000 + "</robot>", "more than 50000 elements")
        self.refused("<sdf/>", "robot.xml:1:1", "URDF begins with <robot>")
        self.refused("<robot name='r' " + " ".join(f"a{k}=''" for k in range(70)) + "/>", "71 attributes")

    def test_urdf(self):
        cases = [
            (urdf(), "has no <link>"),
            (urdf(link("a"), link("a")), "robot.xml:3:1: <link>: another link is called 'a'"),
            (urdf(link("a"), link("b")), "'b' has no joint to the rest"),
            (urdf(link("a"), link("b"), joint("a", "bb")), "there is no link 'bb'; did you mean 'b'?"),
            (urdf(link("a"), link("b"), joint("a", "b"), joint("b", "a")), "every link is the child of a joint"),
            (urdf(link("a"), link("b"), link("c"), joint("a", "b"), joint("c", "b", name="d")), "already the child"),
            (urdf(link("r"), link("a"), link("b"), joint("a", "b"), joint("b", "a")), "hangs on itself"),
            (urdf(link("a"), link("b", ""), joint("a", "b")), "'b' moves and has no mass"),
            (urdf(link("a"), link("b"), joint("a", "b", "screw")), "type is 'screw', must be one of: revolute"),
            (urdf(link("a"), link("b"), joint("a", "b", "revolute")), "<limit> is missing"),
            (urdf(link("a"), link("b"), joint("a", "b", "revolute", "<limit lower='1' upper='0' effort='1'/>")), "must ascend"),
            (urdf(link("a"), link("b"), joint("a", "b", inside="<axis xyz='0 0 0'/>")), "has no direction"),
            (urdf(link("a"), link("b"), joint("a", "b", inside="<axis xyz='0 0'/>")), "must have 3 numbers"),
            (urdf(link("a"), link("b"), joint("a", "b", inside="<axis xyz='1e-320 0 0'/>")), "has no direction"),
            (urdf(link("a"), link("b"), joint("a", "b", inside="<origin xyz='1e200 0 0'/>")), "at most 1e+20 in size"),
            (urdf(link("a"), link("b"), joint("a", "b", inside="<axis xyz='0 0 nan'/>")), "must be numbers"),
            (urdf(link("a"), link("b"), joint("a", "b", inside="<mimic joint='c'/>")), "coupled=free"),
            (urdf(link("a", "<collision><geometry><box size='1 0 1'/></geometry></collision>")), "every number must be > 0"),
            (urdf(link("a", "<collision><geometry><cone/></geometry></collision>")), "<cone>: is not known"),
            (urdf(link("a", "<inertial><mass value='1'/></inertial>")), "<inertia> is missing"),
        ]
        for text, part in cases:
            self.refused(text, "robot.xml:", part)
        done = self.call("scene", "import", self.file(urdf(link("a"), link("b"), joint("a", "b", inside="<mimic joint='c'/>"))),
                         "--param", "coupled=free")
        self.assertEqual(done.returncode, 0)
        self.assertIn("does not follow 'c'", done.stderr)

    def test_faults_of_the_scene_name_the_element(self):
        heavy = "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='9'/></inertial>"
        self.refused(urdf(link("a"), link("b", heavy), joint("a", "b")), "robot.xml:3:1: $.bodies[0]", "principal moments 1, 1, 9")

    def test_meshes_stay_in_the_folder(self):
        for name in ("../a.stl", "/etc/passwd", "file:///etc/passwd", "package://../a.stl", "package://p/../../a.stl", "http://x/a.stl"):
            self.refused(urdf(link("a", f"<collision><geometry><mesh filename='{name}'/></geometry></collision>")),
                         "robot.xml:2:", "in the folder of the robot's file or below it")
        self.refused(urdf(link("a", "<collision><geometry><mesh filename='b.stl'/></geometry></collision>")), "there is no file")
        self.refused(mjcf("<geom type='mesh' mesh='b'/>", "<asset><mesh name='b' file='b.obj'/></asset>", "<compiler meshdir='..'/>"),
                     "in the folder of the robot's file")

    def test_mjcf(self):
        cases = [
            ("<mujoco/>", "<worldbody> is missing"),
            ("<mujoco><include file='a.xml'/><worldbody/></mujoco>", "is not read; put the content of the file here"),
            (mjcf("<body><joint/></body>"), "moves and has no mass"),
            (mjcf("<body><joint/><geom type='plane'/></body>"), "planes belong to <worldbody>"),
            (mjcf("<body><joint/><geom size='0'/></body>"), "size must have 1 number above 0"),
            (mjcf("<body><joint/><geom type='box' size='1'/></body>"), "size must have 3 numbers"),
            (mjcf("<body><joint range='30 -30'/><geom size='1'/></body>"), "must ascend"),
            (mjcf("<body><joint class='c'/><geom size='1'/></body>"), ""),
            (mjcf("<body><joint type='screw'/><geom size='1'/></body>"), "must be one of: hinge, slide, ball, free"),
            (mjcf("<body quat='1 0 0 0' euler='0 0 0'><joint/><geom size='1'/></body>"), "give one of them"),
            (mjcf(BODY.format("a", "0 0 0", "") + BODY.format("a", "1 0 0", "")), "another body is called 'a'"),
            (mjcf(BODY.format("a", "0 0 0", ""), "<contact><exclude body1='a' body2='b'/></contact>"), "there is no body 'b'"),
            (mjcf(BODY.format("a", "0 0 0", ""), "<actuator><motor joint='x'/></actuator>"), "there is no joint 'x'"),
            (mjcf(BODY.format("a", "0 0 0", ""), "<equality><joint joint1='a j' joint2='b'/></equality>"), "coupled=free"),
            (mjcf("<geom type='hfield' hfield='h'/>"), "is a height field"),
            (mjcf("<geom type='mesh' mesh='h'/>"), "there is no mesh 'h' among the assets"),
        ]
        for text, part in cases:
            if part:
                self.refused(text, "robot.xml:1:", part)


if __name__ == "__main__":
    unittest.main()
