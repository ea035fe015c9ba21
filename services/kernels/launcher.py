"""The kernel process, run by the kernels' Python: ties its life to the app's, lets the app go first, becomes ipykernel.

The app is known by JPY_PARENT_PID, which jupyter_client sets.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
NICE = 5


def end_with(parent: int) -> None:
    """Have this process killed when the thread that started it ends; orphans of its children stay under it."""
    if sys.platform == "linux":
        prctl = ctypes.CDLL(None).prctl
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        prctl(PR_SET_CHILD_SUBREAPER, 1)
    # the parent may have ended before the line above
    if os.getppid() != parent:
        sys.exit("the app that started this kernel has ended")


def main() -> None:
    del sys.path[0]  # the folder of this file is no business of the cells
    end_with(int(os.environ["JPY_PARENT_PID"]))
    os.nice(NICE)
    from ipykernel import kernelapp

    kernelapp.launch_new_instance()


if __name__ == "__main__":
    main()
