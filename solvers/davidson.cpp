#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "core/error.hpp"
#include "core/timer.hpp"
#include "solvers/eigen_problem.hpp"
#include "solvers/sector_operator.hpp"
#include "solvers/sector_search.hpp"

// Outline. A is block-diagonal; its rows are brought together by sector. Every sector s has a basis
// of its own, and the vectors of different sectors lie side by side in one vector of n, so that one
// product serves them all.
//
//   T_s ← lowest eigenvectors of A_PP in s, at least one in each sector
//   repeat
//     [T_1; T_2; …] times A                                   products: the most columns a T_s has
//     V_s ← [V_s T_s], H_s = V_sᵀAV_s = SΘSᵀ;  R_s = A V_s S − V_s SΘ
//     wanted: the lowest k of all Θ_s; the pair above them in each sector is its guard
//     wanted pairs not yet small: T_s ← −M⁻¹r of these, and of the guard where that is free
//     all small: T_s ← search of the sectors for a lower root, one vector each
//     a full V_s is restarted; T_s is orthonormalised to V_s
//   until the wanted are small and every sector was searched
//
// The search of a sector settles the guard, adds a random vector orthogonal to V_s, and goes on
// until one more pair has settled above the wanted ones. A lower one found on the way is wanted
// from then on, and the sector is searched anew. Its shift is the highest wanted energy, not the
// pair's own: (H_PP − θ)⁻¹ r would give back x wherever x is a mixture of eigenvectors of A_PP, and
// tell nothing apart.

namespace cisolve {
namespace {

// Sectors beyond are searched as one.
constexpr int most_sectors = 32;
// A pair not wanted is settled when its residual is this part of its distance from the highest
// wanted one, or of the given distance where it is further: an eigenvector of a wanted energy has
// then at most this weight in it.
constexpr double settled_ratio = 0.25;
constexpr double settled_distance = 0.2;
// An unwanted pair must be lower than a wanted one by more than this to take its place, in Hartree.
constexpr double same_energy = 1e-9;

/// What is being done in a sector.
struct Work {
  int wanted = 0;            ///< its lowest pairs that are among the wanted ones
  std::vector<int> targets;  ///< pairs to be corrected
  bool random = false;       ///< or a random vector is to be added
  // Of the search for a lower root:
  bool begun = false, done = false;
  int searched_for = 0;  ///< pairs that were wanted when it began
  int target = 0;        ///< the last of the pairs that have to settle
};

class Davidson {
 public:
  Davidson(const LinearOperator& a, Backend& backend, const PSpace& p_space,
           const EigenOptions& options)
      : backend_(backend),
        options_(options),
        rows_(a.rows()),
        order_(order_by_sector(p_space.sectors, rows_, most_sectors)),
        block_(block_size(options, rows_)),
        a_(a, backend, order_, block_),
        basis_(backend, rows_, basis_size(options, rows_)),
        basis_images_(backend, rows_, basis_.columns()),
        new_vectors_(backend, rows_, block_),
        new_images_(backend, rows_, block_),
        residuals_(backend, rows_, options.states + 2),
        diagonal_(backend, rows_, 1),
        work_(order_.groups()),
        added_(order_.groups(), 0) {
    a_.diagonal(a, diagonal_.view());
    make_sectors(p_space);
    result_.vectors = MultiVector(backend, rows_, options.states);
    for (int s = 0; s < order_.groups(); ++s) result_.sector_sizes.push_back(order_.rows(s));
  }

  EigenResult solve(const EigenObserver& observer) {
    begin(options_.begin_from);
    while (true) {
      if (columns_ > 0 && !expand()) {
        result_.status = SolveStatus::breakdown;
        break;
      }
      choose_wanted();
      compute_residuals();
      follow_searches();
      if (stop(observer)) break;
      if (options_.checkpoint) options_.checkpoint(state(), false);
      plan();
      if (!correct()) {
        result_.status = all_small() ? SolveStatus::converged : SolveStatus::stagnated;
        break;
      }
    }
    if (options_.checkpoint && result_.status != SolveStatus::breakdown) {
      options_.checkpoint(state(), true);
    }
    finish();
    result_.seconds = timer_.seconds();
    return std::move(result_);
  }

 private:
  int sectors() const { return order_.groups(); }
  View part(View v, int s) const { return v.row_range(order_.begin[s], order_.rows(s)); }

