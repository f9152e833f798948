#!/usr/bin/env python3
"""Runs the commands and scripts on a page of the documentation.

    snippets.py SOURCE_FOLDER PROGRAM PAGE.md...

A page's fenced blocks are run in order, in a folder of its own that holds a few input files:

- ```console: every line that begins with "$ " is a command. It must succeed, and the lines below it,
  up to the next command, must be among its output, in order. Words are compared one by one: "*"
  stands for any, numbers may differ by 1e-6 of their size.
- ```python: a script, saved under the name in a first line "# name.py". A script that needs a
  package that is not here (PySCF, say) is skipped with a message; so is a command that needs a file
  which such a script would have written.
- other blocks (```sh …) are not run.

Pages of docs/notebooks are notebooks: their python blocks are one script. Lines of ```text blocks
must be among its output, in order.

Commands in tables and lists are not run either.
"""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

TIMEOUT = 180  # seconds, of a block


def blocks(text):
    """(language, lines, number of the first line) of every fenced block."""
    language, start, lines = None, 0, []
    for number, line in enumerate(text.splitlines(), 1):
        if language is None and line.startswith("```"):
            language, start, lines = line[3:].strip(), number + 1, []
        elif language is not None and line.startswith("```"):
            yield language, lines, start
            language = None
        elif language is not None:
            lines.append(line)


def same_word(expected, found):
    if expected in ("*", found):
        return True
    try:
        a, b = float(expected.replace(",", "")), float(found.replace(",", ""))
    except ValueError:
        return False
    return abs(a - b) <= 1e-6 * max(1.0, abs(a))


def same_line(expected, found):
    """True if a line agrees with the page. The search for lower states ends after the time that the
    solve took: on a busy machine a result may be searched that the page calls verified."""
    a, b = expected.split(), found.split()
    if a[:1] == ["status"] and b[-1:] == ["searched"]:
        b[-1] = "verified"
    return len(a) == len(b) and all(map(same_word, a, b))


def missing_line(expected, output):
    """The first expected line that does not follow in the output."""
    found = iter(output.splitlines())
    for line in filter(str.strip, expected):
        if not any(same_line(line, other) for other in found):
            return line
    return None


def commands(lines):
    """(command, expected lines) of a console block. A comment behind the command goes with it."""
    result = []
    for line in lines:
        if line.startswith("$ "):
            result.append((line[2:], []))
        elif result:
            result[-1][1].append(line)
    return result


class Page:
    def __init__(self, source, program, path):
        self.path = path
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="snippets-"))
        self.environment = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}",
                                         "MPLBACKEND": "Agg",
                                         # Threads that wait for others soon sleep: of PySCF too.
                                         "GOMP_SPINCOUNT": "1000"}
        self.environment["PYTHONPATH"] = os.pathsep.join(
            [str(self.folder), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.failures, self.run_blocks, self.passed_over = [], 0, 0
        for file in (source / "docs/tutorials").iterdir():
            if file.suffix in (".fcidump", ".snt", ".xyz"):
                shutil.copy(file, self.folder)
        shutil.copytree(source / "configs", self.folder / "configs")
        shutil.copytree(source / "tests/data", self.folder / "tests/data",
                        ignore=shutil.ignore_patterns("malformed", "hard"))
        rows = 400
        self.shell(f"cisolve generate matrix.npz --kind ci --rows {rows} --symmetric")
        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows},), }}".ljust(117) + "\n"
        (self.folder / "b.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) +
                                            header.encode() + struct.pack(f"<{rows}d", *[1.0] * rows))

    def shell(self, command):
        return subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, timeout=TIMEOUT)

    def fail(self, line, what):
        self.failures.append(f"{self.path}:{line}: {what}")

    def run_console(self, lines, start):
        for command, expected in commands(lines):
            done = self.shell(command)
            if self.passed_over and "no such file" in done.stderr:
                print(f"{self.path}:{start}: passed over, {done.stderr.strip()}")
                continue
            if done.returncode != 0:
                self.fail(start, f"`{command}` ended with {done.returncode}: {done.stderr.strip()}")
                continue
            missing = missing_line(expected, done.stdout)
            if missing is not None:
                self.fail(start, f"`{command}` does not print\n  {missing}\nbut\n{done.stdout}")

    def run_python(self, lines, start):
        name = re.match(r"# (\w+\.py)$", lines[0])
        script = self.folder / (name[1] if name else f"block_{start}.py")
        script.write_text("\n".join(lines) + "\n")
        done = self.shell(f"{sys.executable} {script.name}")
        if "ModuleNotFoundError" in done.stderr:
            self.passed_over += 1
            print(f"{self.path}:{start}: passed over, {done.stderr.splitlines()[-1]}")
        elif done.returncode != 0:
            self.fail(start, f"the script failed:\n{done.stderr}")

    def run_notebook(self):
        found = list(blocks(self.path.read_text()))
        self.run_blocks = len(found)
        lines = [line for language, part, _ in found if language == "python" for line in part]
        (self.folder / "notebook.py").write_text("\n".join(lines) + "\n")
        done = self.shell(f"{sys.executable} notebook.py")
        expected = [line for language, part, _ in found if language == "text" for line in part]
        missing = missing_line(expected, done.stdout)
        if "ModuleNotFoundError" in done.stderr:
            self.passed_over = len(found)
            print(f"{self.path}: passed over, {done.stderr.splitlines()[-1]}")
        elif done.returncode != 0:
            self.fail(1, f"the script failed:\n{done.stderr}")
        elif missing is not None:
            self.fail(1, f"the script does not print\n  {missing}\nbut\n{done.stdout}")

    def run_script_blocks(self):
        for language, lines, start in blocks(self.path.read_text()):
            runner = {"console": self.run_console, "python": self.run_python}.get(language)
            if runner is None:
                continue
            self.run_blocks += 1
            try:
                runner(lines, start)
            except subprocess.TimeoutExpired as expired:
                self.fail(start, f"more than {expired.timeout} s")

    def run(self):
        if self.path.parent.name == "notebooks":
            self.run_notebook()
        else:
            self.run_script_blocks()
        shutil.rmtree(self.folder)
        print(f"{self.path}: {self.run_blocks} blocks, {self.passed_over} passed over, "
              f"{len(self.failures)} failed")
        if self.run_blocks == 0:
            self.fail(1, "there is nothing to run")
        return self.failures


def main():
    source, program, *pages = map(lambda argument: pathlib.Path(argument).resolve(), sys.argv[1:])
    failures = [failure for page in pages for failure in Page(source, program, page).run()]
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
