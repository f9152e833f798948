"""Classes that PySCF made of others, for pickle."""
import sys

from pyscf import lib


def recipe(kind):
    """A class by name, or as name, module and bases where PySCF made it of others (fix_spin_,
    state_average_), which pickle finds nowhere."""
    if getattr(sys.modules.get(kind.__module__), kind.__name__, None) is kind:
        return kind
    return kind.__name__, kind.__module__, tuple(map(recipe, kind.__bases__))


def _class_of(made_as):
    if isinstance(made_as, type):
        return made_as
    name, module, bases = made_as
    made = lib.make_class(tuple(map(_class_of, bases)), name)
    made.__module__ = module
    return made


def unpickled(made_as):
    kind = _class_of(made_as)
    return kind.__new__(kind)
