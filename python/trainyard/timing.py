"""Simulated time of the programs that JAX ran on simulated devices."""

import dataclasses
import json
from typing import Any


@dataclasses.dataclass(frozen=True)
class ProgramTime:
    """One program and what one run of it takes on the chip."""

    program: str
    runs: int
    seconds: float  # of one run, from its first instruction to its last
    launch_seconds: float  # of starting it once
    flops: float  # of the Tensor engine, two per multiply-add
    hbm_bytes: float  # read and written
    trust: str  # documented, derived, measured or assumed: the weakest number that went in
    # Where one run goes: seconds by engine, work, operations by line of the source; the object
    # "profile" of `trainyard preflight --json`.
    profile: dict[str, Any] = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True)
class SimulatedTime:
    """What ran since the last call. `pandas.DataFrame(time.programs)` makes a table of it."""

    seconds: float  # all runs one after another, launches included
    last_seconds: float  # the last run
    runs: int
    forgotten: int  # runs of programs that were dropped to save memory, not in the sum
    trust: str
    programs: list[ProgramTime]


def simulated_time() -> SimulatedTime:
    """The time that programs run since the last call would have taken on one core.

    Time is worked out here, not while programs run: the first call after a new program places and
    simulates it, later ones remember. Programs that still run are waited for.
    """
    from trainyard import _files, _native

    told = json.loads(_native.simulated_time(str(_files.library_path())))
    programs = [ProgramTime(**row) for row in told.pop("programs")]
    return SimulatedTime(**told, programs=programs)
