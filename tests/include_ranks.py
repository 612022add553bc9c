#!/usr/bin/env python3
"""Checks that includes flow one way: a file of src/ includes its own folder or a lower rank."""

import pathlib
import re
import sys

RANKS = {
    "base": 0,
    "hw": 1, "numerics": 1,
    "isa": 2,
    "place": 3, "sim": 3, "cluster": 3,
    "compiler": 4,
    "runtime": 5,
    "pjrt": 6, "python": 6, "tools": 6,
}  # fmt: skip
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def problems_of(path: str, text: str) -> list[str]:
    """What is wrong with the includes of one file; `path` counts from src/."""
    folder = path.split("/")[0]
    if folder not in RANKS:
        return [f"src/{path}: folder '{folder}' has no rank; add it to tests/include_ranks.py"]
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not (match := INCLUDE.match(line)):
            continue
        target = match[1].split("/")[0]
        where = f'src/{path}:{number}: #include "{match[1]}"'
        if target not in RANKS:
            found.append(f"{where}: write the path from src/, as in \"base/status.h\"")
        elif target != folder and RANKS[target] >= RANKS[folder]:
            found.append(f"{where}: {folder} (rank {RANKS[folder]}) may not include {target} "
                         f"(rank {RANKS[target]}); move the shared type to a lower rank")
    return found


def main(root: pathlib.Path) -> int:
    source = root / "src"
    files = sorted(p for p in source.rglob("*") if p.suffix in {".h", ".cc"})
    found = [problem for p in files
             for problem in problems_of(p.relative_to(source).as_posix(), p.read_text())]
    print("\n".join(found + [f"{len(files)} files, {len(found)} forbidden includes"]))
    return 1 if found or not files else 0


if __name__ == "__main__":
    default = pathlib.Path(__file__).resolve().parent.parent
    sys.exit(main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default))
