"""Makes the calling process a kernel: its life tied to its parent's, confined, then ipykernel."""

import os
import signal
import sys
from typing import NoReturn

from . import linux, output, variables
from .confine import NotConfined, Policy, confine
from .manners import refuse_clearly, refuse_exit, refuse_in_cells, trace_own_lines

NICE = 19  # however many threads compute, the app has its turn
CANT_CONFINE = 3  # exit code


def end_with(parent: int) -> None:
    """Have this process killed when the thread that started it ends; orphans of its children stay under it."""
    if sys.platform == "linux":
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
        linux.prctl(linux.PR_SET_CHILD_SUBREAPER, 1)
    # the parent may have ended before the lines above
    if os.getppid() != parent:
        sys.exit("the app that started this kernel has ended")


def become(policy: Policy | None, connection_file: str) -> NoReturn:
    """Confine this process, unless `policy` is None, and run a kernel in it until it ends."""
    from ipykernel.iostream import IOPubThread
    from ipykernel.kernelapp import IPKernelApp
    from traitlets.config import Config

    os.umask(0o077)
    os.nice(NICE)
    if policy:
        # it listens on TCP for output of forked children, and libzmq aborts where TCP is refused
        IOPubThread._setup_pipe_in = lambda self: setattr(self, "_pipe_flag", False)
        try:
            confine(policy)
        except NotConfined as error:
            print(error, file=sys.stderr)
            sys.exit(CANT_CONFINE)
        refuse_clearly()
    config = Config()
    config.HistoryManager.enabled = False  # a file nobody reads, and a thread to write it
    config.IPCompleter.use_jedi = False  # it reads whole libraries for some completions, seconds in which no cell runs
    output.send_in_parts()
    app = IPKernelApp.instance(config=config)
    app.initialize(["-f", connection_file])
    output.wait_for_the_app(app.iopub_thread)
    output.leave_out_what_is_too_large(app.session)
    output.keep_threads_with_their_cell(app.shell)
    sys.breakpointhook = sys.__breakpointhook__  # debugpy's asks a debugger nobody has attached
    variables.answer_requests(app.kernel)
    refuse_exit(app.shell)
    if policy:
        refuse_in_cells(app.shell)
        trace_own_lines(app.shell)
    app.start()
    sys.exit()
