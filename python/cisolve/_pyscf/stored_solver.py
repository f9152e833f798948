"""Attributes of PySCF solvers whose matrix cisolve stores."""


class StoredSolver:
    """backend, threads, memory_limit, verify, residual_tol, verified, result, beside those of the PySCF
    solver that the class is, too."""

    _keys = {"backend", "threads", "memory_limit", "verify", "residual_tol", "verified", "result"}

    def __init__(self, mol=None):
        super().__init__(mol)
        self.backend = self.threads = self.memory_limit = self.residual_tol = None
        self.verify = "quick"
        self.verified = False
        self.result = None
