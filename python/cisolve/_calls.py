"""Parts of every call of the library: its settings as keys of the configuration, the process that
it runs in, its results and arrays."""
from __future__ import annotations

import itertools
import json
import logging
import os
from contextvars import ContextVar
from typing import Any

import numpy as np

from ._cisolve import InputError
from ._gpu import in_host_memory
from ._words import in_keywords

log = logging.getLogger("cisolve")
log.addHandler(logging.NullHandler())  # silent unless the user asks
#: How warnings are said, and what became of a solve.
tell = ContextVar("tell", default=(log.warning, log.debug))
_used_in = None  # the process that has called the library


def enter():
    """Raises RuntimeError in a process forked after use: threads do not survive a fork."""
    global _used_in
    if _used_in not in (None, os.getpid()):
        raise RuntimeError("cisolve was used before this process was forked, and its threads are "
                           "not in it: use multiprocessing's 'spawn' or 'forkserver'")
    _used_in = os.getpid()


#: More iterations than that are none that a solve comes to.
_MOST_ITERATIONS = 2**31 - 1


def within_range(key, value):
    """No limit for an infinite one, and any number of iterations."""
    if not isinstance(value, (int, float, np.integer, np.floating)):
        return value
    if key.endswith("time_limit") and value == np.inf:
        return None
    if key.endswith("max_iterations") and value > _MOST_ITERATIONS:
        return _MOST_ITERATIONS
    return value


def file_name(path):
    """Text of a str, bytes or os.PathLike; bytes that are no text stay as they are
    (os.fsdecode)."""
    try:
        return os.fsdecode(path)
    except TypeError:
        raise InputError(f"path: found {type(path).__name__}, expected str, bytes or "
                         "os.PathLike") from None


def text(value):
    if isinstance(value, (bytes, os.PathLike)):
        return file_name(value)
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(text, value)) + "]"
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)


def keys(options, **named):
    """Settings by key, those that are None left out. `options`: any further keys of the
    configuration, {"solver.guard": 2}."""
    if options is not None and not hasattr(options, "items"):
        raise InputError(f"options: found {type(options).__name__}, expected keys and values")
    given = [(key.replace("__", "."), value) for key, value in named.items() if value is not None]
    given = [(key, within_range(key, value)) for key, value in given + list((options or {}).items())]
    return [(key, text(value)) for key, value in given if value is not None]


def machine(backend, threads, memory_limit):
    return {"backend__name": backend, "backend__threads": threads,
            "backend__memory_limit": memory_limit}


def report(result):
    warn, inform = tell.get()
    for warning in result.pop("warnings"):
        warn("%s", in_keywords(warning))
    result["notes"] = [in_keywords(note) for note in result["notes"]]
    inform("%s in %.3f s, %d products", result["status"], result["seconds"], result["products"])
    return result


class Facts:
    """Fields of every result of a solve."""

    status: str
    iterations: int
    products: int
    seconds: float
    notes: list[str]

    def __init__(self, found):
        for name in ("status", "iterations", "products", "seconds", "notes"):
            setattr(self, name, found[name])
        self._report = found["report"]  # what writes it

    def __getstate__(self):
        return self.__dict__ | {"_report": self._report_text()}

    def _report_text(self):
        if callable(self._report):
            self._report = self._report()
        return self._report

    @property
    def report(self) -> dict[str, Any]:
        """The report of the program, as its --json writes it."""
        return json.loads(self._report_text())


class EigenFacts(Facts):
    """And every one of an eigenproblem."""

    verified: bool
    excluded_gap: float
    search_products: int

    def __init__(self, found):
        super().__init__(found)
        for name in ("verified", "excluded_gap", "search_products"):
            setattr(self, name, found[name])


def called(function, name="callback"):
    """A function of the user's, or None. Raises InputError for what cannot be called."""
    if function is None or callable(function):
        return function
    raise InputError(f"{name}: found {type(function).__name__}, expected a function")


def _require_finite(array, said):
    with np.errstate(all="ignore"):
        if np.isfinite(array.sum(dtype=np.complex128 if array.dtype.kind == "c" else np.float64)):
            return
    wrong = np.argwhere(~np.isfinite(array))
    if len(wrong):  # else numbers whose sum overflows
        value = "NaN" if np.isnan(array[tuple(wrong[0])]) else "infinity"
        places = ", column ".join(str(i + 1) for i in wrong[0])
        raise InputError(f"{said} has {value} in row {places}, expected finite numbers")


