#!/usr/bin/env python3
"""From integrals to energies: seconds of every stage, time and memory over the nonzeros.

    bench/end_to_end.py measure PROGRAM OUTPUT.jsonl [--formats auto,csr] [--largest-csr N] INPUT...
    bench/end_to_end.py report  OUTPUT.jsonl TABLE.md [--plot PLOT.svg]

`measure` runs `cisolve eigen INPUT --backend cuda --format F` for every input and format; an INPUT
may carry options of its own: "h2o.fcidump --space cisdt". One line of JSON a run: what the report
of cisolve says of seconds, memory, nonzeros and energies, the process's largest resident memory and
its wall time, start of the program included. Csr is measured where an earlier format of the same
input has told that the matrix has at most --largest-csr nonzeros. A solve that did not converge
counts, and its status stands beside its energy. `report` makes a table of such lines and, with
matplotlib, a plot by the format asked for.
"""
import argparse
import json
import os
import shlex
import subprocess
import tempfile
import time

STAGES = ["read", "build", "convert", "solve", "analysis"]
WRITTEN = (0, 2)  # exit statuses with a report: converged, or not


def run(program, words, form):
    """The report of one run with what the system says of the process; none where it fails."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [program, "eigen", *words, "--backend", "cuda", "--format", form, "--json", file.name]
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        errors = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        if os.waitstatus_to_exitcode(status) not in WRITTEN:
            return {"failed": errors.strip().splitlines()[-1:] or ["no message"], "wall": wall}
        with open(file.name) as text:
            report = json.load(text)
    return {
        "status": report["status"],
        "device": report["device"],
        "rows": report["matrix"]["rows"],
        "nonzeros": report["matrix"]["nonzeros"],
        "format": report["matrix"]["format"],
        "bytes": report["matrix"]["bytes"],
        "layout": report["matrix"]["layout"],
        "built_on_device": report["matrix"]["built_on_device"],
        "seconds": report["seconds"],
        "products": report["operator_applications"] + report["probe_applications"],
        "energies": [state["energy"] for state in report["states"]],
        "host_bytes": 1024 * usage.ru_maxrss,
        "wall": wall,
    }


def unconverged(line):
    """Status of a solve that did not converge, else nothing."""
    status = line.get("status", "converged")
    return "" if status == "converged" else status


def measure(arguments):
    with open(arguments.output, "w") as output:
        for text in arguments.inputs:
            nonzeros = None
            for form in arguments.formats.split(","):
                if form == "csr" and (nonzeros is None or nonzeros > arguments.largest_csr):
                    continue
                line = run(arguments.program, shlex.split(text), form)
                nonzeros = line.get("nonzeros", nonzeros)
                line.update(input=text, wanted=form)
                output.write(json.dumps(line) + "\n")
                output.flush()
                print(text, form, line.get("nonzeros"), f"{line['wall']:.2f} s", unconverged(line),
                      line.get("failed", ""))


def amount(number):
    return f"{number:.2e}".replace("e+0", "e").replace("e+", "e")


def table(lines):
    head = ["input", "determinants", "nonzeros", "format", "bytes / nonzero", *STAGES, "wall", "products",
            "host memory / GB", "lowest energy"]
    rows = [head, ["---"] * len(head)]
    for line in lines:
        if "failed" in line:
            row = [line["input"], "", "", line["wanted"], *line["failed"]]
            rows.append(row + [""] * (len(head) - len(row)))
            continue
        rows.append([line["input"], str(line["rows"]), amount(line["nonzeros"]), line["format"],
                     f"{line['bytes'] / line['nonzeros']:.2f}",
                     *(f"{line['seconds'][stage]:.2f}" for stage in STAGES), f"{line['wall']:.2f}",
                     str(line["products"]), f"{line['host_bytes'] / 1e9:.2f}",
                     f"{line['energies'][0]:.12f} {unconverged(line)}".strip()])
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def plot(lines, path):
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    figure, (seconds, memory) = pyplot.subplots(1, 2, figsize=(10, 4))
    done = [line for line in lines if "failed" not in line]
    for form in dict.fromkeys(line["wanted"] for line in done):
        chosen = sorted((line for line in done if line["wanted"] == form), key=lambda line: line["nonzeros"])
        if len(chosen) < 2:  # a point is no line
            continue
        nonzeros = [line["nonzeros"] for line in chosen]
        seconds.plot(nonzeros, [line["wall"] for line in chosen], "o-", label=f"{form}, integrals to energy")
        seconds.plot(nonzeros, [line["seconds"]["build"] + line["seconds"]["convert"] for line in chosen], "x--",
                     label=f"{form}, the matrix alone")
        memory.plot(nonzeros, [line["bytes"] / 1e9 for line in chosen], "o-", label=f"{form}, matrix on the GPU")
        memory.plot(nonzeros, [line["host_bytes"] / 1e9 for line in chosen], "x--", label=f"{form}, host")
    for axes, what in ((seconds, "seconds"), (memory, "GB")):
        axes.set(xscale="log", yscale="log", xlabel="nonzeros", ylabel=what)
        axes.grid(alpha=0.3)
        axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def report(arguments):
    with open(arguments.lines) as text:
        lines = [json.loads(line) for line in text]
    with open(arguments.table, "w") as output:
        output.write(table(lines))
    if arguments.plot:
        plot(lines, arguments.plot)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    measuring = commands.add_parser("measure")
    measuring.add_argument("program")
    measuring.add_argument("output")
    measuring.add_argument("inputs", nargs="+")
    measuring.add_argument("--formats", default="auto,csr")
    measuring.add_argument("--largest-csr", type=float, default=1.5e9)
    measuring.set_defaults(call=measure)
    reporting = commands.add_parser("report")
    reporting.add_argument("lines")
    reporting.add_argument("table")
    reporting.add_argument("--plot")
    reporting.set_defaults(call=report)
    arguments = parser.parse_args()
    arguments.call(arguments)


if __name__ == "__main__":
    main()
