"""What all Python tests share: the program under test and the golden files."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true",
                     help="write what the program prints now into tests/golden")
    parser.addoption("--trainyard", default=str(ROOT / "build/release/bin/trainyard"),
                     help="the program under test")


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def trainyard(request):
    program = pathlib.Path(request.config.getoption("--trainyard"))
    assert program.exists(), f"{program} is not built; run ./dev build"
    return str(program)


@pytest.fixture(scope="session")
def shlo_dump(request):
    """shlo_dump(argument...): runs the program of that name, which prints StableHLO files."""
    build = pathlib.Path(request.config.getoption("--trainyard")).parents[1]
    program = build / "tests/tools/shlo_dump"
    if not program.exists():
        pytest.skip(f"{program} is not built")
    return lambda *arguments: subprocess.run([str(program), *map(str, arguments)],
                                             capture_output=True, text=True)


@pytest.fixture
def golden(request):
    """golden(path, text): the file holds exactly this text; --update-golden writes it."""

    def check(path: pathlib.Path, text: str) -> None:
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            return
        assert path.exists(), f"{path} is missing; ./dev golden writes it"
        assert text == path.read_text(), f"{path} differs; ./dev golden updates it, then review"

    return check


@pytest.fixture(scope="session")
def run_hlo(request):
    """The program that compiles and runs one StableHLO file on the simulated core."""
    build = pathlib.Path(request.config.getoption("--trainyard")).parents[1]
    program = build / "tests/tools/run_hlo"
    if not program.exists():
        pytest.skip(f"{program} is not built")
    return str(program)
