"""Which tests may run beside which: a file's stay together, and so do all attacks, which share one user's limits.

Files are handed out in their order, so that those of one folder, which share an app and a browser, mostly follow upon
each other in a worker.
"""

from xdist.scheduler import LoadScopeScheduling


class Together(LoadScopeScheduling):
    def _split_scope(self, nodeid):
        file = nodeid.split("::")[0]
        return "tests/sandbox" if file.startswith("tests/sandbox/") else file


def pytest_xdist_make_scheduler(config, log):
    return Together(config, log)
