#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/mixed.hpp"
#include "hamiltonian/select/beta_signs.hpp"
#include "hamiltonian/space/strings/orbital_string.hpp"

namespace cisolve {

/// Sums of k numbers by beta string: a table with open addressing, which grows. Strings of the
/// table's class alone are kept, for sums that have no room at once.
template <int Words>
class BetaSums {
 public:
  using String = BasicOrbitalString<Words>;
  static std::size_t bytes_of_entry(int k) { return 2 * (sizeof(String) + 8 * k); }

  /// Sums over strings that all have electrons, or that all have none.
  BetaSums(int k, bool have_electrons)
      : k_(static_cast<std::size_t>(k)), nobody_(have_electrons ? String() : String::of(0)) {
    resize(10);
  }

  void clear(std::uint64_t number, std::uint64_t classes) {
    if (count_ > 0) {
      std::ranges::fill(keys_, nobody_);
      std::ranges::fill(sums_, 0.0);
    }
    count_ = 0;
    class_ = number;
    classes_ = classes;
  }

  /// Adds value · factors[j] to sum j of s.
  void add(const String& s, double value, const double* factors) {
    const std::uint64_t h = hash_of_beta(s);
    if (classes_ > 1 && mixed(h) % classes_ != class_) return;
    double* const at = sums_of(s, h);
    for (std::size_t j = 0; j < k_; ++j) at[j] += value * factors[j];
  }
  void erase(const String& s) {
    std::size_t slot = hash_of_beta(s) >> shift_;
    while (keys_[slot] != s) {
      if (keys_[slot] == nobody_) return;
      slot = (slot + 1) & (keys_.size() - 1);
    }
    std::fill_n(sums_.data() + slot * k_, k_, 0.0);
  }
  /// f(string, its k sums), in an order that depends on nothing but what was added.
  template <class F>
  void for_each(F f) const {
    for (std::size_t slot = 0; slot < keys_.size(); ++slot) {
      if (keys_[slot] != nobody_) f(keys_[slot], sums_.data() + slot * k_);
    }
  }

 private:
  double* sums_of(const String& s, std::uint64_t h) {
    std::size_t slot = h >> shift_;
    while (keys_[slot] != s) {
      if (keys_[slot] == nobody_) {
        if (2 * count_ >= keys_.size()) {
          grow();
          return sums_of(s, h);
        }
        ++count_;
        keys_[slot] = s;
        break;
      }
      slot = (slot + 1) & (keys_.size() - 1);
    }
    return sums_.data() + slot * k_;
  }
  void resize(int bits) {
    shift_ = 64 - bits;
    keys_.assign(std::size_t{1} << bits, nobody_);
    sums_.assign(keys_.size() * k_, 0.0);
  }
  void grow() {
    const std::vector<String> keys = std::move(keys_);
    const std::vector<double> sums = std::move(sums_);
    resize(64 - shift_ + 1);
    count_ = 0;
    for (std::size_t slot = 0; slot < keys.size(); ++slot) {
      if (keys[slot] == nobody_) continue;
      double* const at = sums_of(keys[slot], hash_of_beta(keys[slot]));
      std::copy_n(sums.data() + slot * k_, k_, at);
    }
  }

  std::size_t k_;
  String nobody_;  ///< key of an empty place
  int shift_ = 0;
  std::size_t count_ = 0;
  std::uint64_t class_ = 0, classes_ = 1;
  std::vector<String> keys_;
  std::vector<double> sums_;  ///< k of each key
};

}  // namespace cisolve
