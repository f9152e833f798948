#include "app/states/state_analysis.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "app/config/irrep.hpp"
#include "app/states/spin_adaptation.hpp"
#include "backends/ranks/agree.hpp"
#include "backends/ranks/communicator.hpp"
#include "backends/ranks/whole_vectors.hpp"
#include "core/error.hpp"
#include "core/host_matrix.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "hamiltonian/density/direct_densities.hpp"
#include "hamiltonian/density/function_weights.hpp"
#include "hamiltonian/density/space_densities.hpp"
#include "hamiltonian/direct/direct_product.hpp"
#include "hamiltonian/states/excitation_rank.hpp"
#include "hamiltonian/states/irrep_weights.hpp"
#include "hamiltonian/states/natural_occupations.hpp"
#include "hamiltonian/states/spin.hpp"
#include "hamiltonian/states/spin_matrix.hpp"

namespace cisolve {
namespace {

// Relative to the largest of them: what symmetry makes equal differs by less once converged, that
// is by a residual over the distance to the next state.
constexpr double equal_coefficients = 1e-4;
constexpr double smallest_leading = 1e-3;

/// Of every vector the largest element, the first of equal ones, becomes positive.
void fix_signs(EigenResult& result, Backend& backend) {
  std::vector<double> signs(result.vectors.columns());
  backend.largest_elements(result.vectors.view(), equal_coefficients, signs);
  for (double& sign : signs) sign = sign < 0.0 ? -1.0 : 1.0;
  backend.scale_columns(signs, result.vectors.view());
}

/// A vector (n × 1) on the host: in pieces, whose places in it are first touched in parallel.
HostVector download_vector(Backend& backend, ConstView x) {
  constexpr Index piece = 1 << 20;
  if (!backend.communicator().alone()) return download_whole(backend, x);
  HostVector host(x.rows);
  for (Index first = 0; first < x.rows; first += std::min(piece, x.rows - first)) {
    const HostMatrix part = backend.download(x.row_range(first, std::min(piece, x.rows - first)));
#pragma omp parallel for if (worth_threads(part.rows())) schedule(static)
    for (Eigen::Index i = 0; i < part.rows(); ++i) host[first + i] = part(i, 0);
  }
  return host;
}

bool all_finite(const HostVector& x) {
  bool finite = true;
#pragma omp parallel for if (worth_threads(x.size())) schedule(static) reduction(&& : finite)
  for (Eigen::Index i = 0; i < x.size(); ++i) finite = finite && std::isfinite(x[i]);
  return finite;
}

/// What is sorted of a LeadingRow; that has texts, and takes several times as long to make and
/// move.
struct Coefficient {
  std::int64_t row = 0;
  double coefficient = 0.0;
};

std::vector<LeadingRow> with_texts(const std::vector<Coefficient>& rows) {
  std::vector<LeadingRow> made;
  for (const Coefficient& c : rows) made.push_back({c.row, c.coefficient, {}, {}, 0});
  return made;
}

/// Coefficients above `smallest` in magnitude, ascending by row: every thread's share of the rows
/// gives its own.
std::vector<Coefficient> large_rows(const HostVector& x, double smallest) {
  const int shares = worth_threads(x.size()) ? omp_get_max_threads() : 1;
  std::vector<std::vector<Coefficient>> found(shares);
  FirstException exception;
#pragma omp parallel for if (shares > 1) schedule(static, 1)
  for (int s = 0; s < shares; ++s) {
    exception.guard([&] {
      for (auto i = x.size() * s / shares; i < x.size() * (s + 1) / shares; ++i) {
        if (std::abs(x[i]) > smallest) found[s].push_back({i, x[i]});
      }
    });
  }
  exception.rethrow();
  std::vector<Coefficient> rows = std::move(found.front());
  for (int s = 1; s < shares; ++s) std::ranges::move(found[s], std::back_inserter(rows));
  return rows;
}

/// At most `count`, the largest first, equal ones by row.
template <class Row>
std::vector<Row> largest_first(std::vector<Row> rows, int count) {
  const auto magnitude = [](const Row& row) { return std::abs(row.coefficient); };
  if (count <= 0) return {};
  if (std::ssize(rows) > count) {  // those that may be among them
    const auto last = rows.begin() + (count - 1);
    std::ranges::nth_element(rows, last, std::ranges::greater(), magnitude);
    const double least = magnitude(*last) * (1.0 - equal_coefficients);
    std::erase_if(rows, [&](const Row& row) { return magnitude(row) < least; });
  }
  std::ranges::sort(rows, std::ranges::greater(), magnitude);
  for (auto first = rows.begin(); first != rows.end();) {
    const double least = magnitude(*first) * (1.0 - equal_coefficients);
    const auto last =
        std::find_if(first, rows.end(), [&](const auto& row) { return magnitude(row) < least; });
    std::ranges::sort(first, last, {}, &Row::row);
    first = last;
  }
  rows.resize(std::min<std::size_t>(rows.size(), count));
  return rows;
}

/// Throws ResourceError unless the host has room for the vectors that the analysis works on, and of
/// determinants the tables of excitations, at most electrons · holes / 2 for each string.
void require_memory(const CiSpace& space, const DirectTables* direct, const Backend& backend) {
  double bytes = 0.0;
  if (direct != nullptr) {
    const auto rows = static_cast<double>(direct->rows.size());
    const auto determinants = static_cast<double>(direct->layout.size());
    const bool here = backend.kind() == BackendKind::cpu;
    bytes = sizeof(double) * (here ? 2.0 * rows + determinants : rows);
  } else {
    bytes = 5.0 * static_cast<double>(space.size()) * sizeof(double);
    for (const StringSpace* s : {&space.alpha, &space.beta}) {
      bytes += 0.5 * s->electrons * (s->orbitals - s->electrons) * s->size() *
               static_cast<double>(sizeof(StringExcitation));
    }
  }
  require_host_memory(bytes, "vectors and their excitations");
}

void describe_rows(std::vector<LeadingRow>& rows, const HamiltonianSource& source) {
  const CiSpace& space = *source.space();
  const DeterminantLabels labels = source.labels();
  for (LeadingRow& row : rows) {
    const Determinant determinant = space.determinant(row.row);
    row.occupation = labels.occupation(determinant);
    row.excitation = labels.excitation(determinant, space.reference());
    row.rank = excitation_rank(space, determinant);
  }
}

/// What a state's spin and natural orbitals follow from, of restricted orbitals.
struct SpinFacts {
  double s_squared;
  OneDensities densities;
};

/// What is known of states by products alone, over whatever the rows are.
class SpinOfStates {
 public:
  virtual ~SpinOfStates() = default;
  /// y := S²x, on the backend; n × 1.
  virtual void apply(ConstView x, View y) = 0;
  virtual OneDensities densities(ConstView x) = 0;
};

/// Of determinants in the order of the space, on the host of every rank.
class SpinOfDeterminants final : public SpinOfStates {
 public:
  SpinOfDeterminants(const CiSpace& space, Backend& backend)
      : space_(space), backend_(backend), excitations_(make_pair_excitations(space)) {}
  void apply(ConstView x, View y) override {
    upload_own(backend_, apply_s_squared(space_, excitations_, download_whole(backend_, x)), y);
  }
  OneDensities densities(ConstView x) override {
    const HostVector state = download_whole(backend_, x);
    return space_one_densities(space_, excitations_, state, state);
  }

