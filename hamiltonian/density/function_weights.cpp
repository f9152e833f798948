#include "hamiltonian/density/function_weights.hpp"

#include <algorithm>

#include "hamiltonian/direct/direct_product.hpp"
#include "hamiltonian/states/irrep_weights.hpp"

namespace cisolve {
namespace {

std::vector<std::int8_t> ranks_of(const DirectStrings& strings, OrbitalString64 reference) {
  std::vector<std::int8_t> ranks;
  for (const OrbitalString64 s : strings.strings) {
    ranks.push_back(static_cast<std::int8_t>((s & ~reference).count()));
  }
  return ranks;
}

}  // namespace

std::vector<double> rank_weights(const DirectTables& tables, const DeterminantSurvey& survey,
                                 const double* c) {
  const DirectLayout& layout = tables.layout;
  const auto of_alpha =
      ranks_of(layout.alpha_strings, OrbitalString64(tables.space.alpha.reference));
  const auto of_beta = ranks_of(layout.beta_strings, OrbitalString64(tables.space.beta.reference));
  const auto highest_of = [](const std::vector<std::int8_t>& ranks, Index first, Index last) {
    return int{*std::max_element(ranks.begin() + first, ranks.begin() + last)};
  };
  int highest = 0;
  for (int g = 0; g < most_irreps; ++g) {
    const auto& begin = layout.alpha_strings.begin;
    const StringRange range = layout.betas(g);
    if (begin[g] == begin[g + 1] || range.size() == 0) continue;
    highest = std::max(highest, highest_of(of_alpha, begin[g], begin[g + 1]) +
                                    highest_of(of_beta, range.first, range.last));
  }
  const int classes = 1 + *std::ranges::max_element(of_beta);
  const HostMatrix of_strings = survey.class_weights(c, of_beta, classes);
  std::vector<double> weights(*std::ranges::max_element(of_alpha) + classes, 0.0);
  for (Index a = 0; a < layout.alpha_strings.size(); ++a) {
    for (int k = 0; k < classes; ++k) weights[of_alpha[a] + k] += of_strings(a, k);
  }
  weights.resize(highest + 1);  // there are no determinants of the ranks behind it
  return weights;
}

std::array<double, 8> irrep_weights(const DirectTables& tables, ConstView x, Backend& backend) {
  std::array<double, 8> weights{};
  const DirectRows& rows = tables.rows;
  for (int s = 0; s < static_cast<int>(rows.sectors().size()); ++s) {
    int part = 0;  // that has a row of it
    while (rows.piece(s, part).count == 0) ++part;
    const DirectRows::Function f = rows.function(rows.piece(s, part).first);
    const Determinant determinant{OrbitalString(tables.layout.alpha_strings.strings[f.a]),
                                  OrbitalString(tables.layout.beta_strings.strings[f.b])};
    double norm = 0.0;
    backend.column_norms(part_of(rows, s, backend.communicator().rank(), x), {&norm, 1});
    weights[irrep_of(determinant, tables.integrals).value_or(0)] += norm * norm;
  }
  return weights;
}

}  // namespace cisolve
