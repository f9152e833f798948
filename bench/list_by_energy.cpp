// Writes a list of the determinants of lowest orbital energy, as a file for --determinants:
//
//     list_by_energy FCIDUMP DETERMINANTS OUT.npz [THINNED]
//     list_by_energy FCIDUMP strings STRINGS OUT.npz
//
// THINNED takes every THINNED-th of so many times more determinants, drawn by their bits; such a
// list has fewer nonzeros a row. The second form writes the strings of lowest energy of each spin,
// for --strings.
//
// Determinants are ordered by the sum of their orbital energies, or of the Fock operator's diagonal
// if the file has none. Such a list has the mixture of excitations that selection finds, at any
// size, and is the same everywhere.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "hamiltonian/space/ci_space.hpp"
#include "io/array_archive.hpp"

namespace cisolve {
namespace {

struct StringEnergy {
  double energy;
  OrbitalString string;
};

/// All strings of so many electrons, by energy.
std::vector<StringEnergy> strings_by_energy(const std::vector<double>& energies, int electrons) {
  const int n = static_cast<int>(energies.size());
  std::vector<StringEnergy> all;
  OrbitalString s = OrbitalString::lowest(electrons);
  for (;; s = s.next()) {
    double sum = 0.0;
    for (const int p : s) sum += energies[p];
    all.push_back({sum, s});
    if (s == (OrbitalString::lowest(n) & ~OrbitalString::lowest(n - electrons))) break;
  }
  std::ranges::stable_sort(all, {}, &StringEnergy::energy);
  return all;
}

/// Number of pairs with at most that energy.
std::int64_t pairs_below(const std::vector<StringEnergy>& a, const std::vector<StringEnergy>& b,
                         double energy) {
  std::int64_t count = 0;
  auto end = static_cast<std::int64_t>(b.size());
  for (const StringEnergy& of_a : a) {
    while (end > 0 && of_a.energy + b[end - 1].energy > energy) --end;
    count += end;
  }
  return count;
}

void write(const std::vector<std::uint64_t>& alphas, const std::vector<std::uint64_t>& betas,
           const std::string& out) {
  write_npz_arrays({named_array("alpha", "<u8", alphas), named_array("beta", "<u8", betas)}, out,
                   out);
}

int write_strings(const std::string& file, std::size_t wanted, const std::string& out) {
  const Integrals integrals = read_fcidump(file);
  const auto electrons = electron_numbers(integrals);
  const auto energies = orbital_energies(integrals);
  std::array<std::vector<std::uint64_t>, 2> lowest;
  for (const Spin spin : {alpha, beta}) {
    const auto all = strings_by_energy(energies[spin], electrons[spin]);
    for (std::size_t i = 0; i < std::min(wanted, all.size()); ++i) {
      lowest[spin].push_back(all[i].string.word(0));
    }
  }
  write(lowest[alpha], lowest[beta], out);
  std::printf("%s: %zu alpha and %zu beta strings\n", out.c_str(), lowest[alpha].size(),
              lowest[beta].size());
  return 0;
}

bool is_drawn(std::uint64_t a, std::uint64_t b, std::uint64_t thinned) {
  std::uint64_t mixed = (a * 0x9e3779b97f4a7c15u ^ b) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ mixed >> 29) * 0x94d049bb133111ebu;
  return (mixed ^ mixed >> 32) % thinned == 0;
}

int run(const std::string& file, std::int64_t wanted, const std::string& out,
        std::uint64_t thinned) {
  const Integrals integrals = read_fcidump(file);
  const auto electrons = electron_numbers(integrals);
  const auto energies = orbital_energies(integrals);
  const auto a = strings_by_energy(energies[alpha], electrons[alpha]);
  const auto b = strings_by_energy(energies[beta], electrons[beta]);
  double low = a.front().energy + b.front().energy, high = a.back().energy + b.back().energy;
  for (int step = 0; step < 100; ++step) {
    const double middle = 0.5 * (low + high);
    const auto all = wanted * static_cast<std::int64_t>(thinned);
    (pairs_below(a, b, middle) <= all ? low : high) = middle;
  }
  std::vector<std::uint64_t> alphas, betas;
  for (const StringEnergy& of_a : a) {
    for (const StringEnergy& of_b : b) {
      if (of_a.energy + of_b.energy > low) break;
      const std::uint64_t bits_a = of_a.string.word(0), bits_b = of_b.string.word(0);
      if (!is_drawn(bits_a, bits_b, thinned)) continue;
      alphas.push_back(bits_a);
      betas.push_back(bits_b);
    }
  }
  write(alphas, betas, out);
  std::printf("%s: %zu determinants\n", out.c_str(), alphas.size());
  return 0;
}

}  // namespace
}  // namespace cisolve

int main(int count, char** arguments) {
  const bool strings = count == 5 && std::string(arguments[2]) == "strings";
  if ((count != 4 && count != 5) || (!strings && std::atoll(arguments[2]) < 1)) {
    std::fprintf(stderr,
                 "list_by_energy FCIDUMP DETERMINANTS OUT.npz [THINNED]\n"
                 "list_by_energy FCIDUMP strings STRINGS OUT.npz\n");
    return 1;
  }
  try {
    if (strings) {
      return cisolve::write_strings(arguments[1], std::atoll(arguments[3]), arguments[4]);
    }
    const long long thinned = count == 5 ? std::max(1ll, std::atoll(arguments[4])) : 1;
    return cisolve::run(arguments[1], std::atoll(arguments[2]), arguments[3], thinned);
  } catch (const cisolve::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
