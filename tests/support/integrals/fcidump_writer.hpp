#pragma once

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <utility>

#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve::testing {

/// Writes integrals as an FCIDUMP file, all digits, labels of orbitals from 1; unrestricted ones in
/// Molpro's six sections. Throws std::runtime_error when it cannot be written.
inline void write_fcidump(const Integrals& of, const std::filesystem::path& path) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "w"), &std::fclose);
  if (!file) throw std::runtime_error("cannot write " + path.string());
  FILE* const out = file.get();
  const int n = of.orbitals;
  std::fprintf(out, "&FCI NORB=%d,NELEC=%d,MS2=%d,\n", n, of.electrons, of.ms2);
  if (!of.orbital_irreps[alpha].empty()) {
    std::fprintf(out, " ORBSYM=");
    for (const int irrep : of.orbital_irreps[alpha]) std::fprintf(out, "%d,", irrep + 1);
    std::fprintf(out, "\n");
  }
  std::fprintf(out, " ISYM=1,%s\n&END\n", of.unrestricted ? "IUHF=1," : "");

  const auto two_electron = [&](const TwoElectron& g, bool same_spin) {
    for (int p = 0; p < n; ++p) {
      for (int q = 0; q <= p; ++q) {
        for (int r = 0; r < n; ++r) {
          for (int s = 0; s <= r; ++s) {
            const double value = g(p, q, r, s);
            if (value == 0.0 || (same_spin && pair_index(r, s) > pair_index(p, q))) continue;
            std::fprintf(out, "%.17g %d %d %d %d\n", value, p + 1, q + 1, r + 1, s + 1);
          }
        }
      }
    }
  };
  const auto one_electron = [&](const OneElectron& h) {
    for (int p = 0; p < n; ++p) {
      for (int q = 0; q <= p; ++q) {
        if (p != q && h(p, q) == 0.0) continue;
        std::fprintf(out, "%.17g %d %d 0 0\n", h(p, q), p + 1, q + 1);
      }
    }
  };
  const auto close_section = [&] {
    if (of.unrestricted) std::fprintf(out, "0.0 0 0 0 0\n");
  };
  two_electron(*of.alpha_alpha, true);
  if (of.unrestricted) {
    close_section();
    two_electron(*of.beta_beta, true);
    close_section();
    two_electron(*of.alpha_beta, false);
    close_section();
  }
  one_electron(*of.one_electron[alpha]);
  if (of.unrestricted) {
    close_section();
    one_electron(*of.one_electron[beta]);
    close_section();
  }
  std::fprintf(out, "%.17g 0 0 0 0\n", of.core_energy);
}

}  // namespace cisolve::testing
