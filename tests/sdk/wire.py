"""Drives the official SDK for tests/sdk/wire.rs: one call a line on standard input, one outcome a line on standard output.

Nothing sleeps: sleeps are written down, between the sends that they stand between. A random wait is written down by its
upper bound. The clock of the resources' polling loops goes on by what is slept, and by what the server says that an
answer took (`X-Took`): one that took longer than the request's timeout allows is a timeout.

The algorithms of `gertlabs.rollouts` are called with a policy that says which decision it is, for whom, and what was seen.
"""

import itertools
import json
import random
import sys
import types

import httpx

import gertlabs
from gertlabs import client as client_module
from gertlabs import resources as resources_module
from gertlabs import rollouts as rollouts_module


class UpTo(float):
    """A random wait, at its upper bound."""


events = []
now = [0.0]


def sleep(seconds):
    events.append(["up_to" if isinstance(seconds, UpTo) else "exactly", float(seconds)])
    now[0] += seconds


clock = types.SimpleNamespace(sleep=sleep, monotonic=lambda: now[0])
client_module.time = clock
resources_module.time = clock
random.uniform = lambda low, high: UpTo(high)

# Every send, of the client itself and of downloads.
real_send = httpx.Client.send


def send(self, request, **options):
    events.append(["send", 0.0])
    response = real_send(self, request, **options)
    took, limit = float(response.headers.get("X-Took", 0)), request.extensions["timeout"]["read"]
    if limit is not None and took >= limit:
        sleep(limit)
        raise httpx.ReadTimeout("silence", request=request)
    sleep(took)
    return response


httpx.Client.send = send


class PolicyError(Exception):
    pass


def policy_of(spec):
    """The keyword arguments that hand over a policy; none without one."""
    if spec is None:
        return {}
    count = itertools.count()

    def act(observation, seat):
        nth = next(count)
        if nth == spec["fails_at"]:
            raise PolicyError
        return [{"nth": nth, "seat": seat, "saw": observation}]

    if spec["together"]:
        return {"act_batch_fn": lambda observations, seats: [act(*turn) for turn in zip(observations, seats)]}
    return {"act_fn": act}


def outcome(error):
    if isinstance(error, PolicyError):
        return {"outcome": "PolicyError"}
    if isinstance(error, gertlabs.JobFailed):
        return {"outcome": "JobFailed", "code": error.code, "said": error.message}
    if isinstance(error, gertlabs.GertError):
        code = error.code if isinstance(error.code, str) else None
        return {"outcome": type(error).__name__, "code": code, "status": error.status, "request_id": error.request_id,
                "said": str(error)}
    if isinstance(error, (httpx.TransportError, httpx.HTTPStatusError)):
        return {"outcome": "TransportError"}
    # An answer that is none, or lacks what is meant.
    if isinstance(error, (json.JSONDecodeError, KeyError)):
        return {"outcome": "JSONDecodeError"}
    if isinstance(error, TimeoutError):
        return {"outcome": "TimeoutError"}
    if isinstance(error, (ValueError, TypeError)):
        return {"outcome": "ArgumentError", "said": str(error)}
    raise error


# One for all calls, since making one reads the certificate authorities.
client = gertlabs.GertClient(api_key="sk_gert_wire", base_url="http://127.0.0.1:9")


def answer(call):
    events.clear()
    now[0] = 0.0
    client._http.base_url = client.base_url = call["base"]
    client.max_retries = call["max_retries"]
    group, method = call["operation"].split(".")
    try:
        if group == "rollouts":
            function = getattr(rollouts_module, method)
            value = function(client, **call["kwargs"], **policy_of(call["policy"]))
            return {"outcome": "ok", "value": value, "events": list(events)}
        value = getattr(getattr(client, group), method)(**call["kwargs"])
    except Exception as error:
        return {**outcome(error), "events": list(events)}
    return {"outcome": "ok", "rows": len(value) if isinstance(value, list) else 0, "events": list(events)}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
