#include "hamiltonian/integrals/fcidump/fcidump_reader.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "hamiltonian/integrals/fcidump/missing_diagonal.hpp"

namespace cisolve {
namespace {

/// Contents of a section of an IUHF=1 file.
struct Section {
  int electrons;  ///< 2: (pq|rs), 1: h_pq and orbital energies, 0: the core energy
  Spin bra, ket;
  std::string_view name;
};
constexpr std::array<Section, 6> sections = {{{2, alpha, alpha, "(alpha alpha|alpha alpha)"},
                                              {2, beta, beta, "(beta beta|beta beta)"},
                                              {2, alpha, beta, "(alpha alpha|beta beta)"},
                                              {1, alpha, alpha, "h alpha"},
                                              {1, beta, beta, "h beta"},
                                              {0, alpha, alpha, "the core energy"}}};

}  // namespace

void FcidumpReader::add(const IntegralLine& line) {
  const auto [i, j, k, l] = line.index;
  if (i && j && k && l) {
    add_two_electron(line);
  } else if (i && j && !k && !l) {
    add_one_electron(line);
  } else if (i && !j && !k && !l) {
    require_section(1, line);
    store_.add_orbital_energy(spin_orbital(i, sections[section_].bra), line);
  } else if (!i && !j && !k && !l) {
    add_zero_line(line);
  } else {
    source_.fail(line.number, "found \"" + describe(line) +
                                  "\": these indices mean nothing; expected i j k l, i j 0 0, "
                                  "i 0 0 0 or 0 0 0 0");
  }
}

bool FcidumpReader::add_all() {
  std::vector<IntegralLine> others;
  const std::optional<double> largest =
      store_.add_lines(header_.end, header_.norb, header_.irreps, symmetry_zero, others);
  if (!largest) return false;
  largest_ = *largest;
  any_integral_ = true;
  for (const IntegralLine& line : others) add(line);
  return true;
}

void FcidumpReader::add_two_electron(const IntegralLine& line) {
  require_section(2, line);
  check_symmetry(line);
  const Section& section = sections[section_];
  const SpinOrbital p = spin_orbital(line.index[0], section.bra);
  const SpinOrbital q = spin_orbital(line.index[1], section.bra);
  const SpinOrbital r = spin_orbital(line.index[2], section.ket);
  const SpinOrbital s = spin_orbital(line.index[3], section.ket);
  if (has_equal_spins(p, q, line) && has_equal_spins(r, s, line)) {
    store_.add_two_electron(p, q, r, s, line);
  }
}

void FcidumpReader::add_one_electron(const IntegralLine& line) {
  require_section(1, line);
  check_symmetry(line);
  const SpinOrbital p = spin_orbital(line.index[0], sections[section_].bra);
  const SpinOrbital q = spin_orbital(line.index[1], sections[section_].bra);
  if (has_equal_spins(p, q, line)) store_.add_one_electron(p, q, line);
}

/// All indices 0: the core energy; before the last section of an IUHF=1 file, the end of a section.
void FcidumpReader::add_zero_line(const IntegralLine& line) {
  if (header_.layout == FcidumpLayout::sections) {
    if (section_ + 1 < sections.size()) {
      if (line.value != 0.0) {
        source_.fail(line.number, "found \"" + describe(line) +
                                      "\", expected 0.0 0 0 0 0 to close the section of " +
                                      std::string(sections[section_].name));
      }
      ++section_;
      return;
    }
    if (store_.has_core_energy() && line.value == 0.0) return;  // closes the last section
  }
  store_.add_core_energy(line);
}

void FcidumpReader::require_section(int electrons, const IntegralLine& line) const {
  if (header_.layout != FcidumpLayout::sections) return;
  if (sections[section_].electrons == electrons) return;
  source_.fail(line.number, "found \"" + describe(line) + "\" in section " +
                                std::to_string(section_ + 1) + " of 6 (IUHF=1), expected only " +
                                std::string(sections[section_].name) +
                                "; a file over general spin orbitals has no IUHF in its header, "
                                "and --orbital-kind spin reads it");
}

/// False for an integral that vanishes by spin; the largest that does not is remembered.
bool FcidumpReader::has_equal_spins(SpinOrbital p, SpinOrbital q, const IntegralLine& line) {
  if (p.spin == q.spin) return true;
  if (std::abs(line.value) > std::abs(spin_conflict_.value)) spin_conflict_ = line;
  return false;
}

std::optional<IntegralLine> FcidumpReader::spin_conflict() const {
  if (std::abs(spin_conflict_.value) <= zero(spin_zero)) return {};
  return spin_conflict_;
}

/// Remembers the largest integral that must vanish by the labels of ORBSYM and does not.
void FcidumpReader::check_symmetry(const IntegralLine& line) {
  any_integral_ = true;
  largest_ = std::max(largest_, std::abs(line.value));
  if (header_.irreps.empty() || std::abs(line.value) <= std::abs(symmetry_conflict_.value)) return;
  int product = 0;
  for (const int index : line.index)
    if (index) product = irrep_product(product, header_.irreps[index - 1]);
  if (product != 0) symmetry_conflict_ = line;
}

SpinOrbital FcidumpReader::spin_orbital(int index, Spin section_spin) const {
  const int k = index - 1, n = header_.orbitals;
  if (header_.layout == FcidumpLayout::interleaved) return {k / 2, k % 2 == 0 ? alpha : beta};
  if (header_.layout == FcidumpLayout::blocks) return {k % n, k < n ? alpha : beta};
  return {k, section_spin};
}

/// An orbital as the file numbers it.
std::string FcidumpReader::file_label(SpinOrbital p) const {
  if (header_.layout == FcidumpLayout::interleaved) {
    return std::to_string(2 * p.orbital + p.spin + 1);
  }
  if (header_.layout == FcidumpLayout::blocks) {
    return std::to_string(p.spin * header_.orbitals + p.orbital + 1);
  }
  std::string number = std::to_string(p.orbital + 1);
  if (header_.layout == FcidumpLayout::restricted) return number;
  return number + (p.spin == alpha ? " (alpha)" : " (beta)");
}

void FcidumpReader::check_diagonal(std::size_t last_line, bool allow_missing) {
  GivenDiagonal diagonal{.kind = "orbital"};
  std::string& missing = diagonal.missing;
  for (int orbital = 0; orbital < header_.orbitals; ++orbital) {
    for (int spin = 0; spin < store_.spins(); ++spin) {
      const SpinOrbital p{orbital, Spin(spin)};
      if (!store_.has_diagonal(p)) missing += (missing.empty() ? "" : ", ") + file_label(p);
    }
  }
  diagonal.any = store_.has_any_diagonal();
  diagonal.hopping = store_.has_hopping();
  const std::string warning = warning_of(diagonal, source_, last_line, allow_missing);
  if (!warning.empty()) warnings_.push_back(warning);
}

std::array<std::vector<int>, 2> FcidumpReader::orbital_irreps() {
  std::array<std::vector<int>, 2> irreps;
  if (header_.irreps.empty()) return irreps;
  if (std::abs(symmetry_conflict_.value) > zero(symmetry_zero)) {
    const IntegralLine& line = symmetry_conflict_;
    warnings_.push_back("ORBSYM does not agree with the integrals (line " +
                        std::to_string(line.number) + ", " + describe(line) +
                        ", is not totally symmetric): the file is read without symmetry." +
                        (header_.irreps_from_zero ? ""
                                                  : " Where its labels count from 0, as PySCF's "
                                                    "do, input.orbsym pyscf says so."));
    return irreps;
  }
  const bool interleaved = header_.layout == FcidumpLayout::interleaved;
  const bool blocks = header_.layout == FcidumpLayout::blocks;
  const int n = header_.orbitals;
  for (const int spin : {alpha, beta}) {
    for (int p = 0; p < n; ++p) {
      const int k = interleaved ? 2 * p + spin : blocks ? spin * n + p : p;
      irreps[spin].push_back(header_.irreps[static_cast<std::size_t>(k)]);
    }
  }
  return irreps;
}

Integrals FcidumpReader::finish(std::size_t last_line, std::size_t words,
                                bool allow_missing_diagonal) {
  if (header_.layout == FcidumpLayout::sections && section_ + 1 < sections.size()) {
    source_.fail(last_line, "the file ends in section " + std::to_string(section_ + 1) +
                                " of 6 (IUHF=1), " + std::string(sections[section_].name) +
                                ": expected 0.0 0 0 0 0 to close it");
  }
  if (!any_integral_) source_.fail(last_line, "no integrals follow the header");
  store_.check_symmetry(largest_);
  check_diagonal(last_line, allow_missing_diagonal);
  if (words != 0) {
    warnings_.push_back("The file ends in words, from line " + std::to_string(words) +
                        " on, which are left out.");
  }
  if (!store_.has_core_energy()) warnings_.push_back("no core energy line: 0 is taken");
  const int energies = store_.orbital_energies();
  const int all = store_.spins() * header_.orbitals;
  if (energies > 0 && energies < all) {
    warnings_.push_back("Only " + std::to_string(energies) + " of " + std::to_string(all) +
                        " orbital energies are given: they are not used.");
  }
  Integrals result = store_.release();
  result.orbital_irreps = orbital_irreps();
  result.irreps_as_pyscf = header_.irreps_from_zero;
  result.other_keys = header_.other_keys;
  result.warnings = std::move(warnings_);
  return result;
}

}  // namespace cisolve
