#!/usr/bin/env python3
"""`cardhouse view` among strangers: who gets in, what it refuses, what it survives, and that it ends when it is asked to."""
import glob
import http.client
import json
import os
import re
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

from viewer_client import CARDHOUSE, PATIENCE, Page, ViewerCase


class Refusing(ViewerCase):
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
        began, drip = time.monotonic(), slow[10:]  # half of them send a byte now and then
        while drip and time.monotonic() - began < 15.0:
            time.sleep(0.3)
            for s in list(drip):
                try:
                    s.sendall(b".")
                except ConnectionError:
                    drip.remove(s)
        self.assertEqual(drip, [])
        for s in slow:
            try:
                self.assertEqual(s.recv(100)[:0], b"")  # ends, with or without words
            except ConnectionError:
                pass
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


    # -------------------------------------------------------------------------------------------------------- the key

    def raw(self, server, head, wait=True):
        """What the server answers to these bytes, until it hangs up."""
        s = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
        self.addCleanup(s.close)
        s.sendall(head)
        data = b""
        try:
            while wait and (more := s.recv(1 << 16)):
                data += more
        except ConnectionError:
            pass
        return data

    def test_nothing_is_answered_without_the_key(self):
        server, other = self.server("stack", "--paused"), self.server("stack", "--paused")
        self.assertRegex(server.key, r"^[0-9a-f]{32}$")
        self.assertNotEqual(server.key, other.key)
        self.assertEqual(server.get("/")[0].status, 200)
        self.assertEqual(self.page(server).status, 101)
        last = "1" if server.key[-1] == "0" else "0"
        wrong = ["", "?", "?key=", f"?key={other.key}", f"?key={server.key[:-1]}", f"?key={server.key}0", "?key=%00",
                 f"?key={server.key[:-1]}{last}", f"?key={server.key.upper()}x", f"?kez={server.key}", f"?once={server.key}",
                 f"?key={'0' * 2000}", f"#key={server.key}"]
        for query in wrong:
            for path in ("/", "/index.html", "/problem.hdf5", "/nothing"):
                try:
                    answer, body = server.get(path + query, key=False)
                except http.client.RemoteDisconnected:  # not even an answer, where there is a zero byte
                    self.assertIn("%00", query)
                    continue
                self.assertEqual(answer.status, 403, path + query)
                self.assertNotIn(server.key.encode(), body)
                self.assertNotIn(server.key, str(answer.getheaders()))
            self.assertIn(self.page(server, path="/ws" + query, key=False).status, (403,) if "%00" not in query else (0, 403))
        answer, body = server.get("/", key=False)
        self.assertIn(b"copy the whole address", body)
        self.assertIn("text/html", answer.getheader("content-type"))
        self.assertEqual(server.get("/", method="POST", key=False)[0].status, 403)
        self.assertEqual(server.get("/", Cookie=f"key={server.key}", key=False)[0].status, 403)
        server.wait_logged("without the key")
        self.assertNotIn(server.key, server.logged())
        with open(f"/proc/{server.process.pid}/cmdline", "rb") as file:
            self.assertNotIn(server.key.encode(), file.read())

    def invited(self):
        """A server that started a browser, and the address that the browser got."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        told = os.path.join(folder.name, "told")
        with open(os.path.join(folder.name, "xdg-open"), "w") as file:
            file.write(f'#!/bin/sh\nprintf %s "$1" > "{told}.part" && mv "{told}.part" "{told}"\n')
        os.chmod(file.name, 0o755)
        os.chmod(folder.name, 0o755)
        server = self.server("stack", "--paused",
                             env={**os.environ, "DISPLAY": ":0", "PATH": f"{folder.name}:{os.environ['PATH']}"})
        end = time.monotonic() + PATIENCE
        while not os.path.exists(told) and time.monotonic() < end:
            time.sleep(0.01)
        with open(told) as file:
            return server, file.read()

    def test_a_browsers_command_line_lets_nobody_in_twice(self):
        server, address = self.invited()
        self.assertNotIn(server.key, address)
        path = address.removeprefix(f"http://127.0.0.1:{server.port}")
        self.assertRegex(path, r"^/\?once=[0-9a-f]{32}$")
        self.assertEqual(server.get(path, key=False, Host="evil.example")[0].status, 403)
        self.assertEqual(self.page(server, path="/ws" + path[1:], key=False).status, 403)
        answer, _ = server.get(path, key=False)
        self.assertEqual((answer.status, answer.getheader("location")), (303, server.with_key("/")))
        self.assertEqual(answer.getheader("cache-control"), "no-store")
        self.assertEqual(server.get(path, key=False)[0].status, 403)
        self.assertEqual(server.get("/")[0].status, 200)

    @unittest.skipUnless(os.geteuid() == 0, "only root can be somebody else")
    def test_an_invitation_is_no_use_to_another_user(self):
        server, address = self.invited()
        ask = (f"import http.client as h; c = h.HTTPConnection('127.0.0.1', {server.port}); "
               f"c.request('GET', '{address.partition(str(server.port))[2]}'); print(c.getresponse().status)")
        stranger = subprocess.run(["/usr/bin/python3", "-c", ask], capture_output=True, text=True, user=65534, group=65534,
                                  extra_groups=[])
        self.assertEqual(stranger.stdout.strip(), "403", stranger.stderr)
        self.assertEqual(server.get(address.partition(str(server.port))[2], key=False)[0].status, 303)  # nor is it lost

    # ---------------------------------------------------------------------------------------------------- other protocols

    def test_HTTP_2_is_refused(self):
        server = self.server("stack", "--paused")
        for path in (server.with_key("/"), "/"):
            answer = self.raw(server, (f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: Upgrade, "
                                       f"HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n").encode())
            self.assertRegex(answer, rb"^HTTP/1\.[01] 400 ", answer[:200])
        server.wait_logged("h2c")
        answer = self.raw(server, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
        self.assertNotIn(b"\x00\x04", answer)  # frames of settings
        self.assertNotIn(b" 200", answer)
        self.assertEqual(server.get("/")[0].status, 200)

    # ---------------------------------------------------------------------------------------------------------- problems

    def problem_request(self, server):
        s = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
        self.addCleanup(s.close)
        s.sendall(f"GET {server.with_key('/problem.hdf5')} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
        return s

    def test_abandoned_requests_for_a_problem_hold_up_nobody(self):
        server = self.server("pebble-bed")
        page = self.page(server)
        page.frame(lambda f: f.step > 2)
        began = time.monotonic()
        server.get("/problem.hdf5")
        one = time.monotonic() - began
        for _ in range(100):
            self.problem_request(server).close()
        began = time.monotonic()
        page.send(type="pause")
        page.wait(lambda m: isinstance(m, dict) and m.get("running") is False)
        self.assertLess(time.monotonic() - began, max(10 * one, 1.0))
        end = time.monotonic() + PATIENCE
        while (answer := server.get("/problem.hdf5")[0]).status == 503 and time.monotonic() < end:
            time.sleep(float(answer.getheader("retry-after")))
        self.assertEqual(answer.status, 200)

    def sockets(self, server):
        folder, count = f"/proc/{server.process.pid}/fd", 0
        for name in os.listdir(folder):
            try:
                count += "socket:" in os.readlink(os.path.join(folder, name))
            except FileNotFoundError:  # closed in the meantime
                pass
        return count

    def test_abandoned_connections_are_let_go_at_once(self):
        server = self.server("stack", "--paused")
        self.page(server).frame()
        for path in ("/", "/problem.hdf5"):
            before = self.sockets(server)
            for _ in range(60):
                s = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
                s.sendall(f"GET {server.with_key(path)} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
                s.close()
            began = time.monotonic()
            while self.sockets(server) > before and time.monotonic() - began < 10.0:
                time.sleep(0.05)
            left = self.sockets(server) - before
            self.assertLess(time.monotonic() - began, 3.0, f"{path}: {left} left")

    def test_a_refusal_that_comes_later_closes_its_connection_too(self):
        server = self.server("stack", "--paused")  # which has no problem before its first step
        began, s = time.monotonic(), self.problem_request(server)
        answer = b""
        while piece := s.recv(4096):
            answer += piece
        s.close()
        self.assertIn(b"503", answer.splitlines()[0])
        self.assertLess(time.monotonic() - began, 20.0)  # what is left open ends after 70 s

    def slow_load(self, cache, *words):
        """A server whose simulation is busy with a scene for a long time, and a page of it."""
        server = self.server(*words, "--no-browser", env={**os.environ, "XDG_CACHE_HOME": cache, "TMPDIR": cache})
        page = self.page(server)
        page.frame()
        page.send(type="load", scene="dinosaurs", parameters={"cells": 36, "modes": 15})
        time.sleep(0.5)
        return server, page

    def test_requests_that_wait_share_a_problem_and_are_bounded(self):
        with tempfile.TemporaryDirectory() as cache:
            server, _ = self.slow_load(cache, "stack", "--paused")
            waiting = [self.problem_request(server) for _ in range(16)]
            time.sleep(0.3)
            answer, _ = server.get("/problem.hdf5")
            self.assertEqual((answer.status, answer.getheader("retry-after")), (503, "1"))
            self.assertEqual(server.get("/")[0].status, 200)
            for s in waiting:
                s.close()
        server = self.server("stack")
        self.page(server).frame(lambda f: f.step > 5)
        waiting = [self.problem_request(server) for _ in range(10)]
        bodies = set()
        for s in waiting:
            answer = http.client.HTTPResponse(s)
            answer.begin()
            self.assertEqual(answer.status, 200)
            bodies.add(len(answer.read()))
        self.assertEqual(len(bodies), 1)

    # --------------------------------------------------------------------------------------------------------------- ends

    def ends_at_once(self, server):
        began = time.monotonic()
        self.assertEqual(server.close(), 0)
        self.assertLess(time.monotonic() - began, 1.0)  # about 0.25 on a machine that is idle

    def test_it_ends_at_once_while_a_scene_is_loaded(self):
        """At moments of which some find METIS at work, which takes SIGTERM's handler away while it is."""
        for later in (0.0, 0.1, 0.2, 0.4):
            with tempfile.TemporaryDirectory() as cache:
                server, _ = self.slow_load(cache, "stack")
                time.sleep(later)
                self.ends_at_once(server)
                self.assertEqual(glob.glob(os.path.join(cache, "cardhouse-*")), [])

    def test_it_ends_at_once_in_the_middle_of_a_long_step(self):
        server = self.server("pile", "--speed", "0")
        page = self.page(server)
        page.frame()
        page.send(type="load", scene="pile", parameters={"n": 150})
        page.send(type="set", name="limit", value=2)
        page.text("scene")
        time.sleep(1.0)
        self.ends_at_once(server)

    def test_it_ends_at_once_while_problems_are_made_and_leaves_no_files(self):
        with tempfile.TemporaryDirectory() as folder:
            server = self.server("pebble-bed", "--no-browser", env={**os.environ, "TMPDIR": folder})
            self.page(server).frame()
            self.assertEqual(server.get("/problem.hdf5")[0].status, 200)
            waiting = [self.problem_request(server) for _ in range(5)]
            time.sleep(0.05)
            self.ends_at_once(server)
            self.assertEqual(os.listdir(folder), [])
            self.assertEqual(len(waiting), 5)

    # -------------------------------------------------------------------------------------------------------------- pipes

    def test_a_scene_comes_through_a_pipe_once_and_stays(self):
        scene = subprocess.run([CARDHOUSE, "scene", "stack", "--n", "3"], capture_output=True, check=True).stdout
        for word in ("-", "/dev/stdin"):
            pipe, end = os.pipe()
            os.write(end, scene)
            os.close(end)
            server = self.server(word, "--paused", stdin=pipe)
            os.close(pipe)
            page = self.page(server)
            own = page.text("scene")
            self.assertEqual((own["name"], len(own["bodies"])), ("stack", 4))
            page.send(type="load", scene="arch")
            page.text("scene")
            page.send(type="load", scene=word)
            again = page.wait(lambda m: isinstance(m, dict) and m["type"] in ("scene", "error"))
            self.assertEqual(again.get("bodies"), own["bodies"], again)

    def test_a_replay_comes_through_a_pipe(self):
        scene = subprocess.run([CARDHOUSE, "scene", "stack", "--n", "3"], capture_output=True, check=True).stdout
        for word in ("-", "/dev/stdin"):
            run = subprocess.run([CARDHOUSE, "replay", word, "--until", "0.02"], input=scene, capture_output=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn(b"data-recording", run.stdout)

    def test_a_port_that_is_not_for_us_is_not_said_to_be_taken(self):
        with open("/proc/sys/net/ipv4/ip_unprivileged_port_start") as file:
            if int(file.read()) <= 1:
                self.skipTest("every port is free to all here")
        stranger = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        try:
            run = subprocess.run([CARDHOUSE, "view", "stack", "--no-browser", "--port", "1"], capture_output=True, text=True,
                                 timeout=PATIENCE, **stranger)
        except PermissionError:
            self.skipTest("another user cannot run this program")
        self.assertEqual(run.returncode, 2)
        self.assertIn("privileged", run.stderr)
        self.assertNotIn("another program", run.stderr)


if __name__ == "__main__":
    unittest.main()
