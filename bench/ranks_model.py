#!/usr/bin/env python3
"""Model of a product and of an iteration of Davidson's method over ranks: seconds and bytes.

    bench/ranks_model.py                        the tables of docs/results/scale-out.md
    bench/ranks_model.py --machine xeon         that of ranks on CPU cores
    bench/ranks_model.py --rows N --row-nonzeros Z [--vectors K] [--basis M] [--ranks P,Q,...]
                         [--machine NAME]       one matrix, on as many ranks

A rank has n/P rows with z nonzeros each, and these rows of m basis vectors and their images. With k
new vectors an iteration takes

    product     n z / P · t(k)                    t(k): seconds a nonzero, for k vectors together, but no
                                                  less than all ranks' matrix takes to be read
    exchange    bytes / link + latency · steps    bytes that a rank receives, layouts below
    outside     f + (56 m + 160 k) n / (P B)      vector operations (solvers/eigen/steps/subspace.hpp)
    sums        s · hop · log2 P                  s sums of small matrices, each waited for

rows: a rank has whole rows, and receives X of all others: 8 n k (1 - 1/P) bytes. The gathered X takes
8 n k bytes of every rank, however many there are.
rows and columns: a square of sqrt(P) x sqrt(P) ranks has blocks. A rank receives X of its column of
ranks, 8 n k / sqrt(P), and partial sums of Y are added along its row, as many bytes again.

Nothing overlaps: exchanges are not hidden behind work. Memory is that of the matrix, the basis with
images, other vectors as `eigen_memory` has them (about 6 k) and the gathered X.
"""
import argparse
import dataclasses
import math


@dataclasses.dataclass
class Machine:
    name: str
    nonzero: dict      # k: seconds a nonzero
    bytes: float       # a nonzero
    vectors: float     # B, bytes a second of vector operations
    fixed: float       # f, seconds an iteration
    link: float        # bytes a second that a rank receives, within a host
    network: float     # the same between hosts
    host: int          # ranks of a host
    latency: float     # seconds of a step of an exchange between devices
    hop: float         # seconds of a step of a sum within a host
    network_hop: float
    memory: float      # bytes of a rank
    together: float = math.inf  # bytes of a matrix a second that all ranks of a host read


# t(k): docs/results/packed-h200.md, 12 orbitals, 1.08e9 nonzeros. f and B: through the two points of
# docs/results/eigensolvers.md (0.206 ms for 108,900 rows, 0.579 ms for 627,264; m = 16 on average,
# k = 4). Link, latency and hop within a host: docs/results/scale-out.md, X of 4, 16 and 32 MB received
# in 0.058, 0.109 and 0.170 ms, a sum in 2.8 us. Between hosts assumed: 400 Gbit/s a GPU, twice as
# long a hop.
H200 = Machine("H200", {1: 1.093e-12, 4: 2.651e-12, 8: 4.861e-12}, 4.4, 2.13e12, 1.28e-4, 250e9, 40e9, 8,
               4.2e-5, 2.8e-6, 5.6e-6, 141e9)
# Cores of a Xeon (Sapphire Rapids) host, ranks of one thread, two of which seem to share a core:
# csr, 12 bytes a nonzero. docs/results/scale-out.md has t(k) of two ranks, the link, a sum of two,
# and 93 GB/s of sixteen (3.5e8 nonzeros in 45 ms). B and f were not measured.
CORES = Machine("Xeon", {1: 1.77e-9, 4: 2.86e-9, 8: 4.21e-9}, 12.0, 8e9, 0.0, 3.3e9, 12e9, 16, 1e-6, 3.0e-6,
                5e-6, 16e9, 93e9)
MACHINES = {"h200": H200, "xeon": CORES}
SUMS = 15  # exchanges an iteration beside its product (docs/adr/0023-ranks-own-rows.md)


@dataclasses.dataclass
class Case:
    rows: float
    row_nonzeros: float
    vectors: int = 4
    basis: int = 16

    @property
    def nonzeros(self):
        return self.rows * self.row_nonzeros


@dataclasses.dataclass
class Took:
    product: float
    exchange: float
    outside: float
    sums: float
    matrix: float    # bytes of a rank, as those below
    basis: float
    gathered: float
    others: float

    @property
    def iteration(self):
        return self.product + self.exchange + self.outside + self.sums

    @property
    def memory(self):
        return self.matrix + self.basis + self.gathered + self.others


def exchanged(machine, case, ranks, square):
    """Bytes that a rank receives for a product, steps, and bytes that it keeps of X and Y."""
    x = 8.0 * case.rows * case.vectors
    if ranks == 1:
        return 0.0, 0, 0.0
    if not square:
        return x * (1 - 1 / ranks), math.log2(ranks), x
    side = math.sqrt(ranks)
    return 2 * x / side * (1 - 1 / side), 2 * math.log2(side), 2 * x / side


def took(machine, case, ranks, square=False):
    n, z, k, m = case.rows, case.row_nonzeros, case.vectors, case.basis
    one_host = ranks <= machine.host
    received, steps, kept = exchanged(machine, case, ranks, square)
    hop = machine.hop if one_host else machine.network_hop
    return Took(
        product=max(n * z / ranks * machine.nonzero[k],
                    n * z * machine.bytes / (machine.together * max(1, ranks / machine.host))),
        exchange=received / (machine.link if one_host else machine.network) + steps * machine.latency,
        outside=machine.fixed + (56 * m + 160 * k) * n / ranks / machine.vectors,
        sums=SUMS * hop * math.log2(ranks),
        matrix=n * z / ranks * machine.bytes,
        basis=16.0 * n * m / ranks,
        gathered=kept,
        others=48.0 * n * k / ranks,
    )


def milliseconds(seconds):
    return f"{1e3 * seconds:.3g}"


