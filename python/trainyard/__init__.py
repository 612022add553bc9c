"""Trainyard: a software AWS Trainium.

`import jax` finds the simulated devices by itself. Beside that, `trainyard.simulated_time()` says how
long the programs that ran would have taken on the chip, `trainyard.step()` and `trainyard.plan()`
predict training runs on many chips, and the command `trainyard` does the rest.
"""

import importlib

from trainyard import _files

# In a working copy the compiled parts lie in the build tree.
__path__ += [str(folder) for folder in _files.module_folders()]

library_path = _files.library_path
command_path = _files.command_path

# Found when first used: JAX imports this package in every program.
_LAZY = {"ProgramTime": "timing", "SimulatedTime": "timing", "simulated_time": "timing",
         "Refused": "prediction", "plan": "prediction", "step": "prediction"}

__all__ = ["__version__", "command_path", "library_path", *_LAZY]


def __getattr__(name: str):
    if name == "__version__":
        return _files.version()
    if name in _LAZY:
        return getattr(importlib.import_module(f"trainyard.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'trainyard' has no attribute {name!r}")
