#include "backends/backend.hpp"

#include <algorithm>
#include <cmath>

#include "core/dense/host_matrix.hpp"
#include "core/mixed.hpp"
#include "core/random.hpp"

namespace cisolve {

void Backend::upload(const HostMatrix& host, View y) {
  const std::size_t row = static_cast<std::size_t>(y.columns) * sizeof(double);
  if (y.stride == y.columns) {
    upload_bytes(host.data(), y.data, static_cast<std::size_t>(y.rows) * row);
    return;
  }
  for (Index i = 0; i < y.rows; ++i) {
    upload_bytes(host.row(i).data(), y.data + i * y.stride, row);
  }
}

HostMatrix Backend::download(ConstView x) {
  HostMatrix host(x.rows, x.columns);
  const std::size_t row = static_cast<std::size_t>(x.columns) * sizeof(double);
  if (x.stride == x.columns) {
    download_bytes(x.data, host.data(), static_cast<std::size_t>(x.rows) * row);
    return host;
  }
  for (Index i = 0; i < x.rows; ++i) {
    download_bytes(x.data + i * x.stride, host.row(i).data(), row);
  }
  return host;
}

void Backend::fill_random(std::uint64_t seed, std::int64_t first, View y) {
  HostMatrix host(y.rows, y.columns);
  const std::uint64_t stream = mixed(seed) + static_cast<std::uint64_t>(first) * y.columns;
  for (Eigen::Index e = 0; e < host.size(); ++e) host.data()[e] = mixed_uniform(stream + e);
  upload(host, y);
}

void Backend::fill_normal(std::uint64_t seed, std::int64_t first, View y) {
  HostMatrix host(y.rows, y.columns);
  const std::uint64_t begin = static_cast<std::uint64_t>(first) * y.columns;
  for (Eigen::Index e = 0; e < host.size(); ++e) host.data()[e] = Random(seed, begin + e).normal();
  upload(host, y);
}

void Backend::gather(ConstView x, const RowPartition&, View whole) {
  copy(x, whole);
}

void Backend::waxpby(double alpha, ConstView x, double beta, ConstView y, View w) {
  copy(y, w);
  axpby(alpha, x, beta, w);
}

void Backend::add_columns(std::span<const double> a, ConstView v, std::span<const double> b,
                          ConstView w, View y) {
  const auto add = [&](std::span<const double> s, ConstView x) {
    if (std::ranges::adjacent_find(s, std::not_equal_to()) == s.end()) {
      return axpby(s[0], x, 1.0, y);
    }
    HostMatrix diagonal = HostMatrix::Zero(x.columns, x.columns);
    for (int j = 0; j < x.columns; ++j) diagonal(j, j) = s[j];
    combine(1.0, x, diagonal, 1.0, y);
  };
  add(a, v);
  add(b, w);
}

void Backend::add_columns(std::span<const double> a, ConstView v, std::span<const double> b,
                          ConstView w, View y, std::span<double> dots) {
  add_columns(a, v, b, w, y);
  column_dots(v, y, dots);
}

void Backend::step_residual(std::span<const double> a, ConstView v, ConstView d, View r,
                            std::span<double> squares) {
  const std::vector<double> zeros(a.size(), 0.0);
  add_columns(a, v, zeros, v, r);
  MultiVector divided(*this, r.rows, r.columns);
  jacobi_update(1.0, r, d, 0.0, divided.view());
  column_dots(r, divided.view(), squares);
}

void Backend::step_along(std::span<const double> a, std::span<const double> b, ConstView r,
                         ConstView d, View p, View x) {
  const std::vector<double> zeros(a.size(), 0.0);
  add_columns(a, p, zeros, p, x);
  scale_columns(b, p);
  jacobi_update(1.0, r, d, 1.0, p);
}

void Backend::gram(ConstView x, ConstView y, HostMatrix& c) {
  c.resize(components() * x.columns, components() * y.columns);
  gram(x, y, HostRef(c));
}

void Backend::gram(ConstView x, ConstView y, View c) {
  HostMatrix product;
  gram(x, y, product);
  upload(product, c);
}

void Backend::grams(ConstView x, ConstView y, HostRef c, HostRef g) {
  if (x.columns > 0) gram(x, y, c);
  gram(y, y, g);
}

void Backend::combine(std::span<const VectorSum> sums) {
  for (const auto& [x, c, y] : sums) {
    if (x.empty()) fill(0.0, y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Eigen::Map<const HostMatrix> row(c.data() + i * y.columns, 1, y.columns);
      combine(1.0, x[i], row, i == 0 ? 0.0 : 1.0, y);
    }
  }
}

void Backend::combine(ConstView x, ConstView c, View y) {
  combine(1.0, x, download(c), 0.0, y);
}

void Backend::multiply_blocks(double alpha, ConstView blocks, ConstView x, double beta, View y) {
  const Index size = blocks.columns;
  for (Index first = 0; first < blocks.rows; first += size) {
    const Index rows = std::min(size, blocks.rows - first);
    combine(alpha, blocks.row_range(first, rows).slice(0, static_cast<int>(rows)),
            download(x.row_range(first, rows)), beta, y.row_range(first, rows));
  }
}

void Backend::residuals(ConstView w, ConstView v, const ConstHostRef& s,
                        std::span<const double> theta, View r, std::span<double> norms) {
  const Eigen::Map<const HostVector> values(theta.data(), static_cast<Eigen::Index>(theta.size()));
  combine(1.0, w, s, 0.0, r);
  combine(-1.0, v, HostMatrix(s * values.asDiagonal()), 1.0, r);
  column_norms(r, norms);
}

void Backend::column_dots(ConstView x, ConstView y, std::span<double> dots) {
  HostMatrix products;
  gram(x, y, products);
  for (int j = 0; j < x.columns; ++j) dots[j] = products(j, j);
}

void Backend::column_norms(ConstView x, std::span<double> norms) {
  column_dots(x, x, norms);
  for (double& norm : norms) norm = std::sqrt(norm);
}

void Backend::recombine(ConstView x, const ConstHostRef& c, View y, const ConstHostRef& b) {
  MultiVector combined(*this, y.rows, static_cast<int>(b.cols()));
  combine(1.0, y, b, 0.0, combined.view());
  if (x.columns > 0) combine(1.0, x, c, 1.0, combined.view());
  copy(combined.view(), y.slice(0, combined.columns()));
}

void Backend::recombine(View y, const ConstHostRef& b) {
  recombine({y.data, y.rows, 0, y.stride}, HostMatrix(0, b.cols()), y, b);
}

void Backend::largest_elements(ConstView x, double equal, std::span<double> elements) {
  const HostMatrix host = download(x);
  for (int j = 0; j < x.columns; ++j) {
    const double least = (1.0 - equal) * host.col(j).cwiseAbs().maxCoeff();
    Eigen::Index row = 0;
    while (row < host.rows() && !(std::abs(host(row, j)) >= least)) ++row;
    elements[j] = row < host.rows() ? host(row, j) : 0.0;
  }
}

std::pair<double, double> Backend::extremes(ConstView x) {
  const HostMatrix host = download(x);
  return {host.minCoeff(), host.maxCoeff()};
}

void Backend::shifted_power(double alpha, ConstView x, double shift, double least, Power p,
                            View y) {
  const auto f = [=](double d) { return alpha * cisolve::shifted_power(d, shift, least, p); };
  upload(HostMatrix(download(x).unaryExpr(f)), y);
}

}  // namespace cisolve
