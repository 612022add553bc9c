"""Turns StableHLO text into the portable bytecode that the compiler reads.

    python -m trainyard.mlir_text program.mlir program.mlirbc

Text is parsed with jaxlib's MLIR bindings, so jaxlib must be installed. CHLO operations, which the
portable form lacks, are treated as a JAX client does: those that have a composite form become
`stablehlo.composite` with a decomposition, all others are expanded.
"""

import argparse
import pathlib
import sys

# The version that the plug-in advertises: JAX sends this one (see stablehlo_current_version).
TARGET_VERSION = "1.13.0"


def to_bytecode(text: str | bytes, version: str = TARGET_VERSION) -> bytes:
    """The portable artifact of a module given as text, or as MLIR bytecode of StableHLO ops."""
    from jaxlib import _jax

    return _jax.mlir.serialize_portable_artifact(
        text if isinstance(text, bytes) else text.encode(), version, True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="trainyard.mlir_text", description=__doc__.split("\n")[0])
    parser.add_argument("source", type=pathlib.Path, help="StableHLO text")
    parser.add_argument("target", type=pathlib.Path, help="the bytecode to write")
    parser.add_argument("--version", default=TARGET_VERSION, help="StableHLO version to write")
    options = parser.parse_args(arguments)
    options.target.write_bytes(to_bytecode(options.source.read_bytes(), options.version))
    return 0


if __name__ == "__main__":
    sys.exit(main())
