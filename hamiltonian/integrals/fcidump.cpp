#include "hamiltonian/integrals/fcidump.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/text_file.hpp"
#include "hamiltonian/integrals/fcidump_header.hpp"
#include "hamiltonian/integrals/fcidump_lines.hpp"
#include "hamiltonian/integrals/fcidump_store.hpp"

namespace cisolve {
namespace {

/// Integrals that spin forbids count as zero up to this.
constexpr double spin_zero = 1e-10;

/// What a section of an IUHF=1 file holds.
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

/// Takes the lines of a file, one by one, into a store by spatial orbital and spin.
class FcidumpReader {
 public:
  FcidumpReader(const NamedText& source, const FcidumpHeader& header)
      : source_(source),
        header_(header),
        store_(source, header.orbitals, header.layout != FcidumpLayout::restricted),
        warnings_(header.warnings) {}

  void add(const IntegralLine& line);
  /// All lines behind the header, of a restricted file; false where they are not plain, and the
  /// reader then of no further use (FcidumpStore::add_lines).
  bool add_all();
  /// Checks that the file, which ends on `last_line`, is whole, and hands over what it held.
  Integrals finish(std::size_t last_line, bool allow_missing_diagonal);

 private:
  void add_two_electron(const IntegralLine& line);
  void add_one_electron(const IntegralLine& line);
  void add_zero_line(const IntegralLine& line);
  void require_section(int electrons, const IntegralLine& line) const;
  bool has_equal_spins(SpinOrbital p, SpinOrbital q, const IntegralLine& line) const;
  void check_symmetry(const IntegralLine& line);
  SpinOrbital spin_orbital(int index, Spin section_spin) const;
  std::string file_label(SpinOrbital p) const;
  void check_diagonal(std::size_t last_line, bool allow_missing);
  std::array<std::vector<int>, 2> orbital_irreps();

  const NamedText& source_;
  const FcidumpHeader& header_;
  FcidumpStore store_;
  std::size_t section_ = 0;  // of an IUHF=1 file
  bool any_integral_ = false;
  std::string symmetry_conflict_;
  std::vector<std::string> warnings_;
};

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
  if (!store_.add_lines(source_.text.substr(header_.end), header_.norb, header_.irreps,
                        symmetry_zero, others)) {
    return false;
  }
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
                                std::string(sections[section_].name));
}

/// False for an integral that vanishes by spin. Throws when the file says otherwise.
bool FcidumpReader::has_equal_spins(SpinOrbital p, SpinOrbital q, const IntegralLine& line) const {
  if (p.spin == q.spin) return true;
  if (std::abs(line.value) > spin_zero) {
    source_.fail(line.number, "found \"" + describe(line) +
                                  "\", which pairs an alpha (odd) with a beta (even) spin orbital: "
                                  "expected 0 (UHF=.TRUE.)");
  }
  return false;
}

/// Remembers the first integral that must vanish by the labels of ORBSYM and does not.
void FcidumpReader::check_symmetry(const IntegralLine& line) {
  any_integral_ = true;
  if (header_.irreps.empty() || std::abs(line.value) <= symmetry_zero) return;
  int product = 0;
  for (const int index : line.index) product ^= index ? header_.irreps[index - 1] : 0;
  if (product != 0 && symmetry_conflict_.empty()) {
    symmetry_conflict_ = "line " + std::to_string(line.number) + ", " + describe(line);
  }
}

SpinOrbital FcidumpReader::spin_orbital(int index, Spin section_spin) const {
  const int k = index - 1;
  if (header_.layout != FcidumpLayout::interleaved) return {k, section_spin};
  return {k / 2, k % 2 == 0 ? alpha : beta};
}

/// An orbital as the file numbers it.
std::string FcidumpReader::file_label(SpinOrbital p) const {
  if (header_.layout == FcidumpLayout::interleaved) {
    return std::to_string(2 * p.orbital + p.spin + 1);
  }
  const std::string number = std::to_string(p.orbital + 1);
  if (header_.layout == FcidumpLayout::restricted) return number;
  return number + (p.spin == alpha ? " (alpha)" : " (beta)");
}

