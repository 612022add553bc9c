"""Tests of the JAX plug-in. They run JAX on simulated devices, in this process or in one of its own
where start-up, the environment or the end of a process is the question."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"

os.environ.setdefault("JAX_PLATFORMS", "trainyard,cpu")
sys.path.insert(0, str(ROOT / "python"))


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
    try:
        import jax  # noqa: F401
    except ImportError:
        return "jax is not installed"
    return ""


@pytest.fixture(scope="session")
def devices():
    import jax
    return jax.devices("trainyard")


@pytest.fixture
def python():
    """python(code, NAME=value...): runs code in a fresh interpreter with these variables."""

    def run(code: str, check: bool = True, **variables: str) -> subprocess.CompletedProcess:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TRAINYARD_")}
        environment |= {"PYTHONPATH": str(ROOT / "python"), "JAX_PLATFORMS": "trainyard"} | variables
        done = subprocess.run([sys.executable, "-c", code], env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
        assert not check or done.returncode == 0, done.stderr
        return done

    return run


@pytest.fixture(scope="session")
def shared():
    if not SHARED.exists():
        pytest.skip(f"{SHARED} is absent")
    return SHARED
