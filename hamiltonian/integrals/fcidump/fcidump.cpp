#include "hamiltonian/integrals/fcidump/fcidump.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/threads/parallel.hpp"
#include "hamiltonian/integrals/fcidump/fcidump_file.hpp"
#include "hamiltonian/integrals/fcidump/fcidump_orbitals.hpp"
#include "hamiltonian/integrals/fcidump/fcidump_reader.hpp"

namespace cisolve {
namespace {

Integrals read_as_lines_say(const NamedText& source, FcidumpHeader header,
                            const IntegralLine* conflict, const FcidumpOptions& options);

Integrals read_lines(const NamedText& source, const FcidumpHeader& header,
                     const FcidumpOptions& options) {
  IntegralLines lines(source, header.end, header.end_line, header.norb);
  FcidumpReader reader(source, header);
  for (IntegralLine line; lines.next(line);) reader.add(line);
  if (const auto conflict = reader.spin_conflict()) {
    return read_as_lines_say(source, header, &*conflict, options);
  }
  return reader.finish(lines.words() != 0 ? lines.words() : lines.number(), lines.words(),
                       options.allow_missing_diagonal);
}

/// Integrals of a large text, read by all threads. Empty if the text has to be read line by line,
/// be it only to find the line of a mistake.
std::optional<Integrals> read_plain_lines(const NamedText& source, const FcidumpHeader& header,
                                          const FcidumpOptions& options) {
  if (header.layout != FcidumpLayout::restricted || !worth_threads(source.text.size())) return {};
  try {
    FcidumpReader reader(source, header);
    if (reader.add_all()) return reader.finish(0, 0, options.allow_missing_diagonal);
  } catch (const InputError&) {
  }
  return {};
}

/// A file in which NORB counts the orbitals of one spin, and the lines those of both; none where it
/// is no such file, or has a mistake.
std::optional<Integrals> read_both_spins(const NamedText& source, FcidumpHeader header,
                                         const FcidumpOptions& options) {
  try {
    const int n = header.norb;
    const auto layout = layout_of_lines(source, header, 2 * n);
    if (!layout || *layout == FcidumpLayout::restricted) return {};
    const bool blocks = *layout == FcidumpLayout::blocks;
    const std::vector<int> of_one = std::exchange(header.irreps, {});
    for (int k = 0; k < (of_one.empty() ? 0 : 2 * n); ++k) {
      header.irreps.push_back(of_one[static_cast<std::size_t>(blocks ? k % n : k / 2)]);
    }
    header.layout = *layout;
    header.norb = 2 * n;
    header.warnings.push_back("The lines number spin orbitals up to 2 NORB: " +
                              std::string(blocks
                                              ? "the first NORB are alpha, the others beta."
                                              : "odd ones are taken as alpha, even ones as beta."));
    return read_lines(source, header, options);
  } catch (const InputError&) {
    return {};
  }
}

Integrals read_all(const NamedText& source, const FcidumpHeader& header,
                   const FcidumpOptions& options) {
  if (auto read = read_plain_lines(source, header, options)) return std::move(*read);
  try {
    return read_lines(source, header, options);
  } catch (const BeyondNorb&) {
    if (header.layout != FcidumpLayout::restricted || header.general >= GeneralOrbitals::perhaps)
      throw;
    if (auto read = read_both_spins(source, header, options)) return std::move(*read);
    throw;
  }
}

/// A file with UHF=.TRUE. in which odd numbers are not alpha and even ones beta, as an integral
/// shows, or an odd NORB where that is null.
Integrals read_as_lines_say(const NamedText& source, FcidumpHeader header,
                            const IntegralLine* conflict, const FcidumpOptions& options) {
  const auto layout = layout_of_lines(source, header, header.norb);
  if (layout == FcidumpLayout::blocks) {
    header.layout = *layout;
    header.warnings.push_back(
        "UHF=.TRUE.: the integrals pair orbitals of the lower half of the numbers, and of the "
        "upper "
        "half: these are taken as alpha and beta.");
  } else if (layout == FcidumpLayout::restricted) {
    header.layout = *layout;
    set_orbitals(source, header, header.norb);
    header.warnings.push_back(
        "UHF=.TRUE., but the integrals pair odd with even orbitals as spatial ones do: NORB is "
        "taken to count spatial orbitals, the same for both spins (ROHF).");
  } else if (conflict != nullptr) {
    source.fail(conflict->number, "found \"" + describe(*conflict) +
                                      "\", which pairs an alpha (odd) with a beta (even) spin "
                                      "orbital: expected 0 (UHF=.TRUE.)");
  } else {
    source.fail(header.line, "NORB = " + std::to_string(header.norb) +
                                 " counts spin orbitals (UHF=.TRUE.): expected an even number");
  }
  return read_all(source, header, options);
}

/// True if NORB counts general spin orbitals. Throws InputError where nothing decides.
bool are_general(const NamedText& source, const FcidumpHeader& header, const Integrals& integrals) {
  if (header.general == GeneralOrbitals::yes) return true;
  if (header.general == GeneralOrbitals::no || integrals.electrons > integrals.orbitals)
    return false;
  if (header.general == GeneralOrbitals::unsaid) {
    if (integrals.unrestricted || !look_like_spin_orbitals(integrals)) return false;
    source.fail(header.line,
                "the header has no key of spin orbitals, but the integrals are those of spin "
                "orbitals: some share one density without exchange, or there are alpha and beta "
                "ones that no integral pairs; give --orbital-kind spin or --orbital-kind spatial");
  }
  if (have_spin_partners(integrals)) return true;
  source.fail(header.line,
              "IGENERAL=1 stands in files over general spin orbitals and in files over spatial "
              "ones, and neither the integrals nor the number of electrons tell which these are: "
              "give --orbital-kind spin or --orbital-kind spatial");
}

}  // namespace

Integrals read_fcidump(const std::filesystem::path& path, const FcidumpOptions& options) {
  FcidumpFile file(path);
  return read_fcidump(file.source(), options);
}

Integrals read_fcidump(const NamedText& source, const FcidumpOptions& options) {
  const FcidumpHeader header = parse_fcidump_header(source, options.labels, options.kind);
  const int electrons = electrons_of(source, header, options.electrons);
  const bool unpaired = header.layout == FcidumpLayout::interleaved && header.norb % 2 != 0;
  Integrals result = unpaired ? read_as_lines_say(source, header, nullptr, options)
                              : read_all(source, header, options);

  result.electrons = electrons;
  if (are_general(source, header, result)) {
    if (options.ms2) {
      throw InputError(
          "--ms2: " + source.name +
          " is over general spin orbitals, which mix alpha and beta: there is no M_s to choose");
    }
    make_general(result);
    result.warnings.push_back("NORB counts general spin orbitals: all " +
                              std::to_string(electrons) +
                              " electrons are of one kind, and states have no M_s or spin.");
    return result;
  }
  const std::optional<int> ms2 = options.ms2 ? options.ms2 : header.ms2;
  result.ms2 = ms2.value_or(electrons % 2);
  if (!ms2 && electrons % 2 == 1) {
    result.warnings.push_back("MS2 is absent and the number of electrons odd: MS2 = 1 is taken.");
  }
  return result;
}

}  // namespace cisolve
