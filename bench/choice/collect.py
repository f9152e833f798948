#!/usr/bin/env python3
"""Times every storage format on several hundred matrices of many kinds, for training the choice of
format: runs `cisolve bench` on each and writes one JSON object a line (matrix, backend, threads).

    python3 bench/choice/collect.py --cisolve build/cpu/cisolve --backend cpu --threads 8 \\
        --data FOLDER_OF_FCIDUMPS --output timings-cpu.jsonl

A file that is there is continued: what it has is not measured again. With --add the matrices in it
are timed in more formats instead:

    python3 bench/choice/collect.py --cisolve build/cpu/cisolve --backend cpu --threads 8 \\
        --data FOLDER_OF_FCIDUMPS --output timings-cpu.jsonl --formats packed --add

Needs nothing but Python.
"""
import argparse
import json
import math
import pathlib
import random
import subprocess
import time
from math import comb

# Real integrals: orbitals and electrons of the files taken where --data has them.
MOLECULES = {
    "be_ccpvdz": (14, 4), "ch2_631g": (13, 8), "h2o_631g_frozen_core": (12, 8),
    "h2o_ccpvdz": (24, 10), "h8_chain_sto3g": (8, 8), "lih_ccpvdz": (19, 4),
    "n2_631g_frozen_core": (16, 10), "n2_sto3g": (10, 14), "nh3_sto3g": (8, 10),
}
LEVELS = {"cis": 1, "cisd": 2, "cisdt": 3, "cisdtq": 4, "fci": 99}


def determinants(orbitals, alpha, beta, level):
    """Determinants of at most `level` excitations from the reference."""
    def excited(electrons, n):
        return comb(electrons, n) * comb(orbitals - electrons, n)
    return sum(excited(alpha, i) * excited(beta, j)
               for i in range(alpha + 1) for j in range(beta + 1) if i + j <= level)


def nonzeros(orbitals, alpha, beta, level):
    """No matrix of such a space has more: all single and double excitations of every determinant."""
    def single(n):
        return n * (orbitals - n)
    def double(n):
        return comb(n, 2) * comb(orbitals - n, 2)
    row = 1 + single(alpha) + single(beta) + double(alpha) + double(beta) + single(alpha) * single(beta)
    return row * determinants(orbitals, alpha, beta, level)


def spaces(orbitals, electrons, levels, limit):
    for ms2 in (0, 2):
        alpha, beta = (electrons + ms2) // 2, (electrons - ms2) // 2
        if alpha > orbitals or beta < 0:
            continue
        for space in levels:
            size = determinants(orbitals, alpha, beta, LEVELS[space])
            if size >= 400 and nonzeros(orbitals, alpha, beta, LEVELS[space]) <= limit:
                yield ["--space", space, "--ms2", str(ms2)]


