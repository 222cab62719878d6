#!/usr/bin/env python3
"""Scene files as a user meets them: the schema and the reader agree, and a bad scene is refused with file, line and path."""
import copy
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import h5py
import jsonschema

BUILD = os.path.abspath(os.environ.get("CH_BUILD", "build"))
SOURCE = os.environ.get("CH_SOURCE", os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(BUILD, "cardhouse")

GOOD = {
    "cardhouse": 1,
    "gravity": [0, 0, -9.81],
    "materials": {"wood": {"density": 700, "friction": 0.4}},
    "bodies": [
        {"name": "floor", "fixed": True, "shapes": [{"type": "halfspace", "material": "wood"}]},
        {"name": "crate", "position": [0, 0, 1], "shapes": [{"type": "box", "half": [0.5, 0.5, 0.5], "material": "wood"}]},
        {"name": "ball", "position": [2, 0, 1], "shapes": [{"type": "sphere", "radius": 0.5}]},
    ],
    "joints": [{"type": "ball", "bodies": ["ground", "ball"], "at": [2, 0, 2]}],
    "forces": [{"type": "spring", "bodies": ["crate", "ball"], "stiffness": 10}],
}

# What is changed (path, value; DELETE takes the key out), what the message must hold, whether the schema can see it too.
DELETE = object()
BAD = [
    (["bodeis"], [], ["$.bodeis", "did you mean 'bodies'"], True),
    (["cardhouse"], 2, ["$.cardhouse", "must be 1"], True),
    (["cardhouse"], DELETE, ["\"cardhouse\" is missing"], True),
    (["dimension"], 4, ["$.dimension", "2 (plane) or 3 (space)"], True),
    (["gravity"], [0, -9.81], ["$.gravity", "array of 3"], True),
    (["bodies", 1, "mass"], 0, ["$.bodies[1].mass", "is 0, must be > 0"], True),
    (["bodies", 1, "mass"], -1, ["$.bodies[1].mass", "is -1, must be > 0"], True),
    (["bodies", 1, "position"], [0, 0], ["$.bodies[1].position", "has 2 entries, must have 3"], True),
    (["bodies", 1, "position"], "here", ["$.bodies[1].position", "is text, must be an array"], True),
    (["bodies", 1, "position", 2], None, ["$.bodies[1].position[2]", "is null, must be a number"], True),
    (["bodies", 1, "posiiton"], [0, 0, 0], ["$.bodies[1].posiiton", "did you mean 'position'"], True),
    (["bodies", 1, "fixed"], 1, ["$.bodies[1].fixed", "must be true or false"], True),
    (["bodies", 1, "lock"], ["y", "rw"], ["$.bodies[1].lock[1]", "'rw' is not known"], True),
    (["bodies", 1, "name"], "floor", ["$.bodies[1]", "another body has this name"], False),
    (["bodies", 1, "name"], "", ["$.bodies[1].name", "is empty"], True),
    (["bodies", 1, "orientation"], {"degrees": 3}, ["$.bodies[1].orientation", "\"axis\" is missing"], True),
    (["bodies", 1, "orientation"], {"axis": [0, 0, 0], "degrees": 3}, ["orientation.axis", "is zero"], False),
    (["bodies", 1, "orientation"], [1, 1, 0, 0], ["$.bodies[1].orientation", "unit quaternion"], False),
    (["bodies", 1, "inertia"], [1, 1, 1], ["$.bodies[1]", "without a mass"], False),
    (["bodies", 1, "shapes"], [], ["$.bodies[1]", "has no mass"], False),
    (["bodies", 3], {"name": "it's"}, ["$.bodies[3]", "has no mass"], False),
    (["bodies", 3], {"name": "x" * 120}, ["$.bodies[3]", "has no mass"], False),
    (["bodies", 1, "shapes"], {}, ["$.bodies[1].shapes", "must be an array"], True),
    (["bodies", 1, "shapes", 0, "type"], "bxo", ["$.bodies[1].shapes[0].type", "did you mean 'box'"], True),
    (["bodies", 1, "shapes", 0, "type"], "disk", ["$.bodies[1].shapes[0].type", "'disk' is not known"], True),
    (["bodies", 1, "shapes", 0, "type"], DELETE, ["$.bodies[1].shapes[0]", "\"type\" is missing"], True),
    (["bodies", 1, "shapes", 0, "half"], DELETE, ["$.bodies[1].shapes[0]", "\"half\" is missing"], True),
    (["bodies", 1, "shapes", 0, "half", 1], 0, ["$.bodies[1].shapes[0].half[1]", "must be > 0"], True),
    (["bodies", 1, "shapes", 0, "radius"], 1, ["$.bodies[1].shapes[0].radius", "is not known"], True),
    (["bodies", 1, "shapes", 0, "material"], "wodo", ["shapes[0].material", "no material 'wodo'", "'wood'"], False),
    (["bodies", 1, "shapes", 0], {"type": "halfspace"}, ["$.bodies[1].shapes[0]", "fixed and kinematic"], False),
    (["bodies", 1, "shapes", 0], {"type": "hull"}, ["$.bodies[1].shapes[0]", "\"points\" or \"file\""], False),
    (["bodies", 1, "shapes", 0], {"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}, ["shapes[0]"], False),
    (["bodies", 1, "shapes", 0], {"type": "hull", "file": "none.obj"}, ["shapes[0]", "none.obj", "cannot be opened"], False),
    (["bodies", 1, "position", 2], 0.4, ["$.bodies[1]", "'floor' and 'crate' overlap by 0.1 m"], False),
    (["bodies", 1, "motion"], [0, 0], ["$.bodies[1].motion", "array of 3"], True),
    (["bodies", 1, "turn"], {"table": [[1, 0], [0, 1]]}, ["$.bodies[1].turn.table[1]", "times must ascend"], False),
    (["materials", "wood", "friction"], -0.1, ["$.materials.wood.friction", "must be >= 0"], True),
    (["materials", "wood", "friction"], {"along": 0.1}, ["$.materials.wood.friction", "\"across\" is missing"], True),
    (["materials", "wood", "restitution"], 1.5, ["$.materials.wood.restitution", "must be 0 to 1"], True),
    (["materials", "wood", "density"], 0, ["$.bodies[1]", "has no mass"], False),
    (["materials", "wood", "dnesity"], 1, ["$.materials.wood.dnesity", "did you mean 'density'"], True),
    (["pairs"], [{"materials": ["wood"]}], ["$.pairs[0].materials", "two names"], True),
    (["materials", "wood", "friction"], {"section": [[1, 0], [0, 1]]}, ["friction.section", "array of 3 to 32 points"], True),
    (["materials", "wood", "friction"], {"section": [[1, -1], [2, 0], [1, 1]]}, ["friction.section", "origin is outside"], False),
    (["pairs"], [{"materials": ["wood", "ice"], "friction": 0}], ["$.pairs[0].materials[1]", "no material 'ice'"], False),
    (["joints", 0, "bodies", 1], "bell", ["$.joints[0].bodies[1]", "no body 'bell'", "'ball'"], False),
    (["joints", 0, "bodies", 1], "ground", ["$.joints[0]", "ground"], False),
    (["joints", 0, "type"], "hing", ["$.joints[0].type", "did you mean 'hinge'"], True),
    (["joints", 0, "type"], "hinge", ["$.joints[0]", "\"axis\" is missing"], True),
    (["joints", 0, "axes"], [{"lower": 1, "upper": 0}], ["$.joints[0]", "limits"], False),
    (["joints", 0, "axes"], [{"drive": "fast"}], ["$.joints[0].axes[0].drive", "'fast' is not known"], True),
    (["forces", 0, "stiffness"], -1, ["$.forces[0].stiffness", "must be >= 0"], True),
    (["forces", 0, "at"], [[0, 0, 0]], ["$.forces[0].at", "two points"], True),
    (["ignore"], [["crate", "bal"]], ["$.ignore[0][1]", "did you mean 'ball'"], False),
    (["step"], {"h": 0}, ["$.step.h", "is 0, must be > 0"], True),
    (["step"], {"integrator": "eular"}, ["$.step.integrator", "did you mean 'euler'"], True),
    (["step"], {"stabilization": 1.5}, ["$.step.stabilization", "at most 1"], True),
    (["step"], {"stabilization": {"mode": "onn"}}, ["$.step.stabilization.mode", "did you mean 'on'"], True),
    (["step"], {"adaptive": True}, ["$.step.adaptive", "must be an object"], True),
    (["step"], {"threads": 1.5}, ["$.step.threads", "whole"], True),
    (["step"], {"threads": 1e9}, ["$.step.threads", "1 to 1024"], True),
    (["step"], {"h": 1e-300}, ["$.step.h", "is 1e-300", "1e-12 to 1000"], True),
    (["step"], {"until": 1e308}, ["$.step.until", "at most 1e12"], True),
    (["materials", "wood", "friction"], 1e9, ["$.materials.wood.friction", "at most 1e8"], True),
    (["bodies", 1, "velocity"], [1e308, 0, 0], ["$.bodies[1].velocity[0]", "is 1e+308, must be at most 1e+50"], False),
    (["bodies", 1, "mass"], 1e-308, ["$.bodies[1].mass", "must be at least 1e-50"], False),
    (["gravity", 2], -1e200, ["$.gravity[2]", "at most 1e+50"], False),
    (["method"], {"name": "newtn"}, ["$.method.name", "did you mean 'newton'"], True),
    (["method"], {"cone": "polygon:5"}, ["$.method.cone", "even"], True),
    (["method"], {"tolerance": 0}, ["$.method.tolerance", "1e-15"], True),
    (["method"], {"settings": {"nsgs.anderso": 1}}, ["$.method.settings.nsgs.anderso", "'nsgs.anderson'"], True),
    (["include"], ["nowhere.json"], ["$.include[0]", "nowhere.json"], False),
    (["bodies", 1, "position", 2], "=1+", ["$.bodies[1].position[2]", "formula"], False),
    (["bodies", 1, "position", 2], "=hieght", ["$.bodies[1].position[2]", "'hieght' is no parameter"], False),
    (["bodies", 1, "position", 2], "=1/0", ["$.bodies[1].position[2]", "must be finite"], False),
]


def changed(path, value):
    scene = copy.deepcopy(GOOD)
    at = scene
    for key in path[:-1]:
        at = at[key]
    if value is DELETE:
        del at[path[-1]]
    elif isinstance(at, list) and path[-1] == len(at):
        at.append(value)
    else:
        at[path[-1]] = value
    return scene


def run(*words, **more):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60, **more)


class Scenes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        with open(os.path.join(SOURCE, "docs", "scene.schema.json"), encoding="utf-8") as file:
            cls.schema = json.load(file)
        jsonschema.Draft202012Validator.check_schema(cls.schema)
        cls.validator = jsonschema.Draft202012Validator(cls.schema)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def write(self, text, name="scene.json"):
        path = os.path.join(self.folder, name)
        with open(path, "w" if isinstance(text, str) else "wb") as file:
            file.write(text)
        return path

    def refused(self, text, *parts):
        path = self.write(text)
        result = run("scene", "check", path)
        self.assertEqual(result.returncode, 2, result.stdout)
        for part in (path, *parts):
            self.assertIn(part, result.stderr)
        return result.stderr

    def test_the_schema_is_that_of_the_reader(self):
        self.assertEqual(json.loads(run("scene", "schema").stdout), self.schema,
                         "write it anew: cardhouse scene schema > docs/scene.schema.json")

    def test_comments_and_a_schema_are_passed_over_and_places_stay(self):
        text = json.dumps(GOOD, indent=1)
        commented = "// a crate\n/* and\n a ball */" + text.replace("[", "[ // here\n", 1).replace('"wood"', '"wood" /* "//" */')
        commented = commented.replace('"cardhouse": 1', '"cardhouse": 1, "$schema": "scene.schema.json"')
        self.assertEqual(run("scene", "check", "-", input=commented).returncode, 0)
        strings = text.replace('"crate"', '"a // b /* c"')  # no comments: they stand inside of strings
        table = os.path.join(self.folder, "names.h5")
        self.assertEqual(run("run", "-", "--until", "0.001", "--out", table, input=strings).returncode, 0)
        with h5py.File(table) as file:
            self.assertIn("a // b /* c", list(file["body/name"].asstr()[:]))
        wrong = "/* two\n lines */ " + '{"cardhouse": 1, // one\n "bodeis": []}'
        self.refused(wrong, ":3:2", "$.bodeis")  # line and column are those of the file
        self.refused('{"cardhouse": 1}\n /* no end', ":2:2", "has no end")
        self.refused('{"cardhouse": 1 / 2}', "is not valid JSON")

    def test_a_body_may_be_called_ground(self):
        scene = copy.deepcopy(GOOD)
        scene["bodies"][0]["name"] = "ground"
        path = self.write(json.dumps(scene))
        self.assertEqual(run("scene", "check", path).returncode, 0)
        # A joint to it then is one to this body: where it moves, what hangs from it goes along.
        scene["bodies"][0] = {"name": "ground", "motion": [{"rate": 1}, 0, 0], "shapes": [{"type": "sphere", "radius": 0.1}],
                              "position": [2, 0, 3]}
        scene["joints"] = [{"type": "fixed", "bodies": ["ground", "ball"], "at": [2, 0, 1]}]
        report = json.loads(run("run", self.write(json.dumps(scene)), "--until", "0.1", "--json").stdout)
        self.assertGreater(report["displacement"]["max"], 0.09)

    def test_built_ins_fit_the_schema_and_are_read(self):
        listed = json.loads(run("scene", "list", "--json").stdout)["scenes"]
        self.assertGreaterEqual(len(listed), 22)
        more = {"arch": ["--form", "semicircle"], "pile": ["--plane", "1"], "stack": ["--mass-ratio", "1e6"],
                "pendulum": ["--links", "4"], "newtons-cradle": ["--gap", "0"], "drop": ["--shape", "ring"]}
        for scene in listed:
            for words in [[]] + ([more[scene["name"]]] if scene["name"] in more else []):
                with self.subTest(scene=scene["name"], words=words):
                    small = ["--n", "20"] if scene["name"] in ("box-of-spheres", "pebble-bed", "hourglass", "hopper", "drop") else []
                    text = run("scene", scene["name"], *words, *small).stdout
                    self.validator.validate(json.loads(text))
                    result = run("scene", "check", "-", input=text)
                    self.assertEqual(result.returncode, 0, result.stderr)

    def test_examples_fit_the_schema_and_are_read(self):
        folder = os.path.join(SOURCE, "scenes")
        names = [name for name in os.listdir(folder) if name.endswith(".json")]
        self.assertGreaterEqual(len(names), 4)
        for name in names:
            with self.subTest(scene=name), open(os.path.join(folder, name), encoding="utf-8") as file:
                self.validator.validate(json.load(file))
                result = run("scene", "check", os.path.join(folder, name))
                self.assertEqual(result.returncode, 0, result.stderr)

    def test_the_scene_of_the_documentation_is_good(self):
        with open(os.path.join(SOURCE, "docs", "scene.md"), encoding="utf-8") as file:
            text = re.search(r"```json\n(.*?)```", file.read(), re.S).group(1)
        self.validator.validate(json.loads(text))
        result = run("scene", "check", self.write(text))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("3 bodies, 2 of them moving", result.stdout)

    def test_the_good_scene_is_good(self):
        self.validator.validate(GOOD)
        result = run("scene", "check", self.write(json.dumps(GOOD)))
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_bad_scenes_are_refused_by_the_reader_and_where_it_can_by_the_schema(self):
        for path, value, parts, seen in BAD:
            with self.subTest(path=path, value=value):
                scene = changed(path, value)
                self.refused(json.dumps(scene, indent=1), *parts)
                self.assertEqual(not self.validator.is_valid(scene), seen)

    def test_all_faults_are_told_at_once(self):
        scene = copy.deepcopy(GOOD)
        scene["gravity"] = [0, 0]
        scene["stepp"] = {}
        scene["materials"]["wood"]["friction"] = -1
        scene["materials"]["ice"] = {"slip": 1}
        scene["bodies"][0]["shapes"][0]["type"] = "half-space"
        scene["bodies"][1] = {"name": "crate", "position": [0, 0, "=h"], "mass": 0,
                              "shapes": [{"type": "cube", "half": [1, 1, 1]}, {"type": "box", "size": [1, 1, 1], "material": "wood"}]}
        scene["bodies"].append({"name": "ice", "shapes": [{"type": "sphere", "radius": 1, "material": "ice"}]})
        scene["joints"] += [{"type": "hinge", "bodies": ["crate", "ball"]}, {"type": "ball", "bodies": ["bal", "floor"], "at": [0, 0, 0]}]
        scene["forces"][0]["stiffness"] = -1
        said = self.refused(json.dumps(scene))
        faults = ["$.gravity: is an array of another length", "$.stepp: is not known", "$.materials.wood.friction: is -1",
                  "$.materials.ice.slip: is not known", "$.bodies[0].shapes[0].type: 'half-space' is not known; did you mean 'halfspace'",
                  "$.bodies[1].position[2]: is the formula '=h'", "$.bodies[1].mass: is 0",
                  "$.bodies[1].shapes[0].type: 'cube' is not known; did you mean 'box'",
                  "$.bodies[1].shapes[1].size: is not known; did you mean 'half'", "$.bodies[1].shapes[1]: \"half\" is missing",
                  "$.joints[1]: \"at\" is missing", "$.joints[1]: \"axis\" is missing",
                  "$.joints[2].bodies[0]: there is no body 'bal'; did you mean 'ball'", "$.forces[0].stiffness: is -1"]
        for fault in faults:
            self.assertIn(fault, said)
        self.assertEqual(said.count("\n"), len(faults), said)  # and none that only follows from another
        self.assertEqual(run("run", os.path.join(self.folder, "scene.json")).stderr, said.replace("scene check:", "run:"))

    def test_reading_goes_on_behind_lists_of_names_that_are_none(self):
        for key, value in (("ignore", [[[], "crate"], ["crate", "ball"]]), ("include", [{}, "more.json"])):
            said = self.refused(json.dumps({**GOOD, key: value, "joints": [{"type": "ball", "bodies": [1, 2]}]}))
            self.assertIn(f"$.{key}[0]", said)
            self.assertIn("$.joints[0].bodies[0]: is a number", said)

    def test_at_most_fifty_faults_are_told(self):
        said = self.refused(json.dumps({**GOOD, "joints": [{"type": "no"}] * 80}))
        self.assertEqual(said.count("\n"), 50)
        self.assertIn("30 more are not shown", said)

    def test_line_and_column_are_those_of_the_value(self):
        text = '{"cardhouse": 1,\n "name": "a \\"quoted\\" {name",\n "bodies": [\n  {"name": "b",\n   "mass":   0}]}\n'
        self.assertIn("scene.json:5:14: $.bodies[0].mass: is 0", self.refused(text))
        text = '{"cardhouse": 1,\n "bodies": [{"mass": 1}, {"mass": 1,\n\n "velocty": [0, 0, 0]}]}\n'
        self.assertIn("scene.json:4:2: $.bodies[1].velocty: is not known; did you mean 'velocity'?", self.refused(text))

    def test_text_that_is_no_json(self):
        self.refused("", "empty")
        self.refused("[1, 2", ":1:5:", "not valid JSON")
        self.refused("[17]", "must be an object")
        self.refused('{"cardhouse": 1, "gravity": [0, 0, NaN]}', ":1:", "not valid JSON")
        self.refused('{"cardhouse": 1, "gravity": [0, 0, Infinity]}', ":1:", "not valid JSON")
        self.refused('{"cardhouse": 1, "gravity": [0, 0, -1e999]}', ":1:", "not valid JSON")
        self.refused('{"cardhouse": 1, "cardhouse": 1}', "duplicate")
        self.refused("[" * 1000000, "not valid JSON")
        self.refused('{"a":' * 1000000, "not valid JSON")
        self.refused(os.urandom(1000000), "not valid JSON")
        self.refused(b"\x00" * 1000, "not valid JSON")
        self.refused(b"\x89HDF\r\n\x1a\n" + b"\x00" * 100, "is an HDF5 file", "cardhouse view")

    def test_a_mark_of_the_byte_order_is_passed_over(self):
        result = run("scene", "check", self.write(b"\xef\xbb\xbf" + json.dumps(GOOD).encode()))
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_gigabyte_ends_at_once(self):
        path = os.path.join(self.folder, "huge.json")
        with open(path, "wb") as file:
            file.truncate(1 << 30)  # zeros that take no room on the disk
        result = run("scene", "check", path)
        self.assertEqual(result.returncode, 2)
        self.assertIn("holds 1073741824 bytes", result.stderr)
        os.remove(path)
        result = subprocess.run(f"yes '[' | head -c 1000000000 | {PROGRAM} scene check -", shell=True, timeout=60,
                                capture_output=True, text=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("standard input: is longer than", result.stderr)

    def check(self, scene, *words):
        result = run("scene", "check", self.write(json.dumps({"cardhouse": 1, **scene})), "--json", *words)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        return json.loads(result.stdout), result.returncode

    def test_check_warns_of_what_is_hardly_meant(self):
        material = {"m": {"density": 1000, "friction": 0.5}}
        floor = {"name": "floor", "fixed": True, "shapes": [{"type": "box", "half": [5, 5, 0.5], "material": "m"}]}

        def cube(name, half, at, kind="box"):
            return {"name": name, "position": at, "shapes": [{"type": kind, "half": half, "material": "m"}]}
        kinds = {
            "empty": [],
            "fall": [floor, cube("stray", [0.1, 0.1, 0.1], [20, 0, 3])],
            "scale": [floor, cube("huge", [400, 400, 20], [0, 0, 500])],
            "thin": [floor, cube("sheet", [0.3, 0.3, 0.0005], [0, 0, 0.6])],
            "overlap": [floor, cube("sunk", [0.5, 0.5, 0.5], [0, 0, 0.9999])],
        }
        for kind, bodies in kinds.items():
            with self.subTest(kind=kind):
                report, status = self.check({"materials": material, "bodies": bodies}, "--strict")
                self.assertEqual([warning["kind"] for warning in report["warnings"]], [kind])
                self.assertEqual(status, 1)
        good = [floor, cube("good", [0.1, 0.1, 0.1], [0, 0, 0.6])]
        worlds = {
            "scale": {"gravity": [0, 0, -9810]},
            "gravity": {"gravity": [0, 0, 9.81]},
            "step": {"step": {"h": 0.2}},
        }
        for kind, more in worlds.items():
            with self.subTest(kind=kind):
                report, status = self.check({"materials": material, "bodies": good, **more}, "--strict")
                self.assertIn(kind, [warning["kind"] for warning in report["warnings"]])
        report, _ = self.check({"materials": material, "bodies": good, "gravity": [0, 0, 0]})
        self.assertIn("nothing will move", report["warnings"][0]["text"])
        moving = [floor, {**good[1], "velocity": [0, 0, -1]}]
        report, _ = self.check({"materials": material, "bodies": moving, "gravity": [0, 0, 0]})
        self.assertEqual(report["warnings"], [])
        report, status = self.check({"materials": material, "bodies": [floor, cube("good", [0.1, 0.1, 0.1], [0, 0, 0.604])]},
                                    "--strict")
        self.assertEqual((report["warnings"], status), ([], 0))
        self.assertAlmostEqual(report["clearances"][0]["gap"], 0.004, 12)
        self.assertEqual(report["clearances"][0]["bodies"], ["floor", "good"])

    def test_a_run_warns_of_what_shows_at_once(self):
        stray = {"cardhouse": 1, "bodies": [{"name": "stray", "shapes": [{"type": "sphere", "radius": 30}]}]}
        path = self.write(json.dumps(stray))
        said = run("run", path, "--until", "3", "--h", "0.1", "--strict")
        self.assertEqual(said.returncode, 0)  # no warning is a step that missed
        self.assertIn("warning (scale): 'stray' has a radius of 30 m", said.stderr)
        self.assertIn("warning (fall): 1 body, 'stray' first", said.stderr)
        self.assertNotIn("fall", run("run", path, "--until", "1", "--h", "0.1").stderr)  # it is still in sight
        self.assertEqual(run("run", path, "--until", "3", "--h", "0.1", "--quiet").stderr, "")

    def test_check_tells_of_coarse_fields_and_of_healed_meshes(self):
        corners = [[x, y, z] for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-0.5, 0.5)]
        faces = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4],
                 [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]]
        block = {"type": "mesh", "points": corners, "triangles": faces + [[2, 1, 0]], "material": "m", "contact": "sampled"}
        scene = {"materials": {"m": {"density": 1000}}, "bodies": [
            {"name": "floor", "fixed": True, "shapes": [{"type": "box", "half": [5, 5, 0.5], "material": "m"}]},
            {"name": "block", "position": [0, 0, 1.001], "shapes": [block]}]}
        if '"sampled"' not in json.dumps(self.schema["$defs"]["space-shape"]):
            del block["contact"]  # meshes have no other way of contact
        report, _ = self.check(scene)
        self.assertEqual([warning["kind"] for warning in report["warnings"]], ["mesh"])
        self.assertIn("choose a resolution", report["warnings"][0]["text"])
        self.assertIn("1 doubled triangle", report["healed"][0])

    def test_a_run_with_sampled_contacts_coarser_than_the_clearance_is_refused(self):
        corners = [[x, y, z] for z in (-0.1, 0.1) for y in (-0.1, 0.1) for x in (-0.1, 0.1)]
        faces = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4],
                 [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]]
        walls = [{"type": "box", "half": [0.1, 0.3, 0.3], "at": [x, 0, 0], "material": "m"} for x in (-0.202, 0.202)]

        def run_with(**more):
            plug = {"type": "mesh", "points": corners, "triangles": faces, "material": "m", **more}
            scene = {"cardhouse": 1, "materials": {"m": {"density": 1000}}, "bodies": [
                {"name": "slot", "fixed": True, "shapes": walls}, {"name": "plug", "shapes": [plug]}]}
            return run("run", self.write(json.dumps(scene)), "--until", "0.002")

        for resolution, cell in ((8, "0.025"), (64, "0.00313")):  # 0.2 m in so many cells, beside a clearance of 2 mm
            coarse = run_with(contact="sampled", resolution=resolution)
            self.assertEqual(coarse.returncode, 2, coarse.stdout)
            for part in ("scene.json:1:", "$.bodies[1]", f"cells of {cell} m", "clearance of 0.002 m to 'slot'"):
                self.assertIn(part, coarse.stderr)
            needed = int(re.search(r'a "resolution" of (\d+) or more', coarse.stderr).group(1))
            self.assertGreaterEqual(needed, 100)
        for fits in ({"contact": "sampled", "resolution": needed}, {"contact": "exact"}):
            result = run_with(**fits)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_mesh_that_is_not_closed(self):
        self.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 -1\nf 1 2 3\nf 1 4 2\nf 1 3 4\n", "open.obj")
        scene = copy.deepcopy(GOOD)
        scene["bodies"][0]["shapes"] = [{"type": "mesh", "file": "open.obj", "closed": True}]
        self.refused(json.dumps(scene), "$.bodies[0].shapes[0]", "open.obj", "closed")
        scene["bodies"][0]["shapes"][0]["closed"] = False
        result = run("scene", "check", self.write(json.dumps(scene)))
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_files_are_looked_for_from_the_folder_of_the_scene(self):
        os.makedirs(os.path.join(self.folder, "parts"), exist_ok=True)
        text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
        for place in ("four.obj", "parts/four.obj"):
            self.write(text, place)
            for kind, fixed in (("hull", False), ("mesh", True)):
                scene = {"cardhouse": 1, "bodies": [{"fixed": fixed, "shapes": [{"type": kind, "file": place}]}]}
                path = self.write(json.dumps(scene))
                for name, where in ((path, None), ("scene.json", self.folder)):
                    result = run("scene", "check", name, cwd=where)
                    self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_start_with_overlaps_is_healed(self):
        box = {"type": "box", "half": [0.1, 0.1, 0.1]}
        wall = {"type": "box", "half": [0.1, 1, 1]}
        scene = {"cardhouse": 1, "bodies": [{"name": f"b{k}", "position": [0.18 * k, 0, 0], "shapes": [box]}
                                            for k in range(2)]}
        path, out = self.write(json.dumps(scene)), os.path.join(self.folder, "healed.json")
        self.assertEqual(run("scene", "check", path).returncode, 2)
        result = run("scene", "heal", path, "-o", out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("0.02 m at most", result.stdout)
        with open(out) as file:
            bodies = json.load(file)["bodies"]
        self.assertEqual(run("scene", "check", out).returncode, 0)
        for k, x in enumerate((-0.01, 0.19)):
            self.assertAlmostEqual(bodies[k]["position"][0], x, delta=1e-9)
            self.assertEqual(bodies[k]["shapes"], scene["bodies"][k]["shapes"])
        scene["bodies"] += [{"name": f"w{k}", "fixed": True, "position": [x, 0, 0], "shapes": [wall]}
                            for k, x in enumerate((-0.2, 0.38))]
        result = run("scene", "heal", self.write(json.dumps(scene)), "--out", out)
        self.assertEqual(result.returncode, 1)
        self.assertIn("no room", result.stderr)
        self.assertEqual(run("scene", "heal", os.path.join(self.folder, "none.json")).returncode, 2)

    def test_overlaps_can_be_allowed_or_ignored(self):
        scene = changed(["bodies", 1, "position", 2], 0.45)
        self.refused(json.dumps(scene), "overlap by 0.05 m")
        for more in ({"step": {"overlap": 0.06}}, {"ignore": [["crate", "floor"]]}):
            result = run("scene", "check", self.write(json.dumps({**scene, **more})))
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_includes_are_added_and_blamed_by_their_own_name(self):
        part = {"cardhouse": 1, "parameters": {"r": 0.5, "high": "=4*r"},
                "bodies": [{"name": "extra", "position": [5, 5, "=high"], "shapes": [{"type": "sphere", "radius": "=r"}]}]}
        self.write(json.dumps(part), "part.json")
        whole = {**GOOD, "include": ["part.json"],
                 "joints": [{"type": "ball", "bodies": ["ground", "extra"], "at": [5, 5, 2]}]}
        result = run("scene", "check", self.write(json.dumps(whole)))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("4 bodies, 3 of them moving", result.stdout)
        part["bodies"][0]["shapes"][0]["radius"] = -1
        self.write(json.dumps(part), "part.json")
        result = run("scene", "check", self.write(json.dumps(whole)))
        self.assertIn("part.json:1:", result.stderr)
        self.assertIn("$.bodies[0].shapes[0].radius", result.stderr)
        self.write(json.dumps({"cardhouse": 1, "include": ["scene.json"]}), "part.json")
        result = run("scene", "check", self.write(json.dumps(whole)))
        self.assertIn("is included twice", result.stderr)
        self.write(json.dumps({"cardhouse": 1, "include": ["./scene.json"]}), "part.json")
        result = run("scene", "check", self.write(json.dumps(whole)))
        self.assertIn("'./scene.json' is included twice", result.stderr)


class Command(unittest.TestCase):
    def test_help_of_every_scene(self):
        for scene in json.loads(run("scene", "list", "--json").stdout)["scenes"]:
            result = run("scene", scene["name"], "--help")
            self.assertEqual(result.returncode, 0)
            for parameter in scene["parameters"]:
                self.assertIn("--" + parameter["name"].replace("_", "-"), result.stdout)

    def test_mistakes_get_the_nearest_word(self):
        for words, part in ((["crads"], "did you mean 'cards'"), (["cards", "--levls", "3"], "did you mean '--levels'"),
                            (["cards", "--levels", "2.5"], "must be a whole number"), (["arch", "--form", "gothic"], "catenary|semicircle"),
                            (["cards", "--angle", "50"], "overlap"), (["cards", "--mu", "nan"], "allowed 0 to 10"), (["check"], "FILE is missing")):
            result = run("scene", *words)
            self.assertEqual(result.returncode, 2)
            self.assertIn(part, result.stderr)

    def test_every_key_is_in_the_documentation(self):
        with open(os.path.join(SOURCE, "docs", "scene.md"), encoding="utf-8") as file:
            page = file.read()
        with open(os.path.join(SOURCE, "docs", "scene.schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        names = set(scene["name"] for scene in json.loads(run("scene", "list", "--json").stdout)["scenes"])
        for name, form in schema["$defs"].items():
            for part in form.get("oneOf", [form]):
                names |= set(part["properties"])
                names |= {part["properties"]["type"]["const"]} if "const" in part["properties"].get("type", {}) else set()
        missing = sorted(name for name in names if f"`{name}`" not in page)
        self.assertFalse(missing, "docs/scene.md does not mention these")


if __name__ == "__main__":
    unittest.main()
