#!/usr/bin/env python3
"""Floods a dashboard that watches a session, and looks at what comes of it.

    benches/flood.py [--gert PATH] [--seconds N] [--rate N] [--size BYTES]

Needs Linux, Python 3 and pyte. A made-up server on loopback sends RATE spectator messages of SIZE bytes a second, in
bursts of ten milliseconds; `gert` watches in a terminal of 120x40. Afterwards the recording is read. Prints one JSON
object: how far the screen was behind what had been sent (the share of messages that were younger than what is shown,
in ms), the memory over time, frames and processor time, and how many of the messages the recording has.
"""
import argparse
import base64
import fcntl
import hashlib
import json
import multiprocessing
import os
import pty
import re
import select
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from pathlib import Path

import pyte

ROOT = Path(__file__).resolve().parent.parent
# Ticks have seven digits from the first, so that messages of one size can be made by replacing them.
FIRST = 1_000_000
SESSION = {
    "session_id": "s_flood", "game": "flood", "status": "active", "tick": 1, "max_ticks": 9_999_999, "player_count": 1,
    "seats": [{"player_id": "p0", "kind": "ai", "name": "source", "score": 0}], "scores": {"p0": 0}, "vs_ai": True,
    "spectate_mode": "public", "created_at": "2026-01-01T00:00:00.000Z", "started_at": "2026-01-01T00:00:00.000Z",
}
GAME = {"slug": "flood", "name": "Flood", "tags": [], "description": "A flood.", "prompt": "## Overview\n\nA flood.",
        "min_players": 1, "max_players": 1, "config": {}}
ANSWERS = {
    "/auth/balance": {"credits": 100, "held": 0}, "/auth/usage": {"usage": []}, "/games": {"games": [GAME]},
    "/games/flood": GAME, "/tags": {"tags": [], "taxonomy": {}}, "/sessions": {"sessions": [SESSION]},
    "/sessions/s_flood": SESSION, "/sessions/s_flood/logs": {"logs": []},
}


def frame(payload):
    head = bytes([0x81, len(payload)]) if len(payload) < 126 else b"\x81\x7e" + struct.pack(">H", len(payload))
    return head + payload


def messages(size):
    """What stands before and after the two places of a tick in a frame."""
    text = json.dumps({"type": "observation", "tick": 7_777_777, "player_id": "p0", "on_turn": False,
                       "data": {"beat": 7_777_777, "filler": "@"}, "scores": {"p0": 0}})
    text = text.replace("@", "x" * max(1, size - len(text)))
    return [part.encode("latin1") for part in frame(text.encode()).decode("latin1").split("7777777")]


