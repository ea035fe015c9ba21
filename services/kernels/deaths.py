"""How a kernel's process ended, in words."""

from __future__ import annotations

import signal

from services.kernels.text_limits import size_in_words

_SIGNALS = {
    signal.SIGKILL: "it was killed, often for lack of memory",
    signal.SIGSEGV: "segmentation fault",
    signal.SIGBUS: "bus error",
    signal.SIGABRT: "a library gave up",
    signal.SIGFPE: "arithmetic error",
    signal.SIGILL: "illegal instruction",
    signal.SIGSYS: "a system call that is not allowed",
    signal.SIGXFSZ: "a file grew too large",
    signal.SIGXCPU: "too much time on the processor",
}


def cause_of_death(exit_code: int | None) -> str:
    """The cause for an exit code as subprocess gives it: negative for a signal, None when not known."""
    if exit_code is None:
        return "no exit code"
    if exit_code >= 0:
        return f"exit code {exit_code}"
    try:
        name = signal.Signals(-exit_code)
    except ValueError:
        return f"signal {-exit_code}"
    return f"{_SIGNALS.get(name, 'ended by a signal')} ({name.name})"


def kernel_stopped(exit_code: int | None, *, idle: bool = False, held: int = 0) -> str:
    """The sentence for a kernel that ended by itself; `held`, when worth saying, is the memory seen last, in bytes."""
    when = " while no cell ran" if idle else ""
    memory = f"; shortly before, it held {size_in_words(held)} of memory" if held else ""
    return f"The kernel stopped{when} ({cause_of_death(exit_code)}{memory})."
