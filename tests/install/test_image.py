"""The Dockerfile's steps, run as a script against a clean folder, then its command as uid 1000."""

import json
import os
import shlex
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.served_app import free_port, wait_until_served

ROOT = Path(__file__).resolve().parents[2]
SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"

pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]


def instructions():
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            word, _, rest = line.partition(" ")
            yield word, rest.strip()


@pytest.fixture(scope="module")
def image():
    """Build /app and /home/user of the image below a folder that every user can enter."""
    if os.geteuid() != 0:
        pytest.fail("building the image's folders needs root, as a build in Docker has it")
    base = Path(tempfile.mkdtemp(prefix="image-", dir="/tmp"))
    base.chmod(0o755)
    places = {"/app": str(base / "app"), "/home/user": str(base / "home")}

    def moved(text):
        for there, here in places.items():
            text = text.replace(there, here)
        return text

    # pip's own settings (a proxy, a mirror) are the machine's, not the image's
    pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    env, user, command, cwd = {}, 0, None, base
    for word, rest in instructions():
        if word == "WORKDIR":
            cwd = Path(moved(rest))
            cwd.mkdir(parents=True, exist_ok=True)
        elif word == "COPY":
            *sources, target = shlex.split(rest)
            for source in sources:
                to = cwd / target
                if (ROOT / source).is_dir():
                    shutil.copytree(ROOT / source, to, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    shutil.copy(ROOT / source, to / source if target.endswith("/") else to)
        elif word == "RUN":
            assert user == 0, "build steps run before the image gives up root"
            subprocess.run(["/bin/sh", "-ec", moved(rest)], cwd=cwd, env={"PATH": SYSTEM_PATH} | pip, check=True)
        elif word == "ENV":
            name, _, value = moved(rest).partition("=")
            env[name] = value
        elif word == "USER":
            user = int(rest)
        elif word == "CMD":
            command = json.loads(rest)
    yield {"app": cwd, "home": base / "home", "env": env, "user": user, "command": command}
    shutil.rmtree(base)


@pytest.fixture(scope="module")
def served(image):
    port = free_port()
    env = {"PATH": SYSTEM_PATH} | image["env"] | {"GRADIO_SERVER_PORT": str(port), "TASKS_SOURCE": "bundled"}
    with subprocess.Popen(
        image["command"], cwd=image["app"], env=env, user=image["user"], group=image["user"], extra_groups=[]
    ) as process:
        url = f"http://127.0.0.1:{port}/"
        try:
            wait_until_served(url, process)
            yield url, process
        finally:
            process.terminate()


def test_it_serves_as_an_ordinary_user(image, served):
    assert image["user"] == 1000
    _, process = served
    status = Path(f"/proc/{process.pid}/status").read_text()
    assert "Uid:\t1000\t1000\t1000\t1000" in status


def test_that_user_can_change_neither_code_nor_tasks(image):
    found = subprocess.run(
        ["find", str(image["app"]), "-writable", "-not", "-type", "l"],
        user=1000, group=1000, extra_groups=[], capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert found.stdout == ""
    probe = subprocess.run(["touch", str(image["home"] / "probe")], user=1000, group=1000, extra_groups=[], check=False)
    assert probe.returncode == 0


def test_code_is_compiled_beforehand(image):
    for source in [image["app"] / "app.py", *(image["app"] / "services").rglob("*.py")]:
        assert list((source.parent / "__pycache__").glob(f"{source.stem}.*.pyc")), source


def test_its_kernels_are_confined_and_work(served):
    url, _ = served
    code = "import os, pandas as pd\nprint(pd.read_csv('../input/iris.csv').shape[0], os.getuid())\nos.fork()"
    request = urllib.request.Request(
        url + "kernel/run",
        json.dumps({"token": "0" * 48, "task_id": "demo_iris_qa_1", "cell_id": "c", "code": code}).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        events = [json.loads(line) for line in answer.read().splitlines()]
    printed, error = (event["output"] for event in events if event["event"] == "output")
    assert printed["text"] == "150 1000\n"
    assert "Other processes can't be started" in error["evalue"]
    assert events[-1]["status"] == "error"
