"""Reaching anything by a socket."""

from __future__ import annotations

import socket
from functools import partial

from tests.sandbox.attacks.attack import Attack
from tests.sandbox.effects import Check, is_heard, tells
from tests.sandbox.scene import Side

LISTEN = """
listener = socket.socket(socket.{family})
listener.bind(('{address}', 0)); listener.listen(); print('port', listener.getsockname()[1], flush=True)
"""


def answers(family: int, address: str):
    """Whether the port the attack opened takes connections from outside."""

    def before(side: Side) -> Check:
        def check(outcome) -> bool:
            port = outcome.text.partition("port ")[2].split("\n")[0]
            with socket.socket(family) as caller:
                return bool(port) and caller.connect_ex((address, int(port))) == 0

        return check

    return before


def _interfaces(side: Side) -> str:
    return repr(socket.if_nameindex()[0])


say = partial(Attack, effect=is_heard)

ATTACKS = [
    say("TCP to this machine", "socket.create_connection(('127.0.0.1', t.tcp), 2).send(t.word.encode())"),
    say(
        "TCP by the C library",
        "connect(socket.socket(), inet(t.tcp)).send(t.word.encode())",
    ),
    say(
        "TCP by fast open",
        "socket.socket().sendto(t.word.encode(), socket.MSG_FASTOPEN, ('127.0.0.1', t.tcp))",
    ),
    say(
        "TCP by IPv6 to an IPv4 address",
        "connect(socket.socket(socket.AF_INET6), inet6(t.tcp)).send(t.word.encode())",
    ),
    say(
        "HTTP by urllib to the app's own routes",
        """
import urllib.request
asked = urllib.request.Request(f'http://127.0.0.1:{t.tcp}/kernel/{t.word}', b'{}')
urllib.request.urlopen(asked, timeout=0.3)
""",
    ),
    say(
        "UDP to this machine",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(t.word.encode(), ('127.0.0.1', t.udp))",
    ),
    say(
        "UDP by IPv6 to an IPv4 address",
        "socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(t.word.encode(), ('::ffff:127.0.0.1', t.udp))",
    ),
    say(
        "a name's address",
        """
class State(ctypes.Structure):
    _fields_ = [('retrans', ctypes.c_int), ('retry', ctypes.c_int), ('options', ctypes.c_ulong),
                ('nscount', ctypes.c_int), ('servers', ctypes.c_char * 16 * 3)]
libc['__res_init']()
whole = libc['__res_state']; whole.restype = ctypes.POINTER(State); state = whole().contents
state.retrans, state.retry, state.nscount = 1, 1, 1
ctypes.memmove(ctypes.addressof(state) + State.servers.offset, inet(t.udp), 16)
libc.getaddrinfo(f'{t.word}.example.org'.encode(), b'80', None, ctypes.byref(ctypes.c_void_p()))
""",
    ),
    say("unix socket by its path", "connect(socket.socket(socket.AF_UNIX), unix(t.unix_stream)).send(t.word.encode())"),
    say(
        "unix datagram by its path",
        "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(t.word.encode(), t.unix_datagram)",
    ),
    say(
        "unix datagram by its path, from a pair",
        "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(t.word.encode(), t.unix_datagram)",
    ),
    say(
        "unix datagram by its path, from a pair, by sendmsg",
        "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendmsg([t.word.encode()], [], 0, t.unix_datagram)",
    ),
    say(
        "abstract socket",
        "connect(socket.socket(socket.AF_UNIX), unix('\\0' + t.abstract_stream)).send(t.word.encode())",
    ),
    say(
        "abstract datagram",
        "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(t.word.encode(), '\\0' + t.abstract_datagram)",
    ),
    say(
        "abstract datagram, from a pair",
        "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(t.word.encode(), '\\0' + t.abstract_datagram)",
    ),
    say(
        "abstract datagram, from a pair of raw unix sockets",  # which the system makes datagram ones
        "socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW)[0].sendto(t.word.encode(), '\\0' + t.abstract_datagram)",
    ),
    Attack(
        "a port for others", LISTEN.format(family="AF_INET", address="127.0.0.1"), answers(socket.AF_INET, "127.0.0.1")
    ),
    Attack(
        "a port for others by IPv6",
        LISTEN.format(family="AF_INET6", address="::ffff:127.0.0.1"),
        answers(socket.AF_INET, "127.0.0.1"),
    ),
    Attack(
        "a port for others without bind",
        "s = socket.socket(); s.listen(); print('port', s.getsockname()[1])",
        answers(socket.AF_INET, "127.0.0.1"),
    ),
    Attack("network interfaces by netlink", "print(socket.if_nameindex())", tells(_interfaces)),
    Attack(
        "netlink",
        "s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW); s.bind((0, 0)); print('bound', s.getsockname()[0] > 0)",
        tells(lambda side: "bound True"),
    ),
    Attack(
        "virtual machine's host",
        "s = socket.socket(socket.AF_VSOCK); s.bind((-1, 4_000_000_000)); print('bound', s.getsockname()[1])",
        tells(lambda side: "bound 4000000000"),
    ),
]
