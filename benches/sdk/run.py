#!/usr/bin/env python3
"""Our client beside the official Python SDK 3.4.0, on one server, in one run; prints a table of ratios.

Builds the release program and the bench, makes a virtual environment with the SDK unless GERT_SDK_DIR has one (as
.ci/sdk-diff.sh does), starts the server of server.rs on loopback and runs both halves of every comparison in turn, each
as a process of its own; the best run of each half counts. Linux only. Everything it starts ends with it.

The ratios are the SDK's time divided by ours: of the clock, and of the processor, which other work on the machine
disturbs less.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
VERSION = "3.4.0"
# No run takes longer, in seconds.
LIMIT = 300

ONE_REQUEST = "import json; from gertlabs import GertClient\nwith GertClient() as c: print(json.dumps(c.billing.balance()))"
ONE_REQUEST_TIMES = 20

# What is measured, how the two halves are called, what is counted, and the ratio that it should have.
CASES = [
    ("socket, 200 B", ("spectate", "n100000-s200"), "messages", 100),
    ("socket, 2 kB", ("spectate", "n50000-s2000"), "messages", 60),
    ("socket, 20 kB", ("spectate", "n10000-s20000"), "messages", 80),
    ("one after another", ("balance", "10000"), "requests", 5),
    ("one-request command", None, "commands", 20),
    ("an episode", ("episode", "2000"), "steps", None),
    ("128 episodes together", ("batch", "50"), "steps", None),
]


def build() -> tuple[str, str]:
    """The paths of the program and of the bench."""
    argv = ["cargo", "build", "--locked", "--release", "--bin", "gert", "--bench", "client"]
    built = subprocess.run(argv + ["--message-format=json-render-diagnostics"], check=True, stdout=subprocess.PIPE, cwd=HERE)
    made = [json.loads(line) for line in built.stdout.splitlines()]
    paths = {one["target"]["name"]: one["executable"] for one in made if one.get("executable")}
    return paths["gert"], paths["client"]


def sdk_python(scratch: str) -> str:
    """The interpreter of an environment that has the SDK."""
    home = pathlib.Path(os.environ.get("GERT_SDK_DIR") or scratch, VERSION, "env")
    python = home / "bin/python"
    has_sdk = [python, "-c", "import gertlabs"]
    if not python.exists() or subprocess.run(has_sdk, stderr=subprocess.DEVNULL).returncode:
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"gertlabs=={VERSION}"], check=True)
    return str(python)


def once(argv: list[str], env: dict) -> dict:
    """A run of a half that measures itself."""
    done = subprocess.run(argv, check=True, stdout=subprocess.PIPE, timeout=LIMIT, env=env)
    return json.loads(done.stdout)


def commands(argv: list[str], env: dict) -> dict:
    """A run of a command, again and again, measured from outside."""
    total = {"count": ONE_REQUEST_TIMES, "secs": 0.0, "cpu": 0.0, "grown_kib": 0, "peak_kib": 0}
    for _ in range(ONE_REQUEST_TIMES):
        start = time.perf_counter()
        child = subprocess.Popen(argv, stdout=subprocess.PIPE, env=env)
        answer = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        total["secs"] += time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0 and json.loads(answer)["credits"] == 998.42, answer
        total["cpu"] += usage.ru_utime + usage.ru_stime
    total["peak_kib"] = peak(argv, env)
    return total


def peak(argv: list[str], env: dict) -> int:
    """The most memory that a command was seen to take; what the system keeps of it may be this process's own."""
    most = 0
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, env=env) as child:
        while child.poll() is None:
            status = pathlib.Path(f"/proc/{child.pid}/status").read_text()
            # A process that is ending has no memory.
            most = max([most, *(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:"))])
    return most


def compare(case: tuple, halves: list, times: int) -> dict:
    """Runs both halves in turn; takes the best of each."""
    name, _, unit, budget = case
    runs = [[run() for run in halves] for _ in range(times)]
    row = {"what": name, "unit": unit, "budget": budget}
    for side, half in zip(("ours", "sdk"), zip(*runs)):
        counts = {run["count"] for run in half}
        assert len(counts) == 1, f"{side} did not do the same each time: {counts}"
        row["count"] = counts.pop()
        row[side] = {what: min(run[what] for run in half) for what in ("secs", "cpu", "grown_kib", "peak_kib")}
        row[side]["per_second"] = row["count"] / row[side]["secs"]
        row[side]["all_secs"] = [round(run["secs"], 4) for run in half]
    row["ratio"] = row["sdk"]["secs"] / row["ours"]["secs"]
    row["cpu_ratio"] = row["sdk"]["cpu"] / row["ours"]["cpu"]
    return row


def measure(options: argparse.Namespace, scratch: str):
    gert, bench = build()
    python = sdk_python(scratch)
    server = subprocess.Popen([bench, "server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        base = f"http://127.0.0.1:{int(server.stdout.readline())}/api/v1"
        # Nothing of the user's: no settings, no keyring, no proxy.
        env = {"PATH": os.environ["PATH"], "HOME": scratch, "GERT_API_KEY": "sk_gert_bench", "GERT_BASE_URL": base}
        for case in CASES:
            if options.only not in case[0]:
                continue
            if case[1]:
                halves = [[bench, *case[1], base], [python, str(HERE / "client.py"), *case[1], base]]
                how = once
            else:
                halves = [[gert, "billing", "balance", "--json"], [python, "-c", ONE_REQUEST]]
                how = commands
            yield compare(case, [lambda argv=argv: how(argv, env) for argv in halves], options.runs)
    finally:
        # It stops when its input ends.
        server.stdin.close()
        server.wait(10)


def table(row: dict) -> str:
    ours, sdk = row["ours"], row["sdk"]
    budget = f"{row['budget']} x" if row["budget"] else ""
    missed = " MISSED" if row["budget"] and row["ratio"] < row["budget"] else ""
    return (f"| {row['what']} | {row['count']:,} {row['unit']} | {ours['per_second']:,.0f} | {sdk['per_second']:,.0f} "
            f"| {row['ratio']:.1f} x | {budget}{missed} | {row['cpu_ratio']:.1f} x "
            f"| {ours['peak_kib'] / 1024:.1f} (+{max(0, ours['grown_kib']) / 1024:.1f}) | {sdk['peak_kib'] / 1024:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="how often each half runs; its best run counts [3]")
    parser.add_argument("--only", default="", metavar="WORDS", help="only what has these words in its name, such as `socket`")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        if options.json:
            print(json.dumps(list(measure(options, scratch)), indent=1))
            return
        print("| what | each run | ours a second | SDK a second | ratio | budget | processor | our MiB (grown) | SDK's MiB |")
        print("|---|---|---|---|---|---|---|---|---|")
        for row in measure(options, scratch):
            print(table(row), flush=True)


if __name__ == "__main__":
    main()
