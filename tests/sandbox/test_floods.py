"""Kernels that send more than anyone can take: the app stays, within its memory, and others don't notice."""

from __future__ import annotations

import struct
import threading
import time
from pathlib import Path

import httpx
import pytest

from tests.sandbox.visitor import FIRST_SECONDS, Visitor

FLOOD_SECONDS = 2.0
ANSWER_SECONDS = 4.0
GROWTH_MB = 250  # one message of the size the app still takes, a few times over

# counts what the kernel sends, in a file: a flood that never came would drown nobody either
COUNTED = """
import mmap, os, struct, zmq
with open('sent', 'w+b') as file:
    file.write(bytes(16)); file.flush(); sent = mmap.mmap(file.fileno(), 16)
send_multipart = zmq.Socket.send_multipart
def counted(self, parts, *args, **more):
    result = send_multipart(self, parts, *args, **more)
    count, size = struct.unpack('qq', sent[:])
    sent[:] = struct.pack('qq', count + len(parts), size + sum(len(each) for each in parts))
    return result
zmq.Socket.send_multipart = counted
print(os.path.abspath('sent'))
"""
FLOOD_PARTS, FLOOD_MB = 2000, 5  # of messages; a cell that prints one line sends about thirty

BY_HAND = """
from ipykernel.kernelapp import IPKernelApp
kernel = IPKernelApp.instance().kernel
vars(kernel.session).pop('serialize', None)  # without what the app has put before it
def send(kind, content, **more):
    kernel.session.send(kernel.iopub_socket, kind, content, parent=kernel.get_parent(), **more)
"""
FLOODS = {
    "lines without end": "while True: print('x' * 1000)",
    "one message of 40 MB": BY_HAND + "send('stream', {'name': 'stdout', 'text': 'x' * 40_000_000})",
    "progress without end": "number = 0\nwhile True:\n    number += 1; print(f'\\r{number}', end='', flush=True)",
    "comm messages without end": BY_HAND + "while True: send('comm_msg', {'comm_id': 'c', 'data': 'x' * 100_000})",
}
LONG_FLOODS = {
    "lines without end on both streams": """
import sys
while True: print('a' * 1000); print('b' * 1000, file=sys.stderr)
""",
    "displays without end": "while True: display({'text/html': 'x' * 10_000}, raw=True)",
    "displays with names without end": """
number = 0
while True:
    number += 1; display({'text/plain': 'x'}, raw=True, display_id=str(number))
""",
    "updates without end": """
shown = display({'text/plain': ''}, raw=True, display_id='d')
while True: shown.update({'text/plain': 'x' * 1000}, raw=True)
""",
    "clearing without end": "from IPython.display import clear_output\nwhile True: print('x'); clear_output(wait=True)",
    "an error of 40 MB": BY_HAND + "send('error', {'ename': 'E', 'evalue': 'x', 'traceback': ['x' * 10_000_000] * 4})",
    "a picture of 40 MB": BY_HAND
    + "send('display_data', {'data': {'image/png': 'A' * 40_000_000}, 'metadata': {}, 'transient': {}})",
    "messages of 40 MB without end": BY_HAND
    + "text = 'x' * 40_000_000\nwhile True: send('stream', {'name': 'stdout', 'text': text})",
    "lists in lists": BY_HAND
    + """
pack = kernel.session.pack
kernel.session.pack = lambda each: each if isinstance(each, bytes) else pack(each)
while True: send('stream', b'{"name":"stdout","text":' + b'[' * 100_000 + b']' * 100_000 + b'}')
""",
    "messages that are none": BY_HAND
    + """
while True:
    for content in (b'', b'{', b'[]', b'null', b'{"name":7}', b'\\xff\\xfe', b'{"data":[]}'):
        for kind in ('stream', 'display_data', 'error', 'status', 'execute_input', ''): send(kind, content)
""",
    "parts without end": BY_HAND + "while True: kernel.iopub_socket.send_multipart([b'x'] * 10_000)",
    "threads that go on printing": """
import threading, time
def flood():
    while True: print('x' * 1000)
for _ in range(4): threading.Thread(target=flood, daemon=True).start()
time.sleep(2)
""",
}
EVERY = [*FLOODS, *(pytest.param(name, marks=pytest.mark.long) for name in LONG_FLOODS)]


def _resident_mb(pid: int) -> int:
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.partition("VmRSS:")[2].split()[0]) // 1024


@pytest.mark.parametrize("name", EVERY)
def test_a_flood_drowns_nobody(scene, name):
    side = scene.confined
    flooder = Visitor(side.url)
    sent = Path(flooder.run(COUNTED, FIRST_SECONDS).text.strip())
    before, most, slowest = _resident_mb(side.app.pid), 0, 0.0
    ended: list[str] = []
    program = (FLOODS | LONG_FLOODS)[name]
    seconds = FLOOD_SECONDS if "while True" in program else FIRST_SECONDS
    flood = threading.Thread(target=lambda: ended.append(flooder.run(program, seconds).status))
    flood.start()
    while flood.is_alive():
        began = time.monotonic()
        assert httpx.get(side.url, timeout=FIRST_SECONDS).status_code == 200
        assert side.victim.run("print(secret)").text == f"{side.secrets['victim']}\n"
        slowest = max(slowest, time.monotonic() - began)
        most = max(most, _resident_mb(side.app.pid))
        time.sleep(0.05)
    flood.join()
    parts, size = struct.unpack("qq", sent.read_bytes())
    assert parts > FLOOD_PARTS or size > FLOOD_MB * 1_000_000
    assert ended[0] in ("ok", "error", "stopped", "died"), ended
    assert slowest < ANSWER_SECONDS
    assert most - before < GROWTH_MB
    flooder.ask("restart")
    assert flooder.run("print(1 + 1)", FIRST_SECONDS).text == "2\n"
    flooder.close()
