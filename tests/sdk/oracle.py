"""Answers questions about the SDK: a JSON line in, a JSON line out. Started by oracle.rs.

A question names a function of this file and its arguments; the answer is `{"ok": text}` or `{"raised": type,
"message": text}`. JSON travels as text, so that the SDK parses it itself. A lone surrogate in an answer is spelt as
its escape, since a line of UTF-8 cannot hold it. `nonfinite` says that a number in the JSON that the SDK
took is not finite.
"""

import importlib.metadata
import json
import math
import re
import struct
import sys

from gertlabs import rollouts, transcript


def dumps(value):
    return json.dumps(value, separators=(",", ":"))


def is_nonfinite(text):
    """Whether JSON has a number that is not finite, also in what a repeated name overwrites."""
    try:
        values = [json.loads(text, object_pairs_hook=lambda pairs: [value for _, value in pairs])]
    except (ValueError, RecursionError):
        return False
    while values:
        value = values.pop()
        if isinstance(value, list):
            values.extend(value)
        elif isinstance(value, float) and not math.isfinite(value):
            return True
    return False


def bits(x):
    return str(struct.unpack("<Q", struct.pack("<d", x))[0])


def doubles(words):
    return [struct.unpack("<d", struct.pack("<Q", int(word)))[0] for word in words]


def version():
    return importlib.metadata.version("gertlabs")


def constants():
    return rollouts.DECISION_INSTRUCTIONS + "\0" + rollouts.PROMPT_SUFFIX


def encode(text):
    return rollouts._go_json(json.loads(text)), is_nonfinite(text)


def format_text(text):
    return rollouts.format_observation(text), is_nonfinite(text)


def format_json(text):
    return rollouts.format_observation(json.loads(text)), is_nonfinite(text)


def system_prompt(rules):
    return rollouts.system_prompt(rules)


def parse_action(text):
    # Which part of the text the SDK took is seen where its JSON decoder is called.
    decoded = []
    raw_decode = json.JSONDecoder.raw_decode

    def recording(self, s, idx=0):
        value, end = raw_decode(self, s, idx)
        decoded.append((value, s[idx:end]))
        return value, end

    json.JSONDecoder.raw_decode = recording
    try:
        action = rollouts.parse_action(text)
    finally:
        json.JSONDecoder.raw_decode = raw_decode
    if isinstance(action, str):
        return "text:" + action
    span = next(span for value, span in decoded if value is action)
    return "action:" + span, is_nonfinite(span)


def action_key(text):
    action, key = rollouts._canonical_action_key(json.loads(text))
    return key + "\0" + dumps(action), is_nonfinite(text)


class Probed(Exception):
    pass


class Client:
    """Ends the SDK's scoring where its local checks are done."""

    @property
    def rollout_runs(self):
        raise Probed


def distinct_actions(texts):
    actions = [json.loads(text) for text in texts]
    try:
        rollouts.score_actions_on_policy(
            Client(), "run", "episode", candidate_actions=actions, act_fn=lambda observation, seat: [],
            samples_per_action=1)
    except Probed as probed:
        trace = probed.__traceback__
        while trace.tb_frame.f_code is not rollouts.score_actions_on_policy.__code__:
            trace = trace.tb_next
        return dumps(trace.tb_frame.f_locals["candidates"]), any(map(is_nonfinite, texts))


def percentile(words, p):
    return bits(rollouts._percentile(doubles(words), doubles([p])[0]))


def score_stats(words):
    stats = rollouts._score_stats(doubles(words))
    percentiles = stats.pop("percentiles")
    return " ".join(f"{name}={bits(x)}" for name, x in [*stats.items(), *percentiles.items()])


def reconstruct(text, frame, index, pruned, count, windowed):
    request = transcript.reconstruct_messages(
        text, json.loads(frame), index, json.loads(pruned), state_entry_count=count, windowed=windowed)
    return dumps(request), is_nonfinite(text)


def rewrite(text):
    """What Python makes of JSON that we wrote."""
    return dumps(json.loads(text))


def answer(question):
    try:
        result = globals()[question["ask"]](*question["with"])
    except Exception as error:
        return {"raised": type(error).__name__, "message": str(error)[:500]}
    result, nonfinite = result if isinstance(result, tuple) else (result, False)
    result = re.sub("[\ud800-\udfff]", lambda lone: f"\\u{ord(lone[0]):04x}", result)
    return {"ok": result, "nonfinite": nonfinite}


for line in sys.stdin.buffer:
    sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
    sys.stdout.flush()
