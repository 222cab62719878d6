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


if __name__ == "__main__":
    unittest.main()
