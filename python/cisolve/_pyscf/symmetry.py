"""Numbers of states of a symmetry, and states of linear molecules by Λ, the component of their
angular momentum along the axis. Irreps, strings and vectors are PySCF's."""
from __future__ import annotations

from collections import Counter
from functools import lru_cache

import numpy as np
import scipy.sparse as sp
from pyscf import ao2mo, symm
from pyscf.fci import cistring
from pyscf.lib.exceptions import PointGroupSymmetryError
from pyscf.symm.basis import linearmole_irrep2momentum


def kind_of_states(group, irrep, momentum=None, multiplicity=None, spin_inversion=None):
    """" of irrep E3gx of multiplicity 3", of what is known of it; the irrep is D2h's or a
    subgroup's."""
    words = ""
    if irrep is not None:
        if momentum is not None:
            irrep += momentum // 2 * 10
        elif group in ("Dooh", "Coov"):
            group = "D2h" if group == "Dooh" else "C2v"
        try:
            irrep = symm.irrep_id2name(group, irrep)
        except (KeyError, IndexError, AttributeError, TypeError, PointGroupSymmetryError):
            pass  # a molecule without a group, or a number that it does not have
        words += f" of irrep {irrep}"
    if multiplicity is not None:
        words += f" of multiplicity {multiplicity}"
    if spin_inversion in ("even", "odd"):
        words += f" of {spin_inversion} spin"
    return words


@lru_cache(maxsize=16)  # CASSCF asks for the same in every iteration
def _strings(irreps, momenta, n):
    """Number of strings of n electrons by irrep and M_L."""
    if not 0 <= n <= len(irreps):
        return Counter()
    occupied = cistring.gen_occslst(range(len(irreps)), n)
    return Counter(zip(np.bitwise_xor.reduce(np.array(irreps)[occupied], axis=1).tolist(),
                       np.array(momenta)[occupied].sum(axis=1).tolist()))