def print_table(machine, cases):
    """A row for every number of ranks and layout of cases, each (case, ranks, layouts)."""
    print("| rows | nonzeros | new vectors | basis | ranks | layout | product / ms | exchange / ms "
          "| outside / ms | sums / ms | iteration / ms | product and exchange: times one rank's "
          "| received / GB | memory of a rank / GB |\n" + "|---" * 14 + "|")
    for case, ranks_list, layouts in cases:
        one = took(machine, case, 1)
        for ranks in ranks_list:
            for square in layouts:
                if square and (ranks < 4 or not math.sqrt(ranks).is_integer()):
                    continue
                t = took(machine, case, ranks, square)
                received = exchanged(machine, case, ranks, square)[0]
                too_much = ", too much" if t.memory > machine.memory else ""
                print(f"| {case.rows:.3g} | {case.nonzeros:.3g} | {case.vectors} | {case.basis} "
                      f"| {ranks} | {'rows, columns' if square else 'rows'} "
                      f"| {milliseconds(t.product)} | {milliseconds(t.exchange)} "
                      f"| {milliseconds(t.outside)} | {milliseconds(t.sums)} "
                      f"| {milliseconds(t.iteration)} "
                      f"| {one.product / (t.product + t.exchange):.2f} "
                      f"| {received / 1e9:.3g} | {t.memory / 1e9:.3g}{too_much} |")


# Milliseconds of ranks_bench on one and two H200, the same source: (vectors, ranks): product.
MOLECULE_14_8 = Case(1002001, 2221)
MEASURED = {(1, 1): 2.375, (1, 2): 1.287, (4, 1): 6.164, (4, 2): 3.259, (8, 1): 11.136, (8, 2): 5.827}


def print_measured(machine):
    print("Products predicted and measured: 14 orbitals, 8 electrons, 2.23e9 nonzeros; two H200\n")
    print("| vectors | one GPU: predicted / ms | measured | two: predicted | measured "
          "| times as fast: predicted | measured |")
    print("|---|---|---|---|---|---|---|")
    for k in (1, 4, 8):
        case = dataclasses.replace(MOLECULE_14_8, vectors=k)
        one, two = (took(machine, case, ranks) for ranks in (1, 2))
        on_two = two.product + two.exchange
        print(f"| {k} | {milliseconds(one.product)} | {MEASURED[k, 1]} | {milliseconds(on_two)} "
              f"| {MEASURED[k, 2]} | {one.product / on_two:.2f} "
              f"| {MEASURED[k, 1] / MEASURED[k, 2]:.2f} |")
    print()


# Milliseconds of ranks_bench on CPU cores: (vectors, ranks): product, and X gathered in it.
MOLECULE_11_8 = Case(108900, 1093)
MEASURED_CORES = {
    (1, 1): (160.0, 0.0), (1, 2): (105.4, 0.111), (1, 4): (51.2, 0.166), (1, 8): (27.8, 0.206),
    (1, 16): (15.0, 0.236), (4, 1): (250.8, 0.0), (4, 2): (170.1, 0.622), (4, 4): (79.2, 0.774),
    (4, 8): (41.7, 0.873), (4, 16): (26.2, 0.958), (8, 1): (370.7, 0.0), (8, 2): (250.6, 1.197),
    (8, 4): (119.3, 1.501), (8, 8): (63.3, 1.776), (8, 16): (34.9, 1.976)}


def print_measured_cores(machine):
    print("Products predicted and measured: 11 orbitals, 8 electrons, 1.19e8 nonzeros; ranks of one "
          "thread\n")
    print("| vectors | ranks | product predicted / ms | measured | X gathered in it: predicted / ms "
          "| measured | times as fast as two ranks: predicted | measured |")
    print("|---|---|---|---|---|---|---|---|")
    for k in (1, 4, 8):
        case = dataclasses.replace(MOLECULE_11_8, vectors=k)
        two = took(machine, case, 2)
        for ranks in (2, 4, 8, 16):
            t = took(machine, case, ranks)
            product, gathered = MEASURED_CORES[k, ranks]
            whole = t.product + t.exchange
            print(f"| {k} | {ranks} | {milliseconds(whole)} | {product} "
                  f"| {milliseconds(t.exchange)} | {gathered} "
                  f"| {(two.product + two.exchange) / whole:.2f} "
                  f"| {MEASURED_CORES[k, 2][0] / product:.2f} |")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=float)
    parser.add_argument("--row-nonzeros", type=float)
    parser.add_argument("--vectors", type=int, default=4, choices=[1, 4, 8])
    parser.add_argument("--basis", type=int, default=16)
    parser.add_argument("--ranks", default="1,2,4,8,16,64,1024")
    parser.add_argument("--machine", default="h200", choices=MACHINES)
    given = parser.parse_args()
    machine = MACHINES[given.machine]
    ranks = [int(p) for p in given.ranks.split(",")]
    if given.rows:
        case = Case(given.rows, given.row_nonzeros or 1000, given.vectors, given.basis)
        return print_table(machine, [(case, ranks, (False, True))])
    if machine is CORES:
        return print_measured_cores(machine)
    print_measured(machine)
    # Molecules without symmetry: 14 orbitals with 8 and 12 electrons; then 1e10 rows.
    one_host, both = [1, 2, 4, 8], (False, True)
    print_table(machine, [
        (MOLECULE_14_8, one_host, [False]),
        (dataclasses.replace(MOLECULE_14_8, vectors=1), one_host, [False]),
        (Case(9018009, 3241), one_host, [False]),
        (Case(1e10, 1000, vectors=1, basis=8), [64, 1024], both),
        (Case(1e10, 1000, vectors=4, basis=16), [1024], both)])


main()
