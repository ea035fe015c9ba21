"""What a confined kernel says where the sandbox would only say no: one sentence, with the Python way to do it."""

import errno
import importlib
import sys
from types import TracebackType
from typing import Any, NoReturn

PROGRAMS = (
    "Other programs can't be started from this notebook. Use Python itself: pathlib and shutil for files, zipfile and "
    "gzip for archives, pandas for tables."
)
PROCESSES = (
    "Other processes can't be started from this notebook. Use threads (concurrent.futures.ThreadPoolExecutor), or "
    "n_jobs=1."
)
NETWORK = "This notebook has no network. The task's files are in ../input: open them there."
PACKAGES = (
    "Packages can't be installed in this notebook. It has pandas, numpy, scipy, scikit-learn, statsmodels, matplotlib, "
    "seaborn, plotly, pyarrow, openpyxl and h5py."
)

# audit events (docs.python.org, "Audit events table")
_REFUSED = {
    "subprocess.Popen": PROGRAMS,
    "os.system": PROGRAMS,
    "os.exec": PROGRAMS,
    "os.posix_spawn": PROGRAMS,
    "os.fork": PROCESSES,
    "os.forkpty": PROCESSES,
    "socket.connect": NETWORK,
    "socket.getaddrinfo": NETWORK,
    "socket.gethostbyname": NETWORK,
    "socket.gethostbyaddr": NETWORK,
    "socket.getnameinfo": NETWORK,
}


class NotInThisNotebook(PermissionError):
    """Something the sandbox does not allow; the message says what to do in its place."""

    def __str__(self) -> str:
        return str(self.strerror)


def refuse_clearly() -> None:
    """Have Python's own functions for programs, processes and the network refuse with a sentence.

    This guards nothing, the sandbox does: it only says what happened.
    """
    sys.addaudithook(_on_event)
    semaphores: Any = importlib.import_module("_multiprocessing")
    semaphores.SemLock = _Semaphore


def _on_event(event: str, _: tuple[Any, ...]) -> None:
    sentence = _REFUSED.get(event)
    if sentence:
        raise NotInThisNotebook(errno.EPERM, sentence)


class _Semaphore:
    """In place of the type behind multiprocessing's locks."""

    SEM_VALUE_MAX = 2**31 - 1

    def __init__(self, *_: object) -> None:
        raise NotInThisNotebook(errno.EPERM, PROCESSES)


def refuse_in_cells(shell: Any) -> None:
    """The same for what a cell writes in IPython's own way: `!cmd`, `%pip`, `%%bash`."""
    from IPython.core.error import UsageError

    def refusal(sentence: str) -> Any:
        def refuse(*_: object, **__: object) -> NoReturn:
            raise UsageError(sentence)

        return refuse

    for name in ("system", "system_piped", "system_raw", "getoutput"):
        setattr(shell, name, refusal(PROGRAMS))
    for name in ("pip", "conda", "mamba", "micromamba", "uv"):
        shell.register_magic_function(refusal(PACKAGES), "line", name)
    for name in ("bash", "sh", "script", "perl", "ruby", "system", "sx", "!"):
        shell.register_magic_function(refusal(PROGRAMS), "cell", name)


def refuse_exit(shell: Any) -> None:
    """Have `exit()` and `quit()` end the cell: ipykernel would end the kernel, and its variables, after it."""
    from IPython.core.error import UsageError

    def ask_exit() -> NoReturn:
        raise UsageError("A cell can't end its kernel. Restart it with the button above the cells.")

    shell.ask_exit = ask_exit


def trace_own_lines(shell: Any) -> None:
    """Have a refusal traced through the lines of cells alone, not through the library that was refused, and a package
    that is missing answered with those there are.
    """
    from ipykernel.compiler import get_tmp_directory

    structured = shell.InteractiveTB.structured_traceback
    cells = get_tmp_directory()

    def traced(kind: Any, error: Any, trace: Any, *args: Any, **options: Any) -> list[str]:
        refusal = _refusal_behind(error)
        if refusal:
            trace = _up_to_the_last(trace, cells)
            lines = structured(NotInThisNotebook, NotInThisNotebook(errno.EPERM, str(refusal)), trace, *args, **options)
        else:
            lines = structured(kind, error, trace, *args, **options)
        return [*lines, "", PACKAGES] if isinstance(error, ModuleNotFoundError) else list(lines)

    shell.InteractiveTB.structured_traceback = traced


def _refusal_behind(error: BaseException | None) -> NotInThisNotebook | None:
    """The refusal that `error` is, or that a library made it of."""
    while isinstance(error, OSError):
        if isinstance(error, NotInThisNotebook):
            return error
        error = error.__cause__ or error.__context__
    return None


def _up_to_the_last(trace: TracebackType | None, cells: str) -> TracebackType | None:
    """`trace` without what follows its last line of a cell."""
    steps = []
    while trace:
        steps.append(trace)
        trace = trace.tb_next
    own = [at for at, step in enumerate(steps) if step.tb_frame.f_code.co_filename.startswith(cells)]
    kept = None
    for step in reversed(steps[: own[-1] + 1] if own else steps):
        kept = TracebackType(kept, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return kept
