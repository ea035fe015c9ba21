"""Run by the kernels' Python: `inside kernel POLICY -f CONNECTION_FILE` or `inside warm CHANNEL`.

POLICY is a JSON object, or `null` for none; CHANNEL the number of an open socket.
"""

import json
import os
import socket
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])

from inside import kernel, warm  # type: ignore[import-not-found]  # noqa: E402
from inside.confine import Policy  # type: ignore[import-not-found]  # noqa: E402

del sys.path[0]  # the app's folder is no business of the cells

if sys.argv[1] == "warm":
    warm.serve(socket.socket(fileno=int(sys.argv[2])))
else:
    policy = json.loads(sys.argv[2])
    kernel.end_with(int(os.environ["JPY_PARENT_PID"]))
    kernel.become(policy and Policy(**policy), sys.argv[4])
