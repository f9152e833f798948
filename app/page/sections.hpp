#pragma once

#include <string>

#include "app/config/json.hpp"

// The parts of the page of a report, of `eigen`, `select` or `linear`: markup, empty where the
// report says nothing of that.

namespace cisolve {

/// How the solve ended, with what and how much work.
std::string overview(const Json& report);

/// The table of states, or of the columns of a linear system.
std::string states_section(const Json& report);
/// Energies above the lowest by irrep and spin, of two states and more.
std::string levels_section(const Json& report);
/// J of a ladder of spins, with its formula.
std::string exchange_section(const Json& report);
/// Energies and residuals against iterations.
std::string convergence_section(const Json& report);
/// Of every state the leading determinants or rows, weights of ranks and natural occupations.
std::string composition_section(const Json& report);

/// Dipole moments of the states, and what there is between two of them.
std::string dipole_section(const Json& report);

/// The lists of a selection and where their energies lead.
std::string selection_section(const Json& report);

/// Seconds by stage and the memory that was planned for.
std::string resources_section(const Json& report);
std::string notes_section(const Json& report);
/// When, where, by which command and with what the report was made.
std::string origin_section(const Json& report);
/// How to cite the program.
std::string citation_section();
/// The effective configuration as a run file.
std::string again_section(const Json& report);

/// "Hartree", "eV", "cm^-1": of the report's energies; empty where none is known.
std::string unit_of(const Json& report);
/// "energy / Hartree".
std::string in_unit(const std::string& quantity, const std::string& unit);

/// The number by a format of fmt; empty of none.
std::string formatted(const char* format, double value);

/// "The first 24 of 30 states; the table has all."; empty where all are shown.
std::string rest_of(std::size_t all, std::size_t shown, const char* what, const char* where);

}  // namespace cisolve
