// This program's eigensolvers beside SLEPc's, Spectra's and ARPACK's: the same matrices, the same
// product, the same tolerance, one thread. Prints Markdown: a table for every matrix, then how
// often each method returned wrong roots and said that it had converged.
//
//   eigensolver_comparison [--data DIR] [--only TEXT] [--states 1,4,8] [--methods TEXT]
//                          [--largest N] [--seed N]

#include <cblas.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "bench/comparison/allocation_meter.hpp"
#include "bench/comparison/case.hpp"
#include "bench/comparison/contender.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/threads/thread_count.hpp"

using namespace cisolve;
using namespace cisolve::comparison;

namespace {

/// Seconds of this process on a core: what other processes take does not count.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Measured {
  Outcome outcome;
  double seconds = 0.0;
  double megabytes = 0.0;  ///< most allocated at once beyond H, the vectors returned among it
  int right = 0;           ///< roots that are among the lowest
  double residual = 0.0;   ///< the largest, recomputed
};

/// Number of computed energies that are within 1e-8 of the lowest k, each of another reference.
int roots_right(const std::vector<double>& computed, const std::vector<double>& known, int k) {
  std::vector<double> missing(known.begin(), known.begin() + k);
  for (const double e : computed) {
    for (auto it = missing.begin(); it != missing.end(); ++it) {
      if (!(std::abs(e - *it) <= 1e-8)) continue;  // NaN is no root
      missing.erase(it);
      break;
    }
  }
  return k - static_cast<int>(missing.size());
}

/// max ‖Hx − θx‖ / ‖x‖; NaN without vectors, or where one holds NaN.
double true_residual(const CountedHamiltonian& h, const Outcome& outcome) {
  double largest = outcome.energies.empty() ? NAN : 0.0;
  Eigen::VectorXd hx(h.rows());
  for (std::size_t j = 0; j < outcome.energies.size(); ++j) {
    const auto x = outcome.vectors.col(static_cast<Eigen::Index>(j));
    h.multiply(x.data(), hx.data());
    const double norm = (hx - outcome.energies[j] * x).norm() / x.norm();
    if (!(norm <= largest)) largest = norm;
    if (std::isnan(largest)) break;
  }
  return largest;
}

Measured measure(const Method& method, const Problem& problem, CountedHamiltonian& h,
                 const std::vector<double>& known) {
  Measured m;
  h.reset();
  watch_allocations();
  const double begin = processor_seconds();
  m.outcome = method.solve(problem);
  m.seconds = processor_seconds() - begin;
  m.megabytes = static_cast<double>(most_allocated()) / 1e6;
  m.right = roots_right(m.outcome.energies, known, problem.states);
  m.residual = true_residual(h, m.outcome);
  return m;
}

/// Outcomes of a method's solves.
struct Tally {
  int solves = 0, right = 0, wrong_with_success = 0, gave_up_right = 0, gave_up = 0;

  void add(const Measured& m, int k) {
    ++solves;
    const bool all_right = m.right == k;
    if (m.outcome.says_converged) {
      ++(all_right ? right : wrong_with_success);
    } else {
      ++(all_right ? gave_up_right : gave_up);
    }
  }
};

std::string scientific(double x) {
  if (std::isnan(x)) return "–";
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", x);
  return text;
}

void print_head(const KnownCase& c) {
  std::printf("\n## %s\n\n%d rows, %lld nonzeros; energies: %s.\n\n", c.title.c_str(),
              c.matrix->rows, static_cast<long long>(c.matrix->nonzeros()), c.source.c_str());
  std::printf(
      "| library | method | k | roots right | says | products | time | MB | residual reported | "
      "recomputed |\n|---|---|---|---|---|---|---|---|---|---|\n");
}

void print_row(const Method& method, int k, const Measured& m, double first_seconds) {
  const bool wrong = m.right < k;
  const char* says = m.outcome.says_converged ? "converged" : m.outcome.status.c_str();
  std::printf("| %s | %s | %d | %s%d/%d%s | %s | %lld | %.2f | %.1f | %s | %s |\n",
              method.library.c_str(), method.name.c_str(), k, wrong ? "**" : "", m.right, k,
              wrong ? "**" : "", says, static_cast<long long>(m.outcome.products),
              m.seconds / first_seconds, m.megabytes,
              scientific(m.outcome.reported_residual).c_str(), scientific(m.residual).c_str());
  std::fflush(stdout);
}

/// Methods whose library and name contain `only`.
std::vector<Method> all_methods(const std::string& only) {
  std::vector<Method> methods;
  for (const auto& some : {own_methods(), slepc_methods(), spectra_methods(), arpack_methods()}) {
    for (const Method& m : some) {
      if ((m.library + " " + m.name).find(only) != std::string::npos) methods.push_back(m);
    }
  }
  return methods;
}

void print_summary(const std::vector<Method>& methods, const std::vector<Tally>& tallies) {
  std::printf(
      "\n## Summary\n\n| library | method | solves | right, says converged | **wrong, says "
      "converged** | right, says not | not all found, says not |\n|---|---|---|---|---|---|---|\n");
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const Tally& t = tallies[i];
    std::printf("| %s | %s | %d | %d | %d | %d | %d |\n", methods[i].library.c_str(),
                methods[i].name.c_str(), t.solves, t.right, t.wrong_with_success, t.gave_up_right,
                t.gave_up);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string data = CISOLVE_BENCH_DATA, only, only_methods;
  std::vector<int> states{1, 4, 8};
  std::int64_t largest = 60000, most_products = 5000;
  std::uint64_t seed = 1;
  double tolerance = 1e-6;
  CLI::App app("Compares the eigensolvers with SLEPc's, Spectra's and ARPACK's");
  app.add_option("--data", data, "folder with references.yaml and the integral files");
  app.add_option("--only", only, "cases whose file and space contain this text");
  app.add_option("--methods", only_methods, "methods whose library and name contain this text");
  app.add_option("--states", states, "numbers of states")->delimiter(',');
  app.add_option("--largest", largest, "rows beyond which a case is left out");
  app.add_option("--most-products", most_products, "products after which a solve is stopped");
  app.add_option("--tolerance", tolerance, "residual norm");
  app.add_option("--seed", seed, "of random start vectors");
  CLI11_PARSE(app, argc, argv);

  openblas_set_num_threads(1);
  const ThreadCount one(1);
  const auto backend = make_cpu_backend();
  const std::vector<Method> methods = all_methods(only_methods);
  std::vector<Tally> tallies(methods.size());
  for_each_case(data, only, states, largest, [&](const KnownCase& c) {
    CountedHamiltonian h(c.matrix, *backend);
    print_head(c);
    for (const int k : c.states) {
      const Problem problem{h, *backend, k, tolerance, seed, most_products};
      double first_seconds = 0.0;
      for (std::size_t i = 0; i < methods.size(); ++i) {
        const Measured m = measure(methods[i], problem, h, c.energies);
        if (i == 0) first_seconds = m.seconds;
        print_row(methods[i], k, m, first_seconds);
        tallies[i].add(m, k);
      }
    }
  });
  print_summary(methods, tallies);
}
