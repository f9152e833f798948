// Speed of reading a Matrix Market file: usage below.
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "core/timer.hpp"
#include "io/matrix_file.hpp"

namespace {

using namespace cisolve;
namespace fs = std::filesystem;

constexpr const char* usage =
    "usage: matrix_market_bench FILE [REPEATS]\n"
    "       matrix_market_bench MEGABYTES general|symmetric [REPEATS]\n"
    "Reads FILE, or a random matrix written first, REPEATS times (5) and prints the median.\n"
    "OMP_NUM_THREADS sets the threads. The file stays in the page cache between the reads.\n";

/// n rows of about `row_length` random entries with 16 to 17 significant digits; when symmetric,
/// as many below the diagonal and their mirror images above: scattered further than CI matrices.
CsrMatrix random_matrix(Index n, int row_length, bool symmetric) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> value;
  std::vector<std::vector<std::pair<Index, double>>> rows(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    std::uniform_int_distribution<Index> column(0, symmetric ? i : n - 1);
    std::vector<Index> columns(static_cast<std::size_t>(row_length));
    for (Index& j : columns) j = column(random);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (const Index j : columns) {
      const double x = value(random);
      rows[i].emplace_back(j, x);
      if (symmetric && j != i) rows[j].emplace_back(i, x);
    }
  }
  CsrMatrix a{n, n, {}, {}, {}};
  a.row_offsets.push_back(0);
  for (const auto& row : rows) {
    for (const auto& [j, x] : row) {
      a.column_indices.push_back(j);
      a.values.push_back(x);
    }
    a.row_offsets.push_back(static_cast<Offset>(a.values.size()));
  }
  return a;
}

void measure(const fs::path& path, int repeats) {
  const double megabytes = static_cast<double>(fs::file_size(path)) / 1e6;
  std::vector<double> seconds;
  Offset nonzeros = 0;
  for (int i = 0; i < repeats; ++i) {
    const Timer timer;
    nonzeros = read_matrix_market(path).nonzeros();
    seconds.push_back(timer.seconds());
  }
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  std::printf("| %s | %.0f MB | %lld nonzeros | %d threads | median of %d: %.3f s | %.0f MB/s |\n",
              path.filename().c_str(), megabytes, static_cast<long long>(nonzeros),
              omp_get_max_threads(), repeats, median, megabytes / median);
}

int run(const std::vector<std::string>& arguments) {
  const std::size_t count = arguments.size();
  const bool is_file = count > 0 && is_matrix_file(arguments[0]);
  const std::size_t fixed = is_file ? 1 : 2;
  const int repeats = count > fixed ? std::stoi(arguments[fixed]) : 5;
  const std::string kind = !is_file && count > 1 ? arguments[1] : "";
  if (count < fixed || count > fixed + 1 || repeats < 1 ||
      (!is_file && kind != "general" && kind != "symmetric")) {
    std::fputs(usage, stderr);
    return 1;
  }
  if (is_file) {
    measure(arguments[0], repeats);
    return 0;
  }
  const double megabytes = std::stod(arguments[0]);
  constexpr int row_length = 60;
  constexpr double bytes_per_entry = 33.5;  // "123456 123456 -1.2345678901234567\n"
  const auto n = static_cast<Index>(std::max(1.0, megabytes * 1e6 / bytes_per_entry / row_length));
  const fs::path path = fs::temp_directory_path() / ("random_" + kind + ".mtx");
  write_matrix_market(random_matrix(n, row_length, kind == "symmetric"), path);
  measure(path, repeats);
  fs::remove(path);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "matrix_market_bench: %s\n%s", error.what(), usage);
    return 1;
  }
}