/// Integrals at the end of a file are the one-electron ones, so a hole among their diagonal is the
/// mark of a file cut short; what it leaves is a plausible and wrong Hamiltonian.
void FcidumpReader::check_diagonal(std::size_t last_line, bool allow_missing) {
  std::string missing;
  for (int orbital = 0; orbital < header_.orbitals; ++orbital) {
    for (int spin = 0; spin < store_.spins(); ++spin) {
      const SpinOrbital p{orbital, Spin(spin)};
      if (!store_.has_diagonal(p)) missing += (missing.empty() ? "" : ", ") + file_label(p);
    }
  }
  if (missing.empty()) return;
  const std::string what = "no diagonal one-electron integral h_pp for orbital " + missing;
  if (!allow_missing) {
    source_.fail(last_line, "the file ends with " + what +
                                " and may be cut short; where they are zero, give "
                                "--allow-missing-diagonal");
  }
  warnings_.push_back("The file has " + what + ": taken as zero.");
}

std::array<std::vector<int>, 2> FcidumpReader::orbital_irreps() {
  std::array<std::vector<int>, 2> irreps;
  if (header_.irreps.empty()) return irreps;
  if (!symmetry_conflict_.empty()) {
    warnings_.push_back("ORBSYM does not agree with the integrals (" + symmetry_conflict_ +
                        ", is not totally symmetric): the file is read without symmetry." +
                        (header_.irreps_from_zero ? ""
                                                  : " Where its labels count from 0, as PySCF's "
                                                    "do, input.orbsym pyscf says so."));
    return irreps;
  }
  const bool interleaved = header_.layout == FcidumpLayout::interleaved;
  for (const int spin : {alpha, beta}) {
    for (int p = 0; p < header_.orbitals; ++p) {
      irreps[spin].push_back(header_.irreps[interleaved ? 2 * p + spin : p]);
    }
  }
  return irreps;
}

Integrals FcidumpReader::finish(std::size_t last_line, bool allow_missing_diagonal) {
  if (header_.layout == FcidumpLayout::sections && section_ + 1 < sections.size()) {
    source_.fail(last_line, "the file ends in section " + std::to_string(section_ + 1) +
                                " of 6 (IUHF=1), " + std::string(sections[section_].name) +
                                ": expected 0.0 0 0 0 0 to close it");
  }
  if (!any_integral_) source_.fail(last_line, "no integrals follow the header");
  check_diagonal(last_line, allow_missing_diagonal);
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

int count_electrons(const NamedText& source, const FcidumpHeader& header,
                    const FcidumpOptions& options) {
  const std::optional<int> electrons = options.electrons ? options.electrons : header.electrons;
  if (!electrons) {
    source.fail(header.line, "NELEC is absent or 0: give the number of electrons by --electrons N");
  }
  if (*electrons < 1) {
    throw InputError("--electrons " + std::to_string(*electrons) + ": expected at least 1");
  }
  return *electrons;
}

Integrals read_lines(const NamedText& source, const FcidumpHeader& header,
                     const FcidumpOptions& options) {
  IntegralLines lines(source, header.end, header.end_line, header.norb);
  FcidumpReader reader(source, header);
  for (IntegralLine line; lines.next(line);) reader.add(line);
  return reader.finish(lines.number(), options.allow_missing_diagonal);
}

/// The same of a large text by all threads; none where the text needs to be read line by line, if
/// only to say on which one the mistake is.
std::optional<Integrals> read_plain_lines(const NamedText& source, const FcidumpHeader& header,
                                          const FcidumpOptions& options) {
  if (header.layout != FcidumpLayout::restricted || !worth_threads(source.text.size())) return {};
  try {
    FcidumpReader reader(source, header);
    if (reader.add_all()) return reader.finish(0, options.allow_missing_diagonal);
  } catch (const InputError&) {
  }
  return {};
}

}  // namespace

Integrals read_fcidump(const std::filesystem::path& path, const FcidumpOptions& options) {
  const TextFile file(path);
  return read_fcidump(NamedText{path.string(), file.text()}, options);
}

Integrals read_fcidump(const NamedText& source, const FcidumpOptions& options) {
  const FcidumpHeader header = parse_fcidump_header(source, options.labels);
  const int electrons = count_electrons(source, header, options);
  std::optional<Integrals> read = read_plain_lines(source, header, options);
  Integrals result = read ? std::move(*read) : read_lines(source, header, options);

  result.electrons = electrons;
  const std::optional<int> ms2 = options.ms2 ? options.ms2 : header.ms2;
  result.ms2 = ms2.value_or(electrons % 2);
  if (!ms2 && electrons % 2 == 1) {
    result.warnings.push_back("MS2 is absent and the number of electrons odd: MS2 = 1 is taken.");
  }
  return result;
}

}  // namespace cisolve
