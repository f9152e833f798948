#include "app/cli/other_words.hpp"

#include <algorithm>

namespace cisolve {
namespace {

/// A word of PySCF, Molpro, ORCA, Psi4 or another program. Its option here is named, not taken: the
/// meaning may differ.
struct Word {
  const char* typed;
  const char* option;
  const char* meaning;  ///< after the option; empty: nothing
};
constexpr Word words[] = {
    {"--spin", "--ms2", " for alpha minus beta electrons, or --multiplicity for 2S + 1"},
    {"--memory", "--memory-limit", ", with its unit, as in 4GB"},
    {"--max-memory", "--memory-limit", ", with its unit, as in 4GB"},
    {"--maxcore", "--memory-limit", ", of all threads together, as in 4GB"},
    {"--walltime", "--time-limit", ", in seconds"},
    {"--max-time", "--time-limit", ", in seconds"},
    {"--timeout", "--time-limit", ", in seconds"},
    {"--nstates", "--states", ""},
    {"--num-states", "--states", ""},
    {"--roots", "--states", ""},
    {"-k", "--states", ""},
    {"--wfnsym", "--irrep", ""},
    {"--symmetry", "--irrep", ""},
    {"--sym", "--irrep", ""},
    {"--multiplicity", "--ms2", ", 2 M_s: spins are not told apart here"},
    {"--nelec", "--electrons", ""},
    {"--nelectron", "--electrons", ""},
    {"--charge", "--electrons", ", their number"},
    {"--norb", "--active", ", a list of orbitals"},
    {"--ncas", "--active", ", a list of orbitals"},
    {"--ncore", "--freeze", ""},
    {"--frozen-core", "--freeze", ", a number of orbitals"},
    {"--max-cycle", "--max-iterations", ""},
    {"--maxiter", "--max-iterations", ""},
    {"--max-iter", "--max-iterations", ""},
    {"--conv-tol", "--tolerance", ", of the residual's norm, not of the energy"},
    {"--convergence", "--tolerance", ", of the residual's norm"},
    {"--solver", "--method", ""},
    {"--gpu", "--backend", " cuda"},
    {"--cuda", "--backend", " cuda"},
    {"--cpu", "--backend", " cpu"},
    {"--nthreads", "--threads", ""},
    {"--num-threads", "--threads", ""},
    {"-j", "--threads", ""},
    {"--guess", "--restart", ", a file of vectors"},
    {"--output", "--json", " for the report, or --vectors for the states"},
    {"--out", "--json", " for the report, or --vectors for the states"},
    {"-o", "--json", " for the report, or --vectors for the states"},
    {"--csv", "--json", " for the report"}};

}  // namespace

std::string here_it_is(const std::string& typed, const std::vector<std::string>& options) {
  const auto word =
      std::ranges::find(words, typed, [](const Word& w) -> std::string { return w.typed; });
  if (word == std::end(words) || std::ranges::count(options, word->option) == 0) return "";
  return std::string("; here it is ") + word->option + word->meaning;
}

}  // namespace cisolve
