"""Settings come from the environment, and an unusable one stops the start with a sentence that names it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from services.settings import Settings, SettingsError, load_settings

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch):
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)


def test_defaults_listen_on_this_machine_alone():
    settings = load_settings()
    assert (settings.gradio_server_name, settings.gradio_server_port) == ("127.0.0.1", 7860)
    assert not settings.public


@pytest.mark.parametrize(
    ("name", "public"),
    [
        ("127.0.0.1", False),
        ("127.9.9.9", False),
        ("::1", False),
        ("localhost", False),
        ("0.0.0.0", True),
        ("::", True),
        ("192.168.1.5", True),
        ("example.org", True),
    ],
)
def test_public_is_whatever_strangers_can_reach(monkeypatch, name, public):
    monkeypatch.setenv("GRADIO_SERVER_NAME", name)
    assert load_settings().public is public


def test_a_space_is_public_even_on_loopback(monkeypatch):
    monkeypatch.setenv("SPACE_ID", "someone/workbench")
    assert load_settings().public


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GRADIO_SERVER_PORT", "http"),
        ("GRADIO_SERVER_PORT", "70000"),
        ("TASKS_SOURCE", "huggingface"),
        ("TASKS_DATASET", "no-owner"),
        ("KERNEL_MAX", "0"),
        ("GRADER_SECONDS", "-1"),
        ("REFERENCE_GRADER", "sometimes"),
    ],
)
def test_an_unusable_value_is_named(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert str(caught.value).startswith(f"{name}={value} can't be used: ")
    assert "\n" not in str(caught.value)


def test_the_app_does_not_start_on_an_unusable_value():
    ended = subprocess.run(
        [sys.executable, "app.py"], cwd=ROOT, env=os.environ | {"KERNEL_MAX": "many"}, capture_output=True, text=True
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith("KERNEL_MAX=many can't be used: ")
    assert "Traceback" not in ended.stderr


def test_a_folder_is_a_source(monkeypatch, tmp_path):
    monkeypatch.setenv("TASKS_SOURCE", str(tmp_path))
    assert load_settings().tasks_source == str(tmp_path)


def test_a_token_is_never_shown(monkeypatch):
    monkeypatch.setenv("HUB_TOKEN", " ")
    assert not load_settings().hub_token
    monkeypatch.setenv("HUB_TOKEN", "hf_of_the_operator")
    monkeypatch.setenv("KERNEL_MAX", "0")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert "hf_of" not in str(caught.value)
    monkeypatch.delenv("KERNEL_MAX")
    settings = load_settings()
    assert settings.hub_token.get_secret_value() == "hf_of_the_operator"
    assert "hf_of" not in f"{settings!r} {settings} {settings.model_dump_json()}"


def test_the_readme_documents_every_setting():
    table = (ROOT / "README.md").read_text()
    for name, field in Settings.model_fields.items():
        assert f"| `{name.upper()}` |" in table, name
        assert field.description in table, name
