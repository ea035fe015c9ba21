"""The system call policy as data: the compiled filter is run here on calls, for both machines, without Linux's help."""

import errno
import struct

import pytest

from services.kernels.inside import seccomp
from services.kernels.inside.syscalls import AUDIT_ARCH, NUMBERS

PID = 4242
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
MACHINES = sorted(NUMBERS)


def verdict(machine, number, arguments=(), arch=None):
    """What the filter returns for one call: classic BPF over struct seccomp_data (linux/seccomp.h)."""
    arguments = (*arguments, *[0] * (6 - len(arguments)))
    data = struct.pack("=iIQ6Q", number, arch or AUDIT_ARCH[machine], 0, *arguments)
    steps = list(struct.iter_unpack("=HBBI", seccomp.program(machine, PID)))
    place = accumulator = 0
    while True:
        code, if_true, if_false, value = steps[place]
        place += 1
        match code:
            case 0x20:
                accumulator = struct.unpack_from("=I", data, value)[0]
            case 0x54:
                accumulator &= value
            case 0x05:
                place += value
            case 0x15:
                place += if_true if accumulator == value else if_false
            case 0x25:
                place += if_true if accumulator > value else if_false
            case 0x35:
                place += if_true if accumulator >= value else if_false
            case 0x06:
                return value
            case _:
                raise AssertionError(f"no such step: {code:#x}")


def allowed(machine, name, *arguments):
    return verdict(machine, NUMBERS[machine][name], arguments) == ALLOW


def refused(machine, name, error, *arguments):
    return verdict(machine, NUMBERS[machine][name], arguments) == ERROR | error


@pytest.mark.parametrize("machine", MACHINES)
def test_every_named_call_is_let_through_and_no_other(machine):
    numbers = {NUMBERS[machine][name] for name in seccomp.ALLOWED if name in NUMBERS[machine]}
    decided = {NUMBERS[machine][name] for name in seccomp.checks(PID)}
    passed = {number for number in range(600) if number not in decided and verdict(machine, number) == ALLOW}
    assert passed == numbers
    assert len(numbers) > 120


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("name", "let_through", "error", "refusals"),
    [
        ("kill", [(PID, 9)], errno.EPERM, [(PID + 1, 9), (0, 9), (2**32 - 1, 9), (2**32 - PID, 9)]),
        ("tgkill", [(PID, 7, 9)], errno.EPERM, [(1, 1, 9)]),
        ("clone", [(0x3D0F00,)], errno.EPERM, [(17,), (0x4111,), (0x3D0F00 | 0x10000000,), (0x01200011,), (0x3D0B00,)]),
        ("close_range", [(3, 9, 0), (3, 9, 4)], errno.EPERM, [(3, 9, 2), (3, 9, 6)]),
        ("setsockopt", [(3, 1, 2), (3, 1, 9)], errno.EPERM, [(3, 1, 7), (3, 1, 8)]),
        ("prlimit64", [(0, 7), (PID, 7)], errno.EPERM, [(1, 7)]),
        ("fcntl", [(3, 1), (3, 4), (3, 1030)], errno.EPERM, [(3, 8), (3, 10), (3, 15), (3, 1026)]),
        ("ioctl", [(1, 0x5401), (1, 0x541B)], errno.ENOTTY, [(1, 0x5412), (1, 0x541C), (1, 0x8901)]),
        ("socket", [(1, 1), (1, 1 | 0o2000000)], errno.EAFNOSUPPORT, [(2, 1), (2, 2), (10, 1), (16, 3), (40, 1)]),
        ("socketpair", [(1, 1)], errno.EACCES, [(1, 2), (1, 5)]),
        (
            "mmap",
            [(0, 4096, 3, 0x22), (0, 4096, 3, 0x01)],
            errno.ENOMEM,
            [(0, 4096, 3, 0x21), (0, 4096, 3, 0x8023), (0, 4096, 3, 0x122)],
        ),
        ("prctl", [(15,), (0x53564D41,)], errno.EINVAL, [(1,), (4,), (22,), (36,), (35,)]),
        ("sched_setaffinity", [(0,), (PID,)], 0, [(1,)]),
    ],
)
def test_arguments_decide(machine, name, let_through, error, refusals):
    for arguments in let_through:
        assert allowed(machine, name, *arguments), arguments
    for arguments in refusals:
        assert refused(machine, name, error, *arguments), arguments


@pytest.mark.parametrize("machine", MACHINES)
def test_a_refusal_is_one_that_callers_understand(machine):
    for name in ("clone3", "memfd_create", "pidfd_open"):
        assert refused(machine, name, errno.ENOSYS)
    assert refused(machine, "connect", errno.EACCES)
    for name in ("llistxattr", "fallocate"):
        assert refused(machine, name, errno.EOPNOTSUPP)
    for name in ("fchmod", "fchownat", "utimensat", "sched_setscheduler"):
        assert refused(machine, name, 0)
    assert verdict(machine, 100_000) == ERROR | errno.ENOSYS


def test_dangerous_calls_are_refused_by_their_numbers_on_x86_64():
    dangerous = {"fork": 57, "vfork": 58, "execve": 59, "ptrace": 101, "mount": 165, "bpf": 321, "userfaultfd": 323}
    dangerous |= {"execveat": 322, "unshare": 272, "io_uring_setup": 425, "keyctl": 250, "perf_event_open": 298}
    dangerous |= {"setns": 308, "process_vm_readv": 310, "shmget": 29, "inotify_init1": 294, "setsid": 112}
    dangerous |= {"seccomp": 317, "setuid": 105, "tkill": 200, "rt_sigqueueinfo": 129, "pidfd_getfd": 438}
    assert {name: verdict("x86_64", number) for name, number in dangerous.items()} == dict.fromkeys(
        dangerous, ERROR | errno.EPERM
    )


def test_calls_of_another_architecture_end_the_process():
    i386 = 0x40000003
    assert verdict("x86_64", 1, arch=i386) == KILL
    assert verdict("x86_64", 0x40000000 | 59) == ERROR | errno.ENOSYS  # x32


def test_a_machine_without_tables_is_said_so():
    with pytest.raises(KeyError):
        seccomp.program("riscv64", PID)
