#include "solvers/eigen/resume.hpp"

#include <algorithm>
#include <utility>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "solvers/eigen/convergence/precision.hpp"
#include "solvers/eigen/methods.hpp"

namespace cisolve {
namespace {

bool has_sectors_of(const Workspace& work, const SolverState& from) {
  bool same = static_cast<int>(from.sectors.size()) == work.sectors();
  for (int s = 0; same && s < work.sectors(); ++s) {
    const SectorState& sector = from.sectors[s];
    same = sector.rows == work.rows_of(s) && sector.pairs >= 0 && sector.pairs <= from.vectors &&
           sector.pairs <= work.dimension_of(s) && sector.next >= 0 &&
           sector.next <= from.vectors - sector.pairs && sector.wanted >= 0 &&
           sector.wanted <= sector.pairs;
  }
  return same;
}

/// Pairs of a sector that are taken over.
int pairs_taken(const SectorSearch& search, const SectorState& sector, const SolverState& from,
                const Workspace& work) {
  std::int64_t most = std::min<std::int64_t>(search.limit(), search.dimension());
  if (from.states < work.options.states && search.limit() < search.dimension()) {
    most = std::max<std::int64_t>(
        1, most - work.block + std::min<std::int64_t>(sector.wanted, work.block));
  }
  return static_cast<int>(std::min(sector.pairs, most));
}

/// True if vector j is one of the sector's next block.
bool is_next(int j, const SectorState& sector) {
  return sector.pairs <= j && j < sector.pairs + sector.next;
}

bool is_taken(int j, const std::vector<int>& pairs, const SolverState& from) {
  for (std::size_t s = 0; s < pairs.size(); ++s) {
    if (j < pairs[s] || is_next(j, from.sectors[s])) return true;
  }
  return false;
}

bool orthonormal(Backend& backend, ConstView basis) {
  constexpr double rounding = 1e-8;
  if (basis.columns == 0) return true;
  HostMatrix gram;
  backend.gram(basis, basis, gram);
  return (gram - HostMatrix::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff() < rounding;
}

/// The j-th Ritz vectors of the sectors side by side, and their images. The new vectors, which are
/// in the bases by now, make room.
void read_pair(Workspace& work, int j, const std::vector<SectorState>& state, HostMatrix& x,
               HostMatrix& ax) {
  const View v = work.new_vectors.narrowed(1), av = work.new_images.narrowed(1);
  for (int s = 0; s < work.sectors(); ++s) {
    if (j < state[s].pairs) {
      work.search(s).vector_and_image(j, work.part(v, s), work.part(av, s));
      continue;
    }
    work.backend.fill(0.0, work.part(v, s));
    work.backend.fill(0.0, work.part(av, s));
    if (is_next(j, state[s])) {
      work.search(s).next_vector(static_cast<int>(j - state[s].pairs), work.part(v, s));
    }
  }
  x = work.a.download(v);
  ax = work.a.download(av);
}

}  // namespace

bool can_resume(const Workspace& work, const SolverState& from) {
  const EigenOptions& options = work.options;
  return has_sectors_of(work, from) && from.exact_images &&
         from.method == traits_of(options.method).basis &&
         (traits_of(options.method).corrects || from.states == options.states);
}

void resume(Workspace& work, Roots& roots, const SolverState& from) {
  std::vector<int> pairs(work.sectors());
  for (int s = 0; s < work.sectors(); ++s) {
    pairs[s] = pairs_taken(work.search(s), from.sectors[s], from, work);
  }
  const View v = work.new_vectors.narrowed(1), av = work.new_images.narrowed(1);
  HostMatrix x, ax;
  bool good = true;
  // The next block comes first. If it is not stored it is made of remainders, which are large for
  // the highest pairs.
  for (int j = from.vectors - 1; j >= 0; --j) {
    if (!is_taken(j, pairs, from)) continue;
    from.read(j, x, ax);
    work.a.upload(x, v);
    work.a.upload(ax, av);
    for (int s = 0; s < work.sectors(); ++s) {
      if (j < pairs[s]) {
        good = work.search(s).append(work.part(v, s), work.part(av, s), true) && good;
      } else if (is_next(j, from.sectors[s])) {
        work.search(s).append_next(work.part(v, s));
      }
    }
  }
  for (int s = 0; s < work.sectors(); ++s) {
    if (std::cmp_less(s, from.earlier.size()) && from.earlier[s].cols() > 0) {
      const int d = work.backend.components();
      work.search(s).take_earlier(from.earlier[s].topRows(d * pairs[s]));
    }
    if (!good || !orthonormal(work.backend, work.search(s).basis())) {
      throw InputError(
          "the vectors to restart from are not orthonormal, or their images not finite");
    }
    roots.resume(s, from.sectors[s]);
  }
}

SolverState state_of(Workspace& work, const Roots& roots) {
  SolverState state;
  state.method = traits_of(work.options.method).basis;
  state.states = work.options.states;
  for (int s = 0; s < work.sectors(); ++s) {
    SectorState sector = roots.state(s);
    sector.rows = work.rows_of(s);
    sector.next = work.search(s).next();
    if (const int most = work.options.checkpoint_vectors; most > 0) {
      sector.pairs = std::min(sector.pairs, std::max<std::int64_t>(sector.wanted + 1, most));
    }
    const int d = work.backend.components();
    state.earlier.push_back(work.search(s).earlier().topRows(d * sector.pairs));
    sector.earlier = state.earlier.back().cols() / d;
    state.sectors.push_back(sector);
    state.vectors = std::max(state.vectors, static_cast<int>(sector.pairs + sector.next));
    if (!work.search(s).exact_images()) state.exact_images = false;
  }
  if (is_rounded(work)) state.exact_images = false;
  state.read = [&work, sectors = state.sectors](int j, HostMatrix& x, HostMatrix& ax) {
    read_pair(work, j, sectors, x, ax);
  };
  return state;
}

}  // namespace cisolve
