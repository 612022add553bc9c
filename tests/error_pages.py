#!/usr/bin/env python3
"""Checks that error codes and their pages match: every code in src/ and python/ has a page in
docs/errors/, every page's code is used, and a page starts with `# CODE: title`."""

import pathlib
import re
import sys

CODE = re.compile(r"\bTY-[A-Z]+-[0-9]{3}\b")
SUFFIXES = {".h", ".cc", ".py"}


def codes_in(root: pathlib.Path) -> dict[str, str]:
    """Each code that the program can report, and one file that names it. Tests don't count:
    they may invent codes."""
    codes = {}
    for path in sorted(p for top in ("src", "python") for p in (root / top).rglob("*")):
        is_test = path.stem.endswith("_test") or path.name.startswith("test_")
        if path.suffix in SUFFIXES and not is_test:
            comment = "#.*" if path.suffix == ".py" else "//.*"  # a comment reports nothing
            text = re.sub(comment, "", path.read_text())
            for code in CODE.findall(text):
                codes.setdefault(code, path.relative_to(root).as_posix())
    return codes


def problems(root: pathlib.Path) -> list[str]:
    used = codes_in(root)
    pages = {p.stem: p for p in sorted((root / "docs/errors").glob("*.md"))}
    found = [f"{where}: {code} has no page docs/errors/{code}.md"
             for code, where in used.items() if code not in pages]
    for code, page in pages.items():
        if not CODE.fullmatch(code):
            found.append(f"docs/errors/{page.name}: the name is not an error code")
            continue
        if code not in used:
            found.append(f"docs/errors/{page.name}: nothing in src/ or python/ reports {code}")
        if not page.read_text().startswith(f"# {code}: "):
            found.append(f"docs/errors/{page.name}: the first line is not '# {code}: title'")
    return found


def main(root: pathlib.Path) -> int:
    found = problems(root)
    print("\n".join(found + [f"{len(codes_in(root))} error codes, {len(found)} problems"]))
    return 1 if found else 0


if __name__ == "__main__":
    default = pathlib.Path(__file__).resolve().parent.parent
    sys.exit(main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default))
