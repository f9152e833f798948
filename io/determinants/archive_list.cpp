#include "io/determinants/archive_list.hpp"

#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/text/text.hpp"

namespace cisolve {
namespace {

/// Orbitals of the bits in an archive's strings.
struct ArchiveOrbitals {
  std::optional<std::vector<int>> active;  ///< none: bit p is orbital p
  OrbitalString frozen;
};

class ArrayLists {
 public:
  ArrayLists(const ListFile& file, const StringForm& form, const ReadWords& read)
      : file_(file), form_(form), read_(read) {}

  ReadList lists() const {
    const ArchiveOrbitals orbitals = read_orbitals();
    ReadList made;
    made.list.alpha = strings("alpha", orbitals, orbitals.frozen);
    made.list.beta = strings("beta", orbitals, form_.general ? OrbitalString() : orbitals.frozen);
    if (file_.of == ListOf::determinants && made.list.alpha.size() != made.list.beta.size()) {
      fail("found " + std::to_string(made.list.alpha.size()) + " alpha and " +
           std::to_string(made.list.beta.size()) + " beta strings, expected as many");
    }
    return made;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(file_.path.string() + ": " + what);
  }

  ArchiveOrbitals read_orbitals() const {
    ArchiveOrbitals orbitals;
    const auto active = read_("active"), frozen = read_("frozen");
    if (active.has_value() != frozen.has_value()) {
      fail(std::string("found ") + (active ? "active" : "frozen") +
           " orbitals alone, expected arrays of active and frozen ones");
    }
    if (!active) {
      require_orbitals();
      return orbitals;
    }
    OrbitalString named;
    const auto add = [&](std::uint64_t p) {
      if (p >= static_cast<std::uint64_t>(form_.orbitals)) {
        fail("an active or frozen orbital is number " +
             std::to_string(static_cast<std::int64_t>(p)) + ", expected 0 to " +
             std::to_string(form_.orbitals - 1));
      }
      const int orbital = static_cast<int>(p);
      if (named.has(orbital)) {
        fail("orbital " + std::to_string(p) + " is twice among the active and frozen ones");
      }
      named = named.with(orbital);
      return orbital;
    };
    for (const std::uint64_t p : frozen->words) orbitals.frozen = orbitals.frozen.with(add(p));
    orbitals.active.emplace();
    for (const std::uint64_t p : active->words) orbitals.active->push_back(add(p));
    return orbitals;
  }

  /// Throws InputError where the file says that it is over other numbers of orbitals.
  void require_orbitals() const {
    const auto norb = read_("norb");
    if (!norb || norb->words == std::vector<std::uint64_t>(1, form_.orbitals)) return;
    fail("found a list over " + std::to_string(norb->words.empty() ? 0 : norb->words[0]) +
         " orbitals, expected " + std::to_string(form_.orbitals));
  }

  std::vector<OrbitalString> strings(const char* name, const ArchiveOrbitals& orbitals,
                                     const OrbitalString& frozen) const {
    const auto array = read_(name);
    if (!array) fail(std::string("found no array ") + name + " of 64-bit integers");
    const int bits = orbitals.active ? static_cast<int>(orbitals.active->size()) : form_.orbitals;
    const int words = std::max(1, OrbitalString::words_of(bits));
    const std::vector<std::int64_t>& shape = array->shape;
    const bool good = shape.size() == 1 ? words == 1 : shape.size() == 2 && shape[1] == words;
    if (!good) {
      const auto text = [](std::int64_t extent) { return std::to_string(extent); };
      fail(std::string(name) + ": found shape (" + joined(shape, ", ", text) + "), expected " +
           (words == 1 ? "(n,) or " : "") + "(n, " + std::to_string(words) + ") for " +
           std::to_string(bits) + " orbitals");
    }
    require_number(static_cast<std::uint64_t>(shape[0]), file_);
    const OrbitalString beyond = ~OrbitalString::lowest(bits);
    std::vector<OrbitalString> made;
    made.reserve(static_cast<std::size_t>(shape[0]));
    for (std::size_t at = 0; at < array->words.size(); at += static_cast<std::size_t>(words)) {
      const auto s = OrbitalString::from_words(&array->words[at], words);
      if (!(s & beyond).empty()) {
        require_within(s, bits, file_,
                       std::string(name) + " string " + std::to_string(made.size() + 1));
      }
      made.push_back(orbitals.active ? frozen | spread(s, *orbitals.active) : s);
    }
    return made;
  }

  static OrbitalString spread(const OrbitalString& s, const std::vector<int>& active) {
    OrbitalString all;
    for (const int k : s) all = all.with(active[static_cast<std::size_t>(k)]);
    return all;
  }

  const ListFile& file_;
  StringForm form_;
  const ReadWords& read_;
};

}  // namespace

ReadList list_of_arrays(const ListFile& file, const StringForm& form, const ReadWords& read) {
  return ArrayLists(file, form, read).lists();
}

std::string note_of_rotation(const std::filesystem::path& path) {
  return path.string() +
         ": its determinants are over natural orbitals, whose integrals output.fcidump "
         "(--natural-fcidump) of that selection has; over other orbitals they mean other states";
}

}  // namespace cisolve
