#include "hamiltonian/integrals/fcidump/fcidump_header.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/error.hpp"
#include "core/text/text_file.hpp"
#include "hamiltonian/integrals/fcidump/fcidump_keys.hpp"

namespace cisolve {
namespace {

/// Keys whose values the header has as its members.
constexpr std::array<std::string_view, 6> used_keys = {"NORB",   "NELEC", "MS2",
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

/// 0 or 1; .FALSE. is 0.
int parse_sections(const Namelist& list) {
  const Namelist::Entry* entry = list.find("IUHF");
  if (entry != nullptr && std::isdigit(static_cast<unsigned char>(entry->value.back())) == 0) {
    if (list.logical("IUHF") == true) {
      list.fail("IUHF",
                "IUHF = .TRUE. does not say how the lines tell the spins apart: expected IUHF=1, "
                "NORB spatial orbitals in six sections, or UHF=.TRUE., NORB spin orbitals, odd "
                "ones alpha and even ones beta");
    }
    return 0;
  }
  const int sections = list.integer("IUHF").value_or(0);
  if (sections != 0 && sections != 1) {
    list.fail("IUHF", "IUHF = " + std::to_string(sections) + ", expected 0 or 1");
  }
  return sections;
}

FcidumpLayout parse_layout(const Namelist& list, OrbitalKind kind) {
  const bool interleaved = list.logical("UHF").value_or(false);
  const int sections = parse_sections(list);
  if (interleaved && sections) {
    list.fail("IUHF",
              "UHF=.TRUE. (interleaved spin orbitals) and IUHF=1 (six sections) exclude each "
              "other: expected one of them");
  }
  if (kind == OrbitalKind::spin && (interleaved || sections)) {
    list.fail(interleaved ? "UHF" : "IUHF",
              std::string("input.orbital_kind spin: ") + (interleaved ? "UHF=.TRUE." : "IUHF=1") +
                  " says that each orbital has one spin; expected a header without it");
  }
  if (kind == OrbitalKind::spatial && interleaved) return FcidumpLayout::restricted;
  if (interleaved) return FcidumpLayout::interleaved;
  return sections ? FcidumpLayout::sections : FcidumpLayout::restricted;
}

/// Orbitals of integrals of fourfold symmetry: spinors, or spatial ones where they have momenta.
GeneralOrbitals parse_fourfold(const Namelist& list, FcidumpLayout layout, OrbitalKind kind) {
  if (layout != FcidumpLayout::restricted) {
    const bool sections = layout == FcidumpLayout::sections;
    list.fail(sections ? "IUHF" : "UHF",
              std::string("the integrals have the fourfold symmetry of complex orbitals, and ") +
                  (sections ? "IUHF=1" : "UHF=.TRUE.") +
                  " says that each orbital has one spin: expected a header without it");
  }
  if (kind == OrbitalKind::spin) return GeneralOrbitals::yes;
  if (kind == OrbitalKind::spatial) return GeneralOrbitals::no;
  if (is_on(list, "TREL") || !says_momenta(list)) return GeneralOrbitals::yes;
  if (is_on(list, "IGENERAL")) {
    list.fail("IGENERAL",
              "IGENERAL = 1 does not say whether NORB counts spatial orbitals or spinors: expected "
              "input.orbital_kind spatial or spin");
  }
  return GeneralOrbitals::no;
}

GeneralOrbitals parse_general(const Namelist& list, FcidumpLayout layout, OrbitalKind kind) {
  if (kind == OrbitalKind::spin) return GeneralOrbitals::yes;
  if (kind == OrbitalKind::spatial) return GeneralOrbitals::no;
  if (is_on(list, "TREL")) {
    if (layout != FcidumpLayout::restricted) {
      list.fail("TREL",
                "TREL=.TRUE. says general spin orbitals, UHF or IUHF orbitals of one spin each: "
                "expected one of them");
    }
    return GeneralOrbitals::yes;
  }
  if (layout != FcidumpLayout::restricted) return GeneralOrbitals::no;
  if (is_on(list, "IGENERAL")) return GeneralOrbitals::perhaps;
  const bool said = std::ranges::any_of(std::array{"UHF", "IUHF", "IGENERAL", "TREL"},
                                        [&](const char* key) { return list.find(key) != nullptr; });
  return said ? GeneralOrbitals::no : GeneralOrbitals::unsaid;
}

void parse_orbital_count(const Namelist& list, FcidumpHeader& header) {
  const std::optional<int> norb = list.integer("NORB");
  if (!norb) list.fail("NORB", "the header has no NORB, the number of orbitals");
  const std::string found = "NORB = " + std::to_string(*norb);
  if (*norb < 1) list.fail("NORB", found + ", expected at least 1");
  header.norb = *norb;
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

/// ORBSYM to irreps. Labels from 1 are Molpro's. Labels up to 7 with a 0 among them count from 0,
/// as PySCF's do. Other labels give no symmetry, and a warning says so: all 0, 0 together with 8,
/// or one above 8, of a larger group.
void parse_symmetry(const Namelist& list, OrbsymLabels from, FcidumpHeader& header) {
  std::vector<int> labels = list.integers("ORBSYM", std::size_t(header.norb));
  if (from != OrbsymLabels::automatic) return take_labels(list, from, std::move(labels), header);
  for (const int label : labels) {
    if (label < 0) {
      list.fail("ORBSYM", "ORBSYM: found label " + std::to_string(label) +
                              ", expected 1 to 8 (or 0 for no symmetry)");
    }
  }
  if (const int highest = labels.empty() ? 0 : std::ranges::max(labels); highest > 8) {
    header.warnings.push_back("ORBSYM holds " + std::to_string(highest) +
                              ", a label of a group other than D2h and its subgroups: the file is "
                              "read without symmetry.");
    return;
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

double longest_fcidump(const NamedText& beginning) {
  constexpr double longest_line = 256;  // on average, blanks and comments between lines included
  require_lines(beginning.text, beginning.name);
  FcidumpHeader header;
  const Namelist list = scan_fcidump_header(beginning);
  parse_orbital_count(list, header);
  const double labels = 2.0 * header.norb + 1.0;  // of spin orbitals, and 0
  return double(list.end()) + longest_line * labels * labels * labels * labels;
}

void set_orbitals(const NamedText& source, FcidumpHeader& header, int orbitals) {
  header.orbitals = orbitals;
  if (orbitals > most_orbitals_of_file) {
    const bool spin = header.general == GeneralOrbitals::yes;
    source.fail(header.line, "NORB = " + std::to_string(header.norb) + ": expected at most " +
                                 std::to_string(most_orbitals_of_file) +
                                 (spin ? " spin orbitals" : " spatial orbitals"));
  }
}

Namelist scan_fcidump_header(const NamedText& source) {
  const std::size_t opening = find_opening(source.text);
  if (opening == source.text.npos) fail_without_header(source);
  return scan_namelist(source, opening);
}

FcidumpHeader parse_fcidump_header(const NamedText& source, OrbsymLabels labels, OrbitalKind kind,
                                   IntegralValues values) {
  const Namelist list = scan_fcidump_header(source);
  FcidumpHeader header;
  header.line = list.line();
  header.end = list.end();
  header.end_line = list.end_line();
  require_known_keys(list, values);
  header.layout = parse_layout(list, kind);
  header.general = values == IntegralValues::real ? parse_general(list, header.layout, kind)
                                                  : parse_fourfold(list, header.layout, kind);
  parse_orbital_count(list, header);
  const bool interleaved = header.layout == FcidumpLayout::interleaved;
  set_orbitals(source, header, interleaved ? header.norb / 2 : header.norb);
  // Labels of orbitals with momenta are these, packed into one number.
  if (values == IntegralValues::real || !says_momenta(list)) parse_symmetry(list, labels, header);
  header.ms2 = list.integer("MS2");
  header.electrons = list.integer("NELEC");
  if (header.electrons && *header.electrons < 0) {
    list.fail("NELEC", "NELEC = " + std::to_string(*header.electrons) + " is negative");
  }
  if (header.electrons == 0) header.electrons.reset();
  for (const Namelist::Entry& entry : list.entries()) {
    if (std::ranges::find(used_keys, base_of_key(entry.key)) == used_keys.end()) {
      header.other_keys.emplace_back(entry.key, entry.value);
    }
  }
  return header;
}

int electrons_of(const NamedText& source, const FcidumpHeader& header, std::optional<int> given) {
  const std::optional<int> electrons = given ? given : header.electrons;
  if (!electrons) {
    source.fail(header.line, "NELEC is absent or 0: give the number of electrons by --electrons N");
  }
  if (*electrons < 1) {
    throw InputError("--electrons " + std::to_string(*electrons) + ": expected at least 1");
  }
  return *electrons;
}

}  // namespace cisolve
