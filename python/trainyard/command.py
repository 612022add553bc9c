"""The console script `trainyard`: becomes the C++ program."""

import os
import sys

from trainyard import _files


def main() -> None:
    program = str(_files.command_path())
    try:
        os.execv(program, [program, *sys.argv[1:]])
    except OSError as fault:
        sys.exit(f"trainyard: cannot start {program}: {fault.strerror}")
