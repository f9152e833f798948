#include "hamiltonian/spinor/spinor_fcidump.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "hamiltonian/integrals/fcidump/fcidump_file.hpp"
#include "hamiltonian/integrals/fcidump/fcidump_keys.hpp"
#include "hamiltonian/integrals/fcidump/fcidump_lines.hpp"
#include "hamiltonian/spinor/spinor_store.hpp"

namespace cisolve {
namespace {

void require_spinor_options(const NamedText& source, const FcidumpOptions& options) {
  if (options.ms2) {
    throw InputError("--ms2: " + source.name + " is over spinors: there is no M_s to choose");
  }
}

/// One electron at most in each spinor: more are the mark of a file over spatial orbitals.
void require_room(const NamedText& source, const FcidumpHeader& header, int electrons) {
  if (electrons <= header.norb) return;
  source.fail(header.line, std::to_string(electrons) +
                               " electrons in NORB = " + std::to_string(header.norb) +
                               " spinors: expected at most one in each; complex integrals over "
                               "spatial orbitals cannot be solved");
}

std::vector<std::string> spinor_warnings(const FcidumpHeader& header, int electrons) {
  std::vector<std::string> warnings = header.warnings;
  if (std::ranges::adjacent_find(header.irreps, std::not_equal_to()) != header.irreps.end()) {
    warnings.push_back("ORBSYM is not used: symmetry of spinors is found in the integrals.");
  }
  warnings.push_back("The integrals are complex: NORB counts spinors, all " +
                     std::to_string(electrons) +
                     " electrons are of one kind, and states have no M_s or spin.");
  return warnings;
}

}  // namespace

bool has_complex_integrals(const NamedText& source) {
  const Namelist list = scan_fcidump_header(source);
  const bool said = std::ranges::any_of(std::array{"ICMPLX", "IGENERAL", "TREL"}, [&](auto key) {
    const Namelist::Entry* const entry = list.find(key);
    return entry != nullptr && !is_off(entry->value);
  });
  return IntegralLines(source, list.end(), list.end_line(), 0).next_is_complex(said);
}

SpinorIntegrals read_spinor_fcidump(const std::filesystem::path& path,
                                    const FcidumpOptions& options) {
  FcidumpFile file(path);
  return read_spinor_fcidump(file.source(), options);
}

SpinorIntegrals read_spinor_fcidump(const NamedText& source, const FcidumpOptions& options) {
  require_spinor_options(source, options);
  const FcidumpHeader header =
      parse_fcidump_header(source, OrbsymLabels::automatic, options.kind, IntegralValues::complex);
  const int electrons = electrons_of(source, header, options.electrons);
  require_room(source, header, electrons);
  IntegralLines lines(source, header.end, header.end_line, header.norb);
  SpinorStore store(source, header);
  for (ComplexIntegralLine line; lines.next(line);) store.add(line);
  SpinorIntegrals result = store.release(lines.words() != 0 ? lines.words() : lines.number(),
                                         lines.words(), options.allow_missing_diagonal);
  result.electrons = electrons;
  result.other_keys = header.other_keys;
  const std::vector<std::string> warnings = spinor_warnings(header, electrons);
  result.warnings.insert(result.warnings.begin(), warnings.begin(), warnings.end());
  return result;
}

}  // namespace cisolve
