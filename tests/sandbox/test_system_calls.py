"""Raw system calls from inside a kernel: what the policy answers, and that it is the policy that does."""

from __future__ import annotations

import errno
import json
import platform

import pytest

from tests.sandbox.attacks.system_calls import CALLS, PROGRAM, REFUSALS

HERE = [call for call in CALLS if call.number(platform.machine()) is not None]


@pytest.fixture(scope="module")
def answers(scene):
    """What each side answers to each call: error number, 0 for none."""
    program = PROGRAM.format(calls=[(call.number(platform.machine()), call.arguments) for call in HERE])
    names = [call.name for call in HERE]
    found = []
    for side in (scene.confined, scene.unconfined):
        side.prepare()
        found.append(dict(zip(names, json.loads(side.run(program).text), strict=True)))
    return found


@pytest.mark.parametrize("name", [call.name for call in HERE])
def test_it_is_refused_by_the_policy(answers, name):
    confined, unconfined = (each[name] for each in answers)
    assert confined in REFUSALS, errno.errorcode.get(confined, confined)
    # where Linux itself has not got the call, there is nothing more to be told apart
    assert unconfined in (errno.ENOSYS,) or confined != unconfined, errno.errorcode[unconfined]
