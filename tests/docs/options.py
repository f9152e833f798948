#!/usr/bin/env python3
"""Compares the pages of commands (docs/reference) with the program.

    options.py SOURCE_FOLDER PROGRAM

A page NAME.md of PAGES is that of `cisolve NAME`. It names every option of the command's help in
code, and in the first column of its tables no other; a table of options, there or in options.md,
has the default that the help has. It names every field of a report that the command writes, or of
the first entry of a list.
"""
import json
import pathlib
import re
import subprocess
import sys

SHARED = "options.md"
# Each page, and a quick run of its command that writes a report; none if the command writes none.
PAGES = {
    "eigen": ["tests/data/h8_chain_sto3g.fcidump", "--space", "cisd"],
    "linear": ["generate:hubbard,sites=4", "--shift", "-20", "--forecast"],
    "select": ["tests/data/h8_chain_sto3g.fcidump", "--determinants", "200"],
    "bench": ["generate:hubbard,sites=4", "--format", "csr", "--block", "1", "--repeats", "1"],
    "info": ["generate:hubbard,sites=4"],
    "run": None,
    "convert": None,
    "generate": None,
    "formats": [],
}


def options_of(text):
    """{option: default} of a command's help; other names of an option have its default."""
    found, names = {}, []
    for line in text.splitlines():
        option = re.match(r"  (-[\w,-]+)", line)
        if option:
            names = [name for name in option[1].split(",") if name.startswith("--")]
            found.update((name, "") for name in names)
        elif not line.startswith("      "):
            names = []
        for name in names:
            found[name] += " " + line.strip()
    defaults = {name: re.search(r"default ([^()]+)\)(?:,|$)", text) for name, text in found.items()}
    return {name: default[1] if default else "" for name, default in defaults.items()}


def rows_of(page):
    """{option: default} of the tables of options on a page."""
    rows, columns = {}, []
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| option |"):
            columns = cells
        elif not line.startswith("|"):
            columns = []
        elif columns and "`--" in cells[0]:
            default = cells[columns.index("default")] if "default" in columns else None
            for name in re.findall(r"--[\w-]+", cells[0]):
                rows[name] = default if default is None else default.strip("` ")
    return rows


def check_options(command, page, shared, there):
    own = rows_of(page)
    described = shared | own
    for option, default in there.items():
        if not re.search(rf"`{option}[ `]", page):
            yield f"{option} of the program is missing"
        elif option not in described:
            yield f"{option} is described neither here nor in {SHARED}"
        elif described[option] not in (None, default):
            yield f"{option}: the default is {default or 'none'}, not {described[option] or 'none'}"
    for option in own.keys() - there.keys():
        yield f"{option} is no option of the program"


def check_fields(page, report):
    fields = json.loads(report)
    for field in fields[0] if isinstance(fields, list) else fields:
        if f"`{field}`" not in page:
            yield f"the report's field {field} is missing"


def main():
    source, program = map(lambda argument: pathlib.Path(argument).resolve(), sys.argv[1:])
    shared = rows_of((source / "docs/reference" / SHARED).read_text(encoding="utf-8"))

    def output(*arguments):
        return subprocess.run([program, *arguments], cwd=source, capture_output=True, text=True,
                              check=True).stdout

    failures, known = [], set()
    for command, run in PAGES.items():
        page = (source / f"docs/reference/{command}.md").read_text(encoding="utf-8")
        there = options_of(output(command, "--help"))
        known |= there.keys()
        found = list(check_options(command, page, shared, there))
        if run is not None:
            found += check_fields(page, output(command, *run, "--json", "-"))
        failures += [f"docs/reference/{command}.md: {failure}" for failure in found]
        print(f"{command}: {len(there)} options, {len(found)} failures")
    failures += [f"docs/reference/{SHARED}: {option} is no option of these commands"
                 for option in shared.keys() - known]
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
