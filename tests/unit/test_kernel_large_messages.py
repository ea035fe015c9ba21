"""However much a kernel sends at once: the app goes on, its memory stays, and the run ends as it should."""

import asyncio
import re
import time
from pathlib import Path

import pytest

from tests.kernel_cases import ADA, BOB, ended, events_of, in_pool, outputs, printed, start, until

SHOW = "from IPython.display import display\ndisplay({'text/html': 'x' * %d}, raw=True)\n"
# past all that the kernel itself does about size
RAW = "get_ipython().kernel.iopub_socket.send_multipart([b'x' * %d])\n"
TOO_LARGE = "an output of more than 8 MB was left out"


def memory():
    """Resident bytes of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


class Watch:
    """How long the event loop computed without a pause, and how memory grew in bytes, while it is entered.

    Seconds are of this thread: a busy machine makes them no longer.
    """

    pause = growth = 0.0

    async def __aenter__(self):
        self._before, self._beat = memory(), time.thread_time()
        self._task = asyncio.create_task(self._look())
        return self

    async def __aexit__(self, *_):
        self._task.cancel()

    async def _look(self):
        while True:
            await asyncio.sleep(0.01)
            now = time.thread_time()
            self.pause, self._beat = max(self.pause, now - self._beat), now
            self.growth = max(self.growth, memory() - self._before)


def notes(events):
    return [output["data"].get("text/plain", "") for output in outputs(events) if "data" in output]


@pytest.mark.parametrize(
    ("code", "text", "told"),
    [
        pytest.param("print('A' + 'x' * 200_000_000 + 'Z')", r"Axx.*xxZ\n", [], id="print"),
        pytest.param(
            "for n in range(300): print(n, 'x' * 1_000_000)",
            r"0 xx.* cut here .*xx\n",
            [],
            id="prints",
            marks=pytest.mark.long,
        ),
        pytest.param(
            SHOW % 200_000_000 + "print('end')",
            "end\n",
            ["an output of 200.0 MB (text/html) was left out"],
            id="display",
        ),
        pytest.param("'y' * 200_000_000", "", ["199.5 MB cut here"], id="result", marks=pytest.mark.long),
        pytest.param(RAW % 200_000_000, "", [TOO_LARGE], id="raw"),
        pytest.param(
            "for n in range(30): " + RAW % 9_000_000,
            "",
            [TOO_LARGE],
            id="raw, again and again",
            marks=pytest.mark.long,
        ),
    ],
)
def test_a_huge_output_is_cut_or_told_and_the_app_goes_on(tmp_path, code, text, told):
    async def use(pool):
        await ended(pool, "1")
        async with Watch() as watch:
            events = await events_of(start(pool, code))
        return events, watch, await ended(pool, "print('next')")

    events, watch, (after, _) = in_pool(tmp_path, use)
    assert re.fullmatch(text, printed(events), re.DOTALL)
    assert [sentence in note for sentence, note in zip(told, notes(events), strict=True)] == [True] * len(told)
    assert events[-1]["status"] == "ok"
    assert watch.pause < 1
    assert watch.growth < 100_000_000
    assert after == "next\n"


def test_a_flood_of_large_messages_waits_in_the_kernel_not_in_the_app(tmp_path):
    async def use(pool):
        await ended(pool, "1")
        async with Watch() as watch:
            done = (await ended(pool, "for n in range(200): " + RAW % 7_000_000))[1]
        return done, watch

    done, watch = in_pool(tmp_path, use)
    assert done["status"] == "ok"
    # of 1,400 MB; what is freed goes back to the system in its own time
    assert watch.growth < 300_000_000


@pytest.mark.parametrize("huge", [pytest.param(SHOW, marks=pytest.mark.long), RAW])
def test_an_error_behind_a_huge_output_is_told(tmp_path, huge):
    async def use(pool):
        return await events_of(start(pool, huge % 200_000_000 + "1 / 0"))

    events = in_pool(tmp_path, use)
    assert "MB" in notes(events)[0]
    assert [output["ename"] for output in outputs(events) if output["output_type"] == "error"] == ["ZeroDivisionError"]
    assert events[-1]["status"] == "error"


def test_a_huge_error_is_told(tmp_path):
    async def use(pool):
        return await events_of(start(pool, "raise ValueError('A' + 'x' * 20_000_000)"))

    events = in_pool(tmp_path, use)
    (error,) = outputs(events)
    assert (error["ename"], error["evalue"][:3], events[-1]["status"]) == ("ValueError", "Axx", "error")


def test_stop_works_while_huge_outputs_come_and_variables_are_kept(tmp_path):
    async def use(pool):
        # as fast as it can, it would fill its memory before the first were sent
        run = start(pool, "import time\nx = 7\nwhile True: time.sleep(.02); " + RAW % 9_000_000)
        await until(lambda: run.log.outputs())
        said = (await pool.stop(ADA)).message
        return said, (await events_of(run))[-1]["status"], await ended(pool, "print(x)")

    said, status, (after, _) = in_pool(tmp_path, use)
    assert (said, status, after) == ("Stopped. Variables are kept.", "stopped", "7\n")


def test_a_huge_reply_and_a_huge_question_do_not_leave_a_cell_running(tmp_path):
    page = "get_ipython().payload_manager.write_payload({'source': 'page', 'data': {'text/plain': 'x' * 20_000_000}})"

    async def use(pool):
        replied = await events_of(start(pool, page))
        run = start(pool, "print(input('x' * 20_000_000))")
        await until(lambda: pool.answer_input(ADA, run.run_id, "answer"))
        return replied, await events_of(run), await ended(pool, "print('next')")

    replied, answered, (after, _) = in_pool(tmp_path, use)
    assert (replied[-1]["status"], replied[-1]["execution_count"]) == ("ok", 1)
    assert TOO_LARGE in notes(replied)[0]
    assert printed(answered).endswith("answer\n")
    assert (answered[-1]["status"], after) == ("ok", "next\n")


# frames of a message that says of each that more come (ZMTP 3.0), past libzmq, which would wait for the last
ENDLESS = """
import json, os, socket, struct
from ipykernel.kernelapp import IPKernelApp
info = json.load(open(IPKernelApp.instance().abs_connection_file))
path = f"{info['ip']}-{info['iopub_port']}"
for descriptor in os.listdir('/proc/self/fd'):
    try:
        app = socket.socket(fileno=os.dup(int(descriptor)))
        app.getpeername()
        if app.getsockname() == path: break
    except OSError: pass
app.setblocking(True)
while True: app.sendall(bytes([3]) + struct.pack('>Q', 4_000_000) + bytes(4_000_000))
"""


@pytest.mark.long
def test_a_message_without_end_ends_its_kernel_and_no_other(tmp_path):
    async def use(pool):
        await ended(pool, "kept = 1", token=BOB)
        async with Watch() as watch:
            done = (await ended(pool, ENDLESS))[1]
        return done, watch, await ended(pool, "print(kept)", token=BOB)

    done, watch, (other, _) = in_pool(tmp_path, use)
    assert (done["status"], done["limit"]) == ("died", "output")
    assert "The kernel sent more at once than the app can take in." in done["message"]
    assert watch.growth < 3_000_000_000
    assert other == "1\n"
