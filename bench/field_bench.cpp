// Products of matrices over the complex numbers and quaternions, beside cuSPARSE's of the same
// matrices as complex and real ones. Usage:
// field_bench [--backend cpu|cuda] [--rows R] [--per-row L] [--spinors S] [--electrons E] [--runs
// N]
//
// The complex matrix is Hermitian with R rows of L nonzeros on average, in the pattern of a CI
// matrix; 2e8 in all by default. Its elements all differ. Those of the CI matrix of E electrons in
// S spinors repeat (field_spinors.hpp): 20 and 10 by default, 184,756 rows of 2,126
// nonzeros, 3.9e8. The quaternion matrix has R/2 rows of L/2 nonzeros: as a complex matrix it is as
// large as the first, as a real one it has 2R rows of 2L nonzeros, 9.6 GB by default.
//
// Bytes a second count the matrix, X and Y once each. Gain: the fastest time of cuSPARSE with the
// same elements and as many vectors, in any form, over this one. Difference: largest difference of
// AX from csr's, over csr's largest number.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "backends/stopwatch.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/mixed.hpp"
#include "field_cusparse.hpp"
#include "field_spinors.hpp"
#include "formats/format.hpp"
#include "formats/matrix/elements.hpp"
#include "formats/matrix/generate.hpp"

namespace cisolve::bench {

double median_milliseconds(Backend& backend, int runs, const std::function<void()>& work) {
  for (int i = 0; i < 3; ++i) work();
  std::vector<double> times(runs);
  for (double& time : times) time = timed_milliseconds(backend, work);
  std::ranges::nth_element(times, times.begin() + runs / 2);
  return times[runs / 2];
}

namespace {

struct Settings {
  std::string backend = "cuda";
  Index rows = 1'000'000;
  double per_row = 200.0;
  int spinors = 20;
  int electrons = 10;
  int runs = 15;
};

/// A measurement and the form of the matrix it is of.
struct Line {
  std::string form;
  FieldMeasurement measured;
};

/// The pattern of a CI matrix: the first tenth of rows and columns, 0.19 of all places, is twenty
/// times as dense as the rest.
CsrMatrix ci_pattern(Index rows, double per_row) {
  constexpr double ratio = 20.0;
  CiPattern pattern{.rows = rows, .reference_fraction = 0.1};
  pattern.expansion_density = per_row / (rows * (0.19 * ratio + 0.81));
  pattern.reference_density = std::min(1.0, ratio * pattern.expansion_density);
  return generate_ci(pattern, 1, true);
}

/// Elements of d numbers in (−1, 1) of a Hermitian matrix, on a symmetric pattern.
CsrMatrix with_elements(CsrMatrix a, int d) {
  a.components = d;
  a.values = Array<double>(static_cast<std::size_t>(a.nonzeros()) * d);
#pragma omp parallel for schedule(dynamic, 1024)
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
      const Index j = a.column_indices[e];
      const std::int64_t first = std::int64_t{std::min(i, j)} * a.columns + std::max(i, j);
      for (int c = 0; c < d; ++c) {
        const double number = mixed_uniform(static_cast<std::uint64_t>(first) * d + c);
        a.values[e * d + c] = c == 0 || i < j ? number : i == j ? 0.0 : -number;
      }
    }
  }
  return a;
}

/// Every element q as a dense block of `side` rows and columns of elements of d numbers;
/// block(q, r, c, to) writes them.
template <class MakeBlock>
CsrMatrix in_blocks(const CsrMatrix& a, int side, int d, MakeBlock block) {
  CsrMatrix b;
  b.rows = a.rows * side;
  b.columns = a.columns * side;
  b.components = d;
  b.row_offsets = Array<Offset>(static_cast<std::size_t>(b.rows) + 1);
  for (Index i = 0; i < a.rows; ++i) {
    for (int r = 0; r < side; ++r) {
      b.row_offsets[Offset{i} * side + r] =
          side * (side * a.row_offsets[i] + r * Offset{a.row_length(i)});
    }
  }
  b.row_offsets[b.rows] = Offset{side} * side * a.nonzeros();
  b.column_indices = Array<Index>(b.row_offsets[b.rows]);
  b.values = Array<double>(b.row_offsets[b.rows] * d);
#pragma omp parallel for schedule(dynamic, 1024)
  for (Index i = 0; i < a.rows; ++i) {
    for (int r = 0; r < side; ++r) {
      Offset to = b.row_offsets[Offset{i} * side + r];
      for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
        for (int c = 0; c < side; ++c, ++to) {
          b.column_indices[to] = a.column_indices[e] * side + c;
          block(a.values.data() + e * a.components, r, c, b.values.data() + to * d);
        }
      }
    }
  }
  return b;
}

