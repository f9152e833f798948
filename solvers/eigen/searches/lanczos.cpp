#include "solvers/eigen/searches/lanczos.hpp"

#include <algorithm>
#include <cmath>

#include "backends/ranks/agree.hpp"
#include "core/dense/field_matrix.hpp"
#include "solvers/eigen/methods.hpp"
#include "solvers/eigen/steps/orthonormalize.hpp"

namespace cisolve {
namespace {

// The part of a residual along Q is lost when Q is dropped for a lower state that was found. The
// pairs kept therefore converge to this factor below the tolerance, so that several such losses do
// not exceed it.
constexpr double margin = 2.0;

std::unique_ptr<SectorSearch> make_lanczos(Backend& backend, Preconditioner m,
                                           const SectorMemory& memory) {
  return std::make_unique<LanczosSearch>(backend, std::move(m), memory.dimension, memory.basis,
                                         memory.residuals);
}

}  // namespace

LanczosSearch::LanczosSearch(Backend& backend, Preconditioner preconditioner, Index dimension,
                             View basis, View next)
    : SectorSearch(backend, std::move(preconditioner), dimension),
      d_(backend.components()),
      basis_(basis),
      next_(next),
      projection_(HostMatrix::Zero(d_ * basis.columns, d_ * basis.columns)),
      border_(HostMatrix::Zero(d_ * next.columns, d_ * basis.columns)) {}

void LanczosSearch::compute_residuals(int count, View) {
  norms().resize(count);
  for (int j = 0; j < count; ++j) {
    const auto border = border_.topLeftCorner(d_ * width_, d_ * size_);
    norms()[j] = margin * (border * ritz_.vectors.col(d_ * j)).norm();
  }
}

int LanczosSearch::width(const SectorTask& task) const {
  if (task.one_vector()) return std::min(1, room());
  return task.idle() ? 0 : std::min(width_, room());
}

void LanczosSearch::make_room(SectorTask& task, int wanted) {
  if (task.one_vector()) {
    // The residuals of those wanted are small: Q is dropped with all other pairs, and the vector
    // begins a Krylov space of its own.
    if (size() > 0) restart(wanted);
    dropped_ = dropped_ || width_ > 0;
    width_ = 0;
  } else if (!task.idle() && width_ > room() && limit() < dimension()) {
    const int free = limit() - width_, kept = std::min(tracked(), free);
    restart(kept + (free - kept) / 3);
  }
}

void LanczosSearch::propose(const SectorTask& task, std::uint64_t seed, double energy, View t) {
  if (t.columns == 0) return;
  if (task.random) return make_random(seed, energy, t);
  backend().copy(next_.slice(0, t.columns), t);
}

int LanczosSearch::accept(const SectorTask& task, View t) {
  // QᵀV = 0, but where Q was made of small remainders of an earlier solve's images, for their
  // rounding.
  return task.one_vector() || resumed_ ? orthonormalize(backend(), basis(), t) : t.columns;
}

// Traffic of a step with a block of b: V four times, as a rule about b(b + 18) vectors, 3b + 1
// waits.
bool LanczosSearch::append(ConstView t, View at, bool known) {
  const int added = t.columns, first = size_;
  if (added == 0) return true;
  // V ← [V T]
  backend().copy(t, basis_.slice(first, added));
  sum_ = HostMatrix::Zero(d_ * (first + added), d_ * added);
  // AT ← AT − V VᵀAT
  for (int pass = 0; pass < 2; ++pass) {
    const ConstView v = basis_.slice(0, first + added);
    backend().gram(v, at, c_);
    if (!c_.allFinite()) return false;
    backend().combine(-1.0, v, c_, 1.0, at);
    sum_ += c_;
  }
  // H grows by VᵀAT
  size_ += added;
  const int n = d_ * size_;
  projection_.block(0, d_ * first, n, d_ * added) = sum_;
  projection_.block(d_ * first, 0, d_ * added, n) = sum_.transpose();
  // Q is in V now, and with it the remainders of the columns before.
  if (!known) {
    width_ = 0;
    whole_ = false;
  }
  resumed_ = known;
  // QB = AT
  take_remainders(first, at);
  ritz_ = field_eigen(projection_.topLeftCorner(n, n), d_);
  agree(backend().communicator(), ritz_);
  return true;
}

void LanczosSearch::append_next(ConstView x) {
  if (width_ == next_.columns) return;
  backend().copy(x, next_.slice(width_++, 1));
  whole_ = true;
}

void LanczosSearch::take_remainders(int first, View w) {
  border_.middleCols(d_ * first, d_ * w.columns).setZero();
  if (width_ == 0) border_.setZero();
  for (int j = 0; j < w.columns; ++j) {
    const View w_j = w.slice(j, 1);
    double before = 0.0, norm = 0.0;
    backend().column_norms(w_j, {&before, 1});
    // Rounding of this image, not of the whole matrix: elements of A may be very much larger
    // elsewhere.
    const double rounding =
        1e-14 * std::hypot(projection_.col(d_ * (first + j)).head(d_ * size_).norm(), before);
    // w ← w − Q Qᵀw
    for (int pass = 0; pass < 3; ++pass) {
      if (width_ > 0) {
        backend().gram(next_.slice(0, width_), w_j, c_);
        backend().combine(-1.0, next_.slice(0, width_), c_, 1.0, w_j);
        border_.block(0, d_ * (first + j), d_ * width_, d_) += c_;
      }
      backend().column_norms(w_j, {&norm, 1});
      if (norm > 0.5 * before || norm <= rounding) break;
      // The remainder of a large subtraction is partly rounding, some of it along V.
      backend().gram(basis(), w_j, c_);
      backend().combine(-1.0, basis(), c_, 1.0, w_j);
      before = norm;
    }
    if (norm <= rounding || whole_ || width_ == next_.columns || width_ + size_ == dimension())
      continue;
    // Q ← [Q w / |w|]
    const double inverse = 1.0 / norm;
    backend().scale_columns({&inverse, 1}, w_j);
    backend().copy(w_j, next_.slice(width_, 1));
    for (int r = 0; r < d_; ++r) border_(d_ * width_ + r, d_ * (first + j) + r) = norm;
    ++width_;
  }
}

void LanczosSearch::restart(int kept) {
  // V ← VS, B ← BS, H ← Θ of the pairs kept
  const int k = d_ * kept;
  const HostMatrix s = ritz_.vectors.leftCols(k);
  backend().recombine(basis_.slice(0, size_), s);
  const HostMatrix border = border_.leftCols(d_ * size_) * s;
  border_.leftCols(k) = border;
  auto h = projection_.topLeftCorner(k, k);
  h.setZero();
  for (int i = 0; i < k; ++i) h(i, i) = ritz_.values[i / d_];
  size_ = kept;
  ritz_.values = HostVector(ritz_.values.head(kept));
  ritz_.vectors = HostMatrix::Identity(k, k);
}

void LanczosSearch::vectors(View x) const {
  backend().combine(1.0, basis(), ritz_.vectors.leftCols(d_ * x.columns), 0.0, x);
}

void LanczosSearch::vector_and_image(int j, View x, View y) const {
  const HostMatrix s = ritz_.vectors.middleCols(d_ * j, d_);
  backend().combine(1.0, basis(), s, 0.0, x);
  backend().axpby(ritz_.values[j], x, 0.0, y);
  if (width_ == 0) return;
  const HostMatrix b = border_.topLeftCorner(d_ * width_, d_ * size_) * s;
  backend().combine(1.0, next_.slice(0, width_), b, 1.0, y);
}

void LanczosSearch::clear_basis() {
  size_ = width_ = 0;
  whole_ = false;
  dropped_ = false;
  ritz_ = {};
  projection_.setZero();
  border_.setZero();
}

// Reads of vectors: four to make the new ones orthogonal.
EigenMethodTraits lanczos_eigen_method() {
  return {.method = EigenMethod::lanczos,
          .summary =
              "thick-restart block Lanczos, which does not precondition and keeps no images of "
              "its basis, for many more products",
          .basis = "lanczos",
          .chooses_basis = true,
          .blocks_at_least = 2,
          .blocks_by_choice = 2,
          .rounding = 32.0,
          .basis_reads = 4.0,
          .make = make_lanczos};
}

}  // namespace cisolve
