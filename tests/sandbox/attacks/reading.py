"""Reading what is not the visitor's: secrets of processes, of other visitors, of the app, of the machine."""

from __future__ import annotations

from pathlib import Path

from tests.sandbox.attacks.attack import Attack
from tests.sandbox.effects import leaks, tells
from tests.sandbox.scene import Side


def _line(path: str, number: int = 0):
    return lambda side: Path(path).read_text().splitlines()[number]


def _first_symbol(side: Side) -> str:
    """Its name: where it stands is told to root only."""
    return Path("/proc/kallsyms").read_text().split("\n", 1)[0].split()[-1]


def _listed_pid(side: Side) -> str:
    return f"'{side.keeper.process.pid}'"


def _tcp_port(side: Side) -> str:
    return f":{side.targets['tcp']:04X} "


OF_PROCESSES = [
    Attack("environ of another process", "print(open(f'/proc/{t.keeper}/environ').read())", leaks("keeper")),
    Attack(
        "environ of the app",
        "print(open(f'/proc/{t.app}/environ').read())",
        leaks("token"),
        unconfined="the app lets no process of its user look into it",
    ),
    Attack(
        "environ of one's own kernel",
        "print(dict(os.environ), open('/proc/self/environ').read())",
        leaks("token"),
        unconfined="a kernel is given none of the app's environment",
    ),
    Attack("cmdline of another process", "print(open(f'/proc/{t.keeper}/cmdline').read())", leaks("keeper")),
    Attack(
        "memory of another process by /proc",
        "memory = open(f'/proc/{t.keeper}/mem', 'rb'); memory.seek(t.address); print(memory.read(t.length))",
        leaks("keeper"),
    ),
    Attack(
        "memory of another visitor's kernel by /proc",
        """
found = b''
for line in open(f'/proc/{t.victim}/maps'):
    span, rights = line.split()[:2]
    start, end = (int(each, 16) for each in span.split('-'))
    if rights.startswith('rw') and end - start < 1 << 28:
        with open(f'/proc/{t.victim}/mem', 'rb') as memory:
            memory.seek(start)
            try: text = memory.read(end - start)
            except OSError: continue
        at = text.find(b"secret = '")
        if at >= 0: print(text[at:at + 40])
""",
        leaks("victim"),
    ),
    Attack(
        "memory of another process by process_vm_readv",
        """
buffer = ctypes.create_string_buffer(t.length)
here = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), t.length)
there = (ctypes.c_size_t * 2)(t.address, t.length)
checked(libc.process_vm_readv(t.keeper, here, 1, there, 1, 0))
print(buffer.value)
""",
        leaks("keeper"),
    ),
    Attack(
        "open descriptor of another process by /proc",
        "print(open(f'/proc/{t.keeper}/fd/{t.descriptor}').read())",
        leaks("keeper"),
    ),
    Attack(
        "open descriptor of another process by pidfd_getfd",
        "fd = system_call(438, os.pidfd_open(t.keeper), t.descriptor, 0); print(os.pread(fd, 100, 0))",
        leaks("keeper"),
    ),
    Attack(
        "current folder of another process", "print(open(f'/proc/{t.keeper}/cwd/kept.txt').read())", leaks("keeper")
    ),
    Attack(
        "root of another process",
        "print(open(f'/proc/{t.keeper}/root{t.keeper_folder}/kept.txt').read())",
        leaks("keeper"),
    ),
    Attack("list of processes", "print(os.listdir('/proc'))", tells(_listed_pid)),
]