class StateCount:
    """Numbers of states of full CI by their irrep of D2h or a subgroup, Λ and multiplicity.

    irreps, momenta: of each orbital; the determinants counted are over x ± iy, which have an M_L.
    """

    def __init__(self, irreps, momenta):
        self._irreps = tuple(int(irrep) % 10 for irrep in irreps)
        self._momenta = tuple(int(momentum) for momentum in momenta)

    def of_ms(self, nelec, irrep, momentum=None):
        """Number of states of these alpha and beta electrons, of all spins; momentum None: of
        any."""
        pairs = Counter()
        alpha, beta = (_strings(self._irreps, self._momenta, n) for n in nelec)
        for (a, m), times in alpha.items():
            for (b, n), also in beta.items():
                pairs[a ^ b, abs(m + n)] += times * also
        def of_momentum(value):  # E_x and E_y are as many; g and u are two kinds
            return sum(n for (g, m), n in pairs.items() if m == value and g // 4 == irrep // 4) // 2
        if momentum:
            return of_momentum(momentum)
        everything = sum(n for (g, _), n in pairs.items() if g == irrep)
        if momentum is None:
            return everything
        return everything - sum(of_momentum(m) for m in {m for _, m in pairs if m and m % 2 == 0})

    def states(self, nelec, irrep, momentum=None, multiplicity=None, spin_inversion=None):
        """Number of states of these electrons and spins: of one multiplicity, of even or odd S, or
        of any."""
        total, lowest = sum(nelec), abs(nelec[0] - nelec[1])
        def of_spin_at_least(twice):
            alpha = (total + twice) // 2
            return self.of_ms((alpha, total - alpha), irrep, momentum)
        if multiplicity is not None:
            spins = [multiplicity - 1]
        elif spin_inversion in ("even", "odd"):
            spins = range(0 if spin_inversion == "even" else 2, total + 1, 4)
        else:
            return of_spin_at_least(lowest)
        return sum(of_spin_at_least(s) - of_spin_at_least(s + 2) for s in spins if s >= lowest)


class AxialMomentum:
    """Λ of vectors over alpha × beta strings of orbitals of which pairs (x, y) have ±l.

    In the basis of x ± iy determinants have an M_L, and Λ = |M_L|. To it
      C' = T_α C T_βᵀ,   T = Π V†,   V: a†_x → (a†_x + i a†_y)/√2, a†_y → (a†_x − i a†_y)/√2,
    one V for each pair, strings with x in the place of those with x + iy.
    """

    def __init__(self, orbsym, nelec):
        #: l of x, −l of y of every pair, 0 of the other orbitals
        self.momenta = np.array([0 if p == q else linearmole_irrep2momentum(orbsym[p])
                                 for p, q in enumerate(orbsym.degen_mapping)])
        self._pairs = [(x, y) for x, y in enumerate(orbsym.degen_mapping) if self.momenta[x] > 0]
        self._irreps = np.asarray(orbsym) % 10
        norb = len(self._irreps)
        strings = [cistring.make_strings(range(norb), n) for n in nelec]
        self._turns = [self._turn(s, n) for s, n in zip(strings, nelec)]
        alpha, beta = (sum((s >> p & 1) * m for p, m in enumerate(self.momenta)) for s in strings)
        self._of_strings = abs(np.reshape(alpha, (-1, 1)) + np.reshape(beta, (1, -1)))
        a, b = (np.bitwise_xor.reduce(self._irreps[cistring.gen_occslst(range(norb), n)], axis=1)
                for n in nelec)
        self._irreps_of_strings = a[:, None] ^ b

    def _turn(self, strings, electrons):
        turn = sp.eye_array(len(strings), dtype=complex, format="csr")
        for x, y in self._pairs:
            with_x = np.flatnonzero((strings >> x & 1) & ~(strings >> y & 1))
            if with_x.size == 0:
                continue
            of_x = strings[with_x]
            with_y = cistring.strs2addr(len(self._irreps), electrons, of_x ^ (1 << x) ^ (1 << y))
            between = sum((of_x >> p & 1) for p in range(min(x, y) + 1, max(x, y)))
            sign = np.where(np.asarray(between) % 2, -1.0, 1.0) * np.ones(len(of_x))
            rest = np.setdiff1d(np.arange(len(strings)), np.concatenate([with_x, with_y]))
            half = np.sqrt(0.5)
            one = np.ones(len(of_x))
            values = np.concatenate([half * one, -1j * half * sign, half * sign, 1j * half * one,
                                     np.ones(len(rest))])
            rows = np.concatenate([with_x, with_x, with_y, with_y, rest])
            columns = np.concatenate([with_x, with_y, with_x, with_y, rest])
            turn = sp.csr_array((values, (rows, columns)), shape=turn.shape) @ turn
        return turn

    def _turned(self, vector):
        alpha, beta = self._turns
        return (beta @ (alpha @ np.reshape(vector, self._of_strings.shape)).T).T

    def weights(self, vector):
        """Squared norms of a vector's parts of Λ = 0, 1 …"""
        return np.bincount(self._of_strings.ravel(), abs(self._turned(vector).ravel())**2)

    def main_momentum(self, vector, irrep):
        """Λ of which a vector's part in an irrep of D2h or C2v has most."""
        part = np.reshape(vector, self._of_strings.shape)
        return int(np.argmax(self.weights(np.where(self._irreps_of_strings == irrep, part, 0.0))))

    def share(self, vector, momentum):
        """Squared norm of the part of one Λ of a vector of length one."""
        weights = self.weights(vector)
        return weights[momentum] if momentum < len(weights) else 0.0

    def part(self, vector, momentum):
        """Part of one Λ of a real vector."""
        alpha, beta = self._turns
        turned = np.where(self._of_strings == momentum, self._turned(vector), 0.0)
        return (beta.conj().T @ (alpha.conj().T @ turned).T).T.real.reshape(np.shape(vector))

    def averaged_within(self, tolerance, h1, eri):
        """The average, or where it changes an integral by more the integrals as they are; and by
        how much it changes them at most."""
        one, two, off = self.average(h1, eri)
        return (one, two, off) if off <= tolerance else (h1, eri, off)

    def average(self, h1, eri):
        """The integrals without what the molecule's symmetry forbids, and the largest number that
        was taken away."""
        norb, m = len(self._irreps), self.momenta
        turn = np.eye(norb, dtype=complex)  # x ± iy as columns
        for x, y in self._pairs:
            turn[np.ix_((x, y), (x, y))] = np.sqrt(0.5) * np.array([[1, 1], [1j, -1j]])
        back, axes = turn.conj(), "ap,bq,cr,ds"
        eri = ao2mo.restore(1, np.asarray(eri), norb)
        pairs, irreps = m[None, :] - m[:, None], self._irreps[:, None] ^ self._irreps
        one = np.where(pairs == 0, back.T @ h1 @ turn, 0.0)
        one = np.where(irreps == 0, (turn @ one @ back.T).real, 0.0)
        two = np.einsum(f"abcd,{axes}->pqrs", eri, back, turn, back, turn, optimize=True)
        two[pairs[:, :, None, None] + pairs != 0] = 0.0
        two = np.einsum(f"pqrs,{axes}->abcd", two, turn, back, turn, back, optimize=True).real
        two[irreps[:, :, None, None] != irreps] = 0.0
        off = max(abs(one - h1).max(), abs(two - eri).max())
        return one, ao2mo.restore(4, two, norb), off
