// Products of one CI matrix in every format, on one backend, beside the vendor library on a GPU.
// A row: median milliseconds of `repeats` runs after warming up, the last-level cache overwritten
// before each; GFLOPS = 2·nonzeros·k / s / 1e9; bytes of the format's own arrays and of X and Y,
// each once, over the time, and that over the bandwidth of a copy measured in the same run; the
// error ‖Y − Y_ref‖ / ‖Y_ref‖ against the serial product.
//
//   products_bench FCIDUMP [--space fci|cisd|cisdt|cisdtq] [--irrep N] [--electrons N]
//                  [--backend cpu|cuda] [--blocks 1,4] [--repeats 20]

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <random>

#include "bench/vendor_products.hpp"
#include "core/memory.hpp"
#include "core/timer.hpp"
#include "hamiltonian/ci_matrix.hpp"
#include "hamiltonian/fcidump.hpp"
#include "spmv/format.hpp"
#include "spmv/reference.hpp"

namespace {

using namespace cisolve;

class Measurement {
 public:
  Measurement(Backend& backend, int repeats)
      : backend_(backend), repeats_(repeats), flush_(backend, 32'000'000, 1) {}

  /// Median milliseconds.
  double operator()(const std::function<void()>& work) {
    std::vector<double> times;
    for (int r = -2; r < repeats_; ++r) {
      backend_.fill(r, flush_.view());
      backend_.synchronize();
      const double time = timed(work);
      if (r >= 0) times.push_back(time);
    }
    std::ranges::nth_element(times, times.begin() + times.size() / 2);
    return times[times.size() / 2];
  }

  /// Bytes per second of Y := X, read and write, 1 GB each.
  double copy_bandwidth() {
    MultiVector x(backend_, 125'000'000, 1), y(backend_, 125'000'000, 1);
    backend_.fill(1.0, x.view());
    return 2e9 / ((*this)([&] { backend_.copy(x.view(), y.view()); }) * 1e-3);
  }

 private:
  double timed(const std::function<void()>& work) {
    if (backend_.kind() == BackendKind::cuda) return bench::device_milliseconds(work);
    const Timer timer;
    work();
    return timer.seconds() * 1e3;
  }
  Backend& backend_;
  int repeats_;
  MultiVector flush_;
};

int run(int argc, char** argv) {
  std::string input, space_name = "fci", backend_name = "cpu";
  CiSpaceOptions options;
  FcidumpOptions integral_options;
  std::vector<int> blocks{1, 4};
  int repeats = 20;
  CLI::App app("Times the product of a CI matrix in every format");
  app.add_option("input", input, "FCIDUMP file")->required();
  app.add_option("--space", space_name, "fci, cisd, cisdt or cisdtq")
      ->check(CLI::IsMember({"fci", "cisd", "cisdt", "cisdtq"}));
  app.add_option("--irrep", options.irrep, "irrep of the determinants");
  app.add_option("--electrons", integral_options.electrons, "replaces NELEC of the file");
  app.add_option("--backend", backend_name, "cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--blocks", blocks, "numbers of vectors")
      ->delimiter(',')
      ->check(CLI::Range(1, 64));
  app.add_option("--repeats", repeats, "timed runs of each")->check(CLI::Range(1, 100000));
  CLI11_PARSE(app, argc, argv);

  const std::map<std::string, int> rank{{"cisd", 2}, {"cisdt", 3}, {"cisdtq", 4}};
  if (space_name != "fci") options.max_excitation = rank.at(space_name);
  const Integrals integrals = read_fcidump(input, integral_options);
  const CiSpace space = make_ci_space(integrals, options);
  std::shared_ptr<const CsrMatrix> matrix;
  {
    const Timer timer;
    const CiMatrixBuilder builder(integrals, space);
    matrix = std::make_shared<const CsrMatrix>(builder.fill(builder.count()));
    std::printf("%s %s: %d rows, %lld nonzeros, built in %.2f s\n", input.c_str(),
                space_name.c_str(), matrix->rows, static_cast<long long>(matrix->nonzeros()),
                timer.seconds());
  }

  const auto backend = backend_name == "cuda" ? make_cuda_backend() : make_cpu_backend();
  std::printf("%s: %s %s\n", backend_name.c_str(), backend->description().c_str(),
              bench::device_line().c_str());
  Measurement measure(*backend, repeats);
  const double copy = measure.copy_bandwidth();
  std::printf("copy bandwidth %.0f GB/s\n", copy * 1e-9);
  std::printf("%-20s %3s %10s %9s %10s %10s %8s %9s  %s\n", "format", "k", "ms", "GFLOPS", "bytes",
              "GB/s", "of copy", "error", "layout");

  for (const int k : blocks) {
    std::mt19937 engine(1);
    std::normal_distribution<double> normal;
    const HostMatrix x =
        HostMatrix::NullaryExpr(matrix->columns, k, [&] { return normal(engine); });
    const HostMatrix reference = reference_product(*matrix, x);
    MultiVector device_x(*backend, matrix->columns, k), y(*backend, matrix->rows, k);
    backend->upload(x, device_x.view());

    const auto row = [&](const std::string& name, std::size_t bytes, const std::string& layout,
                         const std::function<void()>& product) {
      backend->fill(0.0, y.view());
      const double ms = measure(product);
      const double error = (backend->download(y.view()) - reference).norm() / reference.norm();
      const double moved = static_cast<double>(bytes) +
                           8.0 * k * (static_cast<double>(matrix->columns) + matrix->rows);
      const double rate = moved / (ms * 1e-3);
      std::printf("%-20s %3d %10.4f %9.1f %10s %10.1f %8.2f %9.1e  %s\n", name.c_str(), k, ms,
                  2e-6 * static_cast<double>(matrix->nonzeros()) * k / ms,
                  format_bytes(static_cast<double>(bytes)).c_str(), rate * 1e-9, rate / copy, error,
                  layout.c_str());
      std::fflush(stdout);
    };

    for (const Format& format : formats()) {
      const std::string reason = unavailable_reason(format, backend->kind());
      if (!reason.empty()) {
        std::printf("%-20s %3d  %s\n", format.name.c_str(), k, reason.c_str());
        continue;
      }
      const auto a = make_operator(format.name, matrix, *backend);
      const OperatorInfo info = a->info();
      row(format.name, info.bytes, info.layout,
          [&] { a->apply(1.0, device_x.view(), 0.0, y.view()); });
    }
    if (backend->kind() == BackendKind::cuda) {
      for (const auto& product :
           bench::vendor_products(*matrix, k, device_x.view().data, y.view().data)) {
        row(product.name, product.bytes, "", product.run);
      }
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "products_bench: %s\n", error.what());
    return 1;
  }
}
