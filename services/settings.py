"""Every setting of the app, read once from environment variables.

A setting's environment variable is its name in capitals: `kernel_max` is `KERNEL_MAX`.
"""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

ROOT = Path(__file__).resolve().parent.parent
BUNDLED_SUITE = ROOT / "assets" / "demo"
DATASETS_SOURCE = "datasets:"


class SettingsError(ValueError):
    """A known setting has a value the app can't use; the message names both."""


class Settings(BaseSettings):
    """The app's settings. Defaults are safe for a public Space."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore")

    gradio_server_name: str = Field("127.0.0.1", description="Address to listen on. The Dockerfile sets `0.0.0.0`.")
    gradio_server_port: int = Field(7860, ge=1, le=65535, description="Port to listen on.")
    space_id: str = Field("", description="Set by Hugging Face inside a Space (`owner/name`); marks the app as public.")

    tasks_source: str = Field(
        "auto",
        description="Where tasks come from: `auto` (the Hub, else the last cached copy, else the bundled suite), "
        "`bundled`, `hub`, the path of a folder with `data/{split}-*.parquet`, or `datasets:` and whatever the "
        "library `datasets` reads: `org/name`, `org/name:config`, `org/name@revision`, or the path of a folder or a "
        "file (JSON, CSV, parquet, Arrow, a folder `save_to_disk` wrote).",
    )
    tasks_dataset: str = Field(
        "FineEnvs/SmolDataEnvs", pattern=r"^[\w.-]+/[\w.-]+$", description="Dataset repository on the Hub (`org/name`)."
    )
    tasks_revision: str = Field(
        "6c439f075cf550793b1bfd7b887a41e51f3b23ab",
        min_length=1,
        description="Revision of that dataset: a full commit hash, a tag or a branch.",
    )
    hub_start_seconds: float = Field(
        3.0, gt=0, le=600, description="Longest the first page may wait for the Hub, in seconds (`TASKS_SOURCE=auto`)."
    )
    hub_file_seconds: float = Field(
        120.0, gt=0, description="Longest one data file may take to arrive from the Hub, in seconds."
    )
    hub_token: SecretStr = Field(
        SecretStr(""),
        description="Token for reads from the Hub, and for nothing else. Without one the app reads as anybody can, "
        "whatever `HF_TOKEN` or a login on this machine says.",
    )
    cache_max_gb: float = Field(
        20.0, gt=0, description="What the files fetched from the Hub may hold, in GB; those used longest ago go first."
    )
    disk_free_gb: float = Field(1.0, ge=0, description="Disk space that fetching files leaves free, in GB.")
    cache_dir: Path = Field(
        Path("~/.cache/smoldataenvs-workbench"), description="Folder for task indexes and downloaded files."
    )

    table_cache_gb: float = Field(
        10.0,
        gt=0,
        description="What copies of tables looked at whole may hold, in GB; those used longest ago go first.",
    )
    table_seconds: float = Field(
        600.0, gt=0, description="Longest the copy or the profile of a whole table may take, in seconds."
    )
    table_memory_mb: int = Field(
        1024, ge=512, description="Memory one process that looks at a whole table may take, in MB."
    )

    grader_workers: int = Field(2, ge=1, le=64, description="Worker processes for the symbolic rung.")
    grader_seconds: float = Field(5.0, gt=0, description="Wall time one symbolic comparison may take, in seconds.")
    grader_memory_mb: int = Field(1024, ge=256, description="Memory one symbolic worker may take, in MB.")

    preview_seconds: float = Field(20.0, gt=0, description="Longest the preview of a file may take, in seconds.")
    preview_memory_mb: int = Field(
        1024, ge=512, description="Address space the process that previews a file may take, in MB."
    )

    batch_mb: int = Field(100, ge=1, description="What one visitor's files of predictions may hold together, in MB.")
    reference_grader: bool = Field(
        False,
        description="Whether the dataset's own `grader.py` at `TASKS_REVISION` is fetched from the Hub and run beside "
        "ours, confined, to show where the two disagree. Needs a Linux that can confine it fully.",
    )

    kernel_python: Path = Field(
        ROOT / ".venv-kernel" / "bin" / "python", description="Python of the kernels' own environment."
    )
    kernel_policy: Literal["auto", "strict", "unconfined"] = Field(
        "auto",
        description="How kernels are confined. `auto`: where strangers can reach the app, fully or not at all; on your "
        "own machine as far as the system can, and the page says how far. `strict`: fully, or no kernels. "
        "`unconfined`: cells can do whatever the app's user can, and read its secrets: never use it on an address "
        "others can reach.",
    )
    kernel_max: int = Field(
        4, ge=1, le=256, description="Kernels alive at once, those that wait for a visitor included."
    )
    kernel_per_address: int = Field(
        2, ge=1, description="Kernels one network address may have at once, where strangers can reach the app."
    )
    kernel_waiting: int = Field(1, ge=0, le=16, description="Kernels started ahead of the next visitors.")
    kernel_idle_seconds: float = Field(1200.0, gt=0, description="Idle time after which a kernel is ended, in seconds.")
    kernel_cell_seconds: float = Field(600.0, gt=0, description="Longest one cell may run, in seconds.")
    kernel_memory_mb: int = Field(2048, ge=128, description="Memory one kernel may take, in MB.")
    kernel_threads: int = Field(256, ge=32, description="Threads one kernel may have.")
    kernel_folder_mb: int = Field(
        512, ge=1, description="What a kernel's folder may hold beyond the task's files, in MB."
    )
    kernel_folder_files: int = Field(5000, ge=10, description="Files and folders a kernel's folder may hold.")
    kernel_output_bytes: int = Field(
        1_000_000, ge=10_000, description="Output kept of one cell, in bytes: head and tail, the cut is said."
    )
    kernel_flood_mb: int = Field(100, ge=1, description="Output after which a cell is stopped, kept or not, in MB.")

    @field_validator("tasks_source")
    @classmethod
    def _known_source(cls, value: str) -> str:
        if value.startswith(DATASETS_SOURCE) and value != DATASETS_SOURCE:
            return value
        if value not in {"auto", "bundled", "hub"} and not Path(value).expanduser().is_dir():
            raise ValueError("it is not auto, bundled, hub, an existing folder, or datasets: and what it should read")
        return value

    @field_validator("hub_token")
    @classmethod
    def _bare_token(cls, value: SecretStr) -> SecretStr:
        return SecretStr(value.get_secret_value().strip())

    @field_validator("cache_dir", "kernel_python")
    @classmethod
    def _expand_home(cls, value: Path) -> Path:
        # absolute, not resolved: a virtual environment's python is a link, and following it leaves the environment
        return value.expanduser().absolute()

    @property
    def public(self) -> bool:
        """Whether strangers can reach the app: it listens beyond loopback or runs in a Space."""
        if self.space_id:
            return True
        if self.gradio_server_name == "localhost":
            return False
        try:
            return not ipaddress.ip_address(self.gradio_server_name).is_loopback
        except ValueError:
            return True


def load_settings() -> Settings:
    """Read the settings from the environment.

    Raises:
        SettingsError: a known setting has an unusable value; one sentence a setting.
    """
    try:
        return Settings()
    except ValidationError as error:
        lines = []
        for problem in error.errors():
            name = str(problem["loc"][0]).upper()
            reason = problem["msg"].removeprefix("Value error, ")
            lines.append(f"{name}={problem['input']!s} can't be used: {reason}.")
        raise SettingsError("\n".join(lines)) from None
