#include "app/solve/outcome/file_strings.hpp"

namespace cisolve {

FileStrings::FileStrings(const RowDeterminants& list) : list_(list) {
  for (const std::int64_t f : list.frozen) {
    frozen_ = frozen_.with(static_cast<int>(f));
    OrbitalString below;
    for (int p = 0; p < list.orbitals; ++p) {
      if (list.active[static_cast<std::size_t>(p)] < f) below = below.with(p);
    }
    below_.push_back(below);
  }
}

OrbitalString FileStrings::active(const std::vector<std::uint64_t>& strings,
                                  std::size_t row) const {
  return OrbitalString::from_words(&strings[row * static_cast<std::size_t>(list_.words)],
                                   list_.words);
}

OrbitalString FileStrings::over_all(const OrbitalString& active) const {
  OrbitalString all;
  for (const int p : active) {
    all = all.with(static_cast<int>(list_.active[static_cast<std::size_t>(p)]));
  }
  return all;
}

bool FileStrings::is_odd(const OrbitalString& active) const {
  bool odd = false;
  for (const OrbitalString& below : below_) odd = odd != (active & below).odd();
  return odd;
}

Determinant FileStrings::determinant(std::size_t row) const {
  const OrbitalString beta_frozen = list_.general ? OrbitalString() : frozen_;
  return {frozen_ | over_all(active(list_.alpha, row)),
          beta_frozen | over_all(active(list_.beta, row))};
}

bool FileStrings::is_negative(std::size_t row) const {
  return is_odd(active(list_.alpha, row)) != is_odd(active(list_.beta, row));
}

DeterminantList file_determinants(const FileStrings& strings) {
  DeterminantList made;
  made.alpha.reserve(strings.size());
  made.beta.reserve(strings.size());
  for (std::size_t row = 0; row < strings.size(); ++row) {
    const Determinant determinant = strings.determinant(row);
    made.alpha.push_back(determinant[alpha]);
    made.beta.push_back(determinant[beta]);
  }
  return made;
}

}  // namespace cisolve