def real(data, levels, limit):
    for name, (orbitals, electrons) in MOLECULES.items():
        file = data / f"{name}.fcidump"
        if not file.exists():
            continue
        for active in range(electrons // 2 + 2, orbitals + 1):
            some = ",".join(str(p) for p in range(1, active + 1))
            for arguments in spaces(active, electrons, levels, limit):
                yield [str(file), *arguments] + ([] if active == orbitals else ["--active", some])


def modelled(name, electrons_of, levels, limit):
    for orbitals in range(5, 17):
        for electrons in electrons_of(orbitals):
            for arguments in spaces(orbitals, electrons, levels, limit):
                yield [f"generate:{name.format(orbitals)},electrons={electrons}", *arguments]


class Draw:
    """Sizes and parameters from a seed; sizes and lengths evenly in their logarithms."""

    def __init__(self, seed, largest):
        self.random = random.Random(seed)
        self.largest = largest

    def log(self, low, high):
        return math.exp(self.random.uniform(math.log(low), math.log(high)))

    def size(self, per_row):
        """Rows of a matrix of 1e5 nonzeros to the largest number of them."""
        return max(64, round(self.log(1e5, self.largest) / per_row))

    def choice(self, *values):
        return self.random.choice(values)

    def name(self, kind, **keys):
        text = ",".join(f"{key}={value}" for key, value in keys.items())
        symmetric = "" if self.random.random() < 0.5 else ",symmetric=true"
        return [f"generate:{kind},{text},seed={self.random.randrange(1000)}{symmetric}"]

    def ci(self):
        fraction, dense, sparse = self.log(0.01, 0.3), self.log(0.02, 0.4), self.log(1e-4, 2e-2)
        density = fraction * dense + (1 - fraction) * sparse
        rows = round(math.sqrt(self.log(1e5, self.largest) / density))
        return self.name("ci", rows=rows, reference_fraction=f"{fraction:.4f}",
                         reference_density=f"{dense:.4f}", expansion_density=f"{sparse:.6f}")

    def banded(self):
        bandwidth = round(self.log(1, 300))
        return self.name("banded", rows=self.size(2 * bandwidth + 1), bandwidth=bandwidth)

    def random_(self):
        per_row = round(self.log(2, 300), 1)
        return self.name("random", rows=max(self.size(per_row), round(4 * per_row)),
                         per_row=per_row)

    def power_law(self):
        per_row = round(self.log(3, 60), 1)
        return self.name("power_law", rows=self.size(per_row), per_row=per_row,
                         exponent=round(self.random.uniform(2.1, 4.0), 2))

    def star(self):
        dimensions = self.choice(1, 2, 3)
        side = round(self.size(2 * dimensions + 1) ** (1 / dimensions))
        return self.name("stencil", dimensions=dimensions, side=side)

    def box(self):
        dimensions = self.choice(2, 3)
        side = round(self.size(3 ** dimensions) ** (1 / dimensions))
        return self.name("stencil", dimensions=dimensions, side=side, box="true")

    def blocks(self):
        size, beside = round(self.log(2, 64)), round(self.log(1, 12), 1)
        rows = max(self.size(size * beside), round(size * (beside + 1)))
        return self.name("blocks", rows=rows, block_size=size, blocks_per_row=beside)

    def diagonals(self):
        count, density = round(self.log(2, 200)), self.choice(1, 1, 0.8, 0.5, 0.2)
        return self.name("diagonals", rows=self.size(count * density / 2 + 1), count=count,
                         density=density)

    def runs(self):
        length, per_row = round(self.log(2, 64)), round(self.log(4, 300), 1)
        rows = self.size(max(length, per_row))
        return self.name("runs", rows=max(rows, 2 * length), per_row=per_row, length=length,
                         bandwidth=round(self.log(max(length, per_row), 1e5)))

    def arrow(self):
        width, bandwidth = round(self.log(1, 100)), round(self.log(1, 30))
        rows = self.size(2 * width + 2 * bandwidth + 1)
        return self.name("arrow", rows=max(rows, 2 * width), width=width, bandwidth=bandwidth)

    def hubs(self):
        per_row, share = round(self.log(2, 30), 1), self.log(0.003, 1)
        rows = self.size(per_row)
        count = max(1, round(self.random.uniform(0.05, 0.8) * per_row / share))
        return self.name("hubs", rows=rows, per_row=per_row, hubs=count,
                         hub_length=round(share * rows))

    def recursive(self):
        levels = self.choice(*range(12, 20))
        per_row = round(self.size(1) / 2 ** levels, 1)
        return self.name("recursive", levels=levels, per_row=min(max(per_row, 2), 64),
                         skew=round(self.random.uniform(0.1, 0.4), 2))


def matrices(data, of_a_kind, largest, only=()):
    """Kind and arguments of `cisolve bench`, the kinds mixed; only these kinds, where named."""
    draw = Draw(2018, largest)
    drawn = {"ci": draw.ci, "banded": draw.banded, "random": draw.random_,
             "power_law": draw.power_law, "stencil_star": draw.star, "stencil_box": draw.box,
             "blocks": draw.blocks, "diagonals": draw.diagonals, "runs": draw.runs,
             "arrow": draw.arrow}
    kinds = {kind: [make() for _ in range(of_a_kind)] for kind, make in drawn.items()}
    truncated = ("cisd", "cisdt", "cisdtq")

    def half(sites):
        return [n for n in range(sites - 2, sites + 3) if n % 2 == 0]

    def few(_orbitals):
        return (2, 4, 6, 8)

    limit = 3 * largest  # a bound of the nonzeros, which symmetry makes fewer
    listed = {"molecule_fci": real(data, ("fci",), limit),
              "molecule_truncated": real(data, truncated, limit),
              "random_fci": modelled("molecule,orbitals={},irreps=1", few, ("fci",), limit),
              "random_truncated": modelled("molecule,orbitals={},irreps=4", few, truncated, limit),
              "hubbard": modelled("hubbard,sites={}", half, ("fci",), 8 * limit)}
    for kind, all_of_them in listed.items():
        some = list(all_of_them)
        draw.random.shuffle(some)
        kinds[kind] = some[:of_a_kind]
    for kind, make in {"hubs": draw.hubs, "recursive": draw.recursive}.items():
        kinds[kind] = [make() for _ in range(of_a_kind)]
    mixed = [(kind, arguments) for kind, some in kinds.items() for arguments in some
             if not only or kind in only]
    draw.random.shuffle(mixed)
    return mixed


def measure(options, kind, arguments, formats):
    command = [options.cisolve, "bench", *arguments, "--backend", options.backend,
               "--format", ",".join(formats), "--block", "1,4", "--repeats", str(options.repeats),
               "--most-memory", "8", "--json", "-"]
    if options.backend == "cpu":
        command += ["--threads", options.threads]
    done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr else "no message")
    report = json.loads(done.stdout)
    name = " ".join([pathlib.Path(arguments[0]).name, *arguments[1:]])
    threads = sorted({row.get("threads", 0) for row in report["rows"]})
    kept = ("format", "block", "seconds", "conversion_seconds", "bytes", "reason")
    for count in threads:
        rows = [row for row in report["rows"] if row.get("threads", 0) == count]
        symmetric = any(r["format"] == "csr_symmetric" and "reason" not in r for r in rows)
        yield {"name": name, "kind": kind, "backend": options.backend, "threads": count,
               "device": options.device, "features": report["features"], "symmetric": symmetric,
               "rows": [{key: row[key] for key in kept if key in row} for row in rows]}


