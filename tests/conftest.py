"""Which tests may run beside which: a file's stay together, and so do all attacks, which share one user's limits, and
all of the browser's, which share one app.
"""

from xdist.scheduler import LoadScopeScheduling


class Together(LoadScopeScheduling):
    def _split_scope(self, nodeid):
        file = nodeid.split("::")[0]
        folder = file.rpartition("/")[0]
        return folder if folder in {"tests/sandbox", "tests/browser"} else file


def pytest_xdist_make_scheduler(config, log):
    return Together(config, log)
