"""What every process that reads files is started with, and the network it leaves: files come from strangers."""

from __future__ import annotations

import ctypes
import os
import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]  # where `python -m services.tables…` finds its module
# Nothing of the app's own environment. One thread and the system's allocator: others reserve address space by the
# gigabyte; and HDF5 loads no filters from shared libraries.
ENVIRONMENT = {
    "PATH": os.defpath,
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "HDF5_PLUGIN_PRELOAD": "::",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONUTF8": "1",
}
# from <linux/prctl.h> and <linux/sched.h>
_PR_SET_NO_NEW_PRIVS = 38
_CLONE_NEWUSER, _CLONE_NEWNET = 0x1000_0000, 0x4000_0000


def leave_network() -> None:
    """Go where there is no network and from where there is no way back to more rights, as far as this system allows.

    To be called before this process has a second thread.
    """
    libc = ctypes.CDLL(None)
    if hasattr(libc, "prctl"):
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if hasattr(libc, "unshare") and libc.unshare(_CLONE_NEWNET) != 0:
        libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET)  # where making a network takes rights of its own


def main() -> None:
    """Leave the network, then run the module named: a library it imports may start a thread at once."""
    leave_network()
    runpy.run_module(sys.argv[1], run_name="__main__")


if __name__ == "__main__":
    main()
