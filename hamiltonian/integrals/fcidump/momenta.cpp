#include "hamiltonian/integrals/fcidump/momenta.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace cisolve {

Momenta::Momenta(const Namelist& list, int norb, IntegralValues values) {
  for (const char* key : {"NPROP", "PROPBITLEN"}) {
    if (values == IntegralValues::complex || !is_on(list, key)) continue;
    list.fail(key, std::string(key) +
                       " says momenta in three dimensions, whose integrals are complex, "
                       "and the first one here is a real number; expected (re,im) i j k l");
  }
  for (const char* key : {"SYMLZ", "KSYM"}) {
    if (!is_on(list, key)) continue;
    std::vector<int> of = list.integers(key, static_cast<std::size_t>(norb));
    of.insert(of.begin(), 0);
    const int modulus = std::string(key) == "KSYM" ? list.integer("KMOD").value_or(0) : 0;
    if (modulus < 0) list.fail("KMOD", "KMOD = " + std::to_string(modulus) + " is negative");
    labels_.push_back({std::move(of), modulus});
  }
}

bool Momenta::conserved(const std::array<int, 4>& index) const {
  const auto [i, j, k, l] = index;
  return std::ranges::all_of(labels_, [&](const Labels& m) {
    const std::int64_t change = std::int64_t{m.of[j]} - m.of[i] + m.of[l] - m.of[k];
    return m.modulus == 0 ? change == 0 : change % m.modulus == 0;
  });
}

}  // namespace cisolve
