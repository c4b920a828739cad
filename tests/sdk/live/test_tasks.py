"""Tasks: `gertlabs.gert()` and `gertlabs.score()` as the README shows them, and what their docstrings promise."""

import json
import os
import re
from pathlib import Path

import gertlabs
import pytest
from gertlabs import GertError, NotFoundError

from episodes import OLD

pytestmark = pytest.mark.skipif(OLD, reason="tasks came with 3.4.0")


def observation(task):
    rules, problem = task.prompt.split("\n\n## Observation\n")
    return rules, json.loads(problem)


def answer_to_the_rule(task):
    """A rule that says what most examples say: an action of the right shape."""
    _, problem = observation(task)
    ones = sum(label for _, label in problem["examples"])
    always = ["or", "x0", ["not", "x0"]]
    return {"action": "submit", "rule": always if 2 * ones > len(problem["examples"]) else ["not", always]}


def test_the_readmes_example(monkeypatch, capsys):
    """As printed; the model is supplied, and the default client is the environment's."""
    (readme,) = Path(os.environ["GERT_SDK_SDIST"]).glob("README.md")
    section = re.search(r"^## Verifiable tasks.*?(?=^## )", readme.read_text(), re.DOTALL | re.MULTILINE).group()
    example = re.search(r"^```python\n(.*?)^```", section, re.DOTALL | re.MULTILINE).group(1)
    seen = []

    def my_model(messages):
        seen.append(messages)
        return "I would say:\n```json\n[]\n```"

    given = {"my_model": my_model}
    exec(compile(example, "README.md, verifiable tasks", "exec"), given)
    assert len(seen) == 9 and all(messages == given["task"].messages for messages in seen)
    assert given["rewards"] == [0.0] * 8 and given["task"].difficulty == 0.5
    assert "'solved': False" in capsys.readouterr().out


def test_one_task_or_a_list_and_one_result_or_a_list(client):
    task = gertlabs.gert(variants=["rule_identification"], client=client)
    assert isinstance(task, gertlabs.Task) and task.kind == "identification" and task.difficulty == 0.45
    assert [len(gertlabs.gert(n, difficulty=0, client=client)) for n in (1, 3)] == [1, 3]
    reply = "Perhaps " + json.dumps(answer_to_the_rule(task))
    result = task.score(reply)
    assert 0 <= result["points"] < 1 and result["solved"] is False and "error" not in result
    assert gertlabs.score(task.task_id, [reply, "none"], client=client)[0] == result
    assert gertlabs.score(task, iter(["none"]))[0]["error"].startswith("format:")


def test_prices_are_those_of_the_list_and_equal_actions_are_charged_once(client):
    def price(name, which):
        rows = client.tasks.info(difficulty=0.62)["variants"]
        return next(row[which] for row in rows if row["name"] == name)

    before = client.billing.balance()["credits"]
    drawn = client.tasks.create(n=2, difficulty=0.62, variants=["rule_identification"], randomize_prompt=True)
    assert {task["difficulty"] for task in drawn["tasks"]} == {0.6}
    one = price("rule_identification", "generate_price")
    assert drawn["price"] == pytest.approx(2 * one) and drawn["tasks"][0]["price"] == one
    a, b = '{"action":"submit","rule":"x0"}', '{"action":"submit","rule":"x1"}'
    scored = client.tasks.score(drawn["tasks"][0]["task_id"], [a, f"[{a}]", "x", b, '{"rule":"x0","action":"submit"}'])
    assert scored["price"] == pytest.approx(2 * price("rule_identification", "score_price"))
    results = scored["results"]
    assert results[0] == results[1] == results[4] and results[2]["error"].startswith("format:")
    spent = before - client.billing.balance()["credits"]
    assert spent == pytest.approx(drawn["price"] + scored["price"], abs=1e-9)
    kinds = [entry["kind"] for entry in client.billing.usage(max_items=3)]
    assert kinds == ["task_score", "task_generate", "task_generate"]


def test_draws_are_narrowed(client):
    tasks = gertlabs.gert(16, difficulty=0, kinds=["compression"], weights={"text_compression": 0},
                          max_prompt_bytes=65536, client=client)
    assert {task.variant for task in tasks} <= {"sequence_compression", "grid_compression"}
    assert all(len(task.prompt.encode()) <= 65536 for task in tasks)
    same = gertlabs.gert(2, difficulty=0, variants=["grid_compression"], client=client)
    assert observation(same[0])[0] == observation(same[1])[0] and observation(same[0])[1] != observation(same[1])[1]
    worded = gertlabs.gert(2, difficulty=0, variants=["grid_compression"], randomize_prompt=True, client=client)
    assert len({observation(task)[0] for task in worded + same[:1]}) == 3


def test_an_answer_that_is_right_solves_its_task(client):
    """A text of one literal is the text: worth nothing, but right. A given automaton can be run by hand."""
    text = gertlabs.gert(variants=["text_compression"], client=client)
    whole = {"action": "submit", "start": "S", "rules": {"S": [observation(text)[1]["text"]]}}
    assert text.score(json.dumps(whole)) == {"points": 0.0, "solved": False}
    ring = gertlabs.gert(difficulty=0.2, variants=["automaton_prediction"], client=client)
    problem = observation(ring)[1]
    row, radius, table = problem["rows"][-1], problem["radius"], problem["table"]
    for _ in range(problem["steps"]):
        around = row[-radius:] + row + row[:radius]
        row = "".join(table[int(around[at:at + 2 * radius + 1], 2)] for at in range(len(row)))
    assert ring.score(json.dumps({"action": "predict", "cells": row})) == {"points": 1.0, "solved": True}


def test_tasks_that_are_unknown_and_requests_that_are_wrong(client):
    with pytest.raises(NotFoundError):
        gertlabs.score("t1.body.sig", "[]", client=client)
    for wrong in ({"n": 17}, {"variants": ["chess"]}, {"max_prompt_bytes": 1}):
        with pytest.raises(GertError) as refused:
            client.tasks.create(**wrong)
        assert refused.value.status == 400 and refused.value.code == "VALIDATION_ERROR"
