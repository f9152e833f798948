#!/usr/bin/env python3
"""Reruns the tables of the works this program grew from and writes them as Markdown.

    bench/tables.py paper  PROGRAM OUTPUT.md [--backend cpu|cuda]
    bench/tables.py blocks PROGRAM OUTPUT.md [--threads 1,2,4] [--chunks 0,2,16,128,256] INPUT...

`paper`: memory and times of storage formats on the matrix of Mahmoud, Hoffmann and Reza
(Computation 2018, 6, 45), Tables 3 to 5, 9 and 10, with their figures beside ours. `blocks`: the
study of a sparse matrix times a few vectors (Balayre 2024), for 1, 2, 3 and 6 vectors. It compares
CSR and ELLPACK: serial, with OpenMP over numbers of threads and chunks, with CUDA over block sizes.
Every figure comes from `cisolve info` and `cisolve bench` as this script runs them; the commands
stand in the output. Needs Python 3.8 and nothing else.
"""
import argparse
import json
import subprocess
import tempfile

PAPER_MATRIX = "generate:ci,seed=1"
# Computation 2018, 6, 45: 32768 rows; 655 nonzeros of a row in the first tenth of the columns,
# about 295 elsewhere. Memory in MB, milliseconds on an NVIDIA K20m.
PAPER = {
    "reference_nonzeros": 21_463_040,
    "expansion_nonzeros": 9_670_000,
    "longest_row": 1079,
    "megabytes": {"csr": 356.44, "ell": 402.41, "sell": 398.12, "hybrid": 356.67},
    "milliseconds": {"cusparse_csr_alg1": 12.92, "csr5": 8.03, "hybrid": 3.37},
}


class Program:
    """The program under measurement; keeps the commands it ran."""

    def __init__(self, path):
        self.path = path
        self.commands = []

    def json(self, *arguments):
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            self.commands.append("cisolve " + " ".join(arguments))
            subprocess.run([self.path, *arguments, "--json", file.name], check=True,
                           stdout=subprocess.DEVNULL)
            with open(file.name) as report:  # the program puts a new file in its place
                return json.load(report)

    def header(self):
        result = subprocess.run([self.path, "formats"], capture_output=True, text=True, check=True)
        return result.stdout.splitlines()[0]


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def row_of(report, **wanted):
    """The row of a bench report with these fields, None where it did not run."""
    for row in report["rows"]:
        if all(row.get(key) == value for key, value in wanted.items()) and "reason" not in row:
            return row
    return None


def milliseconds(row):
    return f"{row['seconds'] * 1e3:.4f}" if row else "—"


def machine_lines():
    def said(command):
        try:
            result = subprocess.run(command, capture_output=True, text=True, check=True, shell=True)
            return result.stdout.strip().splitlines()
        except subprocess.CalledProcessError:
            return []
    gpu = said("nvidia-smi --query-gpu=name,driver_version --format=csv,noheader")
    cpu = said("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1")
    cores = said("nproc")
    lines = [f"GPU and driver: {line}" for line in gpu]
    return lines + [f"CPU: {cpu[0] if cpu else 'unknown'}, {cores[0]} cores"]


def paper_regions(program):
    info = program.json("info", PAPER_MATRIX, "--set", "spmv.boundary.by=column", "--set",
                        "spmv.boundary.value=3277")
    matrix, regions = info["matrix"], info["regions"]
    reference, expansion = regions["reference"], regions["expansion"]
    text = table(["", "paper", "here"], [
        ["rows", 32768, matrix["rows"]],
        ["nonzeros, reference region", PAPER["reference_nonzeros"], reference["nonzeros"]],
        ["nonzeros, expansion space", f"about {PAPER['expansion_nonzeros']}",
         expansion["nonzeros"]],
        ["nonzeros a row, reference region", 655, f"{reference['row_mean']:.1f}"],
        ["nonzeros a row, expansion space", "about 295", f"{expansion['row_mean']:.1f}"],
        ["longest row", f"1060 to {PAPER['longest_row']}", matrix["row_maximum"]],
        ["density, reference region", "", f"{reference['density']:.4f}"],
        ["density, expansion space", "", f"{expansion['density']:.4f}"],
    ])
    return "## The matrix (Tables 3 and 4)\n\n" + text


