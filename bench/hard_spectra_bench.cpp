// Solves of problems whose lowest states are easily missed (bench/hard_problems.cpp), as a user has
// them: files, the library's lowest_eigenstates, default settings except those that a family is
// about. For every method and 12 numbers of states it counts the solves that are right and
// verified, right only, wrong, unconverged. A right solve has the right energies and, for one
// multiplicity, the right ⟨S²⟩ of all states. Every solve that is not right and verified is
// printed. Exits 2 when a result is wrong and verified.
//
//   hard_spectra_bench [--problems N] [--families graph,scaled] [--methods davidson,lanczos]
//     [--processes P] [--backend cuda]
//   hard_spectra_bench --families F --first S --problems 1 --states K     one solve again
//   hard_spectra_bench --problems N --write FOLDER      the files; hard_spectra_peers.py reads them

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/hard_problems.hpp"
#include "cisolve/eigen.hpp"
#include "io/matrix_file.hpp"

using namespace cisolve;

namespace {

constexpr double right_energy = 1e-6;  // in the problem's unit, Hartree of determinants
constexpr double right_spin = 1e-6;    // of ⟨S²⟩
constexpr int solves_of_problem = 12;  // by each method, of as many numbers of states
constexpr double most_seconds = 60.0;  // of a solve, which is not converged then

enum Outcome { right_verified, right, wrong_verified, wrong, unconverged, outcomes };
constexpr std::array<const char*, outcomes> words{"right, verified", "right", "wrong, verified",
                                                  "wrong", "unconverged"};

const std::map<std::string, EigenMethod> methods{{"davidson", EigenMethod::davidson},
                                                 {"lobpcg", EigenMethod::lobpcg},
                                                 {"lanczos", EigenMethod::lanczos}};
const std::map<std::string, Verify> efforts{{"off", Verify::off},
                                            {"quick", Verify::quick},
                                            {"default", Verify::standard},
                                            {"thorough", Verify::thorough}};

struct Asked {
  int problems = 34, processes = 1, first = 1, states = 0;
  std::filesystem::path data = CISOLVE_BENCH_DATA "/hard";
  std::string backend = "cpu", verify = "default";
  std::vector<std::string> methods{"davidson", "lobpcg", "lanczos"}, families;
};

/// Problems are numbered over the families in turn.
hard::Problem problem_of(int number, const Asked& asked) {
  const int count = static_cast<int>(asked.families.size());
  return hard::make_problem(asked.families[number % count],
                            static_cast<unsigned>(asked.first + number / count), asked.data);
}

/// The settings of one of a problem's solves.
struct Solve {
  std::string method;
  int states = 1, p_space = 0;
  std::string operator_kind = "auto";
};

Solve solve_of(const hard::Problem& problem, const std::string& method, int states) {
  constexpr int p_sizes[] = {0, 10, 100};
  const char* kinds[] = {"auto", "stored", "direct"};
  const unsigned turn = problem.seed + static_cast<unsigned>(states);
  Solve made{method, states, p_sizes[turn % 3]};
  if (problem.full_ci) made.operator_kind = kinds[turn / 3 % 3];
  return made;
}

/// The program's command line for that solve.
std::string command_of(const hard::Problem& problem, const hard::Files& files, const Solve& solve) {
  const DeterminantSettings determinants = hard::determinants_of(problem);
  std::string line = "cisolve eigen " + files.hamiltonian.filename().string() + " --states " +
                     std::to_string(solve.states) + " --method " + solve.method;
  const auto add = [&](const std::string& flag, const auto& value) {
    if (value) line += flag + std::to_string(*value);
  };
  const auto add_list = [&](const std::string& flag, const std::vector<int>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      line += (i == 0 ? flag : ",") + std::to_string(list[i]);
    }
  };
  if (determinants.irrep) line += " --irrep " + *determinants.irrep;
  add(" --multiplicity ", problem.multiplicity);
  add_list(" --ras1 ", determinants.ras1);
  add(" --ras-holes ", determinants.ras_holes);
  add_list(" --ras3 ", determinants.ras3);
  add(" --ras-particles ", determinants.ras_particles);
  if (!files.start.empty()) line += " --restart " + files.start.filename().string();
  if (solve.operator_kind != "auto") line += " --operator " + solve.operator_kind;
  if (solve.p_space != 0) line += " --set solver.p_space=" + std::to_string(solve.p_space);
  for (const Setting& setting : problem.more) {
    line += " --set " + setting.key + "=" + setting.value;
  }
  return line + " --set solver.seed=" + std::to_string(problem.seed);
}

/// ⟨S²⟩ of a state, of its vector.
double spin_of(const CsrMatrix& s_squared, const Eigenstates& found, std::size_t state) {
  const std::size_t k = found.states.size();
  double sum = 0.0;
  for (Index i = 0; i < s_squared.rows; ++i) {
    for (Offset e = s_squared.row_offsets[i]; e < s_squared.row_offsets[i + 1]; ++e) {
      sum += found.vectors[i * k + state] * s_squared.values[e] *
             found.vectors[s_squared.column_indices[e] * k + state];
    }
  }
  return sum;
}

