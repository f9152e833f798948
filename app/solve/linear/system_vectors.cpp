#include "app/solve/linear/system_vectors.hpp"

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "app/config/config_value.hpp"
#include "app/input/same_on_ranks.hpp"
#include "core/error.hpp"
#include "core/hash.hpp"
#include "io/vector_file.hpp"

namespace cisolve {
namespace {

[[noreturn]] void refuse_unit(const std::string& rhs, const std::string& end) {
  throw InputError("linear.rhs: found '" + rhs + "', expected unit:ROW with a row from 1" + end);
}

/// Vectors of real elements, those of files, become those of elements over K of d components.
void take_over_components(HostMatrix& x, const std::filesystem::path& file, Index rows, int d,
                          bool over_components) {
  if (x.rows() == d * rows && (d == 1 || over_components)) return;
  if (x.rows() == rows) {
    HostMatrix over = HostMatrix::Zero(d * rows, x.cols());
    for (Index i = 0; i < rows; ++i) over.row(d * i) = x.row(i);
    x = std::move(over);
    return;
  }
  throw InputError(file.string() + ": found " + std::to_string(x.rows()) +
                   " elements, expected one for each of the " + std::to_string(rows) + " rows");
}

void require_same(Communicator& ranks, const HostMatrix& x, const std::string& name) {
  Hash hash;
  hash.add(x.data(), static_cast<std::size_t>(x.size()));
  const std::array mine{static_cast<std::uint64_t>(x.cols()), hash.value()};
  require_on_all_ranks(ranks.of_first(mine) == mine, ranks, name, "vectors");
}

HostMatrix right_hand_side(const RunConfig& config, GivenVectors& given, Index rows, int d) {
  if (!config.linear.x0.empty())
    take_over_components(given.x0, config.linear.x0, rows, d, given.over_components);
  if (rhs_is_file(config.linear)) {
    take_over_components(given.rhs, config.linear.rhs, rows, d, given.over_components);
    return std::move(given.rhs);
  }
  HostMatrix b = HostMatrix::Zero(d * rows, 1);
  if (config.linear.rhs == "ones") {
    for (Index i = 0; i < rows; ++i) b(d * i, 0) = 1.0;
    return b;
  }
  if (given.unit > 0) {
    if (given.unit > rows) refuse_unit(config.linear.rhs, " to " + std::to_string(rows));
    b(d * (given.unit - 1), 0) = 1.0;
    return b;
  }
  std::mt19937_64 engine(config.solver.seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (Eigen::Index i = 0; i < b.rows(); ++i) b(i, 0) = uniform(engine);
  return b;
}

HostMatrix own_part(HostMatrix x, const Basis& basis, int rank) {
  if (x.size() == 0) return x;
  x = to_rows(basis.callers(), basis.rows(), std::move(x));
  const RowPartition& parts = basis.parts();
  if (parts.ranks() == 1) return x;
  return x.middleRows(parts.first(rank), parts.count(rank));
}

}  // namespace

GivenVectors given_vectors(const LinearConfig& config) {
  GivenVectors given;
  if (rhs_is_file(config)) given.rhs = read_vectors(config.rhs);
  if (config.rhs.starts_with("unit:")) {
    const auto row =
        parse_number<Index>(std::string_view(config.rhs).substr(config.rhs.find(':') + 1));
    if (!row || *row < 1) refuse_unit(config.rhs, "");
    given.unit = *row;
  }
  if (!config.x0.empty()) {
    given.x0 = read_vectors(config.x0);
    const auto columns = rhs_is_file(config) ? given.rhs.cols() : 1;
    if (given.x0.cols() != columns) {
      throw InputError("linear.x0: found " + std::to_string(given.x0.cols()) +
                       " columns, expected " + std::to_string(columns) + " as of linear.rhs");
    }
  }
  return given;
}

SystemVectors system_vectors(const RunConfig& config, GivenVectors given, Index rows,
                             int components, Communicator& ranks) {
  SystemVectors made{right_hand_side(config, given, rows, components), std::move(given.x0)};
  if (!ranks.alone()) {
    require_same(ranks, made.b, "linear.rhs");
    require_same(ranks, made.x0, "linear.x0");
  }
  return made;
}

SystemVectors own_part(SystemVectors whole, const Basis& basis, int rank) {
  return {own_part(std::move(whole.b), basis, rank), own_part(std::move(whole.x0), basis, rank)};
}

}  // namespace cisolve
