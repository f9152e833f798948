#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "hamiltonian/space/ci_space.hpp"
#include "hamiltonian/space/listed/determinant_list.hpp"
#include "hamiltonian/space/listed/listed_space.hpp"

namespace cisolve {

/// The determinants of a calculation in the order of their space, whichever has them.
class AnySpace {
 public:
  explicit AnySpace(CiSpace space) : space_(std::move(space)) {}
  explicit AnySpace(ListedSpace space) : space_(std::move(space)) {}

  /// f(space), a DeterminantSpace.
  template <class F>
  decltype(auto) visit(F f) const {
    return std::visit(f, space_);
  }

  const StringSpace& alpha() const {
    return visit([](const auto& space) -> const StringSpace& { return space.alpha; });
  }
  const StringSpace& beta() const {
    return visit([](const auto& space) -> const StringSpace& { return space.beta; });
  }
  std::int64_t size() const {
    return visit([](const auto& space) { return space.size(); });
  }
  /// 2 M_s.
  int twice_ms() const { return alpha().electrons - beta().electrons; }
  Determinant reference() const { return {alpha().reference, beta().reference}; }
  /// The determinant of a row.
  Determinant determinant(std::int64_t row) const {
    return visit([&](const auto& space) { return space.determinant(row); });
  }
  bool holds(const Determinant& determinant) const;
  /// True if it has the determinants of another one, in the same order.
  bool has_determinants_of(const AnySpace& other) const;
  /// Calls f(row, alpha string, beta string) for all determinants in order.
  template <class F>
  void for_each(F f) const;
  /// Notes for the user: the reference determinant, where excitations from it are the space.
  const std::vector<std::string>& notes() const {
    return visit([](const auto& space) -> const std::vector<std::string>& { return space.notes; });
  }

  /// The space where its determinants are all pairs of strings in ranges, which products without a
  /// matrix and rows made on a GPU need; null for others.
  const CiSpace* of_ranges() const { return std::get_if<CiSpace>(&space_); }
  /// The space where its determinants are listed one by one, which selection extends; null for
  /// others.
  const ListedSpace* of_list() const { return std::get_if<ListedSpace>(&space_); }

 private:
  std::variant<CiSpace, ListedSpace> space_;
};

inline bool AnySpace::holds(const Determinant& determinant) const {
  const Index a = alpha().find(determinant[Spin::alpha]), b = beta().find(determinant[Spin::beta]);
  if (a < 0 || b < 0) return false;
  return visit([&](const auto& space) { return space.determinants_of(a).find(b) >= 0; });
}

inline bool AnySpace::has_determinants_of(const AnySpace& other) const {
  if (size() != other.size() || alpha().strings != other.alpha().strings ||
      beta().strings != other.beta().strings) {
    return false;
  }
  for (std::int64_t row = 0; row < size(); ++row) {
    if (determinant(row) != other.determinant(row)) return false;
  }
  return true;
}

template <class F>
void AnySpace::for_each(F f) const {
  visit([&](const auto& space) {
    for (Index a = 0; a < space.alpha.size(); ++a) {
      for (const auto& [b, row] : space.determinants_of(a)) {
        f(row, space.alpha.strings[a], space.beta.strings[b]);
      }
    }
  });
}

/// Determinants alphas[i] betas[i], which fit the integrals and are none twice.
AnySpace make_listed_space(const Integrals& integrals, std::span<const OrbitalString> alphas,
                           std::span<const OrbitalString> betas);

/// The listed determinants, or those of an irrep (from 0 in ORBSYM's order). The reference
/// determinant is that of the integrals and need not be among them. Throws InputError where the
/// list is empty or has more than 2^31 − 1 determinants, one is repeated, has an orbital beyond
/// those of the integrals or other numbers of electrons, or none has the irrep.
AnySpace make_listed_space(const Integrals& integrals, const DeterminantList& list,
                           std::optional<int> irrep);

}  // namespace cisolve