OF_VISITORS = [
    Attack("another visitor's file", "print(open(f'{t.victim_work}/secret.txt').read())", leaks("victim")),
    Attack("another visitor's connection key", "print(open(t.victim_connection).read())", leaks("key")),
    Attack("names of all sessions", "print(os.listdir(t.sessions))", leaks("session")),
    Attack(
        "another visitor's file through a symbolic link",
        "os.symlink(f'{t.victim_work}/secret.txt', t.word); print(open(t.word).read())",
        leaks("victim"),
    ),
    Attack(
        "another visitor's file through a hard link",
        "os.link(f'{t.victim_work}/secret.txt', t.word); print(open(t.word).read())",
        leaks("victim"),
    ),
    Attack(
        "another visitor's file by its handle",
        """
handle = (ctypes.c_char * 128)(); struct.pack_into('I', handle, 0, 120); mount = ctypes.c_int()
checked(libc.name_to_handle_at(-100, f'{t.victim_work}/secret.txt'.encode(), handle, ctypes.byref(mount), 0))
folder = os.open('.', os.O_RDONLY)
print(os.read(checked(libc.open_by_handle_at(folder, handle, os.O_RDONLY)), 100))
""",
        leaks("victim"),
        unconfined="only root may open a file by its handle",
    ),
    Attack(
        "files that come and go in a foreign folder, by inotify",
        """
watch = checked(libc.inotify_init1(0)); checked(libc.inotify_add_watch(watch, t.keeper_folder.encode(), 0x100))
print(os.read(watch, 4096))
""",
        leaks("keeper"),
    ),
    Attack(
        "connecting to another visitor's kernel with its key",
        """
from jupyter_client.blocking.client import BlockingKernelClient
client = BlockingKernelClient(); client.load_connection_info(t.victim_connection_held)
client.start_channels(hb=False, control=False, stdin=False)
got = []
client.execute_interactive("print(secret)", timeout=1, output_hook=got.append)
print([message['content'].get('text') for message in got])
""",
        leaks("victim"),
    ),
]

OF_APP = [
    Attack(
        "gold answers",
        """
import glob, pandas
for path in glob.glob(f'{t.house}/assets/demo/data/*.parquet'): print(pandas.read_parquet(path)['answer'].to_list())
""",
        leaks("gold"),
    ),
    Attack(
        "task index",
        """
import sqlite3
index = sqlite3.connect(f'file:{t.index}?mode=ro&immutable=1', uri=True)
for table, in index.execute("select name from sqlite_master where type = 'table'").fetchall():
    for row in index.execute(f'select * from "{table}"'): print(row)
""",
        leaks("gold"),
    ),
    Attack("app source", "print(open(f'{t.house}/app.py').read(200))", tells(lambda side: "The front door")),
    Attack(
        "app source by import",
        "sys.path.insert(0, t.house); import services; print(services.__file__)",
        tells(lambda side: f"{side.house.root}/services/__init__.py"),
    ),
    Attack("folder of the app", "print(os.listdir(t.house))", tells(lambda side: "'assets'")),
    Attack(
        "log of the kernel's start",
        "print(os.listdir(os.path.dirname(t.victim_connection)))",
        tells(lambda side: "kernel.json"),
    ),
]

OF_MACHINE = [
    *(
        Attack(f"names of abstract sockets by {path}", f"print(open('{path}').read())", leaks("hidden"))
        for path in ("/proc/net/unix", "/proc/self/net/unix", "/proc/thread-self/net/unix")
    ),
    Attack(
        "names of abstract sockets by /proc/self/task",
        "print(open(f'/proc/self/task/{os.getpid()}/net/unix').read())",
        leaks("hidden"),
    ),
    Attack("connections of the machine", "print(open('/proc/net/tcp').read())", tells(_tcp_port)),
    Attack("mounts by /proc", "print(open('/proc/self/mountinfo').read())", tells(lambda side: " /proc ")),
    Attack(
        "mounts by statmount",
        """
request = struct.pack('IIQQQ', 32, 0, 0xffffffffffffffff, 0, 0); found = (ctypes.c_uint64 * 64)()
print('mounts', system_call(458, request, found, 64, 0) > 0)
""",
        tells(lambda side: "mounts True"),
    ),
    Attack("symbols of the system kernel", "print(open('/proc/kallsyms').readline())", tells(_first_symbol)),
    Attack(
        "boot id",
        "print(open('/proc/sys/kernel/random/boot_id').read())",
        tells(_line("/proc/sys/kernel/random/boot_id")),
    ),
    Attack("command line of the system", "print(open('/proc/cmdline').read())", tells(_line("/proc/cmdline"))),
    Attack("disks", "print(open('/proc/partitions').read())", tells(_line("/proc/partitions", 2))),
    Attack("network interfaces by /sys", "print(os.listdir('/sys/class/net'))", tells(lambda side: "'lo'")),
    Attack("users' folders", "print(os.listdir('/home'), os.listdir('/var'), 'listed')", tells(lambda side: "listed")),
    Attack(
        "settings of the system",
        "print(open('/etc/fstab').read(), os.listdir('/etc'), 'read')",
        tells(lambda side: "read"),
    ),
]

ATTACKS = [*OF_PROCESSES, *OF_VISITORS, *OF_APP, *OF_MACHINE]
