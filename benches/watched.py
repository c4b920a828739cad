#!/usr/bin/env python3
"""What one watched session costs a dashboard: memory and processor time, on an arena of its own.

    benches/watched.py [--gert PATH] [--sessions N] [--seconds N] [--game SLUG]

Needs Linux, Python 3 and pyte. Starts `gert arena` with nothing kept, makes N sessions that built-in players play at two
ticks a second, and puts them all on the wall of a dashboard of 120x40. Prints one JSON object: the memory before the
wall, after SECONDS on it, and the difference by session; the same for processor time, which goes to all that is watched.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from flood import ROOT, Terminal

PACE_MS = 500


def post(base, key, path, body):
    headers = {"X-API-Key": key, "Content-Type": "application/json"}
    request = urllib.request.Request(base + path, json.dumps(body).encode(), headers)
    return json.load(urllib.request.urlopen(request))["data"]


def measure(args, base, key, home):
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "TERM": "xterm-256color", "GERT_API_KEY": key, "GERT_BASE_URL": base}
    terminal = Terminal([args.gert], env)
    try:
        terminal.until("Games")
        os.write(terminal.fd, b"2")
        terminal.until(f"{args.sessions} live" if args.sessions else "Sessions")
        terminal.read(3)
        before, spent = terminal.memory(), terminal.processor()
        if args.sessions:
            os.write(terminal.fd, b"W")
            terminal.until(f"{args.sessions} of {args.sessions} live")
        terminal.read(args.seconds)
        return before, terminal.memory(), (terminal.processor() - spent) / args.seconds
    finally:
        os.kill(terminal.program.pid, signal.SIGTERM)
        terminal.read(1)
        terminal.program.wait(10)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gert", default=str(ROOT / "target/release/gert"))
    parser.add_argument("--sessions", type=int, default=16)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--game", default="market_simulator")
    args = parser.parse_args()
    words = [args.gert, "arena", "--ephemeral", "--port", "0"]
    arena = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        lines = [arena.stdout.readline() for _ in range(3)]
        base, key = (re.search(r"=(\S+)", line)[1] for line in lines[1:])
        for _ in range(args.sessions):
            post(base, key, "/play", {"game": args.game, "autostart": True, "pace_ms": PACE_MS, "max_ticks": 5000})
        with tempfile.TemporaryDirectory() as home:
            before, after, share = measure(args, base, key, Path(home))
    finally:
        arena.terminate()
        arena.wait(10)
    report = {
        "sessions": args.sessions, "game": args.game, "ticks_per_second": 1000 / PACE_MS,
        "memory_mib": {"before": round(before, 2), "after": round(after, 2),
                       "per_session": round((after - before) / max(1, args.sessions), 3)},
        "core_share": {"all": round(share, 4), "per_session": round(share / max(1, args.sessions), 5)},
    }
    print(json.dumps(report))


if __name__ == "__main__":
    sys.exit(main())