/// q = u + jv with u = a + bi, v = c − di is ((u, −v*), (v, u*)) on the pairs (z, w) of z + jw.
CsrMatrix complex_form(const CsrMatrix& a) {
  return in_blocks(a, 2, 2, [](const double* q, int r, int c, double* to) {
    const double* const pair = q + (r == c ? 0 : 2);
    to[0] = r < c ? -pair[0] : pair[0];
    const double imaginary = r == c ? pair[1] : -pair[1];
    to[1] = r == 1 && c == 1 ? -imaginary : imaginary;
  });
}

/// Quaternions as pairs (z, w) of complex numbers, or back: the last of four numbers changes sign.
HostMatrix in_pairs(HostMatrix x) {
  for (Eigen::Index i = 3; i < x.rows(); i += 4) x.row(i) = -x.row(i);
  return x;
}

CsrMatrix real_form(const CsrMatrix& a) {
  return in_blocks(a, a.components, 1,
                   [](const double* q, int r, int c, double* to) { *to = left_factor(q, r, c); });
}

/// AX in the formats, those aside that take more than three times as much memory as csr or find no
/// room.
void measure_formats(const std::vector<std::string>& names, const std::string& form,
                     const std::shared_ptr<const CsrMatrix>& a, const std::vector<HostMatrix>& xs,
                     Backend& backend, int runs, std::vector<std::vector<Line>>& lines) {
  const std::size_t csr = find_format("csr").bytes(*a, {});
  for (const std::string& name : names) {
    if (find_format(name).bytes(*a, {}) > 3 * csr) continue;
    try {
      const auto product = make_operator(name, a, backend);
      for (std::size_t n = 0; n < xs.size(); ++n) {
        const int k = static_cast<int>(xs[n].cols());
        MultiVector x(backend, product->columns(), k), y(backend, product->rows(), k);
        backend.upload(xs[n], x.view());
        const double milliseconds = median_milliseconds(
            backend, runs, [&] { product->apply(1.0, x.view(), 0.0, y.view()); });
        lines[n].push_back(
            {form, {name, product->info().bytes, milliseconds, backend.download(y.view())}});
      }
    } catch (const ResourceError& error) {
      std::printf("%s, %s: %s\n", form.c_str(), name.c_str(), error.what());
    }
  }
}

void measure_library([[maybe_unused]] const std::string& form, [[maybe_unused]] const CsrMatrix& a,
                     [[maybe_unused]] const std::vector<HostMatrix>& xs, Backend& backend,
                     [[maybe_unused]] int runs,
                     [[maybe_unused]] std::vector<std::vector<Line>>& lines) {
  if (backend.kind() != BackendKind::cuda) return;
#ifdef CISOLVE_BENCH_CUSPARSE
  const CusparseField library(a, backend);
  for (std::size_t n = 0; n < xs.size(); ++n) {
    for (FieldMeasurement& one : library.measure(xs[n], runs)) {
      lines[n].push_back({form, std::move(one)});
    }
  }
#endif
}

void print(const std::vector<Line>& lines) {
  double fastest = std::numeric_limits<double>::infinity();
  for (const Line& line : lines) {
    if (!line.measured.product.starts_with("cuSPARSE")) continue;
    fastest = std::min(fastest, line.measured.milliseconds);
  }
  const HostMatrix& expected = lines.front().measured.y;
  for (const Line& line : lines) {
    const FieldMeasurement& m = line.measured;
    const double bytes = m.matrix_bytes + 2.0 * m.y.size() * sizeof(double);
    const double difference =
        (m.y - expected).cwiseAbs().maxCoeff() / expected.cwiseAbs().maxCoeff();
    std::printf("%-18s %-25s %2d %10s %10.3f %8.0f ", line.form.c_str(), m.product.c_str(),
                static_cast<int>(m.y.cols()), format_bytes(m.matrix_bytes).c_str(), m.milliseconds,
                bytes / m.milliseconds * 1e-6);
    if (std::isfinite(fastest)) {
      std::printf("%6.2f %10.1e\n", fastest / m.milliseconds, difference);
    } else {
      std::printf("%6s %10.1e\n", "-", difference);
    }
  }
}