def available(options):
    listed = json.loads(subprocess.run([options.cisolve, "formats", "--json", "-"],
                                       capture_output=True, text=True, check=True).stdout)
    return [f["format"] for f in listed if f["backend"] == options.backend and f["available"]]


def add_formats(options, formats):
    """Times the matrices of the file in those of the formats that their records lack."""
    records = [json.loads(line) for line in options.output.open()]
    begin, made, failed = time.monotonic(), 0, 0
    for record in records:
        missing = [name for name in formats if name not in {row["format"] for row in record["rows"]}]
        if not missing or time.monotonic() - begin > options.limit:
            continue
        first, *others = record["name"].split(" ")
        if not first.startswith("generate:"):
            first = str(options.data / first)
        try:
            for more in measure(options, record["kind"], [first, *others], missing):
                if more["threads"] == record["threads"]:
                    record["rows"] += more["rows"]
            made += 1
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"{record['name']}: {error}")
    partial = options.output.with_suffix(".partial")
    partial.write_text("".join(json.dumps(record) + "\n" for record in records))
    partial.replace(options.output)
    print(f"{made} matrices measured, {failed} failed, {time.monotonic() - begin:.0f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cisolve", default="cisolve", help="the program")
    parser.add_argument("--backend", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--threads", default="0", help="numbers of OpenMP threads (cpu)")
    parser.add_argument("--device", default="", help="of the report: which machine this is")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("tests/data"),
                        help="folder of FCIDUMP files")
    parser.add_argument("--of-a-kind", type=int, default=48, help="matrices of every kind, at most")
    parser.add_argument("--kinds", nargs="*", default=(), help="only these kinds of matrices")
    parser.add_argument("--formats", default="", help="separated by commas (default all there are)")
    parser.add_argument("--largest", type=float, default=1e7, help="nonzeros of the largest")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--timeout", type=float, default=60, help="seconds for a matrix")
    parser.add_argument("--limit", type=float, default=math.inf, help="seconds in all")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--add", action="store_true", help="formats to the matrices of OUTPUT")
    options = parser.parse_args()
    if options.add:
        add_formats(options, options.formats.split(","))
        return

    have = set()
    if options.output.exists():
        have = {json.loads(line)["name"] for line in options.output.open()}
    formats = options.formats.split(",") if options.formats else available(options)
    begin, failed, made = time.monotonic(), 0, 0
    with options.output.open("a") as output:
        for kind, arguments in matrices(options.data, options.of_a_kind, options.largest,
                                        options.kinds):
            if " ".join([pathlib.Path(arguments[0]).name, *arguments[1:]]) in have:
                continue
            if time.monotonic() - begin > options.limit:
                print("out of time: run again to go on")
                break
            try:
                for record in measure(options, kind, arguments, formats):
                    output.write(json.dumps(record) + "\n")
                    output.flush()
                made += 1
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"{' '.join(arguments)}: {error}")
    print(f"{made} matrices measured, {failed} failed, {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
