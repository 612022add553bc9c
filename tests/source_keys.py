#!/usr/bin/env python3
"""Checks that every source that a number in src/ names is a row of docs/sources.md."""

import pathlib
import re
import sys

# {4'096, Documented, "nki-trn2"} in a table, [nki-trn2 DMA] in a comment.
FACT = re.compile(r'\b(?:Documented|Derived|Measured|Assumed),\s*"([^"]+)"')
CITATION = re.compile(r"//.*?\[((?:nki|neuron)-[a-z0-9-]+)[\] ]")
ROW = re.compile(r"^\| `([a-z0-9-]+)` \|", re.MULTILINE)


def keys_in(text: str) -> list[str]:
    """The keys that a source file names. A fact may rest on two documents: "nki-isa, nki-perf"."""
    return [key.strip() for group in FACT.findall(text) + CITATION.findall(text)
            for key in group.split(",")]


def problems(root: pathlib.Path) -> list[str]:
    known = set(ROW.findall((root / "docs/sources.md").read_text()))
    files = sorted(p for p in (root / "src").rglob("*")
                   if p.suffix in {".h", ".cc", ".inc"} and not p.stem.endswith("_test"))
    return [f"{path.relative_to(root)}: source '{key}' is not in docs/sources.md"
            for path in files for key in dict.fromkeys(keys_in(path.read_text()))
            if key not in known]


def main(root: pathlib.Path) -> int:
    found = problems(root)
    print("\n".join(found + [f"{len(found)} unknown sources"]))
    return 1 if found else 0


if __name__ == "__main__":
    default = pathlib.Path(__file__).resolve().parent.parent
    sys.exit(main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default))
