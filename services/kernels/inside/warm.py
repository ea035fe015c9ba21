"""A process with the kernels' libraries imported, which forks a kernel for each request it is sent.

It has one thread and no secrets, and runs nothing of a visitor's. A request is an open descriptor that only the new
kernel reads, so that none finds the names of others' folders in the memory it was forked with: a JSON object
`{"policy", "connection_file", "environment", "folder", "log"}`. What is said back are lines of JSON: `{"ready"}` once,
`{"pid"}` for each request in turn, and `{"ended": pid, "code"}` for each kernel that ended, its exit code negative for
a signal.
"""

import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
import traceback
from typing import Any

from .confine import OPEN_FILES, Policy
from .kernel import become, end_with

# what a kernel imports as it starts, then what notebooks import; with each comes what it imports itself
LIBRARIES = (
    "ipykernel.kernelapp", "ipykernel.debugger", "ipykernel.comm", "IPython.core.completerlib", "IPython.core.oinspect",
    "IPython.extensions.storemagic", "tornado.platform.asyncio", "psutil", "faulthandler", "jedi", "numpy", "pandas",
    "pyarrow", "openpyxl", "scipy.stats", "matplotlib.pyplot", "sklearn.linear_model", "sklearn.ensemble",
    "sklearn.model_selection", "sklearn.preprocessing", "sklearn.metrics", "sklearn.cluster", "statsmodels.api",
    "seaborn", "plotly.express",
)  # fmt: skip

REQUESTS = 16  # taken at once


def serve(channel: socket.socket) -> None:
    """Fork kernels until the app closes `channel`."""
    end_with(os.getppid())
    for name in LIBRARIES:
        importlib.import_module(name)
    _trace_an_error()
    threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208
    if threads > 1:
        sys.exit(f"the libraries started {threads - 1} threads: a kernel forked from here could wait for them for ever")
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.collect()
    gc.freeze()  # or the first collection in each kernel would copy every page
    _say(channel, {"ready": True})
    # not epoll, whose descriptor every kernel would share
    with selectors.PollSelector() as ready:
        ready.register(channel, selectors.EVENT_READ)
        ready.register(woken, selectors.EVENT_READ)
        while True:
            happened = {key.fd for key, _ in ready.select()}
            if woken in happened:
                os.read(woken, 4096)
                _tell_ended(channel)
            if channel.fileno() in happened:
                asked, requests, _, _ = socket.recv_fds(channel, REQUESTS, REQUESTS)
                if not asked:
                    return
                for request in requests:
                    _fork(channel, request)
                    os.close(request)


def _trace_an_error() -> None:
    """Trace the commonest error of all through pandas: the first trace loads libraries and parses pandas' sources."""
    from IPython.core.ultratb import AutoFormattedTB

    try:
        importlib.import_module("pandas").DataFrame({"a": []})["b"]
    except KeyError:
        AutoFormattedTB(mode="Context").structured_traceback(*sys.exc_info())


def _say(channel: socket.socket, told: dict[str, Any]) -> None:
    channel.sendall(json.dumps(told).encode() + b"\n")


def _tell_ended(channel: socket.socket) -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        _say(channel, {"ended": pid, "code": os.waitstatus_to_exitcode(status)})


def _fork(channel: socket.socket, request: int) -> None:
    warm = os.getpid()
    pid = os.fork()
    if pid:
        _say(channel, {"pid": pid})
        return
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        channel.close()
        asked = json.loads(b"".join(iter(lambda: os.read(request, 65536), b"")))
        os.closerange(3, OPEN_FILES)
        os.setsid()
        _take_on(asked)
        end_with(warm)
        become(asked["policy"] and Policy(**asked["policy"]), asked["connection_file"])
    except SystemExit as ended:
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
        code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
        sys.stderr.flush()
        os._exit(code)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    os._exit(1)


def _take_on(asked: dict[str, Any]) -> None:
    """Become a process of its own session folder."""
    import numpy

    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    log = os.open(asked["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    for stream in (1, 2):
        os.dup2(log, stream)
    os.close(log)
    numpy.random.seed()  # or every kernel would draw the same numbers; Python's own `random` sees to itself
