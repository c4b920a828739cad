#!/usr/bin/env python3
"""Random play in our engine beside OpenSpiel and PettingZoo, on one machine, in one run; prints a table of ratios.

    python3 benches/compare/run.py [--seconds 3] [--rounds 3]

Installs both packages into a virtual environment (kept in GERT_COMPARE_ENV, else temporary) and builds the bench
`compare`. All sides are measured in turn, `--rounds` times, each in a process of its own on one thread; the best round
of each counts. A package that cannot be installed is left out, and said so. Not part of CI: it is about speed, and needs
a quiet machine.

What a step includes, everywhere with an action drawn uniformly from the legal ones while the clock runs:

    ours, rules         list the legal actions, apply one: the bare engine from Rust
    ours, table         + the mover's observation written as JSON, the action sent as JSON, judged and decoded
    OpenSpiel, state    legal_actions(), apply_action(), driven from Python
    OpenSpiel, tensor   + observation_tensor() of the player who moves (information_state_tensor() where it has none)
    PettingZoo          env.last() and env.step(): the observation array and the mask are part of every step

New matches are part of the time on all sides. A step is one player's decision; dice are not counted. The rules are not
quite the same: liar's dice is one round with five dice each in OpenSpiel and several rounds in ours; a pass in Othello is
a step in OpenSpiel and none in ours.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = {"OpenSpiel": "open_spiel", "PettingZoo": "pettingzoo[classic]"}
# Our game, OpenSpiel's, PettingZoo's.
GAMES = [
    ("connect_four", "connect_four", "connect_four_v3"),
    ("multi_reversi", "othello", None),
    ("liars_dice", "liars_dice(players=2,numdice=5)", None),
]
# Ratios of ours (the way) to theirs that are aimed at.
GOALS = {("OpenSpiel, state", "rules"): 10, ("PettingZoo", "table"): 50}


def counted(play, seconds: float) -> float:
    """Steps a second of `play`, which plays one match and gives its steps."""
    play()
    steps, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        steps += play()
    return steps / (time.perf_counter() - began)


def open_spiel(game_string: str, with_tensor: bool):
    import pyspiel

    game = pyspiel.load_game(game_string)
    has_observation = game.get_type().provides_observation_tensor

    def play() -> int:
        state, steps = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes())
                state.apply_action(random.choices(outcomes, weights)[0])
                continue
            if with_tensor:
                player = state.current_player()
                state.observation_tensor(player) if has_observation else state.information_state_tensor(player)
            state.apply_action(random.choice(state.legal_actions()))
            steps += 1
        return steps

    return play


def petting_zoo(name: str):
    import importlib

    import numpy

    env = importlib.import_module(f"pettingzoo.classic.{name}").env()

    def play() -> int:
        env.reset()
        steps = 0
        while env.agents:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            env.step(int(random.choice(numpy.flatnonzero(observation["action_mask"]))))
            steps += 1
        return steps

    return play


def measure_package(package: str, seconds: float):
    """Runs inside the environment; prints a JSON line for each game and way."""
    for ours, spiel, zoo in GAMES:
        if package == "OpenSpiel":
            ways = {"OpenSpiel, state": open_spiel(spiel, False), "OpenSpiel, tensor": open_spiel(spiel, True)}
        else:
            ways = {"PettingZoo": petting_zoo(zoo)} if zoo else {}
        for way, play in ways.items():
            print(json.dumps({"game": ours, "way": way, "steps_per_second": counted(play, seconds)}), flush=True)


def lines(argv) -> list[dict]:
    done = subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def build() -> str:
    """The path of the bench."""
    argv = ["cargo", "bench", "--locked", "--no-run", "--bench", "compare", "--message-format=json-render-diagnostics"]
    built = subprocess.run(argv, check=True, stdout=subprocess.PIPE, cwd=HERE)
    made = [json.loads(line) for line in built.stdout.splitlines()]
    (path,) = [one["executable"] for one in made if one.get("executable") and one["target"]["name"] == "compare"]
    return path


def install(home: pathlib.Path) -> tuple[pathlib.Path, list[str]]:
    """The interpreter of the environment, and the packages that it has."""
    python = home / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    there = [name for name, package in PACKAGES.items() if subprocess.run([*pip, package]).returncode == 0]
    for missing in PACKAGES.keys() - set(there):
        print(f"{missing} could not be installed and is left out", file=sys.stderr)
    return python, there


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3.0, help="time of each measurement")
    parser.add_argument("--rounds", type=int, default=3, help="measurements, the best of which counts")
    parser.add_argument("--package", choices=PACKAGES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.package:
        return measure_package(options.package, options.seconds)
    with tempfile.TemporaryDirectory() as scratch:
        python, packages = install(pathlib.Path(os.environ.get("GERT_COMPARE_ENV") or scratch))
        bench, best = build(), {}
        sides = [[bench, str(options.seconds)]]
        sides += [[python, __file__, "--package", name, "--seconds", str(options.seconds)] for name in packages]
        for _ in range(options.rounds):
            for line in (line for side in sides for line in lines(side)):
                key = (line["game"], line["way"])
                best[key] = max(best.get(key, 0.0), line["steps_per_second"])
    for (game, way), speed in sorted(best.items()):
        row = f"{game:<14} {way:<18} {speed:>12,.0f} steps/s"
        if way not in ("rules", "table"):
            for ours in ("rules", "table"):
                goal = GOALS.get((way, ours))
                row += f"   ours, {ours}: {best[game, ours] / speed:>6.1f}x" + (f" (goal {goal})" if goal else "")
        print(row)


if __name__ == "__main__":
    main()