std::vector<std::string> formats_on(BackendKind backend, int components) {
  std::vector<std::string> names{"csr"};
  for (const Format& format : formats()) {
    const bool there = unavailable_reason(format, backend).empty();
    if (there && format.components_on(backend) >= components && format.name != "csr") {
      names.push_back(format.name);
    }
  }
  return names;
}

std::vector<HostMatrix> random_blocks(Eigen::Index rows, Backend& backend) {
  std::vector<HostMatrix> blocks;
  for (const int k : {1, 4}) {
    MultiVector x(backend, static_cast<Index>(rows), k);
    backend.fill_random(1, 0, x.view());
    blocks.push_back(backend.download(x.view()));
  }
  return blocks;
}

void measure_complex(const std::string& form, CsrMatrix matrix, Backend& backend, int runs) {
  const auto a = std::make_shared<const CsrMatrix>(std::move(matrix));
  const auto xs = random_blocks(Eigen::Index{a->columns} * 2, backend);
  std::vector<std::vector<Line>> lines(xs.size());
  measure_formats(formats_on(backend.kind(), 2), form, a, xs, backend, runs, lines);
  measure_library(form, *a, xs, backend, runs, lines);
  for (const auto& block : lines) print(block);
}

void run(const Settings& settings) {
  const auto backend = settings.backend == "cuda" ? make_cuda_backend() : make_cpu_backend();
  std::printf("%s, medians of %d runs\n%-18s %-25s %2s %10s %10s %8s %6s %10s\n",
              backend->description().c_str(), settings.runs, "matrix", "product", "k", "bytes",
              "ms", "GB/s", "gain", "difference");
  measure_complex("complex", with_elements(ci_pattern(settings.rows, settings.per_row), 2),
                  *backend, settings.runs);
  measure_complex("spinors", spinor_matrix(settings.spinors, settings.electrons), *backend,
                  settings.runs);
  const auto a = std::make_shared<const CsrMatrix>(
      with_elements(ci_pattern(settings.rows / 2, settings.per_row / 2), 4));
  const auto xs = random_blocks(Eigen::Index{a->columns} * 4, *backend);
  std::vector<std::vector<Line>> lines(xs.size());
  measure_formats(formats_on(backend->kind(), 4), "quaternions", a, xs, *backend, settings.runs,
                  lines);
  {
    const auto pairs = std::make_shared<const CsrMatrix>(complex_form(*a));
    std::vector<HostMatrix> turned;
    for (const HostMatrix& x : xs) turned.push_back(in_pairs(x));
    std::vector<std::vector<Line>> of_pairs(xs.size());
    measure_formats({"csr"}, "as complex pairs", pairs, turned, *backend, settings.runs, of_pairs);
    measure_library("as complex pairs", *pairs, turned, *backend, settings.runs, of_pairs);
    for (std::size_t n = 0; n < xs.size(); ++n) {
      for (Line& line : of_pairs[n]) {
        line.measured.y = in_pairs(std::move(line.measured.y));
        lines[n].push_back(std::move(line));
      }
    }
  }
  {
    const auto real = std::make_shared<const CsrMatrix>(real_form(*a));
    measure_formats({"csr"}, "as real numbers", real, xs, *backend, settings.runs, lines);
    measure_library("as real numbers", *real, xs, *backend, settings.runs, lines);
  }
  for (const auto& block : lines) print(block);
}

}  // namespace
}  // namespace cisolve::bench

int main(int argc, char** argv) {
  cisolve::bench::Settings settings;
  CLI::App app("Times products of complex and quaternion matrices");
  app.add_option("--backend", settings.backend, "cpu or cuda");
  app.add_option("--rows", settings.rows, "rows of the complex matrix")
      ->check(CLI::Range(8, 1 << 28));
  app.add_option("--per-row", settings.per_row, "its nonzeros of a row on average");
  app.add_option("--spinors", settings.spinors, "spinors of the CI matrix, an even number")
      ->check(CLI::Range(2, 40));
  app.add_option("--electrons", settings.electrons, "its electrons");
  app.add_option("--runs", settings.runs, "timed runs")->check(CLI::Range(10, 1000));
  CLI11_PARSE(app, argc, argv);
  try {
    cisolve::bench::run(settings);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
