#!/usr/bin/env python3
"""Prints the table of docs/results/compatibility.md: every case of this folder, the program that it
concerns, the largest differences, and what became of it.

    python python/tests/compatibility/page.py
"""
import pathlib
import sys

import pytest


class Table:
    """Rows of a run, by file."""

    def __init__(self):
        self.rows = {}

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or (report.when == "setup" and not report.passed):
            self.rows.setdefault(pathlib.Path(report.fspath).stem, []).append(self.row(report))

    def row(self, report):
        facts = dict(report.user_properties)
        title, tool = facts["case"]
        differences = [fact for name, fact in report.user_properties if name == "difference"]
        result = report.outcome
        if report.skipped:
            result = report.longrepr[2].removeprefix("Skipped: ")
        return "| " + " | ".join([
            title, tool, "; ".join(name for name, *_ in differences),
            "; ".join(f"{value:.0e}" for _, value, _ in differences),
            "; ".join(f"{tolerance:.0e}" for *_, tolerance in differences), result]) + " |"


def main():
    table = Table()
    folder = pathlib.Path(__file__).parent
    stdout, sys.stdout = sys.stdout, sys.stderr
    failed = pytest.main(["-q", "--whole", "-p", "no:cacheprovider", str(folder)], plugins=[table])
    sys.stdout = stdout
    every = [row for rows in table.rows.values() for row in rows]
    passed = sum(row.endswith("| passed |") for row in every)
    skipped = sum(" not installed |" in row for row in every)
    print(f"{len(every)} cases: {passed} passed, {skipped} skipped, "
          f"{len(every) - passed - skipped} failed.")
    for name, rows in table.rows.items():
        print(f"\n### {name.removeprefix('test_').replace('_', ' ').capitalize()}\n\n"
              "| case | program | compared | difference | at most | result |\n"
              "|---|---|---|---|---|---|")
        print("\n".join(rows))
    return failed


if __name__ == "__main__":
    sys.exit(main())
