#!/usr/bin/env python3
"""Prints the tables of docs/results/compatibility.md: every case of this folder, the largest
differences, and what became of it if it did not pass. Cases of one test share a row.

    python python/tests/compatibility/page.py
"""
import pathlib
import sys
from typing import NamedTuple

import pytest

USUAL = "pyscf 2.14.0"  # the program of most cases, which the page names once


class Case(NamedTuple):
    title: str
    tool: str
    compared: tuple     # names
    differences: tuple
    tolerances: tuple
    result: str

    @property
    def test(self):
        """The common part of the cases of one test; their titles end in ": " and a word of their
        own."""
        return self._replace(title=self.title.rpartition(": ")[0] or self.title, differences=())


def case_of(report):
    facts = dict(report.user_properties)
    title, tool = facts["case"]
    found = [fact for name, fact in report.user_properties if name == "difference"]
    names, differences, tolerances = zip(*found) if found else ((), (), ())
    result = report.longrepr[2].removeprefix("Skipped: ") if report.skipped else report.outcome
    return Case(title, tool, names, differences, tolerances, result)


class Cases:
    """Results of a run, by file."""

    def __init__(self):
        self.of_file = {}

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or (report.when == "setup" and not report.passed):
            self.of_file.setdefault(pathlib.Path(report.fspath).stem, []).append(case_of(report))


def row(cases):
    """A row of all cases of one test, with the largest of their differences."""
    first = cases[0]
    title = "; ".join([first.title, *(case.title.rpartition(": ")[2] for case in cases[1:])])
    if first.tool != USUAL:
        title += f" ({first.tool})"
    worst = [max(column) for column in zip(*(case.differences for case in cases))]
    cells = [f"{name} {value:.0e} ({most:.0e})"
             for name, value, most in zip(first.compared, worst, first.tolerances)]
    return f"| {title} | " + "; ".join(cells + [first.result] * (first.result != "passed")) + " |"


def rows(cases):
    of_test = {}
    for case in cases:
        of_test.setdefault(case.test, []).append(case)
    return [row(together) for together in of_test.values()]


def main():
    run = Cases()
    folder = pathlib.Path(__file__).parent
    stdout, sys.stdout = sys.stdout, sys.stderr
    failed = pytest.main(["-q", "--whole", "-p", "no:cacheprovider", str(folder)], plugins=[run])
    sys.stdout = stdout
    results = [case.result for cases in run.of_file.values() for case in cases]
    passed = results.count("passed")
    skipped = sum(result.endswith("not installed") for result in results)
    print(f"{len(results)} cases: {passed} passed, {skipped} skipped, "
          f"{len(results) - passed - skipped} failed.")
    for name, cases in run.of_file.items():
        print(f"\n### {name.removeprefix('test_').replace('_', ' ').capitalize()}\n\n"
              "| case | largest difference (at most) |\n|---|---|")
        print("\n".join(rows(cases)))
    return failed


if __name__ == "__main__":
    sys.exit(main())
