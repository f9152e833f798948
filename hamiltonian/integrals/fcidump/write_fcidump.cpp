#include "hamiltonian/integrals/fcidump/write_fcidump.hpp"

#include <spdlog/fmt/fmt.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/error.hpp"

namespace cisolve {
namespace {

std::string header_of(const Integrals& integrals) {
  std::string text = fmt::format("&FCI NORB={},NELEC={},MS2={},\n", integrals.orbitals,
                                 integrals.electrons, integrals.ms2);
  if (const auto& irreps = integrals.orbital_irreps[alpha]; !irreps.empty()) {
    text += " ORBSYM=";
    for (const int irrep : irreps) {
      text += fmt::format("{},", irrep + (integrals.irreps_as_pyscf ? 0 : 1));
    }
    text += "\n";
  }
  for (const auto& [key, value] : integrals.other_keys) {
    if (key == "PNTGRP") text += fmt::format(" {}={},\n", key, value);
  }
  return text + "&END\n";
}

}  // namespace

void write_fcidump(const Integrals& integrals, const std::filesystem::path& path,
                   const std::string& name) {
  std::ofstream file(path, std::ios::binary);
  std::string lines = header_of(integrals);
  const auto add = [&](double value, int p, int q, int r, int s) {
    fmt::format_to(std::back_inserter(lines), "{:24.16e} {} {} {} {}\n", value, p, q, r, s);
  };
  const int n = integrals.orbitals;
  const TwoElectron& g = *integrals.alpha_beta;
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      const double* const row = g.row(pair_index(p, q));
      for (int r = 0; r <= p; ++r) {
        for (int s = 0; s <= (r == p ? q : r); ++s) {
          const double value = row[pair_index(r, s)];
          if (value != 0.0) add(value, p + 1, q + 1, r + 1, s + 1);
        }
      }
      file << lines;
      lines.clear();
    }
  }
  const OneElectron& h = *integrals.one_electron[alpha];
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      if (h(p, q) != 0.0 || p == q) add(h(p, q), p + 1, q + 1, 0, 0);
    }
  }
  add(integrals.core_energy, 0, 0, 0, 0);
  file << lines;
  file.flush();
  if (!file) throw ResourceError(name + ": cannot be written: " + std::strerror(errno));
}

}  // namespace cisolve