  void make_sectors(const PSpace& p_space) {
    std::vector<std::vector<Index>> members(sectors()), rows(sectors());
    std::vector<Index> place(order_.order.size());
    for (std::size_t r = 0; r < place.size(); ++r) place[order_.order[r]] = static_cast<Index>(r);
    for (std::size_t p = 0; p < p_space.rows.size(); ++p) {
      const Index row = p_space.rows[p];
      const int s = place.empty() ? 0 : order_.group_of_row[row];
      members[s].push_back(static_cast<Index>(p));
      rows[s].push_back((place.empty() ? row : place[row]) - order_.begin[s]);
    }
    for (int s = 0; s < sectors(); ++s) {
      const HostMatrix matrix = p_space.matrix(members[s], members[s]);
      searches_.emplace_back(
          backend_, Preconditioner(backend_, rows[s], matrix, part(diagonal_.view(), s), block_),
          part(basis_.view(), s), part(basis_images_.view(), s));
    }
  }

  void begin(const SolverState* from) {
    std::vector<int> known(sectors(), 0);
    if (from == nullptr) {
      start(known, nullptr);
    } else if (from->sectors.empty()) {
      start(known, from);
    } else {
      resume(*from);
      for (int s = 0; s < sectors(); ++s) known[s] = work_[s].wanted;
      if (from->states < options_.states) start(known, nullptr);
    }
  }

  /// T_s ← the start vectors: those of the lowest levels of A_PP over all sectors, at least one in
  /// each, and random ones where the levels are too few. Vectors given, and the `known` lowest
  /// pairs that are in the bases, stand for the lowest levels of their sectors.
  void start(const std::vector<int>& known, const SolverState* given) {
    std::vector<std::pair<double, int>> levels;
    for (int s = 0; s < sectors(); ++s) {
      for (const double level : searches_[s].levels()) levels.emplace_back(level, s);
    }
    std::ranges::sort(levels);
    levels.resize(std::min<std::size_t>(levels.size(), block_));
    std::vector<int> counts(sectors(), 1);
    for (int s = 0; s < sectors(); ++s) {
      counts[s] = std::max<int>(1, std::ranges::count(levels, s, &std::pair<double, int>::second));
    }
    fill_up(counts);
    std::vector<int> taken(sectors(), 0);
    if (given != nullptr) take_given(*given, taken);
    for (int s = 0; s < sectors(); ++s) {
      const int room = searches_[s].space().room();
      counts[s] = std::clamp(counts[s] - known[s], taken[s], std::max(room, taken[s]));
    }
    const int most = *std::ranges::max_element(counts);
    const View t = new_vectors_.packed(given != nullptr ? block_ : most);
    for (int s = 0; s < sectors(); ++s) {
      const double lowest = levels.empty() ? 0.0 : levels.front().first;
      const View t_s = part(t, s);
      if (counts[s] > 0) {
        added_[s] = searches_[s].start(seed(s), lowest, known[s] + taken[s], taken[s],
                                       t_s.slice(0, counts[s]));
      }
      backend_.fill(0.0, t_s.slice(added_[s], t.columns - added_[s]));
    }
    columns_ = *std::ranges::max_element(added_);
    new_ = t;
  }

  /// T_s ← the parts of the vectors given that lie in s, as many as the block has room for.
  void take_given(const SolverState& given, std::vector<int>& taken) {
    constexpr double least_part = 1e-3;  // of a vector's length: less is rounding, or a tail
    const View t = new_vectors_.packed(block_), x = residuals_.packed(1);
    backend_.fill(0.0, t);
    HostMatrix host, image;
    double norm = 0.0, length = 0.0;
    for (int j = 0; j < given.vectors; ++j) {
      given.read(j, host, image);
      a_.upload(host, x);
      backend_.column_norms(x, {&length, 1});
      for (int s = 0; s < sectors(); ++s) {
        backend_.column_norms(part(x, s), {&norm, 1});
        if (taken[s] == std::min<int>(block_, order_.rows(s)) || !(norm > least_part * length)) {
          continue;
        }
        backend_.copy(part(x, s), part(t, s).slice(taken[s]++, 1));
      }
    }
  }

  /// Goes on where `from` was: its bases and images, counts and searches. Where there are more
  /// states than it had, room is left for their start vectors.
  void resume(const SolverState& from) {
    require_sectors_of(from);
    first_iteration_ = result_.iterations = from.iterations;
    result_.probe_applications = from.probe_applications;
    products_before_ = from.operator_applications + from.probe_applications;
    seconds_before_ = from.seconds;
    HostMatrix x, ax;
    for (int j = 0; j < std::min(from.vectors, basis_.columns()); ++j) {
      from.read(j, x, ax);
      a_.upload(x, basis_.slice(j, 1));
      a_.upload(ax, basis_images_.slice(j, 1));
    }
    for (int s = 0; s < sectors(); ++s) resume_sector(s, from);
  }

