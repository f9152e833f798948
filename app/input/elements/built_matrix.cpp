#include "app/input/elements/built_matrix.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "app/memory/memory.hpp"
#include "core/binomial.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/timer.hpp"
#include "hamiltonian/space/nonzeros.hpp"

namespace cisolve {

BuiltMatrix::BuiltMatrix(const Determinants& determinants, Storage storage, Log log,
                         MakeBuilder make, BuiltElements elements)
    : determinants_(determinants),
      storage_(storage),
      log_(std::move(log)),
      make_(std::move(make)),
      elements_(elements) {
  if (make_) return;
  make_ = [this](const AnySpace& space, Storage held) {
    return make_matrix_builder(determinants_.active_integrals(), space, held);
  };
}

const MatrixBuilder& BuiltMatrix::builder() {
  determinants_.require_stored();
  if (!builder_) {
    require_host_memory(list_table_bytes(determinants_.space()), "remainders of determinants");
    builder_ = make_(determinants_.space(), storage_);
  }
  return *builder_;
}

const CsrMatrix& BuiltMatrix::outline() {
  if (outline_.row_offsets.empty()) {
    builder();
    outline_.rows = rows();
    outline_.columns = columns();
    outline_.storage = storage_;
    outline_.components = components();
    outline_.row_offsets = count();
  }
  return outline_;
}

Array<Offset> BuiltMatrix::count() {
  constexpr double interval = 1.0;      // of what is said, seconds
  constexpr double enough_rows = 0.01;  // of all, to tell what they come to
  constexpr double sure = 0.7;          // of that
  const Index rows = this->rows();
  const auto bytes = [&](double entries) {
    return CsrMatrix::bytes(rows, static_cast<Offset>(entries), components());
  };
  const Timer timer;
  double said = 0.0;
  return builder_->count({[&](const CountedRows& counted) {
    const double share = static_cast<double>(counted.rows) / static_cast<double>(rows);
    const bool tells = counted.rows > 0;
    const auto entries = static_cast<double>(counted.entries),
               all = tells ? entries / share : entries;
    const std::size_t least = bytes(share < enough_rows ? entries : std::max(entries, sure * all));
    const std::string so_far =
        tells ? fmt::format("{:.2g} nonzeros in {:.1f} % of the rows, about {:.2g} in all", entries,
                            100.0 * share, all)
              : fmt::format("{:.2g} nonzeros so far", entries);
    if (least > most_bytes_) {
      const std::size_t counted_bytes = bytes(entries);
      const bool already = counted_bytes > most_bytes_;
      throw ResourceError(fmt::format(
          "not enough host memory: {}, {}, which take {} {}: more than {}", rows_text(), so_far,
          already ? "at least" : "about", format_bytes(already ? counted_bytes : bytes(all)),
          format_bytes(most_bytes_)));
    }
    if (timer.seconds() < said + interval) return;
    said = timer.seconds();
    log_.proceed("counting    " + so_far);
  }});
}

std::string BuiltMatrix::rows_text() const {
  const std::string all = std::to_string(determinants_.rows()) + " determinants";
  return elements_.determinants == 2 ? all + " in pairs" : all;
}

std::string BuiltMatrix::size_text() const {
  const std::string text = rows_text();
  if (outline_.row_offsets.empty()) return text + ", nonzeros not counted yet";
  std::string counted = text + ", " + std::to_string(outline_.nonzeros()) + " nonzeros" +
                        (storage_ == Storage::upper ? " of the upper triangle" : "");
  if (!builder_) return counted;
  return counted + ", excitation tables of " + format_bytes(builder_->table_bytes()) + " in place";
}

double BuiltMatrix::fewest_nonzeros() {
  if (elements_.fewest) return elements_.fewest();
  if (determinants_.listed()) return static_cast<double>(rows());
  CiSpaceOptions options{determinants_.config().space.rank, {}};
  options.ras = determinants_.ras();
  const auto of_irreps = bound_nonzeros(determinants_.active_integrals(), options);
  if (const auto irrep = determinants_.irrep()) return of_irreps[*irrep].fewest;
  return std::accumulate(of_irreps.begin(), of_irreps.end(), 0.0,
                         [](double sum, const NonzeroBounds& of) { return sum + of.fewest; });
}

double BuiltMatrix::expected_nonzeros() {
  const AnySpace& space = determinants_.space();
  const StringSpace &up = space.alpha(), &down = space.beta();
  if (!determinants_.listed() && (!elements_.fewest || up.full)) return fewest_nonzeros();
  const auto singles = [](const StringSpace& of) {
    return 1.0 * of.electrons * (of.orbitals - of.electrons);
  };
  const auto doubles = [](const StringSpace& of) {
    return binomial(of.electrons, 2) * binomial(of.orbitals - of.electrons, 2);
  };
  const double in_a_row =
      1.0 + singles(up) + singles(down) + doubles(up) + doubles(down) + singles(up) * singles(down);
  return rows() * std::min(in_a_row, 1.0 * rows());
}

bool BuiltMatrix::hold_upper_triangle() {
  storage_ = Storage::upper;
  outline_ = {};
  builder_.reset();
  return true;
}

std::shared_ptr<const CsrMatrix> BuiltMatrix::take() {
  outline();
  return std::make_shared<const CsrMatrix>(
      std::exchange(builder_, nullptr)->fill(std::move(outline_.row_offsets)));
}

std::shared_ptr<const CsrMatrix> BuiltMatrix::take_announced(const Log& log) {
  const Index n = rows();
  require_host(CsrMatrix::bytes(n, n, components()),
               size_text());  // the nonzeros are at least as many
  limit(available_host_memory());
  const Offset nonzeros = outline().nonzeros();
  announce_host(CsrMatrix::bytes(n, nonzeros, components()), size_text(), log);
  return take();
}

std::vector<Index> BuiltMatrix::row_lengths(Index first, Index last) {
  const Array<Offset> counted = builder().count({}, first, last);
  std::vector<Index> lengths(counted.size() - 1);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    lengths[i] = static_cast<Index>(counted[i + 1] - counted[i]);
  }
  return lengths;
}

CsrMatrix BuiltMatrix::take_rows(Index first, Array<Offset> row_offsets) {
  builder();
  return std::exchange(builder_, nullptr)->fill(std::move(row_offsets), first);
}

}  // namespace cisolve
