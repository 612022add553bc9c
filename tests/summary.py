#!/usr/bin/env python3
"""Sums the result files that `./dev test` leaves. The last line reads `N passed, N failed`.

A CTest entry that is a GoogleTest program counts with its cases, any other entry as one.
"""

import dataclasses
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


@dataclasses.dataclass
class Tally:
    passed: int = 0
    skipped: int = 0
    failed: list[str] = dataclasses.field(default_factory=list)

    def add(self, name: str, case: ElementTree.Element) -> None:
        if case.find("failure") is not None or case.find("error") is not None:
            self.failed.append(name)
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            self.skipped += 1
        else:
            self.passed += 1


def cases(path: pathlib.Path) -> list[ElementTree.Element]:
    return list(ElementTree.parse(path).getroot().iter("testcase"))


def add_ctest(tally: Tally, results: pathlib.Path) -> None:
    for entry in cases(results / "ctest.xml"):
        name = entry.get("name", "?")
        detail = results / "gtest" / f"{name}.xml"
        if not detail.exists():  # not a GoogleTest program, or one that crashed
            tally.add(name, entry)
            continue
        failed_before = len(tally.failed)
        for case in cases(detail):
            tally.add(f"{name}: {case.get('classname')}.{case.get('name')}", case)
        if entry.get("status") == "fail" and len(tally.failed) == failed_before:
            tally.failed.append(f"{name}: every case passed but the program failed")


def tally_of(results: pathlib.Path) -> Tally:
    tally = Tally()
    add_ctest(tally, results)
    if (results / "pytest.xml").exists():
        for case in cases(results / "pytest.xml"):
            tally.add(f"{case.get('classname')}.{case.get('name')}", case)
    return tally


def main(folders: list[pathlib.Path]) -> int:
    tallies = [tally_of(folder) for folder in folders]
    for folder, tally in zip(folders, tallies):
        for name in tally.failed:
            print(f"FAILED {folder.parent.name}: {name}")
    if skipped := sum(t.skipped for t in tallies):
        print(f"{skipped} skipped")
    failed = sum(len(t.failed) for t in tallies)
    print(f"{sum(t.passed for t in tallies)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main([pathlib.Path(argument) for argument in sys.argv[1:]]))
