#pragma once

#include <string>

#include "app/config/json.hpp"

// Sections of the page of a report of `eigen`, `select` or `linear`: markup, empty if the report
// has no such results.

namespace cisolve {

/// Overview: the end of the solve, its method and its work.
std::string overview(const Json& report);

/// Table of states, or of the columns of a linear system.
std::string states_section(const Json& report);
/// Energies above the lowest by irrep and spin, for two states or more.
std::string levels_section(const Json& report);
/// J of a ladder of spins, with its formula.
std::string exchange_section(const Json& report);
/// Energies and residuals against iterations.
std::string convergence_section(const Json& report);
/// Leading determinants or rows, weights of ranks and natural occupations of every state.
std::string composition_section(const Json& report);

/// Dipole moments of the states, and transition moments between them.
std::string dipole_section(const Json& report);

/// Lists of a selection and the limits of their energies.
std::string selection_section(const Json& report);

/// Seconds by stage and planned memory.
std::string resources_section(const Json& report);
std::string notes_section(const Json& report);
/// Origin of the report: date, machine, command and version.
std::string origin_section(const Json& report);
/// Citation of the program.
std::string citation_section();
/// The effective configuration as a run file.
std::string again_section(const Json& report);

/// Unit of the report's energies, "Hartree", "eV", "cm^-1"; empty if unknown.
std::string unit_of(const Json& report);
/// A quantity in a unit: "energy / Hartree".
std::string in_unit(const std::string& quantity, const std::string& unit);

/// The number by a format of fmt; empty if it is NaN.
std::string formatted(const char* format, double value);

/// Note on a cut list, "The first 24 of 30 states; the table has all."; empty if all are shown.
std::string rest_of(std::size_t all, std::size_t shown, const char* what, const char* where);

}  // namespace cisolve
