"""Attacks from inside a kernel, judged by what is seen outside of it: each fails confined, and succeeds unconfined."""

from __future__ import annotations

import platform

import pytest

from tests.sandbox.attacks import amounts, files, memory, network, processes, reading, running
from tests.sandbox.visitor import Outcome

ATTACKS = [
    attack
    for group in (reading, processes, running, network, files, memory, amounts)
    for attack in group.ATTACKS
    if platform.machine() in attack.machines
]


def succeeds(side, attack) -> tuple[bool, Outcome]:
    side.prepare()
    check = attack.effect(side)
    outcome = side.run(attack.code)
    succeeded = check(outcome)
    if attack.undo:
        attack.undo(side)
    return succeeded, outcome


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_it_fails_confined_only(scene, attack):
    succeeded, outcome = succeeds(scene.unconfined, attack)
    assert succeeded is not bool(attack.unconfined), f"the control: {outcome}"
    succeeded, outcome = succeeds(scene.confined, attack)
    assert not succeeded, outcome


@pytest.mark.parametrize("policy", ["confined", "unconfined"])
def test_the_app_and_the_other_visitor_came_through(scene, policy):
    side = getattr(scene, policy)
    assert side.app.poll() is None
    again = side.victim.run("print(os.getpid(), secret)")
    assert again.text.split() == [str(side.targets["victim"]), side.secrets["victim"]]