def paper_memory(program):
    info = program.json("info", PAPER_MATRIX)
    bytes_of = {entry["format"]: entry["bytes"] for entry in info["formats"]}
    rows = []
    for name in sorted(bytes_of, key=bytes_of.get):
        theirs = PAPER["megabytes"].get(name)
        rows.append([name, theirs if theirs else "", f"{bytes_of[name] / 2**20:.2f}"])
    return ("## Memory (Table 5)\n\nMB of 2²⁰ bytes. The matrices have the same shape and "
            "densities, not the same entries; BOUNDARY here is chosen from the row lengths.\n\n" +
            table(["format", "paper", "here"], rows))


def paper_times(program, backend):
    report = program.json("bench", PAPER_MATRIX, "--backend", backend, "--block", "1")
    best = min((row["seconds"] for row in report["rows"] if "seconds" in row), default=None)
    rows = []
    for row in sorted(report["rows"], key=lambda r: r.get("seconds", 1e9)):
        theirs = PAPER["milliseconds"].get(row["format"]) if backend == "cuda" else None
        if "reason" in row:
            rows.append([row["format"], "", "—", row["reason"], "", ""])
            continue
        rows.append([row["format"], f"{theirs:.2f}" if theirs else "", milliseconds(row),
                     f"{row['seconds'] / best:.2f}", f"{row['gflops']:.1f}",
                     f"{row['relative_error']:.1e}"])
    head = ["format", "paper, K20m, ms", "here, ms", "of the fastest", "GFLOPS", "error"]
    ours = row_of(report, format="hybrid")
    vendor = min((row["seconds"] for row in report["rows"]
                  if row["format"].startswith("cusparse_csr") and "seconds" in row), default=None)
    words = ""
    if ours and vendor:
        paper = PAPER["milliseconds"]
        words = (f"\nThe vendor's best CSR takes {vendor / ours['seconds']:.2f} times as long as "
                 f"`hybrid`; in the paper {paper['cusparse_csr_alg1'] / paper['hybrid']:.2f} "
                 "times.\n")
    return ("## Times of one product (Tables 9 and 10)\n\nMedians of 20, caches overwritten before "
            f"each; a copy ran at {report['copy_bandwidth'] * 1e-9:.0f} GB/s.\n\n" +
            table(head, rows) + words)


def paper(options):
    program = Program(options.program)
    parts = [paper_regions(program), paper_memory(program), paper_times(program, options.backend)]
    return program, "# The tables of the 2018 paper, rerun\n", parts


VECTORS = [1, 2, 3, 6]
STRUCTURES = ["csr", "ell"]


# Threads of a block that are kernels of their own: others are cut to the largest of these.
BLOCK_THREADS = {"csr": (64, 128, 256, 512, 1024), "ell": (64, 128, 256)}
REPEATS = {"cpu": 10, "cuda": 20}


def bench_rows(program, source, backend, formats, *settings):
    """The rows that ran, of products with all numbers of vectors."""
    report = program.json("bench", source, "--backend", backend, "--block",
                          ",".join(map(str, VECTORS)), "--format", formats, "--repeats",
                          str(REPEATS[backend]), *settings)
    return [row for row in report["rows"] if "reason" not in row]


def cpu_rows(program, source, options):
    """(structure, k) -> list of (row, words): serial once, then OpenMP."""
    found = {}
    for row in bench_rows(program, source, "cpu", "serial", "--threads", "1"):
        found.setdefault(("csr", row["block"]), []).append((row, "serial"))
    for chunk in options.chunks.split(","):
        for row in bench_rows(program, source, "cpu", "csr,ell", "--threads", options.threads,
                              "--set", "spmv.chunk=" + chunk):
            found.setdefault((row["format"], row["block"]), []).append(
                (row, f"OpenMP, {row['threads']} threads, " +
                 (f"chunks of {chunk}" if chunk != "0" else "chosen chunks")))
    return found