def serve(listener, args, sent, done):
    parts = messages(args.size)

    def flood(connection):
        burst = max(1, args.rate // 100)
        session = json.dumps({"type": "session", "session": SESSION}).encode()
        connection.sendall(frame(session))
        began, tick = time.monotonic(), FIRST
        while not done.is_set() and tick < FIRST + args.rate * args.seconds:
            last = tick + burst
            digits = (b"%d" % n for n in range(tick, last))
            data = b"".join(parts[0] + n + parts[1] + n + parts[2] for n in digits)
            connection.sendall(data)
            tick = sent.value = last
            time.sleep(max(0.0, began + (tick - FIRST) / args.rate - time.monotonic()))
        connection.sendall(frame(json.dumps({"type": "game_completed", "scores": {"p0": 0}, "status": "completed"}).encode()))
        connection.sendall(b"\x88\x02\x03\xe8")
        time.sleep(0.5)

    def answer(connection):
        with connection:
            data = b""
            while not data.endswith(b"\r\n\r\n"):
                more = connection.recv(65536)
                if not more:
                    return
                data += more
                if not data.endswith(b"\r\n\r\n"):
                    continue
                head = data.decode("latin1")
                path = head.split(" ")[1].split("?")[0].removeprefix("/api/v1")
                key = re.search(r"(?i)sec-websocket-key: *(\S+)", head)
                if key:
                    accept = hashlib.sha1((key[1] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
                    connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                       b"Sec-WebSocket-Accept: " + base64.b64encode(accept) + b"\r\n\r\n")
                    try:
                        flood(connection)
                    except OSError:
                        pass
                    return
                known = path in ANSWERS
                body = json.dumps(ANSWERS[path] if known else
                                  {"error": {"code": "NOT_FOUND", "message": f"no {path}"}}).encode()
                status = b"200 OK" if known else b"404 Not Found"
                connection.sendall(b"HTTP/1.1 " + status + b"\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                data = b""

    while True:
        connection, _ = listener.accept()
        threading.Thread(target=answer, args=(connection,), daemon=True).start()


class Terminal:
    def __init__(self, words, env):
        self.fd, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.program = subprocess.Popen(words, env=env, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
        os.close(theirs)
        self.screen = pyte.Screen(120, 40)
        self.stream, self.bytes, self.reads = pyte.ByteStream(self.screen), 0, 0

    def read(self, seconds):
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if select.select([self.fd], [], [], left)[0]:
                try:
                    data = os.read(self.fd, 1 << 16)
                except OSError:
                    return
                self.bytes, self.reads = self.bytes + len(data), self.reads + 1
                self.stream.feed(data)

    def until(self, pattern, seconds=15):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.read(0.02)
            if found := re.search(pattern, "\n".join(self.screen.display)):
                return found
        sys.exit("flood: the screen never showed %s:\n%s" % (pattern, "\n".join(self.screen.display)))

    def memory(self):
        status = Path(f"/proc/{self.program.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def processor(self):
        fields = Path(f"/proc/{self.program.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def watch(terminal, args, sent):
    """Lags in ms and memory in MiB while the flood lasts."""
    terminal.until(r"beat\W+([1-9]\d{6})")
    lags, memory, began = [], [], time.monotonic()
    while time.monotonic() - began < args.seconds - 1:
        # What was sent before the screen is read must be on it, but for what is under way.
        newest = sent.value
        terminal.read(0.034)
        shown = re.search(r"beat\W+([1-9]\d{6})", "\n".join(terminal.screen.display))
        if shown:
            lags.append((newest - int(shown[1])) / args.rate * 1000)
        if len(memory) < time.monotonic() - began:
            memory.append(round(terminal.memory(), 1))
    return lags, memory


def recorded(folder):
    files = list(folder.glob("*.jsonl*"))
    ticks = set()
    for path in files:
        text = subprocess.run(["zcat", "-f", path], capture_output=True, check=True).stdout
        ticks.update(int(tick) for tick in re.findall(rb'"beat":\s*([1-9]\d{6})', text))
    return len(ticks), sum(path.stat().st_size for path in files)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gert", default=str(ROOT / "target/release/gert"))
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rate", type=int, default=20_000)
    parser.add_argument("--size", type=int, default=2_000)
    args = parser.parse_args()
    listener = socket.create_server(("127.0.0.1", 0))
    sent, done = multiprocessing.Value("q", 0), multiprocessing.Event()
    server = multiprocessing.Process(target=serve, args=(listener, args, sent, done), daemon=True)
    server.start()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        config = home / "config.toml"
        config.write_text("[recordings]\nmax_mib = 100000\ntotal_mib = 200000\ncompress = false\n")
        env = {"HOME": folder, "PATH": os.environ["PATH"], "TERM": "xterm-256color", "GERT_API_KEY": "sk_gert_flood",
               "GERT_BASE_URL": f"http://127.0.0.1:{listener.getsockname()[1]}/api/v1"}
        terminal = Terminal([args.gert, "--config", str(config)], env)
        terminal.until("Flood")
        os.write(terminal.fd, b"2")
        terminal.until("s_flood|source")
        os.write(terminal.fd, b"w")
        lags, memory = watch(terminal, args, sent)
        spent, drawn, bytes_drawn = terminal.processor(), terminal.reads, terminal.bytes
        terminal.until("(?i)completed|ended|over", 30)
        terminal.read(1.0)
        os.kill(terminal.program.pid, signal.SIGTERM)
        terminal.read(2.0)
        terminal.program.wait(10)
        done.set()
        count, size = recorded(home / ".local/share/gert/recordings")
    lags.sort()
    report = {
        "sent": sent.value - FIRST, "recorded": count, "recording_mib": round(size / 2**20),
        "lag_ms": {"p50": statistics.median(lags), "p99": lags[len(lags) * 99 // 100], "max": lags[-1], "samples": len(lags)},
        "memory_mib": {"first": memory[0], "tenth": memory[min(10, len(memory) - 1)], "last": memory[-1], "most": max(memory)},
        "processor_s": round(spent, 2), "terminal": {"reads": drawn, "bytes": bytes_drawn},
    }
    print(json.dumps(report))
    return 0 if count == report["sent"] else 1


if __name__ == "__main__":
    sys.exit(main())
