#include "hamiltonian/integrals/fcidump/fcidump_keys.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/text/text.hpp"

namespace cisolve {
namespace {

/// A key, and why a file with a value other than 0 and .FALSE. is refused; empty: it is not.
struct KnownKey {
  std::string_view name, reason;
};

// Reasons that several keys have.
constexpr std::string_view momenta =
    "the orbitals have momenta, so that (pq|rs) = (rs|pq) = (qp|sr), but not (qp|rs); expected "
    "integrals of real orbitals, with eightfold symmetry";
constexpr std::string_view elsewhere = "the integrals are in other files: write them into this one";

constexpr std::array known_keys = {
    // Keys that the reader uses.
    KnownKey{"NORB", {}},
    KnownKey{"NELEC", {}},
    KnownKey{"MS2", {}},
    KnownKey{"ORBSYM", {}},
    KnownKey{"UHF", {}},
    KnownKey{"IUHF", {}},
    KnownKey{"IGENERAL", {}},
    KnownKey{"TREL", {}},
    KnownKey{"PNTGRP", {}},
    // Keys on the state that another program was to find; the options of this program choose
    // states.
    KnownKey{"ISYM", {}},
    KnownKey{"OCC", {}},
    KnownKey{"CLOSED", {}},
    // All of a matrix h_pq is written (block2): what differs is found where the lines are read.
    KnownKey{"ITGENERAL", {}},
    // Labels beside SYMLZ and KSYM, which decide; they say nothing alone.
    KnownKey{"SYML", {}},
    KnownKey{"PAIR", {}},
    KnownKey{"KMOD", {}},
    KnownKey{"KISYM", {}},
    // Settings of the iterations and the printing in Knowles and Handy's program.
    KnownKey{"IPRINT", {}},
    KnownKey{"IPRDIA", {}},
    KnownKey{"IPRHAM", {}},
    KnownKey{"IPRTIM", {}},
    KnownKey{"MAXIT", {}},
    KnownKey{"MEMORY", {}},
    KnownKey{"NROOT", {}},
    KnownKey{"THR", {}},
    KnownKey{"THRRES", {}},
    // Keys that change the meaning of the lines.
    KnownKey{"SYMLZ", momenta},
    KnownKey{"KSYM", momenta},
    KnownKey{"NPROP", momenta},
    KnownKey{"PROPBITLEN", momenta},
    KnownKey{"ICMPLX",
             "the integrals are complex, and the first one here is a real number; expected (re,im) "
             "i j k l "
             "or re im i j k l, over spinors"},
    KnownKey{"ST",
             "the integrals are similarity-transformed: their matrix is not symmetric, and only "
             "symmetric ones can be solved"},
    KnownKey{"III", "there are three-electron integrals, which cannot be solved"},
    KnownKey{"UEG", "the orbitals are plane waves of an electron gas, which cannot be solved"},
    KnownKey{"FROZEN",
             "orbitals are to be frozen; give them by --frozen, or --freeze, and take this key "
             "out. Where the lines leave them out, take this key out, too"},
    KnownKey{"CORE",
             "a core energy in the header adds to nothing here: write it as the line with all "
             "indices 0 and take this key out"},
    KnownKey{"INT", elsewhere},
    KnownKey{"ONEFIL", elsewhere},
    KnownKey{"TWOFIL", elsewhere},
    KnownKey{"NPY1", elsewhere},
    KnownKey{"NPY1A", elsewhere},
    KnownKey{"NPY1B", elsewhere},
    KnownKey{"NPY2", elsewhere},
    KnownKey{"NPYAA", elsewhere},
    KnownKey{"NPYBB", elsewhere},
    KnownKey{"NPYAB", elsewhere},
};

std::string list_of_keys() {
  std::string list;
  for (const KnownKey& key : known_keys) {
    if (key.reason.empty()) list += (list.empty() ? "" : ", ") + std::string(key.name);
  }
  return list;
}

}  // namespace

bool is_off(std::string_view value) {
  constexpr std::string_view separators = " \t,";
  std::string_view rest = value;
  for (std::size_t at = 0; (at = rest.find_first_not_of(separators)) != rest.npos;) {
    rest.remove_prefix(at);
    std::string_view word = rest.substr(0, rest.find_first_of(separators));
    rest.remove_prefix(word.size());
    if (const std::size_t star = word.find('*'); star != word.npos) word.remove_prefix(star + 1);
    const std::string upper = to_upper(word);
    if (parse_real(word) != 0.0 && !upper.starts_with(".F") && upper != "F" && upper != "FALSE") {
      return false;
    }
  }
  return true;
}

bool is_on(const Namelist& list, std::string_view key) {
  const Namelist::Entry* const entry = list.find(key);
  return entry != nullptr && !is_off(entry->value);
}

bool says_momenta(const Namelist& list) {
  return std::ranges::any_of(list.entries(), [](const Namelist::Entry& entry) {
    const auto known = std::ranges::find(known_keys, base_of_key(entry.key), &KnownKey::name);
    return known != known_keys.end() && known->reason == momenta && !is_off(entry.value);
  });
}

void require_known_keys(const Namelist& list, IntegralValues values) {
  for (const Namelist::Entry& entry : list.entries()) {
    if (entry.value.empty()) continue;
    const std::string name = base_of_key(entry.key);
    const auto known = std::ranges::find(known_keys, name, &KnownKey::name);
    const std::string found = entry.key + " = " + entry.value.substr(0, 30);
    if (known == known_keys.end()) {
      list.fail_at(entry, "found the key " + found +
                              ", which is not known and may change what the lines mean: where it "
                              "does not, take it out of the header. Known keys: " +
                              list_of_keys());
    }
    if (values == IntegralValues::complex && name == "ICMPLX") continue;
    if (values != IntegralValues::real && known->reason == momenta) continue;
    if (!known->reason.empty() && !is_off(entry.value)) {
      list.fail_at(entry, found + ": " + std::string(known->reason));
    }
  }
}

}  // namespace cisolve
