#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <utility>

#include "app/library/hamiltonian_data.hpp"
#include "app/model/open_model.hpp"
#include "core/error.hpp"
#include "hamiltonian/space/strings/orbital_string.hpp"

namespace cisolve {
namespace {

/// Complex numbers as the caller has them, side by side.
class ComplexNumbers {
 public:
  /// Throws InputError unless there are so many of them, all finite.
  ComplexNumbers(std::span<const double> parts, std::size_t count, const std::string& name)
      : parts_(parts) {
    if (parts.size() != 2 * count) {
      throw InputError(name + ": found " + std::to_string(parts.size()) +
                       " real numbers, expected " + std::to_string(2 * count));
    }
    for (std::size_t i = 0; i < count; ++i) {
      const double size = std::abs((*this)[i]);
      if (!std::isfinite(size)) {
        throw InputError(name + ": element " + std::to_string(i) + " is not finite");
      }
      largest_ = std::max(largest_, size);
    }
  }
  Complex operator[](std::size_t i) const { return {parts_[2 * i], parts_[2 * i + 1]}; }
  double largest() const { return largest_; }

 private:
  std::span<const double> parts_;
  double largest_ = 0.0;
};

std::string text_of(Complex value) {
  char text[64];
  std::snprintf(text, sizeof text, "(%.17g,%.17g)", value.real(), value.imag());
  return text;
}

/// Takes the integrals of an array over; what is the same by symmetry may differ by `tolerance`.
class SpinorCopy {
 public:
  SpinorCopy(int spinors, double tolerance)
      : made_(spinors), n_(static_cast<std::size_t>(spinors)), tolerance_(tolerance) {}

  void take_h(const ComplexNumbers& h) {
    for (std::size_t p = 0; p < n_; ++p) {
      for (std::size_t q = 0; q <= p; ++q) {
        require_equal(h[p * n_ + q], std::conj(h[q * n_ + p]), "h1, elements ", {p, q}, {q, p});
        made_.h.set(static_cast<int>(p), static_cast<int>(q), h[p * n_ + q]);
      }
    }
  }
  void take_g(const ComplexNumbers& g) {
    const auto at = [&](std::size_t p, std::size_t q, std::size_t r, std::size_t s) {
      return g[((p * n_ + q) * n_ + r) * n_ + s];
    };
    for (std::size_t p = 0; p < n_; ++p) {
      for (std::size_t q = 0; q < n_; ++q) {
        for (std::size_t r = 0; r <= p; ++r) {
          for (std::size_t s = 0; s < n_; ++s) {
            const Complex value = at(p, q, r, s);
            require_equal(value, at(r, s, p, q), "eri, elements ", {p, q, r, s}, {r, s, p, q});
            require_equal(value, std::conj(at(q, p, s, r)), "eri, elements ", {p, q, r, s},
                          {q, p, s, r});
            made_.g.set(static_cast<int>(p), static_cast<int>(q), static_cast<int>(r),
                        static_cast<int>(s), value);
          }
        }
      }
    }
  }
  SpinorIntegrals release() { return std::move(made_); }

 private:
  using Places = std::initializer_list<std::size_t>;

  static std::string numbers(Places places) {
    std::string text;
    for (const std::size_t place : places)
      text += (text.empty() ? "" : ", ") + std::to_string(place);
    return "(" + text + ")";
  }
  /// `a` and `b` are of two places, b conjugated if symmetry conjugates it.
  void require_equal(Complex a, Complex b, const char* name, Places first, Places second) const {
    if (std::abs(a - b) <= tolerance_) return;
    throw InputError(
        name + numbers(first) + " and " + numbers(second) + ": found " + text_of(a) + " and " +
        text_of(b) +
        " by the other, expected the same: h_pq = h_qp*, (pq|rs) = (rs|pq) = (qp|sr)*");
  }

  SpinorIntegrals made_;
  std::size_t n_;
  double tolerance_;
};

void require_from_to(const std::string& name, int found, int most) {
  if (found >= 1 && found <= most) return;
  throw InputError(name + ": found " + std::to_string(found) + ", expected 1 to " +
                   std::to_string(most));
}

}  // namespace

Hamiltonian Hamiltonian::from_spinors(const SpinorArrays& arrays,
                                      const DeterminantSettings& determinants) {
  const int electrons = determinants.electrons.value_or(arrays.electrons);
  require_from_to("spinors", arrays.spinors, OrbitalString::most_orbitals);
  require_from_to("electrons", electrons, arrays.spinors);
  if (!std::isfinite(arrays.core_energy)) {
    throw InputError("core_energy: found NaN or infinity, expected a number");
  }
  const std::size_t pairs = static_cast<std::size_t>(arrays.spinors) * arrays.spinors;
  const ComplexNumbers h(arrays.h1, pairs, "h1"), g(arrays.eri, pairs * pairs, "eri");
  constexpr double part = 1e-8;
  SpinorCopy copy(arrays.spinors, part * std::max(h.largest(), g.largest()));
  copy.take_h(h);
  copy.take_g(g);
  SpinorIntegrals integrals = copy.release();
  integrals.electrons = electrons;
  integrals.core_energy = arrays.core_energy;
  auto data = std::make_shared<Data>();
  static_cast<DeterminantSettings&>(data->input) = determinants;
  data->input.file = "the Hamiltonian";
  data->spinors = std::make_shared<const SpinorIntegrals>(std::move(integrals));
  data->open(Storage::full, {});  // throws where settings are of orbitals
  return Hamiltonian(std::move(data));
}

}  // namespace cisolve
