#pragma once

#include <nanobind/nanobind.h>

// Parts of the module, each in a file of its name.

void add_hamiltonian(nanobind::module_& m);
/// Eigenstates, linear systems and products.
void add_solves(nanobind::module_& m);
/// Selected CI.
void add_selection(nanobind::module_& m);
void add_densities(nanobind::module_& m);
