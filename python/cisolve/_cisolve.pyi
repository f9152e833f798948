"""The public names of the extension module; the others are private to the package."""
from typing import Any

class InputError(ValueError):
    """Wrong input: where it is, what was found and what was expected."""

class ResourceError(MemoryError, RuntimeError):
    """The machine lacks memory, a device or room on disk: what was needed and what there is."""

def cuda_unavailable_reason() -> str:
    """Why no CUDA device can be used here, a sentence; empty if one can."""

def version() -> str:
    """The version of the library that is loaded, "0.1.0"."""

def __getattr__(name: str) -> Any: ...
