#include "hamiltonian/spinor/spinor_fcidump.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "hamiltonian/integrals/fcidump/fcidump_file.hpp"
#include "hamiltonian/integrals/fcidump/fcidump_keys.hpp"
#include "hamiltonian/integrals/fcidump/fcidump_lines.hpp"
#include "hamiltonian/integrals/fcidump/momenta.hpp"
#include "hamiltonian/spinor/both_spins.hpp"
#include "hamiltonian/spinor/spinor_store.hpp"

namespace cisolve {
namespace {

void require_spinor_options(const NamedText& source, const FcidumpOptions& options) {
  if (options.ms2) {
    throw InputError("--ms2: " + source.name +
                     " has integrals of fourfold symmetry, which are solved over spinors: there is "
                     "no M_s to choose");
  }
}

/// At most most_spinors, and an electron in each. More electrons than NORB are the mark of spatial
/// orbitals.
void require_room(const NamedText& source, const FcidumpHeader& header, bool spatial,
                  int electrons) {
  const std::string norb = "NORB = " + std::to_string(header.norb);
  if (spatial && 2 * header.norb > most_spinors) {
    source.fail(header.line, norb + ": expected at most " + std::to_string(most_spinors / 2) +
                                 " spatial orbitals with integrals of fourfold symmetry");
  }
  if (electrons <= (spatial ? 2 : 1) * header.norb) return;
  source.fail(header.line,
              std::to_string(electrons) + " electrons in " + norb +
                  (spatial ? " orbitals: expected at most two in each"
                           : " spinors: expected at most one in each; where NORB counts spatial "
                             "orbitals, input.orbital_kind spatial says so"));
}

std::vector<std::string> spinor_warnings(const FcidumpHeader& header, bool spatial, int electrons) {
  std::vector<std::string> warnings = header.warnings;
  if (std::ranges::adjacent_find(header.irreps, std::not_equal_to()) != header.irreps.end()) {
    warnings.push_back("ORBSYM is not used: symmetry of spinors is found in the integrals.");
  }
  const std::string all = std::to_string(electrons) + " electrons";
  warnings.push_back(
      spatial
          ? "The integrals have the fourfold symmetry of complex orbitals: orbital p of NORB is "
            "solved as two spinors, 2p - 1 with spin up and 2p with spin down, for " +
                all + " of every M_s: a level of spin S has 2S + 1 states."
          : "The integrals have the fourfold symmetry of complex orbitals: NORB counts spinors, "
            "all " +
                all + " are of one kind, and states have no M_s or spin.");
  return warnings;
}

/// The largest of a file's integrals that its momenta do not allow.
class Forbidden {
 public:
  Forbidden(const NamedText& source, const FcidumpHeader& header, IntegralValues values)
      : source_(source), momenta_(scan_fcidump_header(source), header.norb, values) {}
  void see(const ComplexIntegralLine& line) {
    if (line.index[1] == 0 || momenta_.conserved(line.index)) return;
    if (size(line) > size(largest_)) largest_ = line;
  }
  /// Throws InputError where it is larger than `rounding`.
  void check(double rounding) const {
    if (size(largest_) <= rounding) return;
    source_.fail(largest_.number,
                 "found an integral with the orbitals " + indices(largest_.index) +
                     ", which the momenta in the header do not allow: those of orbitals 1 and 3 of "
                     "a line have the sum of those of 2 and 4");
  }

 private:
  static double size(const ComplexIntegralLine& line) {
    return std::hypot(line.value, line.imaginary);
  }
  static std::string indices(const std::array<int, 4>& index) {
    std::string text;
    for (const int i : index) text += (text.empty() ? "" : " ") + std::to_string(i);
    return text;
  }

  const NamedText& source_;
  Momenta momenta_;
  ComplexIntegralLine largest_;
};

}  // namespace

IntegralValues integral_values(const NamedText& source) {
  const Namelist list = scan_fcidump_header(source);
  const bool said = std::ranges::any_of(std::array{"ICMPLX", "IGENERAL", "TREL"},
                                        [&](const char* key) { return is_on(list, key); });
  if (IntegralLines(source, list.end(), list.end_line(), 0).next_is_complex(said)) {
    return IntegralValues::complex;
  }
  return says_momenta(list) ? IntegralValues::fourfold : IntegralValues::real;
}

SpinorIntegrals read_spinor_fcidump(const std::filesystem::path& path,
                                    const FcidumpOptions& options) {
  FcidumpFile file(path);
  return read_spinor_fcidump(file.source(), options);
}

SpinorIntegrals read_spinor_fcidump(const NamedText& source, const FcidumpOptions& options) {
  require_spinor_options(source, options);
  const IntegralValues values = integral_values(source) == IntegralValues::fourfold
                                    ? IntegralValues::fourfold
                                    : IntegralValues::complex;
  const FcidumpHeader header =
      parse_fcidump_header(source, OrbsymLabels::automatic, options.kind, values);
  const bool spatial = header.general == GeneralOrbitals::no;
  const int electrons = electrons_of(source, header, options.electrons);
  require_room(source, header, spatial, electrons);
  Forbidden forbidden(source, header, values);
  IntegralLines lines(source, header.end, header.end_line, header.norb);
  SpinorStore store(source, header, values);
  for (ComplexIntegralLine line; lines.next(line, values);) {
    store.add(line);
    forbidden.see(line);
  }
  forbidden.check(store.above_rounding(1e-8));
  SpinorIntegrals result = store.release(lines.words() != 0 ? lines.words() : lines.number(),
                                         lines.words(), options.allow_missing_diagonal);
  if (spatial) result = with_both_spins(std::move(result));
  result.electrons = electrons;
  result.other_keys = header.other_keys;
  const std::vector<std::string> warnings = spinor_warnings(header, spatial, electrons);
  result.warnings.insert(result.warnings.begin(), warnings.begin(), warnings.end());
  return result;
}

}  // namespace cisolve
