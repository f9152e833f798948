#!/usr/bin/env python3
"""Lines that tests run, by folder, and the files with most others, of gcovr's summary.

    scripts/coverage.py SUMMARY.json
"""

import collections
import json
import sys


def share(run, lines):
    return f"{run} of {lines}, {100 * run / lines:.1f} %"


def main():
    with open(sys.argv[1]) as summary:
        listed = json.load(summary)["files"]
    files = {}
    for file in listed:
        name = file["filename"]
        if "/include/cisolve_" in name:  # a header by its link below the build folder
            name = name.rpartition("/include/cisolve_")[2].partition("/")[2]
        if name not in files or file["line_covered"] > files[name]["line_covered"]:
            files[name] = file
    folders = collections.defaultdict(lambda: [0, 0])
    for name, file in files.items():
        for folder in (name.partition("/")[0], "all"):
            folders[folder][0] += file["line_covered"]
            folders[folder][1] += file["line_total"]
    for folder, lines in sorted(folders.items()):
        print(f"{folder:12} {share(*lines)}")
    print("\nnot run:")
    missing = lambda item: item[1]["line_total"] - item[1]["line_covered"]
    for name, file in sorted(files.items(), key=missing, reverse=True)[:12]:
        print(f"{missing((name, file)):5}  {name}")


if __name__ == "__main__":
    main()
