#include "app/run/trexio_states.hpp"

#include <array>
#include <cstdint>
#include <vector>

#include "app/solve/outcome/file_strings.hpp"
#include "io/trexio/trexio_output.hpp"

namespace cisolve {
namespace {

TrexioElectrons electrons_of(const RowDeterminants& list) {
  const auto frozen = static_cast<std::int64_t>(list.frozen.size());
  return {list.file_orbitals, static_cast<int>(list.alpha_electrons + frozen),
          static_cast<int>(list.beta_electrons + frozen)};
}

/// Densities over the file's orbitals. An element with a frozen orbital among its indices is a
/// product.
class FileDensities {
 public:
  FileDensities(const RowDeterminants& list, const OneDensities& one, const Densities* two)
      : place_(static_cast<std::size_t>(list.file_orbitals), -1), two_(two), m_(list.orbitals) {
    for (std::size_t p = 0; p < list.active.size(); ++p) {
      place_[static_cast<std::size_t>(list.active[p])] = static_cast<int>(p);
    }
    for (const Spin spin : {alpha, beta}) {
      one_[spin] = HostMatrix::Zero(list.file_orbitals, list.file_orbitals);
      one_[spin](list.active, list.active) = one[spin];
      for (const std::int64_t f : list.frozen) one_[spin](f, f) = 1.0;
    }
  }

  const OneDensities& one() const { return one_; }
  double same(Spin spin, int p, int q, int r, int s) const {
    if (const auto at = active_element(p, q, r, s)) {
      return (spin == alpha ? two_->alpha_alpha : two_->beta_beta)(at->first, at->second);
    }
    const HostMatrix& one = one_[spin];
    return one(p, q) * one(r, s) - one(p, s) * one(r, q);
  }
  /// p q of the alpha electron.
  double mixed(int p, int q, int r, int s) const {
    if (const auto at = active_element(p, q, r, s)) {
      return two_->alpha_beta(at->first, at->second);
    }
    return one_[alpha](p, q) * one_[beta](r, s);
  }

 private:
  std::optional<std::pair<Eigen::Index, Eigen::Index>> active_element(int p, int q, int r,
                                                                      int s) const {
    const int a = place_[p], b = place_[q], c = place_[r], d = place_[s];
    if (a < 0 || b < 0 || c < 0 || d < 0) return {};
    return std::pair<Eigen::Index, Eigen::Index>{a * m_ + b, c * m_ + d};
  }

  std::vector<int> place_;  ///< among the active orbitals; −1: not there
  const Densities* two_;
  int m_;
  OneDensities one_;
};

}  // namespace

void add_trexio_states(const EigenOutcome& outcome, const HostMatrix& x,
                       const std::filesystem::path& path, const std::string& name) {
  const RowDeterminants& list = *outcome.determinants;
  const FileStrings strings(list);
  HostMatrix states = x.transpose();
  std::vector<std::int64_t> determinants;
  for (std::size_t row = 0; row < strings.size(); ++row) {
    const Determinant determinant = strings.determinant(row);
    for (const OrbitalString& s : determinant) {
      for (int k = 0; k < OrbitalString::words_of(list.file_orbitals); ++k) {
        determinants.push_back(static_cast<std::int64_t>(s.word(k)));
      }
    }
    if (strings.is_negative(row)) states.col(static_cast<Eigen::Index>(row)) *= -1.0;
  }
  std::vector<std::string> labels;
  for (Eigen::Index i = 0; i < states.rows(); ++i) {
    labels.push_back("state " + std::to_string(i + 1));
  }
  write_trexio_states(path, name, electrons_of(list), determinants, states, labels);
}

void add_trexio_densities(const EigenOutcome& outcome, bool two, const std::filesystem::path& path,
                          const std::string& name) {
  const StateDensities& made = *outcome.densities;
  const FileDensities file(*outcome.determinants, made.one.front(),
                           two ? &made.two.front() : nullptr);
  // Γ_ijkl there is Γ_ki,lj here.
  const auto same = [&](Spin spin) {
    return [&file, spin](int i, int j, int k, int l) { return file.same(spin, k, i, l, j); };
  };
  const auto all = [&file](int i, int j, int k, int l) {
    return file.same(alpha, k, i, l, j) + file.same(beta, k, i, l, j) + file.mixed(k, i, l, j) +
           file.mixed(l, j, k, i);
  };
  const std::array<TrexioTwoDensity, 3> parts{all, same(alpha), same(beta)};
  write_trexio_densities(path, name, electrons_of(*outcome.determinants), file.one(),
                         two ? &parts : nullptr);
}

}  // namespace cisolve
