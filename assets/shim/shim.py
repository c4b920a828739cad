"""Plays a module that has `act(observation, seat, info)`, over JSON lines: what gert's arena runs a submission with.

    shim.py MODULE            play
    shim.py --check FILE...   compile, run nothing
"""
import errno
import importlib.util
import json
import os
import sys
import traceback

# How a process ends that could not start, had too little memory, or wrote too much.
STARTUP_FAILED, OUT_OF_MEMORY, WROTE_TOO_MUCH = 101, 102, 103


def fail(status, error, skip=0):
    """Ends at once with the error's traceback, without the shim's own frames."""
    frames = error.__traceback__
    for _ in range(skip):
        frames = frames.tb_next if frames else None
    traceback.print_exception(type(error), error, frames)
    sys.stderr.flush()
    os._exit(status)


def status_of(error, otherwise):
    """What an error that nobody caught means."""
    if isinstance(error, MemoryError):
        return OUT_OF_MEMORY
    if isinstance(error, OSError) and error.errno in (errno.EFBIG, errno.ENOSPC, errno.EDQUOT):
        return WROTE_TOO_MUCH
    return otherwise


def check(names):
    for name in names:
        with open(name, "rb") as file:
            code = file.read()
        try:
            compile(code, name, "exec")
        except (SyntaxError, ValueError) as error:
            fail(STARTUP_FAILED, error, skip=10)


def load(name):
    sys.path[0] = os.getcwd()
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(name))[0], name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        fail(status_of(error, STARTUP_FAILED), error, skip=1)
    return module


def player(module):
    """The functions of a module: to begin, to act, to end."""
    nothing = lambda _: None
    act, decide = getattr(module, "act", None), getattr(module, "decide", None)
    if not callable(act):
        if not callable(decide):
            print("the module has no function `act(observation, seat, info)`", file=sys.stderr, flush=True)
            os._exit(STARTUP_FAILED)
        act = lambda observation, seat, info: decide(observation)
    return getattr(module, "start", nothing), act, getattr(module, "end", nothing)


def play(name):
    # The protocol keeps the two pipes to itself: what the module prints, or writes to descriptor 1, goes to stderr.
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr

    def say(message):
        answers.write(json.dumps(message, allow_nan=False) + "\n")
        answers.flush()

    start, act, end = player(load(name))
    info = {}
    for line in questions:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            info = {key: message.get(key) for key in ("game", "rules", "seat", "player_count", "config", "seed")}
            start(info)
            say({"type": "ready"})
        elif kind == "observe":
            action = act(message["observation"], info.get("seat"), info)
            say({"id": message["id"], "action": action})
        elif kind == "end":
            end(message["result"])


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        check(sys.argv[2:])
    else:
        try:
            play(sys.argv[1])
        except Exception as error:
            fail(status_of(error, 1), error, skip=2)
