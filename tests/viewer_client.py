"""What the tests of `cardhouse view` share: the server as a process, and the other end of its socket by hand."""
import base64
import hashlib
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

CARDHOUSE = os.environ.get("CARDHOUSE", "build/cardhouse")
PATIENCE = 60.0  # seconds: machines that test are slow at times


def has_viewer():
    run = subprocess.run([CARDHOUSE, "view", "--compare", "x"], capture_output=True, text=True)
    return "without the viewer" not in run.stderr


class Server:
    """A running `cardhouse view`; its log is what it says on standard error. What is asked of it carries its key."""

    def __init__(self, *words, **more):
        self.log = tempfile.TemporaryFile("w+")
        words = [CARDHOUSE, "view", *([] if "env" in more else ["--no-browser"]), *words]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=self.log, text=True, **more)
        line = self.process.stdout.readline()
        match = re.match(r"Look: (http://127\.0\.0\.1:(\d+)/(?:\?key=(\w+))?)\s", line)
        if not match:
            self.close()
            raise AssertionError(f"no link in {line!r}; {self.logged()}")
        self.address, self.port, self.key = match.group(1), int(match.group(2)), match.group(3)

    def with_key(self, path):
        return path + ("&" if "?" in path else "?") + f"key={self.key}"

    def logged(self):
        self.log.seek(0)
        return self.log.read()

    def wait_logged(self, text):
        end = time.monotonic() + PATIENCE
        while text not in self.logged():
            if time.monotonic() > end:
                raise AssertionError(f"{text!r} was not logged: {self.logged()!r}")
            time.sleep(0.02)

    def get(self, path, method="GET", key=True, **headers):
        path = self.with_key(path) if key else path
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

    def __init__(self, server, path="/ws", key=True, **headers):
        path = server.with_key(path) if key else path
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
class ViewerCase(unittest.TestCase):
    def server(self, *words, **more):
        server = Server(*words, **more)
        self.addCleanup(server.close)
        return server

    def page(self, server, **more):
        page = Page(server, **more)
        self.addCleanup(page.close)
        return page