def cuda_rows(program, source, found):
    for structure, sizes in BLOCK_THREADS.items():
        for threads in sizes:
            for row in bench_rows(program, source, "cuda", structure, "--set",
                                  f"spmv.block_threads={threads}"):
                if row["block"] == 1 and threads > 512:
                    continue  # for one vector the kernel of 512
                found.setdefault((structure, row["block"]), []).append(
                    (row, f"CUDA, blocks of {threads}"))


def has_cuda(program):
    return any(entry["backend"] == "cuda" and entry["available"]
               for entry in program.json("formats"))


def method_table(found):
    rows = []
    for structure in STRUCTURES:
        for kind in ("serial", "OpenMP", "CUDA"):
            cells = []
            for k in VECTORS:
                rows_of = [entry for entry in found.get((structure, k), [])
                           if entry[1].startswith(kind)]
                if not rows_of:
                    cells.append("—")
                    continue
                row, words = min(rows_of, key=lambda entry: entry[0]["seconds"])
                detail = words.partition(", ")[2]
                cells.append(f"{row['gflops']:.2f}" + (f" ({detail})" if detail else ""))
            if any(cell != "—" for cell in cells):
                rows.append([structure, kind, *cells])
    return table(["structure", "method", *(f"k = {k}" for k in VECTORS)], rows)


def scaling_table(found, threads):
    rows = []
    for structure in STRUCTURES:
        for count in threads.split(","):
            cells = []
            for k in VECTORS:
                rows_of = [row for row, words in found.get((structure, k), [])
                           if words.startswith(f"OpenMP, {count} threads")]
                cells.append(f"{max(row['gflops'] for row in rows_of):.2f}" if rows_of else "—")
            rows.append([structure, count, *cells])
    return table(["structure", "threads", *(f"k = {k}" for k in VECTORS)], rows)


def blocks(options):
    program = Program(options.program)
    cuda = has_cuda(program)
    parts, worst = [], 0.0
    for source in options.inputs:
        info = program.json("info", source)["matrix"]
        found = cpu_rows(program, source, options)
        if cuda:
            cuda_rows(program, source, found)
        worst = max([worst] + [row["relative_error"] for entries in found.values()
                               for row, _ in entries])
        parts.append(
            f"## {source}\n\n{info['rows']} rows, {info['nonzeros']} nonzeros, "
            f"{info['row_mean']:.1f} a row on average, {info['row_maximum']} at most.\n\n"
            f"GFLOPS = 2 · nonzeros · k / s / 10⁹ of the best setting, s the median of "
            f"{REPEATS['cpu']} runs on the CPU and {REPEATS['cuda']} on the GPU:\n\n" +
            method_table(found) +
            "\nThread scaling, the best chunk of each:\n\n" +
            scaling_table(found, options.threads))
    parts.append(f"Largest relative error of all products: {worst:.1e}.\n")
    return program, "# A sparse matrix times a few vectors\n", parts


def folded(commands):
    """Commands that differ in what follows their last "=" alone, as one."""
    values = {}
    for command in commands:
        head, equals, value = command.rpartition("=")
        values.setdefault(head + equals, []).append(value)
    return [head + "|".join(of_head) for head, of_head in values.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, run in (("paper", paper), ("blocks", blocks)):
        command = commands.add_parser(name)
        command.set_defaults(run=run)
        command.add_argument("program")
        command.add_argument("output")
        if name == "paper":
            command.add_argument("--backend", default="cuda")
        else:
            command.add_argument("--threads", default="1,2,4")
            command.add_argument("--chunks", default="0,2,16,128,256")
            command.add_argument("inputs", nargs="+")
    options = parser.parse_args()
    program, title, parts = options.run(options)
    with open(options.output, "w") as file:
        file.write(title + "\n" + "\n".join(machine_lines()) + "\n\n")
        file.write("\n".join(parts))
        commands = "\n".join("    " + command for command in folded(program.commands))
        file.write("\n## Commands\n\n" + commands + "\n")


if __name__ == "__main__":
    main()