  void resume_sector(int s, const SolverState& from) {
    const SectorState& sector = from.sectors[s];
    Subspace& space = searches_[s].space();
    const bool more_states = from.states < options_.states;
    auto most = static_cast<std::int64_t>(space.room());
    if (more_states && space.limit() < space.rows()) {
      most =
          std::max<std::int64_t>(1, most - block_ + std::min<std::int64_t>(sector.wanted, block_));
    }
    if (!space.resume(static_cast<int>(std::min(sector.pairs, most))) || !orthonormal(space)) {
      throw InputError(
          "the vectors to restart from are not orthonormal, or their images not finite");
    }
    Work& work = work_[s];
    work.wanted = static_cast<int>(std::min<std::int64_t>(sector.wanted, space.size()));
    if (from.states != options_.states) return;
    work.begun = sector.search_begun != 0;
    work.done = sector.search_done != 0;
    work.searched_for = static_cast<int>(sector.searched_for);
    work.target = static_cast<int>(sector.search_target);
  }

  bool orthonormal(const Subspace& space) const {
    constexpr double rounding = 1e-8;
    if (space.size() == 0) return true;
    HostMatrix gram;
    backend_.gram(space.basis(), space.basis(), gram);
    return (gram - HostMatrix::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff() < rounding;
  }

  void require_sectors_of(const SolverState& from) const {
    bool same = static_cast<int>(from.sectors.size()) == sectors();
    for (int s = 0; same && s < sectors(); ++s) {
      const SectorState& sector = from.sectors[s];
      same = sector.rows == order_.rows(s) && sector.pairs >= 0 && sector.pairs <= from.vectors &&
             sector.pairs <= sector.rows && sector.wanted >= 0 && sector.wanted <= sector.pairs;
    }
    if (!same) throw InputError("the state to restart from has other sectors than the matrix");
  }

  /// What the solve has come to, for a checkpoint.
  SolverState state() {
    SolverState state;
    state.states = options_.states;
    state.iterations = result_.iterations;
    state.probe_applications = result_.probe_applications;
    state.operator_applications = products() - result_.probe_applications;
    state.seconds = seconds_before_ + timer_.seconds();
    for (int s = 0; s < sectors(); ++s) {
      const Work& work = work_[s];
      int pairs = searches_[s].space().size();
      if (options_.checkpoint_vectors > 0) {
        const int target = work.begun && !work.done ? work.target : 0;
        const int needed = std::max(work.wanted, target) + 1;
        pairs = std::min(pairs, std::max(needed, options_.checkpoint_vectors));
      }
      state.sectors.push_back({order_.rows(s), pairs, work.wanted, work.begun, work.done,
                               work.searched_for, work.target});
      state.vectors = std::max(state.vectors, pairs);
    }
    state.read = [this, sectors = state.sectors](int j, HostMatrix& x, HostMatrix& ax) {
      read_pair(j, sectors, x, ax);
    };
    return state;
  }

  /// The j-th Ritz vectors of the sectors side by side, and their images. The new vectors, which
  /// are in the bases by now, make room.
  void read_pair(int j, const std::vector<SectorState>& state, HostMatrix& x, HostMatrix& ax) {
    const View v = new_vectors_.packed(1), av = new_images_.packed(1);
    for (int s = 0; s < sectors(); ++s) {
      if (j < state[s].pairs) {
        searches_[s].space().vector_and_image(j, part(v, s), part(av, s));
      } else {
        backend_.fill(0.0, part(v, s));
        backend_.fill(0.0, part(av, s));
      }
    }
    x = a_.download(v);
    ax = a_.download(av);
  }

  /// Products so far, those of the solve gone on from with them.
  std::int64_t products() const { return products_before_ + a_.applications(); }

  /// Raises the counts until they make the states wanted.
  void fill_up(std::vector<int>& counts) const {
    int missing = options_.states;
    for (const int count : counts) missing -= count;
    for (int s = 0; s < sectors() && missing > 0; ++s) {
      const int more = std::min<int>({missing, order_.rows(s) - counts[s], block_ - counts[s]});
      counts[s] += more;
      missing -= more;
    }
  }

  std::uint64_t seed(int sector) const {
    return options_.seed + 1000003 * static_cast<std::uint64_t>(sector) +
           1000000007 * static_cast<std::uint64_t>(result_.iterations);
  }

  /// An iteration: one product with the new vectors, which join the bases; false when it brought
  /// NaN or infinity.
  bool expand() {
    const View t = new_.slice(0, columns_), at = new_images_.packed(columns_);
    a_.apply(t, at);
    ++result_.iterations;
    if (searching_) result_.probe_applications += columns_;
    bool finite = true;
    for (int s = 0; s < sectors(); ++s) {
      finite = searches_[s].space().append(part(t, s).slice(0, added_[s]),
                                           part(at, s).slice(0, added_[s])) &&
               finite;
    }
    return finite;
  }

  /// The lowest Ritz pairs of all sectors.
  void choose_wanted() {
    struct Pair {
      double value;
      int sector;
    };
    std::vector<Pair> pairs;
    for (int s = 0; s < sectors(); ++s) {
      const HostVector& values = searches_[s].space().values();
      const auto most = std::min<Eigen::Index>(values.size(), options_.states);
      for (Eigen::Index j = 0; j < most; ++j) {
        pairs.push_back({values[j] - (j < work_[s].wanted ? same_energy : 0.0), s});
      }
      work_[s].wanted = 0;
    }
    std::ranges::stable_sort(pairs, {}, &Pair::value);
    found_ = std::min<int>(options_.states, static_cast<int>(pairs.size()));
    for (int i = 0; i < found_; ++i) ++work_[pairs[i].sector].wanted;
    highest_ = -std::numeric_limits<double>::infinity();
    for (int s = 0; s < sectors(); ++s) {
      const int wanted = work_[s].wanted;
      if (wanted > 0) highest_ = std::max(highest_, searches_[s].space().values()[wanted - 1]);
    }
  }

  /// Residuals of the wanted pairs, of each sector's guard, and of the pair its search is after.
  void compute_residuals() {
    std::vector<int> tracked(sectors());
    for (int s = 0; s < sectors(); ++s) {
      const int last =
          work_[s].begun ? std::max(work_[s].target, work_[s].wanted) : work_[s].wanted;
      tracked[s] = std::min({last + 1, searches_[s].space().size(), residuals_.columns()});
    }
    residual_ = residuals_.packed(*std::ranges::max_element(tracked));
    for (int s = 0; s < sectors(); ++s) {
      searches_[s].compute_residuals(part(residual_, s).slice(0, tracked[s]));
    }
  }

  bool settled(int s, int j) const {
    const double distance = searches_[s].space().values()[j] - highest_;
    return searches_[s].norm(j) <=
           std::max(options_.tolerance, settled_ratio * std::min(distance, settled_distance));
  }

  bool small(int s, int j) const { return searches_[s].norm(j) <= options_.tolerance; }

  int small_count() const {
    int count = 0;
    for (int s = 0; s < sectors(); ++s) {
      for (int j = 0; j < work_[s].wanted; ++j) count += small(s, j) ? 1 : 0;
    }
    return count;
  }
  bool all_small() const { return small_count() == options_.states; }

  /// Ends the searches that have settled, and takes up again those that brought a lower root.
  void follow_searches() {
    for (int s = 0; s < sectors(); ++s) {
      Work& work = work_[s];
      if (work.begun && work.wanted > work.searched_for) work.begun = work.done = false;
      if (searches_[s].exhausted()) work.begun = work.done = true;
      if (work.begun && !work.done) {
        work.done = work.target < searches_[s].tracked() && first_unsettled(s) > work.target;
      }
    }
  }
  /// The lowest pair above the wanted ones that has not settled, of those whose residuals are
  /// known.
  int first_unsettled(int s) const {
    int j = work_[s].wanted;
    while (j < searches_[s].tracked() && settled(s, j)) ++j;
    return j;
  }
  bool all_searched() const { return std::ranges::all_of(work_, &Work::done); }

  bool stop(const EigenObserver& observer) {
    const bool go_on = !observer || observe(observer);
    if (all_small() && (!options_.probe || all_searched())) {
      result_.status = SolveStatus::converged;
      result_.verified = all_searched();
      return true;
    }
    if (!go_on) {
      result_.status = SolveStatus::cancelled;
    } else if (options_.time_limit > 0.0 && timer_.seconds() > options_.time_limit) {
      result_.status = SolveStatus::time_limit;
    } else if (result_.iterations - first_iteration_ >= options_.max_iterations) {
      result_.status = SolveStatus::max_iterations;
    } else {
      return false;
    }
    // Cut short in the search alone: converged, not verified.
    if (all_small()) result_.status = SolveStatus::converged;
    return true;
  }

  struct State {
    double energy;
    int sector, number;  ///< of the Ritz pair in its sector
  };
  std::vector<State> states() const {
    std::vector<State> list;
    for (int s = 0; s < sectors(); ++s) {
      for (int j = 0; j < work_[s].wanted; ++j) {
        list.push_back({searches_[s].space().values()[j], s, j});
      }
    }
    std::ranges::stable_sort(list, {}, &State::energy);
    return list;
  }

  bool observe(const EigenObserver& observer) {
    std::vector<double> energies, norms;
    int basis = 0;
    for (const State& state : states()) {
      energies.push_back(state.energy);
      norms.push_back(searches_[state.sector].norm(state.number));
    }
    for (const SectorSearch& search : searches_) basis = std::max(basis, search.space().size());
    return observer({result_.iterations, basis, energies, norms, small_count(),
                     products() - result_.probe_applications, result_.probe_applications,
                     timer_.seconds()});
  }

  /// What each sector does next.
  void plan() {
    std::size_t most = 0;
    for (int s = 0; s < sectors(); ++s) {
      Work& work = work_[s];
      work.random = false;
      work.targets.clear();
      for (int j = 0; j < work.wanted; ++j) {
        if (!small(s, j)) work.targets.push_back(j);
      }
      most = std::max(most, work.targets.size());
    }
    searching_ = most == 0 && found_ == options_.states;
    for (int s = 0; s < sectors(); ++s) {
      if (searching_) {
        plan_search(s);
      } else if (found_ < options_.states && work_[s].targets.empty()) {
        work_[s].random = true;  // there are fewer pairs than states
      } else if (work_[s].targets.size() < most && work_[s].wanted < searches_[s].tracked() &&
                 !settled(s, work_[s].wanted)) {
        work_[s].targets.push_back(work_[s].wanted);  // the guard, free of charge
      }
    }
  }

  void plan_search(int s) {
    Work& work = work_[s];
    if (work.done) return;
    const int next = first_unsettled(s);
    if (next < searches_[s].tracked()) {
      // The guard first: what the random vector brings would be lost in its restarts.
      work.targets.push_back(next);
      return;
    }
    work.begun = work.random = true;
    work.searched_for = work.wanted;
    work.target = std::min(work.wanted + 1, searches_[s].space().size());
  }

  /// T_s ← the new directions; false when there are none in any sector.
  bool correct() {
    int most = 1;
    for (int s = 0; s < sectors(); ++s) {
      limit_targets(s);
      most = std::max(most, static_cast<int>(work_[s].targets.size()));
    }
    new_ = new_vectors_.packed(most);
    columns_ = 0;
    for (int s = 0; s < sectors(); ++s) {
      const View t = part(new_, s);
      added_[s] = 0;
      if (work_[s].random && searches_[s].space().room() > 0) {
        added_[s] = searches_[s].random(seed(s), highest_, t.slice(0, 1));
      } else if (!work_[s].targets.empty()) {
        const int count = static_cast<int>(work_[s].targets.size());
        added_[s] = searches_[s].correct(work_[s].targets, highest_shift(),
                                         part(residual_, s).slice(0, searches_[s].tracked()),
                                         t.slice(0, count));
      }
      backend_.fill(0.0, t.slice(added_[s], most - added_[s]));
      columns_ = std::max(columns_, added_[s]);
    }
    return columns_ > 0;
  }

  double highest_shift() const {
    return searching_ ? highest_ : std::numeric_limits<double>::infinity();
  }

  /// Makes room in the basis of a sector, by a restart where it is full; where there is less room
  /// than targets, the last ones wait.
  void limit_targets(int s) {
    Work& work = work_[s];
    Subspace& space = searches_[s].space();
    const int count = std::max<int>(work.random ? 1 : 0, static_cast<int>(work.targets.size()));
    if (searching_ && work.random) {
      // Whatever else the basis holds has settled too often for the random vector to be seen.
      space.restart(std::min(work.wanted + 1, space.size()), 0);
    } else if (count > space.room() && space.limit() < space.rows()) {
      // A search keeps what it can: what it has of a lower root may still lie high.
      const int free = space.limit() - count;
      const int kept = std::clamp(searching_ ? free - free / 4 : searches_[s].tracked(), 1, free);
      space.restart(kept, searching_ ? 0 : std::min(kept, free - kept));
    }
    work.targets.resize(std::min<std::size_t>(work.targets.size(), space.room()));
  }

  /// X ← VS of the wanted pairs, their residuals recomputed with one more product, the states that
  /// meet the tolerance marked.
  void finish() {
    const std::vector<State> list = states();
    const auto count = static_cast<std::size_t>(options_.states);
    const View x = result_.vectors.view();
    if (list.size() < count) {  // after an early breakdown
      const double nan = std::numeric_limits<double>::quiet_NaN();
      result_.energies.assign(count, nan);
      result_.residual_norms.assign(count, nan);
      result_.converged.assign(count, false);
      result_.sectors.assign(count, 0);
      backend_.fill(nan, x);
    } else {
      recompute_residuals();
      for (const State& state : list) {
        result_.energies.push_back(state.energy);
        result_.residual_norms.push_back(searches_norms_[state.sector][state.number]);
        result_.converged.push_back(result_.residual_norms.back() <= options_.tolerance);
        result_.sectors.push_back(state.sector);
      }
      for (std::size_t i = 0; i < count; ++i) unpack(list[i], x.slice(static_cast<int>(i), 1));
      fix_signs(x);
    }
    const bool all = std::ranges::all_of(result_.converged, [](bool c) { return c; });
    if (result_.status == SolveStatus::converged && !all) result_.status = SolveStatus::stagnated;
    result_.operator_applications = products() - result_.probe_applications;
    result_.product_seconds = a_.seconds();
  }

  void recompute_residuals() {
    int most = 0;
    for (const Work& work : work_) most = std::max(most, work.wanted);
    new_ = new_vectors_.packed(most);
    const View image = new_images_.packed(most);
    backend_.fill(0.0, new_);
    for (int s = 0; s < sectors(); ++s) {
      if (work_[s].wanted > 0)
        searches_[s].space().vectors(part(new_, s).slice(0, work_[s].wanted));
    }
    a_.apply(new_, image);
    searches_norms_.resize(sectors());
    for (int s = 0; s < sectors(); ++s) {
      const int wanted = work_[s].wanted;
      if (wanted == 0) continue;
      const HostMatrix minus_theta =
          -searches_[s].space().values().head(wanted).asDiagonal().toDenseMatrix();
      const View r = part(image, s).slice(0, wanted);
      backend_.combine(1.0, part(new_, s).slice(0, wanted), minus_theta, 1.0, r);
      searches_norms_[s].resize(wanted);
      backend_.column_norms(r, searches_norms_[s]);
    }
  }

  /// x (n × 1) ← the state's vector, its rows where A has them.
  void unpack(const State& state, View x) {
    const View sorted = residuals_.packed(1);
    backend_.fill(0.0, sorted);
    backend_.copy(part(new_, state.sector).slice(state.number, 1), part(sorted, state.sector));
    a_.to_original(sorted, x);
  }

  /// The largest coefficient of each vector becomes positive.
  void fix_signs(View x) {
    std::vector<double> factors(x.columns);
    backend_.largest_elements(x, factors);
    for (double& factor : factors) factor = factor < 0.0 ? -1.0 : 1.0;
    backend_.scale_columns(factors, x);
  }

  Timer timer_;
  Backend& backend_;
  const EigenOptions& options_;
  Index rows_;
  SectorOrder order_;
  int block_;
  SectorOperator a_;
  MultiVector basis_, basis_images_, new_vectors_, new_images_, residuals_, diagonal_;
  std::vector<SectorSearch> searches_;
  std::vector<Work> work_;
  std::vector<int> added_;  ///< new vectors of each sector
  View new_, residual_;
  int columns_ = 0;  ///< new vectors of the sector with most
  int found_ = 0;    ///< pairs wanted, at most the states
  double highest_ = 0.0;
  bool searching_ = false;
  std::vector<std::vector<double>> searches_norms_;
  // Of the solve gone on from:
  int first_iteration_ = 0;
  std::int64_t products_before_ = 0;
  double seconds_before_ = 0.0;
  EigenResult result_;
};

}  // namespace

EigenResult davidson(const LinearOperator& a, Backend& backend, const PSpace& p_space,
                     const EigenOptions& options, const EigenObserver& observer) {
  require_valid(a, options);
  return Davidson(a, backend, p_space, options).solve(observer);
}

}  // namespace cisolve
