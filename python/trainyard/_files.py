"""Where the compiled parts are: beside the package when it is installed, in the build tree when it
is used from a working copy."""

import os
import pathlib

_PACKAGE = pathlib.Path(__file__).resolve().parent
_BUILD = _PACKAGE.parents[1] / "build/release"


def _find(installed: str, built: str, variable: str) -> pathlib.Path:
    if os.environ.get(variable):
        return pathlib.Path(os.environ[variable])
    path = _PACKAGE / installed
    return path if path.exists() else _BUILD / built


def library_path() -> pathlib.Path:
    """The PJRT plug-in. TRAINYARD_PJRT_LIBRARY names another one."""
    return _find("lib/libtrainyard_pjrt.so", "lib/libtrainyard_pjrt.so", "TRAINYARD_PJRT_LIBRARY")


def command_path() -> pathlib.Path:
    """The command `trainyard`. TRAINYARD_COMMAND names another one."""
    return _find("bin/trainyard", "bin/trainyard", "TRAINYARD_COMMAND")


def module_folders() -> list[pathlib.Path]:
    """Folders besides the package's own that hold compiled modules."""
    built = _BUILD / "python/trainyard"
    return [built] if built.exists() and not list(_PACKAGE.glob("_native.*")) else []


def version() -> str:
    """The version of the compiled parts; "unknown" if they are not built."""
    try:
        from trainyard import _native
    except ImportError:
        return "unknown"
    return _native.version()
