"""The official Python SDK's half of each comparison, as its users would write it: client.py WHAT HOW BASE_URL.

Counts, clocks and the line that is printed are those of clients.rs.
"""

import json
import resource
import sys
import time

from gertlabs import GertClient, rollouts

ACTION = [{"action": "move", "direction": "up"}]
WARM_UP = 500
MAX_BATCH = 128


def spectate(client, session):
    with client.play.spectate(session) as socket:
        messages = iter(socket)
        message = next(messages)
        start, count = now(), 0
        while message is not None:
            count += 1
            if message["type"] == "game_completed":
                break
            message = next(messages, None)
        return count, used(start)


def balance(client, count):
    for _ in range(WARM_UP):
        client.billing.balance()
    start = now()
    for _ in range(int(count)):
        assert client.billing.balance()["credits"] > 1
    return int(count), used(start)


def episode(client, ticks):
    start = now()
    trajectory = rollouts.run_episode(
        client, "r1", game="bench", max_ticks=int(ticks), act_fn=lambda observation, seat: ACTION)
    return len(trajectory["steps"]), used(start)


def batch(client, rounds):
    live = [client.rollout_runs.reset("r1", game="bench", max_ticks=int(rounds)) for _ in range(MAX_BATCH)]
    start, count = now(), 0
    while live:
        steps = [{"episode_id": one["episode_id"], "action": ACTION, "expected_tick": one["tick"]} for one in live]
        results = client.rollout_runs.step_batch("r1", steps)
        count += sum(result["ok"] for result in results)
        live = [{**one, **result} for one, result in zip(live, results) if result["ok"] and not result["done"]]
    return count, used(start)


def now():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return time.perf_counter(), usage.ru_utime + usage.ru_stime, memory("VmRSS")


def used(start):
    return {name: end - begin for name, begin, end in zip(("secs", "cpu", "grown_kib"), start, now())}


def memory(name):
    with open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith(name + ":")).split()[1])


def main():
    what, how, base = sys.argv[1:]
    with GertClient(api_key="sk_gert_bench", base_url=base) as client:
        count, spent = globals()[what](client, how)
    print(json.dumps({"count": count, **spent, "peak_kib": memory("VmHWM")}))


if __name__ == "__main__":
    main()