 private:
  const CiSpace& space_;
  Backend& backend_;
  SpinPairExcitations excitations_;
};

/// Of the rows of a direct operator, on the backend.
class SpinOfFunctions final : public SpinOfStates {
 public:
  SpinOfFunctions(const DirectOperator& direct, const DirectTables& tables, Backend& backend)
      : direct_(direct),
        densities_(tables.layout, backend),
        layout_vector_(backend, tables.layout.size()) {}
  void apply(ConstView x, View y) override { direct_.apply_s_squared(x, y); }
  OneDensities densities(ConstView x) override {
    direct_.to_layout(x, layout_vector_.data());
    return densities_.one(layout_vector_.data(), layout_vector_.data());
  }

 private:
  const DirectOperator& direct_;
  DirectDensities densities_;
  Buffer<double> layout_vector_;
};

/// ⟨x|S²|x⟩ and the densities.
SpinFacts spin_facts(SpinOfStates& spin, ConstView x, Backend& backend) {
  MultiVector image(backend, x.rows, 1);
  spin.apply(x, image.view());
  HostMatrix product;
  backend.gram(x, image.view(), product);
  return {product(0, 0), spin.densities(x)};
}

/// Of what a state is made, by its vector alone.
struct Composition {
  std::vector<LeadingRow> leading;
  std::vector<double> rank_weights;
  std::array<double, 8> irrep_weights{};
};

/// A vector over determinants, or over the rows of a matrix file.
Composition composition(const HostVector& x, const HamiltonianSource& source, int count) {
  Composition made;
  made.leading = leading_rows(x, count);
  if (!source.of_determinants()) return made;
  made.rank_weights = rank_weights(*source.space(), x);
  made.irrep_weights = irrep_weights(*source.space(), *source.active_integrals(), x);
  return made;
}

/// A vector over the rows of a direct product.
Composition composition(const HostVector& x, const DirectTables& tables, int count) {
  return {leading_determinants(tables.layout, tables.rows,
                               with_texts(large_rows(x, smallest_leading)), count),
          rank_weights(tables, x), irrep_weights(tables, x)};
}

StateAnalysis analyse(Composition made, const HamiltonianSource& source,
                      const std::optional<SpinFacts>& spin) {
  StateAnalysis state;
  state.leading = std::move(made.leading);
  if (!source.of_determinants()) return state;
  const CiSpace& space = *source.space();
  describe_rows(state.leading, source);
  state.rank_weights = std::move(made.rank_weights);
  state.irrep = irrep_of(made.irrep_weights, *source.active_integrals());
  if (state.irrep) state.irrep_name = irrep_name(*state.irrep, *source.active_integrals());
  const int ms2 = twice_ms(space);
  state.ms2 = ms2;
  if (!spin) return state;
  state.s_squared = spin->s_squared;
  state.multiplicity = multiplicity(*state.s_squared, ms2);
  if (ms2 == 0 && state.multiplicity) state.spin_inversion = *state.multiplicity % 4 == 1 ? 1 : -1;
  state.densities = spin->densities;
  state.natural_occupations = natural_occupations(spin_summed(state.densities));
  return state;
}

/// The reference determinant, and why something cannot be said.
EigenAnalysis reference_of(const HamiltonianSource& source) {
  EigenAnalysis analysis;
  if (!source.of_determinants()) return analysis;
  const CiSpace& space = *source.space();
  analysis.determinants = true;
  analysis.reference_occupation = source.labels().occupation(space.reference());
  if (space.holds(space.reference())) {
    analysis.reference_energy = determinant_energy(*source.active_integrals(), space.reference());
  }
  analysis.reference_irrep = irrep_of(space.reference(), *source.active_integrals());
  const auto [a, b] = space.reference();
  const bool high_spin = (a & ~b) == 0 || (b & ~a) == 0;
  if (high_spin && !source.active_integrals()->unrestricted) {
    analysis.reference_multiplicity = std::abs(twice_ms(space)) + 1;
  }
  return analysis;
}

/// Whether ⟨S²⟩ is nearer to the S(S + 1) of that multiplicity than to those of the next ones: a
/// truncated space of a high-spin reference mixes a little of higher spins in.
bool is_nearest_spin(double s_squared, int multiplicity) {
  const double s = 0.5 * (multiplicity - 1);
  const double above = s_squared - s * (s + 1.0);
  return (s < 1.0 || above > -s) && above < s + 1.0;  // half-way to s - 1, to s + 1
}

Correlation correlation_of(const EigenAnalysis& analysis, const std::vector<double>& energies,
                           bool restricted) {
  if (!analysis.reference_energy) return {{}, 0, "the reference is not among the determinants"};
  if (analysis.states.empty())
    return {{}, 0, "the states were not analysed, their spins and irreps are not known"};
  if (restricted && !analysis.reference_multiplicity) {
    return {{}, 0, "the reference is no spin eigenfunction"};
  }
  for (std::size_t i = 0; i < analysis.states.size(); ++i) {
    const StateAnalysis& state = analysis.states[i];
    if (state.irrep != analysis.reference_irrep) continue;
    if (restricted &&
        !(state.s_squared && is_nearest_spin(*state.s_squared, *analysis.reference_multiplicity))) {
      continue;
    }
    return {energies[i] - *analysis.reference_energy, i, ""};
  }
  return {{}, 0, "no state found has the reference's spin and irrep"};
}

void analyse_all(EigenAnalysis& analysis, EigenResult& result, std::unique_ptr<LinearOperator> a,
                 Backend& backend, const HamiltonianSource& source, const DirectTables* direct,
                 const RunConfig& config) {
  std::unique_ptr<SpinOfStates> spin;
  const bool restricted = source.of_determinants() && !source.active_integrals()->unrestricted;
  if (restricted) {
    if (direct != nullptr) {
      spin = std::make_unique<SpinOfFunctions>(dynamic_cast<const DirectOperator&>(*a), *direct,
                                               backend);
    } else {
      spin = std::make_unique<SpinOfDeterminants>(*source.space(), backend);
    }
    adapt_spin(
        result, *a, backend, [&](ConstView x, View y) { spin->apply(x, y); },
        config.solver.tolerance, config.solver.stop_by == StopBy::energy);
  } else if (source.of_determinants()) {
    analysis.notes.push_back(
        "spin and natural occupations are not given: the orbitals are unrestricted, and an FCIDUMP "
        "file lacks the overlaps of alpha with beta orbitals that they need");
  }
  if (direct == nullptr) a.reset();  // else it is small, and has more to do
  fix_signs(result, backend);
  for (int j = 0; j < result.vectors.columns(); ++j) {
    const View state = result.vectors.slice(j, 1);
    const HostVector x = download_vector(backend, state);
    if (!all_finite(x)) {
      analysis.states.emplace_back();
      continue;
    }
    std::optional<SpinFacts> facts;
    if (spin) facts = spin_facts(*spin, state, backend);
    const int count = config.output.determinants;
    analysis.states.push_back(
        analyse(direct != nullptr ? composition(x, *direct, count) : composition(x, source, count),
                source, facts));
  }
}

}  // namespace

double leading_coefficient(const Eigen::Ref<const HostVector, 0, Eigen::InnerStride<>>& x) {
  double largest = 0.0;
#pragma omp parallel for if (worth_threads(x.size())) schedule(static) reduction(max : largest)
  for (Eigen::Index i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i]));
  const double least = (1.0 - equal_coefficients) * largest;
  const auto found =
      std::find_if(x.begin(), x.end(), [=](double c) { return std::abs(c) >= least; });
  return found != x.end() ? *found : 0.0;
}

