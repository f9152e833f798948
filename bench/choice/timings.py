"""Timings files: products of matrices in every format, as arrays.

A timings file has one JSON object a line, gzipped if its name ends in .gz. An object is one matrix
on one backend with one number of threads. It has the fourteen features and, for each format and
number of vectors, the seconds of a product and of the conversion, or the reason why it could not run.

Matrices below 1e5 nonzeros are skipped: the program does not choose a format for them. It does not
choose one on a GPU below 1e6 either, but these still teach.
"""

import dataclasses
import gzip
import json
import re

import numpy as np

SIZED = ["dia", "ell", "hyb", "sell", "sell_c_sigma"]  # formats whose bytes are inputs
FEWEST_NONZEROS = 1e5
FEATURES = ["m", "n", "nnz", "density", "mean", "sd", "var", "max", "maxavg", "distavg",
            "clusteravg", "ndiag", "diagfill", "fill"]


@dataclasses.dataclass
class Cases:
    """N products: of a matrix, with a block of vectors and a number of threads; F formats.

    inputs       N x I   log10 of the features (0 stays 0), log2 of the vectors, of the threads,
                         and of the bytes of some formats over csr's
    seconds      N x F   of one product; infinite where the format could not run
    conversions  N x F   seconds from the matrix in CSR on the host; infinite likewise
    """
    backend: str
    devices: list
    formats: list
    input_names: list
    inputs: np.ndarray
    seconds: np.ndarray
    conversions: np.ndarray
    name: np.ndarray
    kind: np.ndarray
    block: np.ndarray

    def __len__(self):
        return len(self.inputs)

    def __getitem__(self, rows):
        arrays = ("inputs", "seconds", "conversions", "name", "kind", "block")
        return dataclasses.replace(self, **{key: getattr(self, key)[rows] for key in arrays})

    @property
    def csr(self):
        return self.formats.index("csr")

    @property
    def ran(self):
        return np.isfinite(self.seconds)

    @property
    def losses(self):
        """t_f / t_best - 1, infinite where a format could not run."""
        return self.seconds / self.seconds.min(axis=1, keepdims=True) - 1

    def among(self, formats):
        """The products with these formats only."""
        columns = [self.formats.index(name) for name in formats]
        return dataclasses.replace(self, formats=list(formats), seconds=self.seconds[:, columns],
                                   conversions=self.conversions[:, columns])


def _records(paths):
    for path in paths:
        with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
            yield from (json.loads(line) for line in file if line.strip())


def _relative_bytes(record):
    """log2 of the bytes of each of SIZED over those of csr, at most 6."""
    rows = {row["format"]: row for row in record["rows"]}

    def ratio(row):
        if "bytes" in row:
            return row["bytes"] / rows["csr"]["bytes"]
        return float(re.match("takes ([0-9.]+) times as much memory as csr", row["reason"])[1])
    return [np.log2(min(ratio(rows[name]), 64)) for name in SIZED]


def _inputs(record, block, with_threads):
    values = np.array([record["features"][name] for name in FEATURES])
    logarithms = np.log10(values, where=values > 0, out=np.zeros(len(values)))
    threads = [np.log2(record["threads"])] if with_threads else []
    return [*logarithms, np.log2(block), *threads, *_relative_bytes(record)]


def read(paths):
    """Every product of the files whose time in csr is known; the files are of one backend."""
    records = list(_records(paths))
    backends = {record["backend"] for record in records}
    if len(backends) != 1:
        raise SystemExit(f"timings of one backend expected, found {sorted(backends) or 'none'}")
    backend = backends.pop()
    formats = sorted({row["format"] for record in records for row in record["rows"]
                      if "seconds" in row})
    column = {name: number for number, name in enumerate(formats)}
    parts = {key: [] for key in ("inputs", "seconds", "conversions", "name", "kind", "block")}
    for record in records:
        if record["features"]["nnz"] < FEWEST_NONZEROS:
            continue
        for block in sorted({row["block"] for row in record["rows"]}):
            seconds, conversions = np.full((2, len(formats)), np.inf)
            for row in record["rows"]:
                if row["block"] == block and "seconds" in row:
                    seconds[column[row["format"]]] = row["seconds"]
                    conversions[column[row["format"]]] = row["conversion_seconds"]
            if not np.isfinite(seconds[column["csr"]]):
                continue
            values = (_inputs(record, block, backend == "cpu"), seconds, conversions,
                      record["name"], record["kind"], block)
            for key, value in zip(parts, values):
                parts[key].append(value)
    return Cases(backend, sorted({record["device"] for record in records}), formats,
                 [*FEATURES, "block", *(["threads"] if backend == "cpu" else []),
                  *(f"bytes:{name}" for name in SIZED)],
                 **{key: np.array(values) for key, values in parts.items()})
