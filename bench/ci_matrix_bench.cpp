// Building CI matrices: seconds for count and fill, and peak memory against the matrix's bytes. On
// a GPU, if there is one: seconds for the rows' lengths with their tables, for a pass over the
// rows, for one that finds the connected components and for one of the fingerprint. Usage:
// ci_matrix_bench [FCIDUMP SPACE]... with SPACE = fci or a highest excitation rank, and
// ":IRREP" after it for one irrep. Default: the files of tests/data, where their tests run them.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/input/fingerprint.hpp"
#include "backends/backend.hpp"
#include "core/timer.hpp"
#include "formats/matrix/row_components_cuda.hpp"
#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/matrix/cuda/ci_rows_cuda.hpp"

namespace {

using namespace cisolve;

/// Highest resident memory of this process so far, in bytes.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key;) {
    double kib = 0;
    if (key == "VmHWM:" && status >> kib) return kib * 1024;
  }
  return 0;
}

/// Makes the peak what is resident now.
void reset_peak_memory() {
  std::ofstream("/proc/self/clear_refs") << 5;
}

CiSpaceOptions parse_space(const std::string& text) {
  CiSpaceOptions options;
  if (text.substr(0, 3) != "fci") options.max_excitation = std::stoi(text);
  if (const auto colon = text.find(':'); colon != text.npos) {
    options.irrep = std::stoi(text.substr(colon + 1));
  }
  return options;
}

/// Seconds of the fastest of three calls.
template <class Call>
double fastest(Call call) {
  double best = 1e300;
  for (int repetition = 0; repetition < 3; ++repetition) {
    Timer timer;
    call();
    best = std::min(best, timer.seconds());
  }
  return best;
}

void run_on_device(const Integrals& integrals, const CiSpace& space) {
  if (!cuda_unavailable_reason().empty()) return;
  const auto backend = make_cuda_backend();
  std::unique_ptr<RowSource> rows;
  const double lengths =
      fastest([&] { rows = make_ci_rows_cuda(integrals, space, *backend, row_block_entries); });
  const double pass = fastest([&] { rows->for_each_block(1024, [](const DeviceRows&) {}); });
  const double components = fastest([&] { component_roots(*rows, *backend); });
  const double sums = fastest([&] { fingerprint(*rows, *backend); });
  std::printf("  %s: lengths %.4f s, pass %.4f s, components %.4f s, fingerprint %.4f s\n",
              backend->description().c_str(), lengths, pass, components, sums);
}

void run(const std::string& file, const std::string& space_text) {
  const Integrals integrals = read_fcidump(file);
  reset_peak_memory();
  const double before = peak_memory();
  Timer space_timer;
  const CiSpace space = make_ci_space(integrals, parse_space(space_text));
  const CiMatrixBuilder builder(integrals, space);
  const double tables = space_timer.seconds();
  Timer count_timer;
  auto offsets = builder.count();
  const double count = count_timer.seconds();
  Timer fill_timer;
  const CsrMatrix matrix = builder.fill(std::move(offsets));
  const double fill = fill_timer.seconds();
  const auto rows = static_cast<double>(matrix.rows);
  const double bytes = 12.0 * static_cast<double>(matrix.nonzeros()) + 8.0 * (rows + 1);
  std::printf("%-32s %-6s %10d %12lld %8.3f %8.3f %8.3f %9.1f %6.3f\n",
              std::filesystem::path(file).stem().c_str(), space_text.c_str(), matrix.rows,
              static_cast<long long>(matrix.nonzeros()), tables, count, fill,
              static_cast<double>(builder.table_bytes()) / 1e6, (peak_memory() - before) / bytes);
  run_on_device(integrals, space);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::pair<std::string, std::string>> cases;
  for (int k = 1; k + 1 < argc; k += 2) cases.emplace_back(argv[k], argv[k + 1]);
  if (cases.empty()) {
    const std::string data = CISOLVE_TEST_DATA "/";
    cases = {{data + "n2_sto3g.fcidump", "fci"},
             {data + "h2o_631g_frozen_core.fcidump", "4"},
             {data + "h2o_631g_frozen_core.fcidump", "fci"},
             {data + "ch2_631g.fcidump", "fci:0"},
             {data + "n2_631g_frozen_core.fcidump", "4:0"}};
  }
  std::printf("%-32s %-6s %10s %12s %8s %8s %8s %9s %6s\n", "file", "space", "rows", "nonzeros",
              "tables s", "count s", "fill s", "tables MB", "peak*");
  try {
    for (const auto& [file, space] : cases) run(file, space);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("* growth of peak resident memory over the bytes of the matrix\n");
}
