"""Lists of determinants and strings as the library takes them."""
import os

import numpy as np

from ._calls import file_name
from ._cisolve import InputError

_WORD = 64
_MASK = (1 << _WORD) - 1


def _words_of_numbers(numbers, name):
    """Words of Python's integers, as many as the largest needs."""
    for i, number in enumerate(numbers):
        if not isinstance(number, (int, np.integer)) or isinstance(number, bool):
            raise InputError(f"{name}, string {i}: found {type(number).__name__}, expected an integer")
        if number < 0:
            raise InputError(f"{name}, string {i}: found {number}, expected 0 or above")
    numbers = [int(number) for number in numbers]
    words = max(1, -(-max(numbers, default=0).bit_length() // _WORD))
    made = np.empty((len(numbers), words), np.uint64)
    for k in range(words):
        made[:, k] = [number >> (_WORD * k) & _MASK for number in numbers]
    return made


def words_of(strings, name):
    """Strings × words, uint64, of integers of shape (n,) or (n, words), or Python's of any size. Raises
    InputError for others."""
    try:
        # Objects keep integers; NumPy makes floats of lists of small and large ones.
        array = np.asarray(strings, None if isinstance(strings, np.ndarray) else object)
        if array.dtype == object and array.ndim == 2:
            array = np.asarray(strings)
    except ValueError as error:
        raise InputError(f"{name}: {error}") from error
    if array.dtype == object and array.ndim == 1:
        return _words_of_numbers(array, name)
    if array.dtype.kind not in "iu" or array.ndim not in (1, 2) or array.shape[1:] == (0,):
        raise InputError(f"{name}: found shape {array.shape} and type {array.dtype}, expected integers "
                         "of shape (n,) or (n, words)")
    if array.size and array.min() < 0:
        place = tuple(np.argwhere(array < 0)[0])
        raise InputError(f"{name}, string {place[0]}: found {array[place]}, expected 0 or above")
    return np.ascontiguousarray(array.reshape(len(array), -1), np.uint64)


def integers_of(words):
    """A number for each row of strings × words, uint64: uint64 of one word, else Python's in an
    object array."""
    if words.shape[1] == 1:
        return words[:, 0]
    numbers = np.zeros(len(words), object)
    for k in range(words.shape[1]):
        numbers += words[:, k].astype(object) << (_WORD * k)
    return numbers


def _is_file(value):
    return isinstance(value, (str, bytes, os.PathLike))


def list_files(value, name):
    """The files that a list is in, of what `listed` has made of it."""
    if not isinstance(value, str):
        return []
    return value.split(",") if name == "strings" else [value]


def listed(value, name):
    """A list of determinants, or of strings: the names of its files, absolute, or a pair of arrays
    (alpha, beta) of strings × words, as many words in both. Raises InputError for others."""
    try:
        files = [value] if _is_file(value) else list(value)
    except TypeError:
        files = []
    if files and all(map(_is_file, files)) and (name == "strings" or len(files) == 1):
        names = [part for file in files
                 for part in (file_name(file).split(",") if name == "strings" else [file_name(file)])]
        return ",".join(map(os.path.abspath, names))
    if len(files) != 2:
        raise InputError(f"{name}: found {type(value).__name__}, expected a file or (alpha, beta)")
    arrays = [words_of(strings, f"{name}, {spin}") for strings, spin in zip(files, ("alpha", "beta"))]
    words = max(array.shape[1] for array in arrays)
    return tuple(np.pad(array, ((0, 0), (0, words - array.shape[1]))) for array in arrays)
