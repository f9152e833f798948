#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "app/library/hamiltonian_data.hpp"
#include "backends/backend.hpp"
#include "core/error.hpp"
#include "formats/format.hpp"
#include "formats/matrix/weighted_sum.hpp"

namespace cisolve {
namespace {

/// A term with its model opened.
struct OpenedTerm {
  double factor;
  const Hamiltonian* hamiltonian;
  std::unique_ptr<Model> model;
};

std::vector<OpenedTerm> opened(const std::vector<std::pair<double, Hamiltonian>>& terms) {
  if (terms.empty()) throw InputError("terms of a sum: found none, expected at least one");
  std::vector<OpenedTerm> made;
  for (const auto& [factor, hamiltonian] : terms) {
    if (!std::isfinite(factor)) throw InputError("factor of a sum: found NaN or infinity");
    made.push_back({factor, &hamiltonian, hamiltonian.data().open(Storage::full, {})});
    if (made.back().model->components() != 1) {
      throw InputError("terms of a sum: " + made.back().model->name() +
                       " has complex elements or quaternions, expected real ones");
    }
    const Index rows = made.front().model->rows(), own = made.back().model->rows();
    if (own == rows) continue;
    throw InputError("terms of a sum: found " + std::to_string(own) + " rows, expected " +
                     std::to_string(rows) + " as of the first");
  }
  return made;
}

const DeterminantSettings& settings_of(const OpenedTerm& term) {
  return term.hamiltonian->data().input;
}

/// True if a sum of the integrals is over the first term's determinants: no reference determinant
/// and no orbital energies, which the sum has its own of, choose among these.
bool is_of_like_integrals(const OpenedTerm& term, const OpenedTerm& first) {
  const Determinants* const one = term.model->determinants();
  const Determinants* const other = first.model->determinants();
  if (one == nullptr || other == nullptr) return false;
  const Integrals &a = one->integrals(), &b = other->integrals();
  return a.orbitals == b.orbitals && a.electrons == b.electrons && a.ms2 == b.ms2 &&
         a.unrestricted == b.unrestricted && a.general == b.general &&
         a.orbital_irreps == b.orbital_irreps && a.irreps_as_pyscf == b.irreps_as_pyscf &&
         settings_of(term) == settings_of(first) && settings_of(term).space == Space::fci &&
         settings_of(term).freeze == 0;
}

std::shared_ptr<const OneElectron> summed(const std::vector<OpenedTerm>& terms, Spin spin) {
  const int n = terms.front().model->determinants()->integrals().orbitals;
  auto sum = std::make_shared<OneElectron>(n);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      double value = 0.0;
      for (const OpenedTerm& term : terms) {
        value += term.factor * (*term.model->determinants()->integrals().one_electron[spin])(p, q);
      }
      sum->set(p, q, value);
    }
  }
  return sum;
}

using Set = std::shared_ptr<const TwoElectron> Integrals::*;

std::shared_ptr<const TwoElectron> summed(const std::vector<OpenedTerm>& terms, Set set) {
  auto sum =
      std::make_shared<TwoElectron>(terms.front().model->determinants()->integrals().orbitals);
  for (int pq = 0; pq < sum->pairs(); ++pq) {
    std::fill_n(sum->row(pq), sum->pairs(), 0.0);
    for (const OpenedTerm& term : terms) {
      const double* const row = (term.model->determinants()->integrals().*set)->row(pq);
      for (int rs = 0; rs < sum->pairs(); ++rs) sum->row(pq)[rs] += term.factor * row[rs];
    }
  }
  return sum;
}

/// Integrals of the sum; the core energy takes the shift. Orbital energies, which say which
/// determinant is the reference, are those of the sum's own Fock operator.
std::shared_ptr<const Integrals> summed_integrals(const std::vector<OpenedTerm>& terms,
                                                  double shift) {
  auto sum = std::make_shared<Integrals>(terms.front().model->determinants()->integrals());
  sum->orbital_energies = {};
  sum->core_energy = shift;
  for (const OpenedTerm& term : terms) {
    sum->core_energy += term.factor * term.model->determinants()->integrals().core_energy;
  }
  const bool one_set = sum->one_electron[alpha] == sum->one_electron[beta];
  sum->one_electron[alpha] = summed(terms, alpha);
  sum->one_electron[beta] = one_set ? sum->one_electron[alpha] : summed(terms, beta);
  sum->alpha_alpha = summed(terms, &Integrals::alpha_alpha);
  sum->alpha_beta = one_set ? sum->alpha_alpha : summed(terms, &Integrals::alpha_beta);
  sum->beta_beta = one_set ? sum->alpha_alpha : summed(terms, &Integrals::beta_beta);
  return sum;
}

