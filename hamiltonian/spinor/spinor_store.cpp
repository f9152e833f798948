#include "hamiltonian/spinor/spinor_store.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include "hamiltonian/integrals/fcidump/missing_diagonal.hpp"

namespace cisolve {
namespace {

/// The lowest permutation of a quantity's indices, 0 for none.
std::array<int, 4> quantity_of(const std::array<int, 4>& index) {
  const auto [i, j, k, l] = index;
  using Indices = std::array<int, 4>;
  if (j == 0) return index;
  if (k == 0) return std::min(Indices{i, j, 0, 0}, {j, i, 0, 0});
  return std::min({Indices{i, j, k, l}, {k, l, i, j}, {j, i, l, k}, {l, k, j, i}});
}

}  // namespace

SpinorStore::SpinorStore(const NamedText& source, const FcidumpHeader& header,
                         IntegralValues values)
    : source_(source),
      header_(header),
      values_(values),
      integrals_(header.norb),
      given_(place({header.norb, header.norb, header.norb, header.norb}) + 1),
      energies_(static_cast<std::size_t>(header.norb)) {}

void SpinorStore::add(const ComplexIntegralLine& line) {
  const auto [i, j, k, l] = line.index;
  if (i && j && k && l) {
    add_two_electron(line);
  } else if (i && j && !k && !l) {
    add_one_electron(line);
  } else if (i && !j && !k && !l) {
    add_real(energies_[i - 1], line);
  } else if (!i && !j && !k && !l) {
    add_real(integrals_.core_energy, line);
  } else {
    source_.fail(line.number, "found \"" + described(line) +
                                  "\": these indices mean nothing; expected i j k l, i j 0 0, "
                                  "i 0 0 0 or 0 0 0 0");
  }
}

void SpinorStore::add_two_electron(const ComplexIntegralLine& line) {
  const auto [i, j, k, l] = line.index;
  const int p = i - 1, q = j - 1, r = k - 1, s = l - 1;
  if (is_first(line)) integrals_.g.set(p, q, r, s, {line.value, line.imaginary});
  measure(line);
  compare(integrals_.g(p, q, r, s), line);
}

void SpinorStore::add_one_electron(const ComplexIntegralLine& line) {
  const int p = line.index[0] - 1, q = line.index[1] - 1;
  if (is_first(line)) integrals_.h.set(p, q, {line.value, line.imaginary});
  measure(line);
  compare(integrals_.h(p, q), line);
}

void SpinorStore::add_real(double& stored, const ComplexIntegralLine& line) {
  if (is_first(line)) stored = line.value;
  compare(stored, line);
}

bool SpinorStore::is_first(const ComplexIntegralLine& line) {
  const std::size_t at = place(quantity_of(line.index));
  if (given_[at]) return false;
  given_[at] = true;
  return true;
}

std::size_t SpinorStore::place(const Indices& quantity) const {
  std::size_t result = 0;
  for (const int index : quantity) result = result * (header_.norb + 1) + index;
  return result;
}

void SpinorStore::measure(const ComplexIntegralLine& line) {
  any_integral_ = true;
  largest_ = std::max(largest_, std::hypot(line.value, line.imaginary));
}

/// Remembers the line that differs most from what is expected of it.
void SpinorStore::compare(Complex expected, const ComplexIntegralLine& line) {
  const Complex found(line.value, line.imaginary);
  if (found == expected) return;
  const double size =
      std::abs(found - expected) / std::max({1.0, std::abs(found), std::abs(expected)});
  if (size > worst_.size) worst_ = {expected, line, size};
}

void SpinorStore::check_conflict() const {
  constexpr double tolerance = 1e-10;  // as are_repeats
  if (worst_.size <= above_rounding(tolerance)) return;
  const ComplexIntegralLine& line = worst_.line;
  const std::string found = "found \"" + described(line) + "\"";
  const std::size_t first_line = first_line_of(line.index).number;
  if (first_line == line.number) {
    source_.fail(line.number,
                 found + ": this quantity is real, for (pq|rs) = (qp|sr)* and h_pq = h_qp*");
  }
  source_.fail(line.number,
               found + ", but by line " + std::to_string(first_line) + " this quantity is " +
                   number_text(worst_.expected) +
                   "; expected (pq|rs) = (rs|pq) = (qp|sr)* = (sr|qp)* and h_pq = h_qp*");
}

void SpinorStore::check_exchange() const {
  constexpr double small = 1e-6;  // of the largest
  for (int p = 1; p <= header_.norb; ++p) {
    for (int q = 1; q < p; ++q) {
      const Indices same{p, q, p, q}, exchange{p, q, q, p};
      if (std::abs(integrals_.g(p - 1, q - 1, p - 1, q - 1)) <= small * largest_) continue;
      if (given_[place(quantity_of(exchange))]) continue;
      const ComplexIntegralLine line = first_line_of(same);
      source_.fail(
          line.number,
          "found \"" + described(line) +
              "\", (pq|pq), and no line with (pq|qp): of complex orbitals that is at least "
              "as large. Integrals of real orbitals, one of whose eight permutations is "
              "written, are read from a header without momenta and without "
              "input.orbital_kind; where (pq|qp) is 0, the file has to say so");
    }
  }
}

ComplexIntegralLine SpinorStore::first_line_of(const Indices& index) const {
  IntegralLines lines(source_, header_.end, header_.end_line, header_.norb);
  ComplexIntegralLine first;
  while (lines.next(first, values_) && quantity_of(first.index) != quantity_of(index)) {
  }
  return first;
}

std::string SpinorStore::described(const ComplexIntegralLine& line) const {
  return values_ == IntegralValues::complex ? describe(line)
                                            : describe(static_cast<const IntegralLine&>(line));
}

std::string SpinorStore::number_text(Complex value) const {
  char text[64];
  if (values_ == IntegralValues::complex) {
    std::snprintf(text, sizeof text, "(%.15g,%.15g)", value.real(), value.imag());
  } else {
    std::snprintf(text, sizeof text, "%.15g", value.real());
  }
  return text;
}

/// A file that is cut short lacks one-electron integrals, which stand at its end.
void SpinorStore::check_diagonal(std::size_t last_line, bool allow_missing) {
  GivenDiagonal diagonal{.kind = header_.general == GeneralOrbitals::yes ? "spinor" : "orbital"};
  for (int p = 0; p < integrals_.spinors; ++p) {
    for (int q = 0; q < p; ++q) diagonal.hopping = diagonal.hopping || integrals_.h(p, q) != 0.0;
    if (given_[place({p + 1, p + 1, 0, 0})]) {
      diagonal.any = true;
    } else {
      diagonal.missing += (diagonal.missing.empty() ? "" : ", ") + std::to_string(p + 1);
    }
  }
  const std::string warning = warning_of(diagonal, source_, last_line, allow_missing);
  if (!warning.empty()) integrals_.warnings.push_back(warning);
}

SpinorIntegrals SpinorStore::release(std::size_t last_line, std::size_t words,
                                     bool allow_missing_diagonal) {
  if (!any_integral_) source_.fail(last_line, "no integrals follow the header");
  check_conflict();
  check_exchange();
  check_diagonal(last_line, allow_missing_diagonal);
  if (words != 0) {
    integrals_.warnings.push_back("The file ends in words, from line " + std::to_string(words) +
                                  " on, which are left out.");
  }
  if (!given_[place({})]) integrals_.warnings.push_back("no core energy line: 0 is taken");
  return std::move(integrals_);
}

}  // namespace cisolve