std::vector<LeadingRow> leading_rows(const HostVector& x, int count) {
  return with_texts(largest_first(large_rows(x, smallest_leading), count));
}

std::vector<LeadingRow> leading_determinants(const DirectLayout& layout, const DirectRows& rows,
                                             const std::vector<LeadingRow>& functions, int count) {
  std::vector<LeadingRow> found;
  const auto add = [&](Index a, Index b, double coefficient) {
    if (std::abs(coefficient) <= smallest_leading) return;
    const std::int64_t row = layout.row_in_space(a) + layout.beta_strings.number[b];
    found.push_back({row, coefficient, {}, {}, 0});
  };
  for (const LeadingRow& of : functions) {
    const DirectRows::Function f = rows.function(of.row);
    if (f.parity == Parity::none || f.a == f.b) {
      add(f.a, f.b, of.coefficient);
    } else {
      add(f.a, f.b, std::sqrt(0.5) * of.coefficient);
      add(f.b, f.a, static_cast<double>(f.parity) * std::sqrt(0.5) * of.coefficient);
    }
  }
  found = largest_first(std::move(found), count);
  if (!found.empty() && found[0].coefficient < 0.0) {
    for (LeadingRow& row : found) row.coefficient = -row.coefficient;
  }
  return found;
}

EigenAnalysis analyse_states(EigenResult& result, std::unique_ptr<LinearOperator> a,
                             Backend& backend, const HamiltonianSource& source,
                             const DirectTables* direct, const RunConfig& config) {
  EigenAnalysis analysis = reference_of(source);
  if (config.output.analysis) {
    // The states were found: what cannot be said of them takes nothing away.
    Communicator& ranks = backend.communicator();
    bool begun = false;
    try {
      if (source.of_determinants()) {
        require_on_all(ranks, [&] { require_memory(*source.space(), direct, backend); });
      }
      begun = true;
      analyse_all(analysis, result, std::move(a), backend, source, direct, config);
    } catch (const ResourceError& error) {
      if (begun && !ranks.alone()) throw;  // the others do not know
      analysis.states.clear();
      analysis.notes.push_back(std::string("the states are not analysed, for lack of memory: ") +
                               error.what());
    }
  }
  if (analysis.determinants) {
    analysis.correlation =
        correlation_of(analysis, result.energies, !source.active_integrals()->unrestricted);
  }
  if (analysis.states.empty()) fix_signs(result, backend);  // no analysis has
  return analysis;
}

}  // namespace cisolve
