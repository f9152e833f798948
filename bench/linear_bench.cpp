// Iterations that the linear solvers need for (H − σ)x = b, beside their forecast: Markdown, a row
// each system and σ, a cell each method: iterations / forecast; "–" if the solve does not converge
// or no place is forecast. Then the errors of each method's forecasts.
//
//   linear_bench [--data DIR] [--largest N] [--rings 6,8] [--rhs ones|random]

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/open_model.hpp"
#include "core/error.hpp"
#include "formats/format.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/linear/linear_problem.hpp"
#include "solvers/linear/methods.hpp"

using namespace cisolve;

namespace {

constexpr double below_ground[] = {-1.0, -0.1, -0.01};
constexpr int p_space_size = 500;

struct Settings {
  std::int64_t largest = 20000;
  std::string rhs = "ones";
  LinearOptions options;
};

/// Figures of a method over all systems.
struct Tally {
  std::vector<double> ratios;  ///< forecast over needed, where both are
  int only_needed = 0, only_forecast = 0, neither = 0;
};

struct System {
  std::string name;
  std::shared_ptr<const CsrMatrix> matrix;
  PSpace p_space;
  double ground = 0.0;
};

std::vector<LinearMethod> methods() {
  std::vector<LinearMethod> all;
  for (const LinearMethodTraits& traits : linear_methods()) all.push_back(traits.method);
  return all;
}

std::optional<int> forecast_of(const LinearResult& result) {
  for (const LinearForecast& one : result.forecasts) {
    if (one.method == result.method) return one.iterations;
  }
  return std::nullopt;
}

void add(Tally& tally, std::optional<int> needed, std::optional<int> forecast) {
  if (needed && forecast) {
    tally.ratios.push_back(static_cast<double>(*forecast) / std::max(*needed, 1));
  } else if (needed) {
    ++tally.only_needed;
  } else if (forecast) {
    ++tally.only_forecast;
  } else {
    ++tally.neither;
  }
}

std::string cell(std::optional<int> iterations) {
  return iterations ? std::to_string(*iterations) : "–";
}

void solve_all(const System& system, Backend& backend, const Settings& settings,
               std::map<LinearMethod, Tally>& tallies) {
  const auto a = make_operator("csr", system.matrix, backend);
  MultiVector b(backend, a->rows(), 1), x(backend, a->rows(), 1);
  if (settings.rhs == "random") {
    backend.fill_random(1, 0, b.view());
  } else {
    backend.fill(1.0, b.view());
  }
  const DiagonalBlocks blocks{system.p_space.matrix, system.p_space.rows};
  for (const double offset : below_ground) {
    std::printf("| %s | %d | E₀ − %g |", system.name.c_str(), a->rows(), -offset);
    for (const LinearMethod method : methods()) {
      LinearOptions options = settings.options;
      options.method = method;
      options.shift = system.ground + offset;
      options.blocks = &blocks;
      backend.fill(0.0, x.view());
      const LinearResult result = solve_linear(*a, backend, b.view(), x.view(), options);
      const auto forecast = forecast_of(result);
      std::optional<int> needed;
      if (result.status == SolveStatus::converged) needed = result.iterations;
      add(tallies[method], needed, forecast);
      std::printf(" %s / %s |", cell(needed).c_str(), cell(forecast).c_str());
      std::fflush(stdout);
    }
    std::printf("\n");
  }
}

System make_system(const std::string& name, const std::string& file, Backend& backend,
                   const Settings& settings) {
  InputConfig input;
  input.file = file;
  const auto model = open_model(input);
  if (model->rows() > settings.largest) {
    throw InputError(std::to_string(model->rows()) + " determinants");
  }
  System system{name, require_elements(*model).take(), {}, 0.0};
  const CsrMatrix& matrix = *system.matrix;
  system.p_space.sectors = connected_sectors(matrix.row_offsets, matrix.column_indices);
  system.p_space.rows = lowest_diagonal_rows(diagonal(matrix), p_space_size);
  system.p_space.matrix = principal_submatrix(matrix, system.p_space.rows);
  const auto a = make_operator("csr", system.matrix, backend);
  const EigenResult ground = lowest_eigenpairs(*a, backend, system.p_space, {});
  if (ground.status != SolveStatus::converged) {
    throw InputError("the ground state ended as " + to_string(ground.status));
  }
  system.ground = ground.energies[0];
  return system;
}

void print_tally(LinearMethod method, Tally& tally) {
  std::ranges::sort(tally.ratios);
  const auto near =
      std::ranges::count_if(tally.ratios, [](double r) { return r >= 1.0 / 1.3 && r <= 1.3; });
  const auto& r = tally.ratios;
  std::printf("| %s | %zu | %lld | %.2f | %.2f | %.2f | %d | %d | %d |\n",
              to_string(method).c_str(), r.size(), static_cast<long long>(near),
              r.empty() ? 0.0 : r.front(), r.empty() ? 0.0 : r[r.size() / 2],
              r.empty() ? 0.0 : r.back(), tally.only_needed, tally.only_forecast, tally.neither);
}

std::vector<std::pair<std::string, std::string>> inputs(const std::string& data,
                                                        const std::vector<int>& rings) {
  std::vector<std::pair<std::string, std::string>> named;
  for (const auto& entry : std::filesystem::directory_iterator(data)) {
    const std::filesystem::path& file = entry.path();
    if (file.extension() == ".fcidump") named.emplace_back(file.stem().string(), file.string());
  }
  std::ranges::sort(named);
  for (const int sites : rings) {
    named.emplace_back("hubbard ring of " + std::to_string(sites),
                       "generate:hubbard,sites=" + std::to_string(sites));
  }
  return named;
}

}  // namespace

int main(int argc, char** argv) {
  std::string data = CISOLVE_BENCH_DATA;
  std::vector<int> rings{4, 6};
  Settings settings;
  settings.options.symmetric = true;
  settings.options.forecast = true;
  settings.options.max_iterations = 5000;
  CLI::App app("Iterations of the linear solvers beside their forecasts");
  app.add_option("--data", data, "folder of FCIDUMP files");
  app.add_option("--largest", settings.largest, "determinants beyond which a file is left out");
  app.add_option("--rings", rings, "sites of Hubbard rings")->delimiter(',');
  app.add_option("--rhs", settings.rhs, "ones or random");
  app.add_option("--spectrum-steps", settings.options.spectrum_steps, "products that forecast");
  CLI11_PARSE(app, argc, argv);

  const auto backend = make_cpu_backend();
  std::map<LinearMethod, Tally> tallies;
  std::printf("| system | rows | shift |");
  for (const LinearMethod method : methods()) std::printf(" %s |", to_string(method).c_str());
  std::printf("\n|---|---|---|");
  for (std::size_t i = 0; i < methods().size(); ++i) std::printf("---|");
  std::printf("\n");
  for (const auto& [name, file] : inputs(data, rings)) {
    try {
      solve_all(make_system(name, file, *backend, settings), *backend, settings, tallies);
    } catch (const std::exception& error) {
      std::printf("| %s | left out: %s |\n", name.c_str(), error.what());
    }
  }
  std::printf(
      "\nForecast over needed:\n\n| method | both | within 30 %% | least | median | most | needed "
      "only | forecast only | neither |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const LinearMethod method : methods()) print_tally(method, tallies[method]);
}