struct Judged {
  Outcome outcome = unconverged;
  double seconds = 0.0, products = 0.0, search_products = 0.0;
  std::string why;  ///< where it is not right and verified
};

Judged judge(const hard::Problem& problem, const Eigenstates& found) {
  double energy_error = 0.0, spin_error = 0.0;
  for (std::size_t j = 0; j < found.states.size(); ++j) {
    energy_error =
        std::max(energy_error, std::abs(found.states[j].energy - problem.lowest[j]) / problem.unit);
    if (!problem.multiplicity) continue;
    const double s = 0.5 * (*problem.multiplicity - 1);
    spin_error = std::max(spin_error, std::abs(spin_of(problem.s_squared, found, j) - s * (s + 1)));
  }
  const bool is_right = energy_error <= right_energy && spin_error <= right_spin;
  Judged judged;
  if (found.status == SolveStatus::converged) {
    judged.outcome = is_right ? (found.verified ? right_verified : right)
                              : (found.verified ? wrong_verified : wrong);
  }
  judged.seconds = found.seconds;
  judged.products = static_cast<double>(found.operator_applications);
  judged.search_products = static_cast<double>(found.probe_applications);
  char text[200];
  std::snprintf(text, sizeof text, "%s, energies off by %.1e, <S^2> by %.1e, excluded gap %.1e",
                to_string(found.status).c_str(), energy_error, spin_error,
                found.excluded_gap / problem.unit);
  judged.why = text;
  return judged;
}

Judged solved(const hard::Problem& problem, const hard::Files& files, const Solve& solve,
              const Asked& asked) {
  EigenSettings settings;
  settings.method = methods.at(solve.method);
  settings.states = solve.states;
  settings.seed = problem.seed;
  settings.p_space = solve.p_space;
  settings.multiplicity = problem.multiplicity;
  settings.verify = efforts.at(asked.verify);
  settings.restart = files.start;
  settings.time_limit = most_seconds;
  Machine machine;
  machine.backend = asked.backend == "cuda" ? Device::cuda : Device::cpu;
  machine.more = problem.more;
  machine.more.push_back({"", "operator", solve.operator_kind});
  try {
    return judge(problem,
                 lowest_eigenstates(hard::hamiltonian_of(problem, files), settings, {machine}));
  } catch (const std::exception& error) {
    Judged judged;
    judged.why = error.what();
    std::ranges::replace(judged.why, '\n', ' ');
    return judged;
  }
}

/// All solves of a problem; each is a line, shorter than what a pipe takes at once.
void solve_problem(const hard::Problem& problem, const std::filesystem::path& folder,
                   const Asked& asked, int out) {
  const hard::Files files = hard::write_files(problem, folder);
  for (const std::string& method : asked.methods) {
    int before = 0;
    for (int i = 1; i <= solves_of_problem; ++i) {
      const int k = (problem.most_states * i + solves_of_problem - 1) / solves_of_problem;
      if (k == std::exchange(before, k) || (asked.states != 0 && k != asked.states)) continue;
      const Solve solve = solve_of(problem, method, k);
      const Judged judged = solved(problem, files, solve, asked);
      char line[4000];
      const int length = std::snprintf(
          line, sizeof line, "%s;%s;%d;%g;%g;%g;seed %u, %s: %.1000s\n  %.1000s\t\n",
          method.c_str(), problem.family.c_str(), judged.outcome, judged.seconds, judged.products,
          judged.search_products, problem.seed, words[judged.outcome], judged.why.c_str(),
          command_of(problem, files, solve).c_str());
      if (write(out, line, length) != length) throw std::runtime_error("a pipe does not take more");
    }
  }
  for (const auto& file : {files.hamiltonian, files.start}) {
    if (!file.empty()) std::filesystem::remove(file);
  }
}

/// Problems, the next one whenever the last is solved.
void work(std::atomic<int>& next, const Asked& asked, int out) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("hard_spectra_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  for (int n = next++; n < asked.problems; n = next++) {
    solve_problem(problem_of(n, asked), folder, asked, out);
  }
  std::filesystem::remove_all(folder);
}

/// The problems as files; and their matrices with the lowest eigenvalues for other programs, but
/// for those of one multiplicity, in another unit, or not real.
void write_problems(const Asked& asked, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const std::unique_ptr<FILE, int (*)(FILE*)> list(std::fopen((folder / "lowest.txt").c_str(), "w"),
                                                   &std::fclose);
  if (!list) throw std::runtime_error("cannot write to " + folder.string());
  for (int n = 0; n < asked.problems; ++n) {
    const hard::Problem problem = problem_of(n, asked);
    hard::write_files(problem, folder);
    if (problem.multiplicity || problem.unit != 1.0 || problem.over_field) continue;
    const std::string name = problem.family + "-" + std::to_string(problem.seed) + ".npz";
    write_matrix(hard::matrix_of(problem), folder / name);
    std::fprintf(list.get(), "%s;%s;", name.c_str(), problem.family.c_str());
    for (const double energy : problem.lowest) std::fprintf(list.get(), " %.12g", energy);
    std::fprintf(list.get(), "\n");
  }
}

