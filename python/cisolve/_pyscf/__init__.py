"""PySCF's objects and protocols: what `cisolve.pyscf` consists of."""
