#include "hamiltonian/integrals/fcidump_header.hpp"

#include <algorithm>
#include <array>

namespace cisolve {
namespace {

constexpr std::array<std::string_view, 6> known_keys = {"NORB",   "NELEC", "MS2",
                                                        "ORBSYM", "UHF",   "IUHF"};

std::size_t find_opening(std::string_view text) {
  return find_namelist(text, {"FCI", "FCIDUMP"});
}

/// Says what stands where a header should open.
[[noreturn]] void fail_without_header(const NamedText& source) {
  const std::string_view text = source.text;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) source.fail(1, "the file is empty: expected an &FCI header");
  const auto line = 1 + std::count(text.begin(), text.begin() + std::ptrdiff_t(first), '\n');
  const std::string_view found = text.substr(first, 30);
  source.fail(std::size_t(line), "found \"" +
                                     std::string(found.substr(0, found.find_first_of("\r\n"))) +
                                     "\", expected an FCIDUMP header that opens with &FCI");
}

FcidumpLayout parse_layout(const Namelist& list) {
  const bool interleaved = list.logical("UHF").value_or(false);
  const int sections = list.integer("IUHF").value_or(0);
  if (sections != 0 && sections != 1) {
    list.fail("IUHF", "IUHF = " + std::to_string(sections) + ", expected 0 or 1");
  }
  if (interleaved && sections) {
    list.fail("IUHF",
              "UHF=.TRUE. (interleaved spin orbitals) and IUHF=1 (six sections) exclude each "
              "other: expected one of them");
  }
  if (interleaved) return FcidumpLayout::interleaved;
  return sections ? FcidumpLayout::sections : FcidumpLayout::restricted;
}

void parse_orbital_count(const Namelist& list, FcidumpHeader& header) {
  const std::optional<int> norb = list.integer("NORB");
  if (!norb) list.fail("NORB", "the header has no NORB, the number of orbitals");
  const std::string found = "NORB = " + std::to_string(*norb);
  if (*norb < 1) list.fail("NORB", found + ", expected at least 1");
  const bool interleaved = header.layout == FcidumpLayout::interleaved;
  if (interleaved && *norb % 2 != 0) {
    list.fail("NORB", found + " counts spin orbitals (UHF=.TRUE.): expected an even number");
  }
  header.norb = *norb;
  header.orbitals = interleaved ? *norb / 2 : *norb;
  if (header.orbitals > most_orbitals_of_file) {
    list.fail("NORB", found + ": expected at most " + std::to_string(most_orbitals_of_file) +
                          " spatial orbitals");
  }
}

/// ORBSYM to irreps where it was said from where its labels count.
void take_labels(const Namelist& list, OrbsymLabels from, std::vector<int> labels,
                 FcidumpHeader& header) {
  const int first = from == OrbsymLabels::pyscf ? 0 : 1;
  for (int& label : labels) {
    if (label < first || label > first + 7) {
      list.fail("ORBSYM", "ORBSYM: found label " + std::to_string(label) + ", expected " +
                              std::to_string(first) + " to " + std::to_string(first + 7) +
                              ", as input.orbsym says");
    }
    label -= first;
  }
  header.irreps_from_zero = first == 0;
  header.irreps = std::move(labels);
}

/// ORBSYM to irreps. Labels from 1 are Molpro's; with a 0 among others up to 7 they count from 0,
/// as PySCF's do; all 0, or 0 with 8, says nothing of symmetry, as a warning says.
void parse_symmetry(const Namelist& list, OrbsymLabels from, FcidumpHeader& header) {
  std::vector<int> labels = list.integers("ORBSYM", std::size_t(header.norb));
  if (from != OrbsymLabels::automatic) return take_labels(list, from, std::move(labels), header);
  for (const int label : labels) {
    if (label < 0 || label > 8) {
      list.fail("ORBSYM", "ORBSYM: found label " + std::to_string(label) +
                              ", expected 1 to 8 (or 0 for no symmetry)");
    }
  }
  if (std::ranges::find(labels, 0) != labels.end()) {
    const int highest = std::ranges::max(labels);
    if (highest == 0 || highest == 8) {
      header.warnings.push_back(
          highest == 0 ? "ORBSYM holds nothing but 0: the file is read without symmetry."
                       : "ORBSYM holds 0 and 8: the file is read without symmetry.");
      return;
    }
    header.irreps_from_zero = true;
    header.warnings.push_back(
        "ORBSYM holds 0: its labels are taken as irreps counted from 0, as PySCF writes them.");
    header.irreps = std::move(labels);
    return;
  }
  for (int& label : labels) --label;
  header.irreps = std::move(labels);
}

}  // namespace

bool opens_fcidump_header(std::string_view text) {
  return find_opening(text) != text.npos;
}

FcidumpHeader parse_fcidump_header(const NamedText& source, OrbsymLabels labels) {
  const std::size_t opening = find_opening(source.text);
  if (opening == source.text.npos) fail_without_header(source);
  const Namelist list = scan_namelist(source, opening);
  FcidumpHeader header;
  header.line = list.line();
  header.end = list.end();
  header.end_line = list.end_line();
  header.layout = parse_layout(list);
  parse_orbital_count(list, header);
  parse_symmetry(list, labels, header);
  header.ms2 = list.integer("MS2");
  header.electrons = list.integer("NELEC");
  if (header.electrons && *header.electrons < 0) {
    list.fail("NELEC", "NELEC = " + std::to_string(*header.electrons) + " is negative");
  }
  if (header.electrons == 0) header.electrons.reset();
  for (const Namelist::Entry& entry : list.entries()) {
    const std::string key = to_upper(entry.key);
    if (std::find(known_keys.begin(), known_keys.end(), key) == known_keys.end()) {
      header.other_keys.emplace_back(entry.key, entry.value);
    }
  }
  return header;
}

}  // namespace cisolve