def product_of(function, name, flat=False, complex_too=False):
    """The function, of a block of vectors or of a flat one, whose products are looked at. Raises
    InputError that says of the how-manieth call's product what it is."""
    calls = itertools.count(1)

    def multiply(x):
        made, said = function(x), f"{name}: product {next(calls)}"
        try:
            array = np.asarray(made)
        except (TypeError, ValueError) as error:
            raise InputError(f"{said} is {type(made).__name__}: {error}") from error
        if array.ndim == 0 and array.dtype.kind not in "fiubc":
            raise InputError(f"{said} is {type(made).__name__}, expected an array of shape {x.shape}")
        if array.shape != x.shape and not (flat and array.ndim == 2 and array.size == x.size):
            raise InputError(f"{said} has shape {array.shape}, expected {x.shape}")
        if array.dtype.kind not in ("fiubc" if complex_too else "fiub"):
            raise InputError(f"{said} has elements of type {array.dtype}, expected "
                             + ("numbers" if complex_too else "real numbers"))
        _require_finite(array, said)
        return array.reshape(x.shape)
    return multiply


def block_function(function, name, components=1):
    """A function of a block of vectors as the library calls it: with the block, and where the result
    goes."""
    multiply = product_of(function, name, complex_too=components == 2)

    def apply(x, y):
        np.asarray(y)[...] = multiply(np.asarray(x))

    def apply_complex(x, y):
        np.asarray(y)[...] = by_components(multiply(over_elements(np.asarray(x), 2)))
    return apply if components == 1 else apply_complex


class Pair:
    """A result that unpacks, and is indexed, as a tuple of two."""

    def _pair(self):
        raise NotImplementedError

    def __iter__(self):
        return iter(self._pair())

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return self._pair()[index]


def aligned(a, dtype):
    """The array itself where the library can read it in its place, else a copy."""
    return np.require(a, dtype, ["C", "A"])


def real_array(a, name, dimensions, complex_too=False):
    """float64 in host memory, row by row, without a copy where it is so already; complex128 where
    complex numbers are taken too and found. Raises InputError for what is neither, or not finite."""
    try:
        array = np.asarray(in_host_memory(a, name))
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name}: {error}") from error
    if array.ndim == 0 and array.dtype.kind not in "fiub":
        raise InputError(f"{name}: found {type(a).__name__}, expected an array of numbers")
    if array.ndim not in dimensions:
        expected = " or ".join(map(str, dimensions))
        raise InputError(f"{name}: found {array.ndim} dimensions, expected {expected}")
    if array.dtype.kind not in ("fiubc" if complex_too else "fiub"):
        raise InputError(f"{name}: found elements of type {array.dtype}, expected "
                         + ("numbers" if complex_too else "real numbers"))
    array = aligned(array, np.complex128 if array.dtype.kind == "c" else np.float64)
    if not np.isfinite(array).all():
        raise InputError(f"{name}: an element is not finite")
    return array


def block(a, name, rows, components=1):
    """Vectors as rows × k; of a complex matrix as the library has them."""
    array = real_array(a, name, (1, 2), complex_too=components == 2)
    if array.shape[0] != rows:
        raise InputError(f"{name}: found {array.shape[0]} rows, expected {rows}")
    if array.size == 0:
        raise InputError(f"{name}: found shape {array.shape}, expected at least one column")
    array = array.reshape(rows, -1)
    return aligned(array if components == 1 else by_components(array), np.float64)


def by_components(x, module=np):
    """A complex n × k block as the library has it: real, 2n × k, each row's imaginary parts below
    the real ones."""
    return module.stack([x.real, x.imag], axis=1).reshape(2 * x.shape[0], -1)


def over_elements(x, components):
    """A block of the library's of elements of so many numbers: of two complex, n × k; of four n × k ×
    4."""
    if components == 1:
        return x
    x = x.reshape(x.shape[0] // components, components, -1)
    return x[:, 0] + 1j * x[:, 1] if components == 2 else np.moveaxis(x, 1, 2)
