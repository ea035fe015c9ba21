"""However a run goes, its last event is `done`, and its session is free for the next."""

import pytest

from tests.kernel_cases import events_of, in_pool

TOKEN = "a" * 48


def test_a_run_stopped_before_its_first_step(tmp_path):
    async def use(pool):
        run = pool.run(TOKEN, "task", "cell", "1 + 1", dict)
        await pool.stop(TOKEN)
        stopped = (await events_of(run))[-1]
        again = (await events_of(pool.run(TOKEN, "task", "cell", "1 + 1", dict)))[-1]
        return stopped["status"], again["status"], pool.status(TOKEN)["state"]

    assert in_pool(tmp_path, use) == ("stopped", "ok", "idle")


@pytest.mark.parametrize("failure", [RuntimeError("boom"), ValueError("boom")])
def test_inputs_that_fail_in_a_way_not_foreseen(tmp_path, failure, caplog):
    def inputs():
        raise failure

    async def use(pool):
        ended = (await events_of(pool.run(TOKEN, "task", "cell", "1 + 1", inputs)))[-1]
        again = (await events_of(pool.run(TOKEN, "task", "cell", "1 + 1", dict)))[-1]
        return ended, again

    ended, again = in_pool(tmp_path, use)
    assert (ended["event"], ended["status"]) == ("done", "died")
    assert "boom" not in ended["message"]
    assert "boom" in caplog.text
    assert (again["status"], again["execution_count"]) == ("ok", 1)


def test_a_progress_bar_is_one_line_however_often_it_is_drawn(tmp_path):
    bar = "import sys\nfor n in range(3000):\n    sys.stderr.write(f'\\r{n:6d} of 3000'); n % 10 or sys.stderr.flush()"

    async def use(pool):
        run = pool.run(TOKEN, "task", "cell", bar, dict)
        await events_of(run)
        return await events_of(run)

    replayed = [event["output"]["text"] for event in in_pool(tmp_path, use) if event["event"] == "output"]
    assert replayed[-1].endswith("\r  2999 of 3000")
    assert len(replayed) == 1
