"""Messages of the program in the words of who calls from Python."""
import re
from contextlib import contextmanager

from ._cisolve import InputError, ResourceError

#: What keys of the configuration are called as keywords where that is another name; others are
#: called as the key's last part.
KEYWORDS = {"solver.states": "k", "solver.tolerance": "tol", "solver.max_iterations": "maxiter",
            "solver.initial_vectors": "v0", "linear.tolerance": "tol",
            "linear.max_iterations": "maxiter", "checkpoint.file": "checkpoint",
            "backend.name": "backend"}
SAME = ("solver.method", "solver.multiplicity", "solver.verify", "solver.time_limit", "solver.seed",
        "solver.restart", "linear.method", "linear.shift", "linear.time_limit", "spmv.format",
        "backend.threads", "backend.memory_limit", "input.irrep", "input.space", "input.ms2",
        "input.point_group", "input.spin_inversion", "input.frozen", "input.active", "input.freeze",
        "input.ras1", "input.ras3", "input.ras_holes", "input.ras_particles", "input.determinants",
        "input.strings",
        "input.protons", "input.neutrons", "input.twice_m", "input.parity",
        "selection.determinants", "selection.epsilon", "selection.accuracy",
        "selection.deviation", "selection.natural")
KEYWORDS.update((key, key.split(".")[1]) for key in SAME)
#: Keywords by the words of flags.
FLAGS = {key.split(".")[1]: keyword for key, keyword in KEYWORDS.items()}
FLAGS.update((keyword, keyword) for keyword in [*KEYWORDS.values(), "operator"])
#: Settings that no call has: words of flags and of keys of the input.
OF_THE_COMMAND = {"allow_missing_diagonal", "electrons", "first_orbital", "kramers",
                  "natural_fcidump", "orbital_kind", "orbsym", "symmetrize", "units"}
#: Advice that is other code in Python.
ADVICE = {"input.symmetrize takes (A + Aᵀ)/2 in its place": "(A + A.T) / 2 is symmetric"}

_KEY = re.compile(r"\b(?:solver|linear|backend|spmv|checkpoint|input|selection)\.\w+\b")
_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)")


def _keyword_of_flag(flag):
    return FLAGS.get(flag[1].replace("-", "_"), flag[0])


def _of_the_command(sentence):
    """Names in it that are of the command alone, each once."""
    found = [key[0] for key in _KEY.finditer(sentence)
             if key[0].startswith("input.") and key[0].split(".")[1] in OF_THE_COMMAND]
    found += [flag[0] for flag in _FLAG.finditer(sentence)
              if flag[1].replace("-", "_") in OF_THE_COMMAND]
    return list(dict.fromkeys(found))


def in_keywords(sentence):
    """A sentence of the program's in the words of who calls from Python: keys of the configuration,
    flags and the arrays of the library have keywords for names. Commands in `` stay as they are,
    and what only the command has is said to be of it."""
    for advice, here in ADVICE.items():
        sentence = sentence.replace(advice, here)
    parts = sentence.split("`")
    for i in range(0, len(parts), 2):
        parts[i] = _KEY.sub(lambda key: KEYWORDS.get(key[0], key[0]), parts[i])
        parts[i] = _FLAG.sub(_keyword_of_flag, parts[i])
    names = _of_the_command(" ".join(parts[::2]))
    sentence = re.sub(r"^irreps:", "orbsym:", "`".join(parts))
    return sentence + (f" ({', '.join(names)}: of the command cisolve alone)" if names else "")


@contextmanager
def spoken():
    """Errors of what is called within name keywords."""
    try:
        yield
    except (InputError, ResourceError) as error:
        said = in_keywords(str(error))
        if said == str(error):
            raise
        raise type(error)(said) from None
