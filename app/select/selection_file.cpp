#include "app/select/selection_file.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "app/input/same_on_ranks.hpp"
#include "core/error.hpp"
#include "io/array_archive.hpp"
#include "io/atomic_file.hpp"
#include "io/hdf5/hdf5_input.hpp"

namespace cisolve {
namespace {

constexpr double orthogonal = 1e-10;  ///< CᵀC to this
constexpr std::int64_t layout_version = 2;

/// Identity of a selection.
struct Identity {
  std::int64_t version, orbitals, alphas, betas, irrep, states;
  std::int64_t integrals;  ///< their hash, its bits

  bool operator==(const Identity&) const = default;
};
constexpr std::size_t identity_fields = sizeof(Identity) / sizeof(std::int64_t);

Identity identity_of(const SelectionOf& of, int states) {
  const auto [alphas, betas] = electron_numbers(of.integrals);
  return {layout_version,
          of.integrals.orbitals,
          alphas,
          betas,
          of.irrep,
          states,
          static_cast<std::int64_t>(hash_of(of.integrals))};
}

/// A state that continues no other, for there was no list before.
constexpr double first_list = -2.0;
/// Numbers of a step, beside those of its states.
constexpr std::size_t step_fields = 10, state_fields = 5;

void append_step(const SelectionStep& step, bool complete, std::vector<double>& numbers,
                 std::vector<double>& of_states) {
  const Correction& correction = step.correction;
  for (const double number :
       {static_cast<double>(step.determinants), step.epsilon, step.converged ? 1.0 : 0.0,
        static_cast<double>(correction.targets), static_cast<double>(correction.summed),
        step.seconds.select, step.seconds.solve, step.seconds.correct, step.natural ? 1.0 : 0.0,
        complete ? 1.0 : 0.0}) {
    numbers.push_back(number);
  }
  for (std::size_t j = 0; j < step.energies.size(); ++j) {
    of_states.insert(of_states.end(), {step.energies[j], correction.energies[j],
                                       correction.deviations[j], correction.coefficients[j],
                                       step.continues.empty() ? first_list : step.continues[j]});
  }
}

/// None where the numbers of the states are none that are written.
std::optional<SelectionStep> step_of(const double* numbers, const double* of_states, int states) {
  SelectionStep step;
  step.determinants = static_cast<std::int64_t>(numbers[0]);
  step.epsilon = numbers[1];
  step.converged = numbers[2] != 0.0;
  step.correction.targets = static_cast<std::int64_t>(numbers[3]);
  step.correction.summed = static_cast<std::int64_t>(numbers[4]);
  step.seconds = {numbers[5], numbers[6], numbers[7]};
  step.natural = numbers[8] != 0.0;
  for (int j = 0; j < states; ++j, of_states += state_fields) {
    step.energies.push_back(of_states[0]);
    step.correction.energies.push_back(of_states[1]);
    step.correction.deviations.push_back(of_states[2]);
    step.correction.coefficients.push_back(of_states[3]);
    const double continued = of_states[4];
    if (continued == first_list) continue;
    if (!(continued >= -1.0 && continued < states)) return std::nullopt;
    step.continues.push_back(static_cast<int>(continued));
  }
  if (!step.continues.empty() && std::ssize(step.continues) != states) return std::nullopt;
  return step;
}

std::vector<OrbitalString> read_strings_of(const InputFile& file, const char* name, int orbitals) {
  const auto words = static_cast<std::uint64_t>(OrbitalString::words_of(orbitals));
  const Dataset table = words == 1 ? file.dataset(name, NumberKind::integer)
                                   : file.table(name, NumberKind::integer, words);
  std::vector<std::uint64_t> all(table.found.rows * table.found.columns);
  file.read_table(table, all.data());
  std::vector<OrbitalString> strings(all.size() / words);
  for (std::size_t i = 0; i < strings.size(); ++i) {
    strings[i] = OrbitalString::from_words(&all[i * words], static_cast<int>(words));
  }
  return strings;
}

std::vector<double> read_numbers(const InputFile& file, const char* name, std::uint64_t columns) {
  const Dataset table = file.table(name, NumberKind::real, columns);
  std::vector<double> numbers(table.found.rows * columns);
  file.read_table(table, numbers.data());
  constexpr double most = 9e15;  // counts are whole below
  if (!std::ranges::all_of(numbers, [](double x) { return std::abs(x) < most; })) {
    file.fail("dataset '" + std::string(name) + "' holds NaN, infinity or more than 9e15");
  }
  return numbers;
}

void require_same(const InputFile& file, const Identity& expected) {
  const Dataset found = file.dataset("of", NumberKind::integer);
  if (found.size() != identity_fields) file.fail("dataset 'of' is damaged");
  Identity identity{};
  file.read_row(found, 0, &identity.version);
  const auto compare = [&](std::int64_t Identity::*field, const std::string& what) {
    if (identity.*field == expected.*field) return;
    file.fail("a selection of " + std::to_string(identity.*field) + " " + what + ", expected " +
              std::to_string(expected.*field));
  };
  compare(&Identity::version, "as layout version");
  compare(&Identity::orbitals, "active orbitals");
  compare(&Identity::alphas, "alpha electrons");
  compare(&Identity::betas, "beta electrons");
  compare(&Identity::states, "states");
  compare(&Identity::irrep, "as irrep (-1: all)");
  if (identity != expected) file.fail("a selection over other integrals");
}

}  // namespace

void write_selection(const std::filesystem::path& path, const SelectionOf& of,
                     const SelectionState& state) {
  const auto states = static_cast<int>(state.coefficients.cols());
  const Identity identity = identity_of(of, states);
  const auto rows = static_cast<std::int64_t>(state.space->size());
  const int words = OrbitalString::words_of(of.integrals.orbitals);
  std::vector<std::uint64_t> alphas, betas;
  alphas.reserve(static_cast<std::size_t>(rows * words));
  betas.reserve(alphas.capacity());
  state.space->for_each([&](std::int64_t, const OrbitalString& a, const OrbitalString& b) {
    for (int k = 0; k < words; ++k) {
      alphas.push_back(a.word(k));
      betas.push_back(b.word(k));
    }
  });
  std::vector<double> numbers, of_states;
  for (const SelectionStep& step : state.steps) {
    append_step(step, state.complete && &step == &state.steps.back(), numbers, of_states);
  }
  const auto steps = static_cast<std::int64_t>(state.steps.size());
  const std::vector<std::int64_t> norb{of.integrals.orbitals};
  const std::vector<std::int64_t> shape =
      words == 1 ? std::vector<std::int64_t>{rows} : std::vector<std::int64_t>{rows, words};
  std::vector<NamedArray> arrays{
      kept_text("program", "cisolve " CISOLVE_VERSION),
      kept_array("of",
                 std::vector<std::int64_t>(&identity.version, &identity.version + identity_fields),
                 {std::int64_t{identity_fields}}),
      kept_array("norb", norb, {}),
      kept_array("alpha", std::move(alphas), shape),
      kept_array("beta", std::move(betas), shape),
      {"coefficients",
       {"<f8", {rows, states}},
       state.coefficients.data(),
       static_cast<std::size_t>(state.coefficients.size()) * sizeof(double)},
      kept_array("steps", std::move(numbers), {steps, std::int64_t{step_fields}}),
      kept_array("states_of_steps", std::move(of_states),
                 {steps, states * std::int64_t{state_fields}})};
  if (state.rotation.size() > 0) {
    arrays.push_back({"rotation",
                      {"<f8", {state.rotation.rows(), state.rotation.cols()}},
                      state.rotation.data(),
                      static_cast<std::size_t>(state.rotation.size()) * sizeof(double)});
  }
  AtomicFile file(path);
  write_hdf5_arrays(arrays, selection_format, file.temporary(), path.string());
  file.commit();
}

SelectionState read_selection(const std::filesystem::path& path, const SelectionOf& of,
                              int states) {
  const InputFile file(path);
  if (const std::string format = file.string_attribute("format"); format != selection_format) {
    file.fail("no selection: format '" + format + "', expected '" + selection_format + "'");
  }
  require_same(file, identity_of(of, states));
  SelectionState state;
  const std::vector<double> numbers = read_numbers(file, "steps", step_fields);
  const std::size_t columns = state_fields * static_cast<std::size_t>(states);
  const std::vector<double> of_states = read_numbers(file, "states_of_steps", columns);
  const std::size_t steps = numbers.size() / step_fields;
  if (steps == 0 || of_states.size() != steps * columns) file.fail("its steps are damaged");
  for (std::size_t i = 0; i < steps; ++i) {
    auto step = step_of(&numbers[i * step_fields], &of_states[i * columns], states);
    if (!step) file.fail("its states are damaged");
    state.steps.push_back(std::move(*step));
  }
  state.complete = numbers.back() != 0.0;
  const std::vector<OrbitalString> alphas = read_strings_of(file, "alpha", of.integrals.orbitals),
                                   betas = read_strings_of(file, "beta", of.integrals.orbitals);
  const std::vector<double> c =
      read_numbers(file, "coefficients", static_cast<std::uint64_t>(states));
  if (alphas.size() != betas.size() ||
      c.size() != alphas.size() * static_cast<std::size_t>(states) ||
      state.steps.back().determinants != static_cast<std::int64_t>(alphas.size())) {
    file.fail("its list is damaged");
  }
  try {
    state.space = std::make_shared<const AnySpace>(
        make_listed_space(of.integrals, DeterminantList{alphas, betas}, std::nullopt));
  } catch (const InputError& error) {
    file.fail(error.what());
  }
  state.coefficients =
      Eigen::Map<const HostMatrix>(c.data(), static_cast<Eigen::Index>(alphas.size()), states);
  if (state.steps.back().natural) {
    const std::vector<double> rotation =
        read_numbers(file, "rotation", static_cast<std::uint64_t>(of.file_orbitals));
    const Eigen::Index m = of.file_orbitals;
    if (std::ssize(rotation) != m * m) file.fail("its rotation is damaged");
    state.rotation = Eigen::Map<const HostMatrix>(rotation.data(), m, m);
    const HostMatrix unit = state.rotation.transpose() * state.rotation;
    if (!unit.isIdentity(orthogonal)) file.fail("its rotation is not orthogonal");
  }
  return state;
}

}  // namespace cisolve
