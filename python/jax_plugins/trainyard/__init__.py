"""JAX calls `initialize` when it looks for platforms, also in programs that use another one: it must
be quick and must not open devices."""

import logging
import os

_PLATFORM = "trainyard"
_JAX = "0.10."  # the plug-in interface and the internals used below are those of this version

_logger = logging.getLogger(__name__)


def initialize() -> None:
    import jax
    from jax._src import xla_bridge
    from jax._src.interpreters import mlir
    from trainyard import _files

    # JAX gives donation only to platforms in this list.
    donating = getattr(mlir, "_platforms_with_donation", None)
    if isinstance(donating, list) and _PLATFORM not in donating:
        donating.append(_PLATFORM)
    if f"{_PLATFORM}:" in os.environ.get("PJRT_NAMES_AND_LIBRARY_PATHS", ""):
        return  # JAX has registered that library already, and takes a name once
    library = _files.library_path()
    if not library.exists():
        _logger.warning("trainyard: %s is missing, so there is no platform 'trainyard'; build it or "
                        "install the package again", library)
        return
    if not jax.__version__.startswith(_JAX):
        _logger.warning("trainyard: made for jax %sx; this is %s", _JAX, jax.__version__)
    xla_bridge.register_plugin(_PLATFORM, priority=500, library_path=str(library))
