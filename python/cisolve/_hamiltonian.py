"""Hamiltonians of integrals."""
from __future__ import annotations

import copy
import os
from typing import Any, Callable, Mapping, Sequence, Tuple

import numpy as np
from numpy.typing import ArrayLike

from . import _cisolve
from ._calls import block_function, by_components, called, enter, file_name, keys, machine, \
    real_array, report
from ._cisolve import InputError
from ._gpu import in_host_memory
from ._lists import list_files, listed
from ._matrix import Callback, Path
from ._results import Vectors
from ._states import States
from ._words import spoken

#: Strings of each spin.
Strings = Tuple[ArrayLike, ArrayLike]


def _change(file):
    """Identity of a file's content, which differs once it was written again; None if it is
    missing."""
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def electrons(nelec):
    """Their number and 2 M_s, of a number or (alpha, beta)."""
    numbers = np.asarray(nelec)
    if numbers.dtype.kind in "iu" and numbers.ndim == 0:
        return int(nelec), int(nelec) % 2
    if numbers.dtype.kind not in "iu" or numbers.shape != (2,):
        raise InputError(f"nelec: found {nelec}, expected electrons or (alpha, beta)")
    return int(nelec[0] + nelec[1]), int(nelec[0] - nelec[1])


def unpacked_size(norb):
    pairs = norb * (norb + 1) // 2
    return {norb**4: "whole", pairs**2: "pairs", pairs * (pairs + 1) // 2: "triangle"}


def irreps_of(orbsym, norb):
    """Irreps of D2h or a subgroup by number; those of linear molecules and atoms have them as last
    digit."""
    irreps = np.asarray(orbsym)
    if irreps.shape != (norb,) or irreps.dtype.kind not in "iu":
        raise InputError(f"orbsym: found {irreps.size} of shape {irreps.shape} and type "
                         f"{irreps.dtype}, expected {norb} irreps by number")
    irreps = irreps % 10
    if irreps.size and irreps.max() > 7:
        raise InputError(f"orbsym: found {irreps.max()}, expected 0 to 7")
    return irreps.tolist()


class Hamiltonian:
    """A Hamiltonian of real integrals over orthonormal orbitals, in Hartree. Others are made by
    from_fcidump, from_pyscf and, of complex integrals, from_spinors; those of nucleons by
    from_interaction.

    Parameters
    ----------
    h1
        One-electron integrals, m × m, symmetric.
    eri
        Two-electron integrals (pq|rs), chemists' order: m⁴, or packed as PySCF does, by pairs or their
        lower triangle.
    norb
        Number of orbitals, m.
    nelec
        Number of electrons, or (alpha, beta).
    ecore
        Energy of nuclei and frozen electrons.
    orbsym
        Irrep of every orbital, from 0, products by XOR: PySCF's irrep_id. None: no symmetry.

    Raises
    ------
    InputError
        The arrays contradict each other.
    """

    def __init__(self, h1: ArrayLike, eri: ArrayLike, norb: int, nelec: int | Sequence[int],
                 ecore: float = 0.0, orbsym: Sequence[int] | None = None) -> None:
        for name, integrals in (("h1", h1), ("eri", eri)):
            if getattr(getattr(integrals, "dtype", None), "kind", "") == "c":
                raise InputError(f"{name}: found complex numbers, which are those of spinors: "
                                 "Hamiltonian.from_spinors(h1, eri, nelec)")
        one, two = real_array(h1, "h1", (2,)), np.asarray(in_host_memory(eri, "eri"))
        if one.shape != (norb, norb):
            raise InputError(f"h1: found shape {one.shape}, expected {(norb, norb)}")
        if two.size not in unpacked_size(norb):
            raise InputError(f"eri: found {two.size} numbers, expected "
                             + " or ".join(map(str, unpacked_size(norb))))
        irreps = [] if orbsym is None else irreps_of(orbsym, norb)
        if not np.isfinite(ecore):
            raise InputError(f"ecore: found {ecore}, expected a number")
        self._arrays: Any = (one, real_array(two.ravel(), "eri", (1,)), *electrons(nelec),
                             float(ecore), irreps)
        self._kind = "from_integrals"  # how the library makes it of arrays
        self._file: str | None = None
        self._read: dict[str, Any] = {}  # files that are to be read, each with its change
        self._point_group: str | None = None  # where irreps are those of a molecule
        self._nucleus: dict[str, Any] = {}  # settings that choose among nucleons

    @classmethod
    def from_spinors(cls, h1: ArrayLike, eri: ArrayLike, nelec: int,
                     ecore: float = 0.0) -> Hamiltonian:
        """A Hamiltonian from complex integrals over n orthonormal spinors, in Hartree, each with
        one electron at most. The matrix is complex.

        Parameters
        ----------
        h1
            h_pq, n × n, Hermitian.
        eri
            (pq|rs) = ∫ p* q (1) r* s (2) / r₁₂, chemists' order: n⁴, or n² × n².
        nelec
            Number of electrons.
        ecore
            Energy of nuclei and frozen electrons.

        Raises
        ------
        InputError
            Names the elements where h_pq = h_qp* or (pq|rs) = (rs|pq) = (qp|sr)* does not hold to 1e-8 of
            the largest integral.
        """
        made = cls.__new__(cls)
        one = real_array(h1, "h1", (2,), complex_too=True).astype(np.complex128)
        two = real_array(eri, "eri", (2, 4), complex_too=True).astype(np.complex128)
        n = len(one)
        if one.shape != (n, n) or n == 0:
            raise InputError(f"h1: found shape {one.shape}, expected n × n")
        if two.size != n**4:
            raise InputError(f"eri: found {two.size} numbers, expected {n**4}")
        if np.ndim(nelec) != 0 or np.asarray(nelec).dtype.kind not in "iu":
            raise InputError(f"nelec: found {nelec}, expected the number of electrons")
        if not np.isfinite(ecore):
            raise InputError(f"ecore: found {ecore}, expected a number")
        made._arrays = (one.view(np.float64).reshape(n, n, 2), two.reshape(-1).view(np.float64),
                        int(nelec), float(ecore))
        made._kind, made._file, made._point_group, made._read = "from_spinors", None, None, {}
        made._nucleus = {}
        return made

    @classmethod
    @spoken()
    def from_fcidump(cls, path: Path) -> Hamiltonian:
        """A Hamiltonian from a file, which is read by each call that needs it.

        Parameters
        ----------
        path
            An FCIDUMP file, or a TREXIO file or folder called *.trexio.

        Raises
        ------
        InputError
            There is no such file.
        """
        return cls._of_file(path, {})

    @classmethod
    def _of_file(cls, path, nucleus):
        made = cls.__new__(cls)
        made._arrays, made._file, made._point_group, made._read = None, file_name(path), None, {}
        made._nucleus = nucleus
        made._library()
        return made

    @classmethod
    @spoken()
    def from_interaction(cls, path: Path, protons: int, neutrons: int, twice_m: int | None = None,
                         parity: str | None = None) -> Hamiltonian:
        """A Hamiltonian of the nuclear shell model from a file, which is read by each call that needs it.
        Energies and tolerances are in MeV.

        Parameters
        ----------
        path
            An interaction file of KSHELL, called *.snt.
        protons, neutrons
            Numbers of them outside the core.
        twice_m
            2M: levels with J of M or more have a state each. None: 0, or 1 for an odd number of nucleons,
            which have all levels.
        parity
            'positive' or 'negative'; None: the only one that there is.

        Raises
        ------
        InputError
            There is no such file.
        """
        nucleus = {"protons": protons, "neutrons": neutrons, "twice_m": twice_m, "parity": parity}
        return cls._of_file(path, nucleus)

    @classmethod
    def from_pyscf(cls, method: Any) -> Hamiltonian:
        """A Hamiltonian from a calculation of PySCF that was run, with restricted orbitals.

        Parameters
        ----------
        method
            An SCF object, of whose orbitals all are taken, or a CASCI or CASSCF object, of which the active
            space is. The irreps of a molecule with symmetry have PySCF's numbers and names, those of linear
            molecules the ones of D2h or C2v.
        """
        from ._pyscf.pyscf_objects import integrals_of
        arrays, point_group = integrals_of(method)
        made = cls(*arrays)
        made._point_group = point_group
        return made

    def _as_read(self, lists):
        """Itself, which reads its file, and those of lists, again only if they have not changed."""
        made = copy.copy(self)
        if self._file is not None:
            made._file = os.path.abspath(self._file)
        files = [made._file, *lists] if made._file is not None else lists
        made._read = {file: _change(file) for file in files}
        return made

    def _library(self, **settings):
        enter()
        for file, change in self._read.items():
            if _change(file) not in (None, change):
                raise InputError(f"{file}: the file has changed since the states were computed; "
                                 "what is asked for needs it as it was")
        settings = {key: value for key, value in (self._nucleus | settings).items()
                    if value is not None}
        if self._point_group is not None:
            settings.setdefault("point_group", self._point_group)
        if isinstance(settings.get("irrep"), str):
            settings["irrep"] = settings["irrep"].replace('"', "''")  # as PySCF writes A" of Cs
        for name in ("determinants", "strings"):
            if name in settings:
                settings[name] = listed(settings[name], name)
        if self._file is not None:
            return _cisolve.Hamiltonian.read(self._file, settings)
        return getattr(_cisolve.Hamiltonian, self._kind)(*self._arrays, settings)

    @spoken()
    def rows(self, **space: Any) -> int:
        """Number of determinants of a space; nothing is solved.

        Parameters
        ----------
        space
            Keywords that choose determinants, as eigenstates has them: `rows(space="cisd", irrep=0)`.
        """
        return self._library(**space).rows()

    @spoken()
    def eigenstates(self, k: int = 1, *, space: str | int | None = None,
                    irrep: int | str | None = None,
                    point_group: str | None = None, multiplicity: int | None = None,
                    spin_inversion: str | None = None, ms2: int | None = None,
                    frozen: Sequence[int] | None = None, active: Sequence[int] | None = None,
                    freeze: int | None = None, ras1: Sequence[int] | None = None,
                    ras_holes: int | None = None, ras3: Sequence[int] | None = None,
                    ras_particles: int | None = None,
                    determinants: Path | Strings | None = None,
                    strings: Path | Strings | None = None, v0: ArrayLike | None = None,
                    tol: float | None = None, maxiter: int | None = None,
                    method: str | None = None, operator: str | None = None,
                    backend: str | None = None, verify: str | None = None,
                    threads: int | None = None, memory_limit: int | None = None,
                    time_limit: float | None = None, seed: int | None = None,
                    restart: Path | None = None, checkpoint: Path | None = None,
                    project: Callable[[Vectors], ArrayLike] | None = None,
                    analysis: bool = True, callback: Callback | None = None,
                    options: Mapping[str, Any] | None = None) -> States:
        """The k lowest states.

        Parameters
        ----------
        k
            Number of states.
        space
            'fci' (default), 'cis', 'cisd', 'cisdt', 'cisdtq', or a rank of excitation.
        irrep
            Irrep of the determinants: a number from 0, or a name if the point group is known
            (`point_group`, from_pyscf, from_fcidump).
        point_group
            'D2h', 'C2v' …, for names of irreps.
        multiplicity
            2S + 1 of the states; None: all.
        spin_inversion
            'even' (spins 0, 2 …) or 'odd' (1, 3 …): half the work. For full CI with M_s = 0.
        ms2
            2 M_s, alpha minus beta electrons.
        frozen, active
            Lists of orbitals from 1.
        freeze
            So many orbitals of lowest energy are frozen.
        ras1, ras_holes, ras3, ras_particles
            A restricted active space: lists of active orbitals from 1, at most so many holes in ras1 and
            electrons in ras3.
        determinants
            A list, instead of `space`: a file, or arrays (alpha, beta) of the strings of each determinant,
            over all orbitals, bit p for orbital p from 0. Arrays are integers of shape (n,), words of 64
            orbitals (n, words), or Python's integers of any size.
        strings
            All pairs of two lists: files, or arrays likewise of each spin's strings; `ci` is then alpha ×
            beta strings. Rows ascend by alpha, then beta string as numbers, whatever order a list has:
            `alpha` and `beta` of the result have them.
        v0
            Start vectors: states first, as `ci`, or rows × states.
        tol
            Residual norm of every state, in Hartree. None: 1e-6.
        maxiter, method, backend, verify, threads, memory_limit, time_limit, seed, restart, checkpoint
            As cisolve.eigsh.
        operator
            'auto' (default), 'direct' (full CI without a stored matrix) or 'stored'.
        project
            Function of a block (rows × m, over determinants) that returns its part in a subspace that H
            keeps to: only states of that subspace are found, if it has as many.
        analysis
            False: states without spin, leading determinants and occupations, sooner.
        callback
            Called after every iteration, as cisolve.eigsh.
        options
            Further keys of the configuration, {"solver.guard": 2}.

        Returns
        -------
        States
            By energy, also of a solve that did not converge.

        Raises
        ------
        InputError
            The input is wrong.
        ResourceError
            Memory or a device is missing.
        """
        over = {"space": space, "irrep": irrep, "point_group": point_group, "ms2": ms2,
                "frozen": frozen, "active": active, "freeze": freeze, "ras1": ras1,
                "ras_holes": ras_holes, "ras3": ras3, "ras_particles": ras_particles}
        lists = {name: listed(value, name) for name, value
                 in (("determinants", determinants), ("strings", strings)) if value is not None}
        over |= lists
        as_read = self._as_read([file for name, made in lists.items()
                                 for file in list_files(made, name)])
        space = over | {"spin_inversion": spin_inversion}
        library = self._library(**space)
        where = machine(backend, threads, memory_limit)
        settings = keys(options, solver__states=k, solver__tolerance=tol, operator=operator,
                        solver__max_iterations=maxiter, solver__method=method,
                        solver__multiplicity=multiplicity, solver__verify=verify,
                        solver__time_limit=time_limit, solver__seed=seed, solver__restart=restart,
                        checkpoint__file=checkpoint, output__analysis=None if analysis else False,
                        **where)
        # Vectors are over determinants, also where rows are even or odd functions of them.
        start = None
        if v0 is not None:
            of_determinants = self._library(**over)
            start = start_vectors(v0, of_determinants.rows(), of_determinants.components())
        onto = None if project is None else block_function(called(project, "project"), "project")
        found = report(_cisolve.eigen(library, settings, start, called(callback), onto))
        return States(as_read, space, library, found, keys(None, **where))


def start_vectors(v0, rows, components=1):
    """rows × states of vectors as they are or states first, each in any shape; of complex vectors as
    the library has them."""
    array = real_array(v0, "v0", (1, 2, 3), complex_too=components == 2)
    if array.ndim == 2 and array.shape[0] == rows and array.size:
        return array if components == 1 else by_components(array)
    if array.size % rows != 0 or array.size == 0:
        raise InputError(f"v0: found shape {array.shape}, expected vectors of {rows} rows")
    columns = np.ascontiguousarray(array.reshape(-1, rows).T)
    return columns if components == 1 else by_components(columns)
