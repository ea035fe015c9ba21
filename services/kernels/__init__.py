"""Jupyter kernels: one a visitor, each a process with a folder of its own."""

from services.kernels.launch import WARM_FIRST_SECONDS, Launcher
from services.kernels.limits import Limits
from services.kernels.pool import KernelPool, UnknownRun
from services.kernels.processes import guard_memory
from services.kernels.program import ProgramRun, run_program
from services.kernels.run import Run, Stopped
from services.kernels.session import InputsUnavailable
from services.kernels.session_folder import AnswerUnreadable

__all__ = [
    "WARM_FIRST_SECONDS",
    "AnswerUnreadable",
    "InputsUnavailable",
    "KernelPool",
    "Launcher",
    "Limits",
    "ProgramRun",
    "Run",
    "Stopped",
    "UnknownRun",
    "guard_memory",
    "run_program",
]
