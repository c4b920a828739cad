#!/usr/bin/env python3
"""Kills what can be killed while policies play, and looks at what is left.

    tests/chaos.py [--gert PATH] [--seconds N] [--seed N]

Needs Linux and nothing but Python 3. Over and over it starts one of: `gert policy play --arena`, `gert policy play` on an
arena of its own process with a proxy between that cuts sockets, and `gert demo` in a terminal. Then it kills at random:
the policy, the sockets, the arena, the program (INT, TERM, KILL, a closed terminal). Afterwards it checks that

- no process of a policy is left,
- every line of every recording is whole, but for the last one of a program that was killed outright,
- no seat has two accepted actions in one tick,
- the terminal is given back: modes as before, the cursor shown, the alternate screen left.
"""
import argparse
import fcntl
import json
import os
import pty
import random
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MARK = f"chaos-{os.getpid()}"
POLICY = f"python3 '{ROOT}/assets/policies/random.py' {MARK}"
faults = []


def fault(words):
    faults.append(words)
    print("FAULT:", words, file=sys.stderr, flush=True)


def policies():
    """The processes of policies, by their mark."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if entry.name.isdigit() and words[0].startswith(b"python3") and MARK.encode() in words:
            found.append(int(entry.name))
    return found


def kill(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def until(what, is_so, seconds=10.0):
    """Waits for something; says so if it does not come."""
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            fault(f"{what} after {seconds:.0f} s")
            return False
        time.sleep(0.05)
    return True


class Proxy:
    """Stands between a program and its server, and cuts all connections when told to."""

    def __init__(self, port):
        self.port, self.pairs = port, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
                server = socket.create_connection(("127.0.0.1", self.port))
            except OSError:
                return
            self.pairs.append((client, server))
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self.copy, args=(source, target), daemon=True).start()

    def copy(self, source, target):
        try:
            while data := source.recv(65536):
                # The arena answers to its own name only.
                data = data.replace(f"127.0.0.1:{self.address}".encode(), f"127.0.0.1:{self.port}".encode())
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        pairs, self.pairs = self.pairs, []
        for pair in pairs:
            for end in pair:
                try:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    end.close()
                except OSError:
                    pass

    def close(self):
        self.listener.close()
        self.cut()


class Surroundings:
    def __init__(self, gert, home, chance):
        self.gert, self.home, self.chance = gert, home, chance
        # A program that is ended at once may be in the middle of a line.
        self.may_tear = False
        self.env = {"HOME": str(home), "PATH": os.environ["PATH"], "TERM": "xterm-256color"}

    def start(self, *words, env=None, **streams):
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **streams}
        return subprocess.Popen([self.gert, *words], env={**self.env, **(env or {})}, **streams)

    def wait(self):
        time.sleep(self.chance.uniform(0.1, 1.5))

    def kill_a_policy(self):
        found = policies()
        if found:
            kill(self.chance.choice(found), self.chance.choice([signal.SIGKILL, signal.SIGSEGV, signal.SIGSTOP]))


def play_words(around):
    return ["policy", "play", "--game", around.chance.choice(["connect_four", "market_simulator", "grid_serpents"]),
            "--policy", POLICY, "--sessions", "50", "-j", "2", "--pace", "20", "--jsonl",
            "--on-failure", around.chance.choice(["stop", "restart", "safe"])]


def end(around, program, name):
    """Ends a program in one of several ways; it must be gone soon, and its policies with it."""
    number = around.chance.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
    kill(program.pid, number)
    twice = number == signal.SIGINT and around.chance.random() < 0.5
    if twice:
        kill(program.pid, number)
    around.may_tear = twice or number == signal.SIGKILL
    until(f"{name} lives on after {number.name}", lambda: program.poll() is not None, 15)
    no_policies(f"{name} after {number.name}")


def no_policies(name):
    for pid in policies():
        # One that was stopped cannot see the end of its input.
        kill(pid, signal.SIGCONT)
    if not until(f"policies of {name} live on", lambda: not policies(), 5):
        for pid in policies():
            kill(pid, signal.SIGKILL)


def own_arena(around):
    """A program with its own arena; policies die on the way."""
    program = around.start(*play_words(around), "--arena")
    for _ in range(around.chance.randint(1, 3)):
        around.wait()
        around.kill_a_policy()
    around.wait()
    end(around, program, "play --arena")


def far_arena(around):
    """A program and an arena with a network between them; sockets and the arena die on the way."""
    arena = around.start("arena", "--port", "0", "--ephemeral", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text, port, key = "", None, None
    while not (port and key):
        line = arena.stdout.readline().decode(errors="replace")
        if not line:
            fault(f"the arena did not start: {text}")
            return
        text += line
        port = port or re.search(r"127\.0\.0\.1:(\d+)", text)
        key = key or re.search(r"GERT_API_KEY=['\"]?([^\s'\"]+)", text)
    threading.Thread(target=arena.stdout.read, daemon=True).start()
    proxy = Proxy(int(port[1]))
    env = {"GERT_API_KEY": key[1], "GERT_BASE_URL": f"http://127.0.0.1:{proxy.address}/api/v1"}
    program = around.start(*play_words(around), env=env)
    for _ in range(around.chance.randint(1, 4)):
        around.wait()
        around.chance.choice([proxy.cut, proxy.cut, around.kill_a_policy])()
    if around.chance.random() < 0.4:
        kill(arena.pid, around.chance.choice([signal.SIGTERM, signal.SIGKILL]))
        around.wait()
    end(around, program, "play on an arena")
    kill(arena.pid, signal.SIGKILL)
    arena.wait()
    proxy.close()


def dashboard(around):
    """The dashboard in a terminal; it must give the terminal back, however it ends."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    before = termios.tcgetattr(theirs)
    program = around.start("demo", stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    seen = bytearray()

    def read(seconds):
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if select.select([ours], [], [], left)[0]:
                try:
                    seen.extend(os.read(ours, 65536))
                except OSError:
                    return

    def type_some(keys, most):
        for _ in range(around.chance.randint(1, most)):
            os.write(ours, around.chance.choice(keys))
            read(0.05)

    read(around.chance.uniform(0.5, 2.5))
    if around.chance.random() < 0.5:
        type_some([b"1", b"2", b"3", b"j", b"k", b"\r", b"w", b"\x1b", b"?", b"\x1b[B"], 20)
    else:
        play_by_hand_and_by_policy(around, ours, read, type_some)
    if around.chance.random() < 0.3:
        os.close(theirs)
        os.close(ours)
        until("the dashboard lives on after its terminal went away", lambda: program.poll() is not None, 10)
        no_policies("a dashboard without a terminal")
        return
    number = around.chance.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    kill(program.pid, number)
    read(0.3)
    until(f"the dashboard lives on after {number.name}", lambda: program.poll() is not None or read(0.1), 10)
    read(0.2)
    no_policies(f"the dashboard after {number.name}")
    if termios.tcgetattr(theirs)[:4] != before[:4]:
        fault(f"terminal modes are not restored after {number.name}")
    for on, off, what in [(b"\x1b[?1049h", b"\x1b[?1049l", "alternate screen"), (b"\x1b[?25l", b"\x1b[?25h", "cursor")]:
        if seen.rfind(on) > seen.rfind(off):
            fault(f"the {what} is not given back after {number.name}")
    os.close(theirs)
    os.close(ours)


def play_by_hand_and_by_policy(around, terminal, read, type_some):
    """Starts a game, moves, hands the seat to a policy that may be killed, takes it back."""
    for words in [b"1", b"j" * around.chance.randint(0, 5), b"p", b"y"]:
        os.write(terminal, words)
        read(0.3)
    for _ in range(around.chance.randint(1, 3)):
        type_some([b"\r", b"\x1b[C", b"\x1b[B", b" ", b"[", b"]", b"l"], 12)
        for words in [b"c", POLICY.encode() + b"\r"]:
            os.write(terminal, words)
            read(0.2)
        read(around.chance.uniform(0.2, 1.5))
        around.kill_a_policy()
        read(around.chance.uniform(0.0, 0.5))
        os.write(terminal, b"h")
        read(0.1)


def check_recordings(home, may_be_torn):
    """Every line is whole; one accepted action a seat and tick."""
    count = 0
    for path in (home / ".local/share/gert/recordings").glob("*.jsonl"):
        data = path.read_bytes()
        lines = data.split(b"\n")
        torn = lines.pop()
        if torn and not may_be_torn:
            fault(f"{path.name} ends in the middle of a line")
        accepted = set()
        for nth, line in enumerate(lines, 1):
            try:
                message = json.loads(line).get("m") or {}
            except ValueError:
                fault(f"{path.name}:{nth} is no JSON: {line[:80]!r}")
                continue
            if message.get("type") == "action_result" and message.get("accepted"):
                # One that takes the place of another is played once all the same.
                if message.get("tick") in accepted and not message.get("replaced"):
                    fault(f"{path.name}:{nth}: a second action was accepted at tick {message.get('tick')}")
                accepted.add(message.get("tick"))
        count += 1
        path.unlink()
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gert", default=str(ROOT / "target/release/gert"))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    args = parser.parse_args()
    print(f"chaos: {args.seconds:.0f} s, --seed {args.seed}", flush=True)
    chance = random.Random(args.seed)
    rounds = recordings = 0
    with tempfile.TemporaryDirectory() as folder:
        around = Surroundings(args.gert, Path(folder), chance)
        deadline = time.monotonic() + args.seconds
        while time.monotonic() < deadline and len(faults) < 10:
            around.may_tear = False
            chance.choice([own_arena, far_arena, far_arena, dashboard])(around)
            recordings += check_recordings(Path(folder), around.may_tear)
            rounds += 1
    print(f"chaos: {rounds} rounds, {recordings} recordings, {len(faults)} faults", flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
