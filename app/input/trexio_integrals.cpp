#include "app/input/trexio_integrals.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "app/config/irrep.hpp"
#include "core/error.hpp"
#include "hamiltonian/integrals/fcidump/fcidump_header.hpp"
#include "io/trexio/trexio_input.hpp"

namespace cisolve {
namespace {

/// Takes what a file has, piece by piece, and makes integrals of it.
class TrexioReader {
 public:
  TrexioReader(const std::filesystem::path& path, const InputConfig& config)
      : name_(path.string()), config_(config) {}

  void begin(const TrexioOrbitals& orbitals) {
    made_.orbitals = orbitals.orbitals;
    take_electrons(orbitals);
    if (orbitals.repulsion) {
      made_.core_energy = *orbitals.repulsion;
    } else {
      warn("no nucleus_repulsion: 0 is taken as core energy");
    }
    if (!orbitals.energies.empty()) made_.orbital_energies = {orbitals.energies, orbitals.energies};
    take_core_hamiltonian(orbitals);
    take_irreps(orbitals);
    g_ = std::make_shared<TwoElectron>(made_.orbitals);
    const auto pairs = static_cast<std::size_t>(g_->pairs());
    there_.resize(pairs * (pairs + 1) / 2);
  }

  /// ⟨pq|rs⟩ = (pr|qs), and its permutations.
  void add(const TrexioRepulsion& e) {
    const int pr = pair_index(e.p, e.r), qs = pair_index(e.q, e.s);
    double& value = g_->row(pr)[qs];
    const auto high = static_cast<std::size_t>(std::max(pr, qs));
    auto there = there_[high * (high + 1) / 2 + static_cast<std::size_t>(std::min(pr, qs))];
    if (there && !are_repeats(value, e.value)) {
      fail(fmt::format(
          "mo_2e_int_eri: found {:.15g} of <{} {}|{} {}> (orbitals from 0), and {:.15g} "
          "before, of the same or by the symmetry of real orbitals",
          e.value, e.p, e.q, e.r, e.s, value));
    }
    if (there) return;
    there = true;
    value = g_->row(qs)[pr] = e.value;
  }

  Integrals finish() {
    made_.alpha_alpha = made_.alpha_beta = made_.beta_beta = g_;
    if (!made_.orbital_irreps[alpha].empty() && !is_symmetric()) {
      made_.orbital_irreps = {};
      warn(
          "mo_symmetry does not agree with the integrals, of which not all are totally symmetric: "
          "the file is read without symmetry");
    }
    return std::move(made_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(name_ + ": " + what); }
  void warn(const std::string& what) { made_.warnings.push_back(name_ + ": " + what + "."); }

  void take_electrons(const TrexioOrbitals& orbitals) {
    if (orbitals.up && orbitals.down) {
      made_.electrons = *orbitals.up + *orbitals.down;
      made_.ms2 = *orbitals.up - *orbitals.down;
      if (orbitals.electrons && *orbitals.electrons != made_.electrons) {
        fail(fmt::format("electron_num = {}, and electron_up_num + electron_dn_num = {}",
                         *orbitals.electrons, made_.electrons));
      }
    } else {
      made_.electrons = config_.electrons.value_or(orbitals.electrons.value_or(0));
      made_.ms2 = made_.electrons % 2;
    }
    if (config_.electrons) made_.electrons = *config_.electrons;
    if (config_.ms2) made_.ms2 = *config_.ms2;
    if (made_.electrons > 0) return;
    fail(
        "no number of electrons (electron_up_num and electron_dn_num, or electron_num); give it "
        "by --electrons");
  }

  void take_core_hamiltonian(const TrexioOrbitals& orbitals) {
    const auto h = std::make_shared<OneElectron>(orbitals.orbitals);
    const auto n = static_cast<std::size_t>(orbitals.orbitals);
    const auto at = [&](std::size_t p, std::size_t q) {
      return orbitals.core_hamiltonian[p * n + q];
    };
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = 0; q <= p; ++q) {
        if (std::abs(at(p, q) - at(q, p)) > symmetry_zero) {
          fail(fmt::format(
              "the one-electron integrals are not symmetric: {:.15g} of orbitals {} and "
              "{} (from 0), {:.15g} the other way",
              at(p, q), p, q, at(q, p)));
        }
        h->set(static_cast<int>(p), static_cast<int>(q), 0.5 * (at(p, q) + at(q, p)));
      }
    }
    made_.one_electron = {h, h};
  }

  void take_irreps(const TrexioOrbitals& orbitals) {
    if (orbitals.symmetry.empty()) return;
    const std::string group = config_.point_group.value_or(orbitals.point_group);
    if (group.empty()) {
      warn(
          "mo_symmetry without nucleus_point_group: the file is read without symmetry; "
          "--point-group names it");
      return;
    }
    made_.other_keys.emplace_back("PNTGRP", group);
    std::vector<int> irreps;
    try {
      for (const std::string& label : orbitals.symmetry) {
        irreps.push_back(irrep_number(label, made_));
      }
    } catch (const InputError& error) {
      made_.other_keys.clear();
      warn("read without symmetry: the point group is " + group + ", and mo_symmetry has " +
           error.what());
      return;
    }
    made_.orbital_irreps = {irreps, irreps};
  }

  bool is_symmetric() const {
    const std::vector<int>& irreps = made_.orbital_irreps[alpha];
    std::vector<int> of_pair;
    bool symmetric = true;
    for (int p = 0; p < made_.orbitals; ++p) {
      for (int q = 0; q <= p; ++q) {
        of_pair.push_back(irrep_product(irreps[p], irreps[q]));
        const double value = (*made_.one_electron[alpha])(p, q);
        symmetric = symmetric && (of_pair.back() == 0 || std::abs(value) <= symmetry_zero);
      }
    }
    for (int pq = 0; pq < g_->pairs(); ++pq) {
      const double* row = g_->row(pq);
      for (int rs = 0; rs <= pq; ++rs) {
        symmetric = symmetric && (of_pair[pq] == of_pair[rs] || std::abs(row[rs]) <= symmetry_zero);
      }
    }
    return symmetric;
  }

  std::string name_;
  const InputConfig& config_;
  Integrals made_;
  std::shared_ptr<TwoElectron> g_;
  std::vector<bool> there_;  ///< by unique pair of pairs
};

}  // namespace

Integrals read_trexio_integrals(const std::filesystem::path& path, const InputConfig& config) {
  TrexioReader reader(path, config);
  read_trexio(
      path, most_orbitals_of_file, [&](const TrexioOrbitals& orbitals) { reader.begin(orbitals); },
      [&](const TrexioRepulsion& element) { reader.add(element); });
  return reader.finish();
}

}  // namespace cisolve
