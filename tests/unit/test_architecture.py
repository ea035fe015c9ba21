"""The arrows of the house: app → components → services, and which service may know which."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted([ROOT / "app.py", *(ROOT / "components").rglob("*.py"), *(ROOT / "services").rglob("*.py")])

MAY_IMPORT = {
    "settings": set(),
    "tables": set(),
    "grading": set(),
    "batch": {"catalog", "grading", "reference"},
    "catalog": {"settings"},
    "datafiles": {"catalog", "settings"},
    "kernels": {"settings"},
    "reference": {"catalog", "kernels", "settings"},
    "routes": {"kernels", "grading", "datafiles", "catalog", "batch"},
}


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in SOURCES}


def imports(path):
    """Every module a file imports, wherever in the file; `from a import b` counts as a.b where that is a module."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = node.module or ""
            if node.level:
                base = module_name(path).split(".")
                base = base if path.name == "__init__.py" else base[:-1]
                base = base[: len(base) - node.level + 1]
                package = ".".join([*base, *([node.module] if node.module else [])])
            inner = {f"{package}.{alias.name}" for alias in node.names if f"{package}.{alias.name}" in MODULES}
            found |= inner or {package}
    return found


def packages_of(path):
    return {name.split(".")[0] for name in imports(path)}


def service_of(name):
    return name.split(".")[1] if name.startswith("services.") else None


def in_room(room):
    return [path for name, path in MODULES.items() if name.split(".")[0] == room]


def test_services_work_without_gradio_and_without_the_page():
    for path in in_room("services"):
        assert not packages_of(path) & {"gradio", "components", "app"}, path


def test_components_touch_no_database_and_no_kernel():
    for path in in_room("components"):
        assert not packages_of(path) & {"sqlite3", "jupyter_client", "zmq", "app"}, path
        assert not {service_of(name) for name in imports(path)} & {"kernels", "routes"}, path


@pytest.mark.parametrize("service", MAY_IMPORT)
def test_a_service_imports_only_those_below_it(service):
    # a command puts services together, as app.py does
    paths = [path for name, path in MODULES.items() if service_of(name) == service and not name.endswith(".__main__")]
    assert paths, f"no such service: {service}"
    for path in paths:
        known = {service_of(name) for name in imports(path)} - {None, service}
        assert known <= MAY_IMPORT[service], path


def test_every_service_has_its_place_in_the_order():
    assert {service_of(name) for name in MODULES} - {None} == set(MAY_IMPORT)


def test_no_import_circles():
    graph = {name: (imports(path) & MODULES.keys()) - {name} for name, path in MODULES.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))
