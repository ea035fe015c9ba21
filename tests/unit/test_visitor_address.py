"""Which address a visitor counts by, with proxies between and headers anyone may write."""

import pytest

from services.routes import visitor_address


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("93.184.216.34", [], "93.184.216.34"),
        ("2606:2800:220:1:248:1893:25c8:1946", [], "2606:2800:220:1::/64"),
        ("::ffff:93.184.216.34", [], "93.184.216.34"),
        ("fe80::1%eth0", [], "fe80::/64"),
        ("10.0.0.7", ["93.184.216.34"], "93.184.216.34"),
        ("10.0.0.7", ["93.184.216.34, 10.1.2.3, 172.16.0.1, 100.64.0.9"], "93.184.216.34"),
        ("10.0.0.7", ["1.1.1.1, 8.8.8.8", "93.184.216.34"], "93.184.216.34"),
        ("10.0.0.7", ["1.1.1.1,2606:2800:220:1::9 , 127.0.0.1"], "2606:2800:220:1::/64"),
        ("10.0.0.7", ["1.1.1.1, no address, , 10.0.0.1"], "1.1.1.1"),
        ("10.0.0.7", ["192.168.1.1", "unknown"], "10.0.0.7"),
        ("10.0.0.7", ["", "<script>", "9" * 1000], "10.0.0.7"),
        ("", [], ""),
    ],
)
def test_the_address_the_outermost_proxy_saw(peer, forwarded, address):
    assert visitor_address(peer, forwarded) == address


def test_neighbours_in_an_ipv6_network_are_one_visitor_and_the_next_network_is_another():
    one, two, other = (visitor_address(f"2606:2800:220:{net}::{host}") for net, host in ((1, 1), (1, 2), (2, 1)))
    assert one == two != other
