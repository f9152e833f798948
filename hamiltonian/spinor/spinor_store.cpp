#include "hamiltonian/spinor/spinor_store.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "core/memory.hpp"
#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve {
namespace {

std::string number_text(Complex value) {
  char text[64];
  std::snprintf(text, sizeof text, "(%.15g,%.15g)", value.real(), value.imag());
  return text;
}

/// n⁴, once the host is known to have room for the lines of as many integrals, and for these.
std::size_t lines_for(int spinors) {
  const auto n = static_cast<std::size_t>(spinors);
  const std::size_t count = n * n * n * n;
  require_host_memory(static_cast<double>(count * (sizeof(std::uint32_t) + sizeof(Complex))),
                      "reading integrals (pq|rs) over " + std::to_string(spinors) + " spinors");
  return count;
}

}  // namespace

SpinorStore::SpinorStore(const NamedText& source, int spinors)
    : source_(source),
      two_lines_(lines_for(spinors)),
      one_lines_(static_cast<std::size_t>(pair_index(spinors, 0))),
      energy_lines_(static_cast<std::size_t>(spinors)),
      energies_(static_cast<std::size_t>(spinors)) {
  integrals_ = SpinorIntegrals(spinors);
}

void SpinorStore::add(const ComplexIntegralLine& line) {
  const auto [i, j, k, l] = line.index;
  if (i && j && k && l) {
    add_two_electron(line);
  } else if (i && j && !k && !l) {
    add_one_electron(line);
  } else if (i && !j && !k && !l) {
    add_real(energy_lines_[i - 1], energies_[i - 1], line);
  } else if (!i && !j && !k && !l) {
    add_real(core_line_, integrals_.core_energy, line);
  } else {
    source_.fail(line.number, "found \"" + describe(line) +
                                  "\": these indices mean nothing; expected i j k l, i j 0 0, "
                                  "i 0 0 0 or 0 0 0 0");
  }
}

void SpinorStore::add_two_electron(const ComplexIntegralLine& line) {
  const auto [i, j, k, l] = line.index;
  const int p = i - 1, q = j - 1, r = k - 1, s = l - 1;
  const auto place = [n = static_cast<std::size_t>(integrals_.spinors)](
                         int a, int b, int c, int d) { return ((a * n + b) * n + c) * n + d; };
  std::uint32_t& first_line = two_lines_[std::min(
      {place(p, q, r, s), place(r, s, p, q), place(q, p, s, r), place(s, r, q, p)})];
  if (first_line == 0) {
    first_line = static_cast<std::uint32_t>(line.number);
    integrals_.g.set(p, q, r, s, {line.value, line.imaginary});
  }
  measure(line);
  compare(first_line, integrals_.g(p, q, r, s), line);
}

void SpinorStore::add_one_electron(const ComplexIntegralLine& line) {
  const int p = line.index[0] - 1, q = line.index[1] - 1;
  std::uint32_t& first_line = one_lines_[static_cast<std::size_t>(pair_index(p, q))];
  if (first_line == 0) {
    first_line = static_cast<std::uint32_t>(line.number);
    integrals_.h.set(p, q, {line.value, line.imaginary});
  }
  measure(line);
  compare(first_line, integrals_.h(p, q), line);
}

void SpinorStore::add_real(std::uint32_t& first_line, double& stored,
                           const ComplexIntegralLine& line) {
  if (first_line == 0) {
    first_line = static_cast<std::uint32_t>(line.number);
    stored = line.value;
  }
  compare(first_line, stored, line);
}

void SpinorStore::measure(const ComplexIntegralLine& line) {
  any_integral_ = true;
  largest_ = std::max(largest_, std::hypot(line.value, line.imaginary));
}

/// Remembers the line that differs most from what is expected of it.
void SpinorStore::compare(std::size_t first_line, Complex expected,
                          const ComplexIntegralLine& line) {
  const Complex found(line.value, line.imaginary);
  if (found == expected) return;
  const double size =
      std::abs(found - expected) / std::max({1.0, std::abs(found), std::abs(expected)});
  if (size > worst_.size) worst_ = {first_line, expected, line, size};
}

void SpinorStore::check_conflict() const {
  constexpr double tolerance = 1e-10;  // as are_repeats
  if (worst_.size <= tolerance * std::min(1.0, largest_)) return;
  const ComplexIntegralLine& line = worst_.line;
  const std::string found = "found \"" + describe(line) + "\"";
  if (worst_.first_line == line.number) {
    source_.fail(line.number,
                 found + ": this quantity is real, for (pq|rs) = (qp|sr)* and h_pq = h_qp*");
  }
  source_.fail(line.number,
               found + ", but by line " + std::to_string(worst_.first_line) + " this quantity is " +
                   number_text(worst_.expected) +
                   "; spinors have (pq|rs) = (rs|pq) = (qp|sr)* = (sr|qp)* and h_pq = h_qp*");
}

/// A file that is cut short lacks one-electron integrals, which stand at its end.
void SpinorStore::check_diagonal(std::size_t last_line, bool allow_missing) {
  std::string missing;
  bool any = false, hopping = false;
  for (int p = 0; p < integrals_.spinors; ++p) {
    for (int q = 0; q < p; ++q) hopping = hopping || integrals_.h(p, q) != 0.0;
    if (one_lines_[static_cast<std::size_t>(pair_index(p, p))] != 0) {
      any = true;
    } else {
      missing += (missing.empty() ? "" : ", ") + std::to_string(p + 1);
    }
  }
  if (missing.empty()) return;
  if (!any && hopping) {
    integrals_.warnings.push_back(
        "No spinor has a diagonal one-electron integral, and pairs of spinors do: a model, the "
        "diagonal is taken as zero.");
    return;
  }
  const std::string what = "no diagonal one-electron integral h_pp for spinor " + missing;
  if (!allow_missing) {
    source_.fail(last_line, "the file ends with " + what +
                                " and may be cut short; where they are zero, give "
                                "--allow-missing-diagonal");
  }
  integrals_.warnings.push_back("The file has " + what + ": taken as zero.");
}

SpinorIntegrals SpinorStore::release(std::size_t last_line, std::size_t words,
                                     bool allow_missing_diagonal) {
  if (!any_integral_) source_.fail(last_line, "no integrals follow the header");
  check_conflict();
  check_diagonal(last_line, allow_missing_diagonal);
  if (words != 0) {
    integrals_.warnings.push_back("The file ends in words, from line " + std::to_string(words) +
                                  " on, which are left out.");
  }
  if (core_line_ == 0) integrals_.warnings.push_back("no core energy line: 0 is taken");
  return std::move(integrals_);
}

}  // namespace cisolve
