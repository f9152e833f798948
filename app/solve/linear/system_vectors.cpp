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

namespace cisolve {
namespace {

[[noreturn]] void refuse_unit(const std::string& rhs, const std::string& end) {
  throw InputError("linear.rhs: found '" + rhs + "', expected unit:ROW with a row from 1" + end);
}

/// The vectors over elements of d real numbers: those of real ones as they are, with zeros behind.
HostMatrix over_components(FieldVectors given, const std::filesystem::path& file, Index rows,
                           int d) {
  HostMatrix& x = given.x;
  const int own = given.components > 0 ? given.components : x.rows() == rows ? 1 : d;
  if (x.rows() != Eigen::Index{own} * rows) {
    throw InputError(file.string() + ": found " + std::to_string(x.rows() / own) +
                     " elements, expected one for each of the " + std::to_string(rows) + " rows");
  }
  if (own == d) return std::move(x);
  if (own != 1) {
    throw InputError(file.string() + ": found elements of " + std::to_string(own) +
                     " real numbers, expected " + (d == 1 ? "real ones" : std::to_string(d)) +
                     " as of the matrix");
  }
  HostMatrix over = HostMatrix::Zero(d * rows, x.cols());
  for (Index i = 0; i < rows; ++i) over.row(d * i) = x.row(i);
  return over;
}

void require_same(Communicator& ranks, const HostMatrix& x, const std::string& name) {
  Hash hash;
  hash.add(x.data(), static_cast<std::size_t>(x.size()));
  const std::array mine{static_cast<std::uint64_t>(x.cols()), hash.value()};
  require_on_all_ranks(ranks.of_first(mine) == mine, ranks, name, "vectors");
}

HostMatrix right_hand_side(const RunConfig& config, GivenVectors& given, Index rows, int d) {
  if (rhs_is_file(config.linear)) {
    return over_components(std::move(given.rhs), config.linear.rhs, rows, d);
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
  if (rhs_is_file(config)) given.rhs = read_field_vectors(config.rhs);
  if (config.rhs.starts_with("unit:")) {
    const auto row =
        parse_number<Index>(std::string_view(config.rhs).substr(config.rhs.find(':') + 1));
    if (!row || *row < 1) refuse_unit(config.rhs, "");
    given.unit = *row;
  }
  if (!config.x0.empty()) {
    given.x0 = read_field_vectors(config.x0);
    const auto columns = rhs_is_file(config) ? given.rhs.x.cols() : 1;
    if (given.x0.x.cols() != columns) {
      throw InputError("linear.x0: found " + std::to_string(given.x0.x.cols()) +
                       " columns, expected " + std::to_string(columns) + " as of linear.rhs");
    }
  }
  return given;
}

SystemVectors system_vectors(const RunConfig& config, GivenVectors given, Index rows,
                             int components, Communicator& ranks) {
  SystemVectors made{right_hand_side(config, given, rows, components), {}};
  if (!config.linear.x0.empty()) {
    made.x0 = over_components(std::move(given.x0), config.linear.x0, rows, components);
  }
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
