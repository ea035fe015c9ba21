"""Which tests may run beside which: a file's stay together, and so do all attacks, which share one user's limits."""

from xdist.scheduler import LoadScopeScheduling


class Together(LoadScopeScheduling):
    def _split_scope(self, nodeid):
        file = nodeid.split("::")[0]
        return "tests/sandbox" if file.startswith("tests/sandbox/") else file


def pytest_xdist_make_scheduler(config, log):
    return Together(config, log)