struct Counts {
  int solves = 0;
  std::array<int, outcomes> of{};
  double seconds = 0.0, products = 0.0, search_products = 0.0;

  void add(const Judged& judged) {
    ++solves;
    ++of[judged.outcome];
    seconds += judged.seconds;
    products += judged.products;
    search_products += judged.search_products;
  }
};
using Table = std::map<std::pair<std::string, std::string>, Counts>;  // by method and family

/// Lines of solves until all who write are done; those that are not right and verified are shown.
Table read_solves(int in) {
  Table table;
  FILE* pipe = fdopen(in, "r");
  char method[64], family[64], text[4000];
  int outcome = 0;
  Judged judged;
  while (std::fscanf(pipe, "%63[^;];%63[^;];%d;%lg;%lg;%lg;%3999[^\t]\t\n", method, family,
                     &outcome, &judged.seconds, &judged.products, &judged.search_products,
                     text) == 7) {
    judged.outcome = static_cast<Outcome>(outcome);
    for (const std::string& rows : {std::string(family), std::string("all")}) {
      table[{method, rows}].add(judged);
    }
    if (judged.outcome == right_verified) continue;
    std::printf("%s, %s\n", family, text);
    std::fflush(stdout);
  }
  std::fclose(pipe);
  return table;
}

/// True when nothing is wrong and verified.
bool print(const Table& table) {
  std::printf(
      "\n| method | family | solves | right, verified | right | wrong, verified | wrong | "
      "unconverged | products | in search | seconds "
      "|\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  bool trusted = true;
  for (const auto& [key, c] : table) {
    std::printf("| %s | %s | %d |", key.first.c_str(), key.second.c_str(), c.solves);
    for (const int count : c.of) std::printf(" %d |", count);
    std::printf(" %.0f | %.0f | %.3f |\n", c.products / c.solves, c.search_products / c.solves,
                c.seconds / c.solves);
    trusted = trusted && c.of[wrong_verified] == 0;
  }
  return trusted;
}

/// Families that can be solved here; prints why others cannot.
std::vector<std::string> possible(const std::vector<std::string>& families) {
  std::vector<std::string> made;
  for (const std::string& family : families) {
    const std::string missing = hard::missing_for(family);
    if (missing.empty()) {
      made.push_back(family);
    } else {
      std::printf("family %s is left out: %s\n", family.c_str(), missing.c_str());
    }
  }
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  Asked asked;
  asked.families = hard::families();
  std::filesystem::path folder;
  CLI::App app("Solves problems whose lowest states are easily missed, and counts");
  app.add_option("--data", asked.data, "folder with the integral files and energies.yaml");
  app.add_option("--problems", asked.problems, "how many; each is solved 12 times by a method");
  app.add_option("--families", asked.families, "take turns; all")
      ->delimiter(',')
      ->check(CLI::IsMember(asked.families));
  app.add_option("--first", asked.first, "first seed of every family")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--states", asked.states, "only solves for so many states");
  app.add_option("--processes", asked.processes, "that share the problems")
      ->check(CLI::Range(1, 256));
  app.add_option("--methods", asked.methods, "davidson, lobpcg, lanczos")
      ->delimiter(',')
      ->check(CLI::IsMember(methods));
  app.add_option("--backend", asked.backend, "cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--verify", asked.verify, "off, quick, default or thorough")
      ->check(CLI::IsMember(efforts));
  app.add_option("--write", folder, "write the problems there, and solve none");
  CLI11_PARSE(app, argc, argv);
  if (!folder.empty()) {
    write_problems(asked, folder);
    return 0;
  }
  asked.families = possible(asked.families);
  if (asked.families.empty()) return 3;
  std::fflush(stdout);

  void* shared = mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int ends[2];
  if (shared == MAP_FAILED || pipe(ends) != 0) return 3;
  auto& next = *new (shared) std::atomic<int>(0);
  for (int p = 0; p < asked.processes; ++p) {
    if (fork() == 0) {
      close(ends[0]);
      work(next, asked, ends[1]);
      std::_Exit(0);
    }
  }
  close(ends[1]);
  const Table table = read_solves(ends[0]);
  bool all_ended = true;
  for (int p = 0; p < asked.processes; ++p) {
    int status = 0;
    wait(&status);
    all_ended = all_ended && status == 0;
  }
  if (!all_ended)
    std::printf("a process has not ended as it should; its last problem is missing\n");
  return print(table) && all_ended ? 0 : 2;
}