/// Throws InputError where two terms are over determinants, and not over the same ones.
void require_same_determinants(const std::vector<OpenedTerm>& terms) {
  const Determinants* first = nullptr;
  for (const OpenedTerm& term : terms) {
    const Determinants* const own = term.model->determinants();
    if (own == nullptr) continue;
    if (first == nullptr) first = own;
    const AnySpace &a = own->space(), &b = first->space();
    if (a.has_determinants_of(b) && own->frozen_and_active() == first->frozen_and_active()) {
      continue;
    }
    throw InputError("terms of a sum: " + term.model->name() + " is over other determinants");
  }
}

/// The unit that all terms have; else none.
Units common_units(const std::vector<OpenedTerm>& terms) {
  const Units first = terms.front().model->units();
  const bool same = std::ranges::all_of(
      terms, [first](const OpenedTerm& term) { return term.model->units() == first; });
  return same ? first : Units::none;
}

CsrMatrix multiple_of_identity(Index rows, double factor) {
  CsrMatrix made{rows, rows, Array<Offset>(static_cast<std::size_t>(rows) + 1),
                 Array<Index>(static_cast<std::size_t>(rows)),
                 Array<double>(static_cast<std::size_t>(rows))};
  std::iota(made.row_offsets.begin(), made.row_offsets.end(), Offset{0});
  std::iota(made.column_indices.begin(), made.column_indices.end(), 0);
  std::ranges::fill(made.values, factor);
  return made;
}

std::shared_ptr<const CsrMatrix> square_elements(const OpenedTerm& term) {
  auto a = require_elements(*term.model).take();
  if (a->rows == a->columns) return a;
  throw InputError(term.model->name() + ": the matrix is not square");
}

std::shared_ptr<const CsrMatrix> summed_elements(const std::vector<OpenedTerm>& terms,
                                                 double shift) {
  CsrMatrix sum = multiple_of_identity(terms.front().model->rows(), shift);
  for (const OpenedTerm& term : terms) {
    sum = weighted_sum(1.0, sum, term.factor, *square_elements(term));
  }
  return std::make_shared<const CsrMatrix>(std::move(sum));
}

/// Products of the terms, one after another, in host memory; a term with elements takes csr's.
std::shared_ptr<const CallersProduct> summed_products(const std::vector<OpenedTerm>& terms,
                                                      double shift) {
  struct Part {
    double factor;
    std::shared_ptr<const CallersProduct> product;  ///< null: there is an operator
    std::shared_ptr<const LinearOperator> a;
  };
  const Index rows = terms.front().model->rows();
  const std::shared_ptr<Backend> cpu = make_cpu_backend();
  std::vector<Part> parts;
  std::vector<double> d(static_cast<std::size_t>(rows), shift);
  for (const OpenedTerm& term : terms) {
    Part part{term.factor, term.hamiltonian->data().product, {}};
    std::vector<double> own;
    if (part.product) {
      own = part.product->diagonal;
    } else {
      auto matrix = square_elements(term);
      own = diagonal(*matrix);
      part.a = make_operator("csr", std::move(matrix), *cpu);
    }
    if (own.empty()) d.clear();  // not known
    for (std::size_t i = 0; i < d.size(); ++i) d[i] += term.factor * own[i];
    parts.push_back(std::move(part));
  }
  auto multiply = [cpu, parts, rows, shift](const double* x, double* y, int k) {
    const ConstView from{x, rows, k, k};
    const View to{y, rows, k, k};
    cpu->axpby(shift, from, 0.0, to);
    MultiVector image;
    for (const Part& part : parts) {
      if (part.a) {
        part.a->apply(part.factor, from, 1.0, to);
        continue;
      }
      if (image.rows() == 0) image = MultiVector(*cpu, rows, k);
      part.product->multiply(x, image.view().data, k);
      cpu->axpby(part.factor, image.view(), 1.0, to);
    }
  };
  return std::make_shared<const CallersProduct>(
      CallersProduct{rows, std::move(d), std::move(multiply)});
}

}  // namespace

Hamiltonian Hamiltonian::sum(const std::vector<std::pair<double, Hamiltonian>>& terms,
                             double shift) {
  if (!std::isfinite(shift)) throw InputError("shift of a sum: found NaN or infinity");
  const std::vector<OpenedTerm> parts = opened(terms);
  auto data = std::make_shared<Data>();
  const OpenedTerm& first = parts.front();
  const bool alike = std::ranges::all_of(
      parts, [&](const OpenedTerm& term) { return is_of_like_integrals(term, first); });
  const auto is_product = [](const OpenedTerm& term) {
    return term.hamiltonian->data().product != nullptr;
  };
  if (!alike) require_same_determinants(parts);
  if (alike) {
    static_cast<DeterminantSettings&>(data->input) = settings_of(first);
    data->integrals = summed_integrals(parts, shift);
  } else if (std::ranges::any_of(parts, is_product)) {
    data->product = summed_products(parts, shift);
  } else {
    data->matrix = summed_elements(parts, shift);
  }
  data->input.units = common_units(parts);
  data->input.file = "the sum";
  return Hamiltonian(std::move(data));
}

}  // namespace cisolve
