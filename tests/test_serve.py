#!/usr/bin/env python3
"""`cardhouse view`: the page, the socket, frames that agree with the state, orders, and everything it must refuse."""
import base64
import hashlib
import http.client
import json
import math
import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

CARDHOUSE = os.environ.get("CARDHOUSE", "build/cardhouse")
PATIENCE = 60.0  # seconds: machines that test are slow at times


def has_viewer():
    run = subprocess.run([CARDHOUSE, "view", "--compare", "x"], capture_output=True, text=True)
    return "without the viewer" not in run.stderr


class Server:
    """A running `cardhouse view`; its log is what it says on standard error."""

    def __init__(self, *words):
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([CARDHOUSE, "view", "--no-browser", *words], stdout=subprocess.PIPE,
                                        stderr=self.log, text=True)
        line = self.process.stdout.readline()
        match = re.match(r"Look: http://127\.0\.0\.1:(\d+)/", line)
        if not match:
            self.close()
            raise AssertionError(f"no link in {line!r}; {self.logged()}")
        self.port = int(match.group(1))

    def logged(self):
        self.log.seek(0)
        return self.log.read()

    def wait_logged(self, text):
        end = time.monotonic() + PATIENCE
        while text not in self.logged():
            if time.monotonic() > end:
                raise AssertionError(f"{text!r} was not logged: {self.logged()!r}")
            time.sleep(0.02)

    def get(self, path, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        headers = {"Host": f"127.0.0.1:{self.port}", **headers}
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer, body

    def memory(self):
        """Resident kilobytes."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.status = self.process.wait(PATIENCE)
        self.process.stdout.close()
        return self.status


class Page:
    """The other end of /ws, by hand."""

    def __init__(self, server, path="/ws", **headers):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
        self.bytes = b""
        key = base64.b64encode(os.urandom(16)).decode()
        head = {"Host": f"127.0.0.1:{server.port}", "Upgrade": "websocket", "Connection": "Upgrade",
                "Sec-WebSocket-Key": key, "Sec-WebSocket-Version": "13", **headers}
        text = f"GET {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in head.items()) + "\r\n"
        self.socket.sendall(text.encode())
        while b"\r\n\r\n" not in self.bytes and self.more():
            pass
        answer, _, self.bytes = self.bytes.partition(b"\r\n\r\n")
        self.status = int(answer.split()[1]) if answer else 0
        if self.status == 101:
            want = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
            assert want in answer, answer

    def more(self):
        try:
            data = self.socket.recv(1 << 20)
        except ConnectionError:
            data = b""
        self.bytes += data
        return bool(data)

    def need(self, count):
        while len(self.bytes) < count:
            if not self.more():
                raise EOFError
        data, self.bytes = self.bytes[:count], self.bytes[count:]
        return data

    def piece(self):
        first, second = self.need(2)
        size = second & 127
        if size >= 126:
            size = int.from_bytes(self.need(2 if size == 126 else 8), "big")
        data = self.need(size)
        if first & 15 == 9:  # a ping
            self.send_piece(0x8A, data)
            return self.piece()
        return first >> 7, first & 15, data

    def message(self):
        """The next one: text as an object, binary as a frame. EOFError with the status when the server closes."""
        last, kind, data = self.piece()
        while not last:
            last, _, more = self.piece()
            data += more
        if kind == 8:
            raise EOFError(int.from_bytes(data[:2], "big"))
        return json.loads(data) if kind == 1 else Frame(data)

    def wait(self, wanted):
        """The next message for which wanted(message) holds."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            message = self.message()
            if wanted(message):
                return message
        raise AssertionError("it did not come in time")

    def text(self, kind):
        return self.wait(lambda m: isinstance(m, dict) and m["type"] == kind)

    def frame(self, wanted=lambda frame: True):
        return self.wait(lambda m: isinstance(m, Frame) and wanted(m))

    def send_piece(self, first, data, mask=b"\1\2\3\4"):
        size = len(data)
        head = bytes([first]) + (bytes([128 | size]) if size < 126 else bytes([254]) + struct.pack(">H", size)
                                 if size < 65536 else bytes([255]) + struct.pack(">Q", size))
        self.socket.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def send(self, **order):
        self.send_piece(0x81, json.dumps(order).encode())

    def closes(self):
        """The status with which the server closes; 0 when it just hangs up."""
        try:
            while True:
                self.message()
        except EOFError as end:
            return end.args[0] if end.args else 0

    def close(self):
        self.socket.close()


class Frame:
    """As docs/viewer_protocol.md says."""

    def __init__(self, data):
        magic, kind, self.generation, self.pane = struct.unpack_from("<4I", data, 0)
        self.time, self.step, bodies, contacts, stats, self.flags = struct.unpack_from("<dQ4I", data, 16)
        modes, = struct.unpack_from("<I", data, 48)
        assert magic == 0x32464843 and kind == 1
        assert len(data) == 52 + 32 * bodies + 4 * modes + 68 * contacts + 48 * stats, "the lengths do not add up"
        at = 52
        self.poses = [struct.unpack_from("<7f", data, at + 28 * b) for b in range(bodies)]
        at += 28 * bodies
        self.modes = struct.unpack_from(f"<{modes}f", data, at)
        at += 4 * modes
        self.islands = struct.unpack_from(f"<{bodies}i", data, at)
        at += 4 * bodies
        self.contacts = [struct.unpack_from("<14f2iI", data, at + 68 * k) for k in range(contacts)]
        at += 68 * contacts
        self.stats = [struct.unpack_from("<4d4f", data, at + 48 * k) for k in range(stats)]
        self.running = self.flags & 1


@unittest.skipUnless(has_viewer(), "this program was built without the viewer")
class Serving(unittest.TestCase):
    def server(self, *words):
        server = Server(*words)
        self.addCleanup(server.close)
        return server

    def page(self, server, **more):
        page = Page(server, **more)
        self.addCleanup(page.close)
        return page

    # ------------------------------------------------------------------------------------------------------- watching

    def test_the_page_is_served_with_its_security_headers(self):
        server = self.server("cards", "--paused")
        answer, body = server.get("/")
        self.assertEqual(answer.status, 200)
        self.assertIn(b"<title>Cardhouse", body)
        policy = answer.getheader("content-security-policy")
        for script in re.findall(rb"<script[^>]*>(.*?)</script>", body, re.S):
            self.assertIn(base64.b64encode(hashlib.sha256(script).digest()).decode(), policy)
        self.assertIn("default-src 'none'", policy)
        self.assertEqual(answer.getheader("x-content-type-options"), "nosniff")
        self.assertEqual(server.close(), 0)

    def test_hello_scene_state_then_frames(self):
        page = self.page(self.server("cards"))
        self.assertEqual(page.status, 101)
        hello, scene, state = page.message(), page.message(), page.message()
        self.assertEqual([hello["type"], scene["type"], state["type"]], ["hello", "scene", "state"])
        self.assertEqual(hello["version"], 2)
        self.assertIn("cards", [s["name"] for s in hello["scenes"]])
        self.assertIn("auto", hello["methods"])
        self.assertTrue(state["running"])
        self.assertEqual((scene["panes"], scene["pane"], scene["dimension"]), (1, 0, 3))
        frame = page.frame(lambda f: f.step > 5)
        self.assertEqual(len(frame.poses), len(scene["bodies"]))
        self.assertEqual(frame.generation, scene["generation"])
        self.assertAlmostEqual(frame.time, frame.step * scene["h"], places=9)
        for pose in frame.poses:
            self.assertAlmostEqual(sum(q * q for q in pose[3:]), 1.0, places=5)

    def test_a_standing_house_is_certified_and_its_forces_carry_it(self):
        page = self.page(self.server("cards"))
        scene = page.text("scene")
        stats, frame = [], None
        while not stats or stats[-1][0] < 0.1:
            frame = page.frame()
            stats += frame.stats
        self.assertLess(max(s[1] for s in stats), 1e-8)
        self.assertTrue(all(s[7] in (0.0, 2.0) for s in stats), "no step missed")
        times = [s[0] for s in stats]
        self.assertEqual(times, sorted(times))
        weight = 9.81 * sum(b["mass"] for b in scene["bodies"] if not b["fixed"])
        fixed = {i for i, b in enumerate(scene["bodies"]) if b["fixed"]}
        carried = sum(c[8] * (1 if c[15] not in fixed else -1) for c in frame.contacts
                      if (c[14] in fixed) != (c[15] in fixed))
        self.assertAlmostEqual(carried / weight, 1.0, delta=0.05)
        self.assertEqual({frame.islands[i] for i in fixed}, {-1})
        for c in frame.contacts:
            if c[16] == 1:
                normal = sum(c[3 + k] * c[6 + k] for k in range(3))
                tangent = math.sqrt(max(sum(c[6 + k] ** 2 for k in range(3)) - normal ** 2, 0.0))
                self.assertLessEqual(tangent, c[13] * normal * (1 + 1e-4) + 1e-6)

    def test_pause_step_reset_speed(self):
        page = self.page(self.server("stack", "--paused"))
        first = page.frame()
        self.assertEqual((first.step, first.running), (0, 0))
        page.send(type="step")
        self.assertEqual(page.frame(lambda f: f.step > 0).step, 1)
        page.send(type="run")
        page.frame(lambda f: f.step > 20 and f.running)
        page.send(type="pause")
        page.wait(lambda m: isinstance(m, dict) and m.get("running") is False)
        page.send(type="speed", value=0.25)
        self.assertEqual(page.text("state")["speed"], 0.25)
        page.send(type="reset")
        scene = page.text("scene")
        frame = page.frame(lambda f: f.generation == scene["generation"])
        self.assertEqual((frame.step, frame.time), (0, 0.0))

    def test_the_loop_is_measured(self):
        page = self.page(self.server("stack"))
        loop = page.wait(lambda m: isinstance(m, dict) and m["type"] == "loop" and m["steps_per_second"])
        self.assertGreater(loop["steps_per_second"], 0)
        for share in ("met", "in_time"):
            self.assertTrue(0.0 <= loop[share] <= 1.0)
        self.assertGreater(loop["real_time_factor"], 0)
        self.assertGreater(loop["limit"], 0)
        self.assertGreaterEqual(loop["behind_seconds"], 0)

    def test_L12_a_scene_to_be_felt_is_kept_to_the_clock_as_a_run_in_real_time_is(self):
        page = self.page(self.server("haptic"))
        loop = page.wait(lambda m: isinstance(m, dict) and m["type"] == "loop" and m["steps_per_second"]
                         and abs(m["limit"] - 0.006) < 1e-12)  # until the clock is lost, on a machine that is slow
        self.assertLessEqual(loop["real_time_factor"], 1.5)
        page.send(type="set", name="limit", value=0.002)
        page.wait(lambda m: isinstance(m, dict) and m["type"] == "loop" and abs(m["limit"] - 0.002) < 1e-12)
        page.send(type="set", name="limit", value=None)
        page.send(type="speed", value=0.1)  # in slow motion there is time
        page.wait(lambda m: isinstance(m, dict) and m["type"] == "loop" and m["limit"] > 0.1)

    def test_scenes_are_loaded_with_parameters(self):
        page = self.page(self.server("cards", "--paused"))
        page.text("scene")
        page.send(type="load", scene="stack", parameters={"n": 3})
        scene = page.text("scene")
        self.assertEqual((scene["scene"], len(scene["bodies"])), ("stack", 4))
        page.send(type="load", scene="stak")
        self.assertIn("stack", page.text("error")["text"])
        page.send(type="load", scene="/etc/passwd")
        self.assertIn("/etc/passwd", page.text("error")["text"])

    def test_plane_scenes_are_plane(self):
        page = self.page(self.server("arch", "--paused"))
        page.text("scene")
        page.send(type="load", scene="pile", parameters={"plane": "1"})
        scene = page.wait(lambda m: isinstance(m, dict) and m["type"] in ("scene", "error"))
        self.assertEqual(scene.get("dimension"), 2, scene)
        frame = page.frame(lambda f: f.generation == scene["generation"])
        for pose in frame.poses:
            self.assertEqual((pose[2], pose[4], pose[5]), (0.0, 0.0, 0.0))

    # --------------------------------------------------------------------------------------------------------- poking

    def test_settings_change_and_are_told_to_all(self):
        server = self.server("incline")
        page, other = self.page(server), self.page(server)
        other.text("state")
        for name, value in (("mu", 0.125), ("h", 0.002), ("tolerance", 1e-6), ("cone", "polygon:8"), ("method", "lemke"),
                            ("rest", False), ("gravity", [0, 0, -1.5]), ("limit", 0.5)):
            page.send(type="set", name=name, value=value)
            told = other.wait(lambda m: isinstance(m, dict) and m["type"] == "state" and m[name] == value)
            self.assertEqual(told[name], value)
        page.send(type="set", name="limit", value=None)
        other.wait(lambda m: isinstance(m, dict) and m["type"] == "state" and m["limit"] is None)
        page.frame(lambda f: f.step > 10 and any(abs(c[13] - 0.125) < 1e-6 for c in f.contacts))
        page.send(type="set", name="method", value="nogs")
        self.assertIn("nogs", page.text("error")["text"])
        page.send(type="set", name="method", value="nsgs")
        self.assertIn("smooth cones only", page.text("error")["text"])
        page.send(type="reset")
        state = page.wait(lambda m: isinstance(m, dict) and m["type"] == "state" and m["mu"] is None)
        self.assertEqual((state["method"], state["cone"]), ("auto", "circular"))

    def test_gravity_turned_round_lifts_the_stack(self):
        page = self.page(self.server("stack"))
        start = page.frame().poses
        page.send(type="set", name="gravity", value=[0, 0, 9.81])
        page.frame(lambda f: f.poses[-1][2] > start[-1][2] + 0.05)

    def test_a_dragged_body_follows_and_stays_when_released(self):
        page = self.page(self.server("stack"))
        scene = page.text("scene")
        top = len(scene["bodies"]) - 1
        at = page.frame().poses[top]
        target = [at[0] + 0.3, at[1], at[2] + 1.0]
        page.send(type="drag", pane=0, body=top, local=[0, 0, 0], target=target)
        frame = page.frame(lambda f: abs(f.poses[top][2] - target[2]) < 0.05 and abs(f.poses[top][0] - target[0]) < 0.05)
        page.send(type="release")
        page.frame(lambda f: f.poses[top][2] < target[2] - 0.2)
        page.send(type="drag", pane=0, body=0, local=[0, 0, 0], target=target)
        self.assertIn("does not move", page.text("error")["text"])

    def test_a_block_shot_at_the_house_knocks_cards_down(self):
        page = self.page(self.server("cards"))
        scene = page.text("scene")
        before = page.frame(lambda f: f.step > 10)
        low, high = scene["bounds"]
        middle = [(a + b) / 2 for a, b in zip(low, high)]
        size = 0.15 * (high[2] - low[2])
        origin = [low[0] - 0.3 * (high[0] - low[0]), middle[1], low[2] + 0.3 * (high[2] - low[2])]
        page.send(type="shoot", origin=origin, direction=[1, 0, 0], speed=8.0, mass=50.0, size=size)
        after = page.text("scene")
        self.assertEqual(len(after["bodies"]), len(scene["bodies"]) + 1)
        shot = page.frame(lambda f: f.generation == after["generation"])
        self.assertGreater(shot.step, before.step - 1)
        self.assertLess(max(math.dist(a[:3], b[:3]) for a, b in zip(before.poses, shot.poses)), 0.01)
        page.frame(lambda f: max(math.dist(a[:3], b[:3]) for a, b in zip(before.poses, f.poses)) > 0.1)

    def test_bodies_and_contacts_are_inspected(self):
        page = self.page(self.server("stack"))
        scene = page.text("scene")
        page.frame(lambda f: f.step > 50)
        page.send(type="inspect", body=1)
        body = page.text("body")
        mass = scene["bodies"][1]["mass"]
        self.assertEqual((body["index"], body["name"]), (1, scene["bodies"][1]["name"]))
        self.assertAlmostEqual(body["contact_force"][2] / (9.81 * mass), 1.0, delta=0.01)
        page.send(type="inspect", contact=0)
        contact = page.text("contact")
        self.assertGreater(contact["normal_force"], 0)
        self.assertLessEqual(contact["utilisation"], 1.0 + 1e-6)
        page.send(type="inspect", body=1000000)
        self.assertIn("no body", page.text("error")["text"])

    def test_the_steps_problem_can_be_downloaded_and_solved(self):
        server = self.server("stack")
        self.page(server).frame(lambda f: f.step > 5)
        answer, body = server.get("/problem.hdf5?pane=0")
        self.assertEqual(answer.status, 200)
        self.assertIn("attachment", answer.getheader("content-disposition"))
        with tempfile.NamedTemporaryFile(suffix=".hdf5") as file:
            file.write(body)
            file.flush()
            solved = subprocess.run([CARDHOUSE, "solve", file.name, "--json"], capture_output=True, text=True)
        self.assertEqual(json.loads(solved.stdout)["status"], "solved")
        self.assertEqual(server.get("/problem.hdf5?pane=1")[0].status, 503)
        self.assertEqual(server.get("/problem.hdf5?pane=7")[0].status, 400)

    def test_two_methods_side_by_side(self):
        server = self.server("cards", "--compare", "pgs,auto")
        page = self.page(server)
        scene = page.text("scene")
        self.assertEqual((scene["panes"], scene["methods"]), (2, ["pgs", "auto"]))
        second = page.text("scene")
        self.assertEqual((second["pane"], second["method"]), (1, "auto"))
        frames = {}
        while set(frames) != {0, 1}:
            frame = page.frame(lambda f: f.step > 3)
            frames[frame.pane] = frame
        loop = page.wait(lambda m: isinstance(m, dict) and m["type"] == "loop" and m.get("distance"))
        self.assertGreater(loop["distance"], 0.0)
        self.assertLessEqual(len(loop["distances"]), 64)
        page.send(type="compare", methods=[])
        self.assertEqual(page.text("scene")["panes"], 1)

    # --------------------------------------------------------------------------------------------------------- replay

    def test_a_recording_is_played_and_sought(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.h5")
            subprocess.run([CARDHOUSE, "run", "stack", "--until", "0.3", "--every", "5", "--out", path, "--quiet"], check=True)
            self.assertEqual(subprocess.run([CARDHOUSE, "view", path, "--compare", "pgs,auto"], capture_output=True).returncode, 2)
            server = self.server(path, "--paused")
            page = self.page(server)
            self.assertEqual(page.text("hello")["mode"], "replay")
            scene, state = page.text("scene"), page.text("state")
            self.assertEqual((state["range"], state["running"]), ([0.0, 0.3], False))
            first = page.frame()
            self.assertEqual((first.time, len(first.poses)), (0.0, len(scene["bodies"])))
            self.assertEqual(len(first.stats), 61)
            page.send(type="seek", time=0.2)
            self.assertAlmostEqual(page.frame(lambda f: f.time > 0).time, 0.2)
            page.send(type="step")
            self.assertAlmostEqual(page.frame(lambda f: f.time > 0.201).time, 0.205)
            page.send(type="run")
            self.assertAlmostEqual(page.frame(lambda f: f.time > 0.21 and not f.running).time, 0.3)
            page.send(type="shoot", origin=[0, 0, 1], direction=[1, 0, 0], speed=1)
            self.assertIn("recording", page.text("error")["text"])
            self.assertEqual(server.get("/problem.hdf5")[0].status, 503)
            page.send(type="reset")
            self.assertEqual(page.frame(lambda f: f.time < 0.1).time, 0.0)

    # ------------------------------------------------------------------------------------------------------- refusals

    def test_only_this_machine_and_its_own_page(self):
        server = self.server("stack", "--paused")
        with open(f"/proc/net/tcp") as file:
            listening = [line.split()[1] for line in file if line.split()[3] == "0A"]
        self.assertIn(f"0100007F:{server.port:04X}", listening)
        self.assertNotIn(f"00000000:{server.port:04X}", listening)
        for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1", f"127.0.0.1:{server.port}.evil.example"):
            self.assertEqual(server.get("/", Host=host)[0].status, 403, host)
            self.assertEqual(self.page(server, Host=host).status, 403, host)
        self.assertEqual(server.get("/", Host=f"localhost:{server.port}")[0].status, 200)
        for origin in ("http://evil.example", "null", f"https://127.0.0.1:{server.port}", "http://127.0.0.1:1",
                       f"http://127.0.0.1:{server.port}.evil.example"):
            self.assertEqual(self.page(server, Origin=origin).status, 403, origin)
        self.assertEqual(self.page(server, Origin=f"http://127.0.0.1:{server.port}").status, 101)
        server.wait_logged("evil.example")

    def test_no_path_leads_elsewhere(self):
        server = self.server("stack", "--paused")
        for path in ("/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
                     "/index.html/../../etc/passwd", "/etc/passwd", "/page", "/.", "/index.html%00.js", "/ws/x", "/favicon.ico"):
            try:
                answer, body = server.get(path)
            except http.client.RemoteDisconnected:  # not even an answer
                continue
            self.assertNotIn(b"root:", body)
            if answer.status == 200:  # the library folds dots before it asks: then it is the page itself
                self.assertIn(b"<title>Cardhouse", body, path)
        self.assertEqual(server.get("/", method="POST")[0].status, 405)
        self.assertEqual(server.get("/", method="DELETE")[0].status, 405)
        self.assertEqual(self.page(server, path="/socket").status, 404)

    def test_wrong_messages_are_answered_and_end_the_connection_in_the_end(self):
        server = self.server("stack")
        page, other = self.page(server), self.page(server)
        wrong = ["", "{", "[]", "7", '{"type":3}', '{"type":"fly"}', '{"type":"speed"}', '{"type":"speed","value":-1}',
                 '{"type":"speed","value":"1"}', '{"type":"set","name":"mu","value":1e999}', '{"type":"set","name":"x"}',
                 '{"type":"drag","body":-1,"local":[0,0,0],"target":[0,0,0]}', '{"type":"drag","body":1,"local":[0]}',
                 '{"type":"shoot","origin":[0,0,0],"direction":[0,0,0],"speed":1}', '{"type":"compare","methods":["pgs"]}',
                 '{"type":"inspect"}', '{"type":"load"}', '{"type":"load","scene":"cards","parameters":[1]}',
                 '{"type":"run","type":"run"}']
        for text in wrong:
            page.send_piece(0x81, text.encode())
            self.assertEqual(page.text("error")["type"], "error", text)
        page.send_piece(0x81, b"[" * 60000)
        self.assertEqual(page.closes(), 1008)
        server.wait_logged("too many wrong messages")
        step = other.frame().step
        other.frame(lambda f: f.step > step + 20)  # the simulation goes on

    def test_long_binary_broken_and_unmasked_pieces_are_refused(self):
        server = self.server("stack")
        watcher = self.page(server)
        long, binary, broken, cut, huge, parts = (self.page(server) for _ in range(6))
        long.send_piece(0x81, b" " * 70000)
        self.assertEqual(long.closes(), 1009)
        binary.send_piece(0x82, b"abc")
        self.assertEqual(binary.closes(), 1003)
        broken.send_piece(0xF3, b"abc")  # reserved bits and opcode
        self.assertIn(broken.closes(), (0, 1002))
        cut.send_piece(0x81, b"\xff\xfe")  # no UTF-8
        self.assertIn(cut.closes(), (0, 1002, 1007))
        huge.socket.sendall(bytes([0x81, 255]) + struct.pack(">Q", 1 << 62) + b"\0\0\0\0" + b"x" * 100)
        self.assertIn(huge.closes(), (0, 1002, 1009))
        for k in range(12):
            try:
                parts.send_piece(0x01 if k == 0 else 0x00, b" " * 8000)
            except ConnectionError:
                break
        self.assertIn(parts.closes(), (0, 1009))
        server.wait_logged("longer than 64 KiB")
        step = watcher.frame().step
        watcher.frame(lambda f: f.step > step + 20)

    def test_noise_harms_nothing(self):
        server = self.server("stack")
        watcher = self.page(server)
        random = __import__("random").Random(1)
        for k in range(30):
            page = Page(server)
            try:
                page.socket.sendall(bytes(random.randrange(256) for _ in range(random.randrange(1, 400))))
            except ConnectionError:
                pass
            page.close()
            raw = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
            raw.sendall(bytes(random.randrange(256) for _ in range(random.randrange(1, 400))))
            raw.close()
        step = watcher.frame().step
        watcher.frame(lambda f: f.step > step + 20)

    def test_slow_requests_are_given_up_and_pages_are_counted(self):
        server = self.server("stack")
        slow = [socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) for _ in range(20)]
        for s in slow:
            s.sendall(b"GET / HTTP/1.1\r\nHost: 127.0")
        pages = [self.page(server) for _ in range(33)]
        self.assertEqual([p.status for p in pages], [101] * 32 + [503])
        for s in slow:
            self.assertEqual(s.recv(100)[:0], b"")  # ends, with or without words
            s.close()
        pages[3].close()
        end = time.monotonic() + PATIENCE
        while self.page(server).status != 101 and time.monotonic() < end:
            time.sleep(0.05)
        self.assertLess(time.monotonic(), end)

    def test_a_page_that_stops_reading_holds_up_nobody(self):
        server = self.server("stack")
        reading, stopped = self.page(server), self.page(server)
        stopped.frame()
        step = reading.frame().step
        reading.frame(lambda f: f.step > step + 500)
        memory = server.memory()
        step = reading.frame().step
        reading.frame(lambda f: f.step > step + 1000)
        self.assertLess(server.memory() - memory, 8000)

    # ---------------------------------------------------------------------------------------------------- command line

    def test_usage(self):
        for words, part in ((["--compare", "pgs"], "two methods"), (["--compare", "pgs,nope"], "nope"),
                            (["nowhere"], "nowhere"), (["--port", "0"], "allowed")):
            run = subprocess.run([CARDHOUSE, "view", "--no-browser", *words], capture_output=True, text=True, timeout=60)
            self.assertEqual(run.returncode, 2, words)
            self.assertIn(part, run.stderr)
        server = self.server("stack", "--paused")
        run = subprocess.run([CARDHOUSE, "view", "--no-browser", "--port", str(server.port)], capture_output=True,
                             text=True, timeout=60)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("another program has it", run.stderr)

    def test_it_ends_when_asked(self):
        server = self.server("stack")
        self.page(server).frame()
        began = time.monotonic()
        self.assertEqual(server.close(), 0)
        self.assertLess(time.monotonic() - began, PATIENCE / 2)


if __name__ == "__main__":
    unittest.main()
