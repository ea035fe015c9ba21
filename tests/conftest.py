"""Which tests may run beside which: a file's stay together, and so do all attacks, which share one user's limits."""

import pytest


def pytest_collection_modifyitems(items):
    for item in items:
        together = "sandbox" if item.path.parent.name == "sandbox" else item.path.stem
        item.add_marker(pytest.mark.xdist_group(together))
