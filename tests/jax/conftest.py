"""Tests that train models on simulated devices, beside JAX's own CPU back end."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

os.environ.setdefault("JAX_PLATFORMS", "trainyard,cpu")
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "examples/jax")]


def pytest_collection_modifyitems(items):
    reason = missing()
    if reason:
        for item in items:
            if pathlib.Path(item.fspath).parent == pathlib.Path(__file__).parent:
                item.add_marker(pytest.mark.skip(reason=reason))


def missing() -> str:
    """Why these tests cannot run here; empty if they can."""
    import trainyard
    if not trainyard.library_path().exists():
        return f"{trainyard.library_path()} is not built"
    if importlib.util.find_spec("jaxlib") is None:
        return "jax is not installed"
    return ""


@pytest.fixture
def script():
    """script(path, argument..., NAME=value...): runs a Python file on simulated devices."""

    def run(path: pathlib.Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TRAINYARD_")}
        environment |= {"PYTHONPATH": str(ROOT / "python"), "JAX_PLATFORMS": "trainyard"} | variables
        return subprocess.run([sys.executable, str(path), *arguments], env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=600)

    return run
