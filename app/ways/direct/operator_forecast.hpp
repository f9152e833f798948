#pragma once

#include <string>

#include "app/ways/way.hpp"
#include "backends/backend.hpp"
#include "hamiltonian/direct/direct_cost.hpp"
#include "hamiltonian/listed/listed_tables.hpp"

namespace cisolve {

class SpinorProductTables;

/// Seconds from integrals to what is solved for, about, with a matrix that is stored and without
/// one.
struct OperatorForecast {
  double stored = 0.0, direct = 0.0;
  double stored_bytes = 0.0;  ///< of the stored matrix, in the format it would have
  double nonzeros = 0.0;
  int products = 0;  ///< expected

  bool direct_is_faster() const { return direct < stored; }
  std::string text() const;
};

/// Forecast for a solve with blocks of so many vectors, after so many products; `one_state`: of an
/// eigenproblem with one state wanted.
OperatorForecast operator_forecast(const DirectTables& tables, const Backend& backend, int vectors,
                                   int before, bool one_state);

/// Over all pairs of listed strings.
OperatorForecast operator_forecast(const ListedTables& tables, const Backend& backend, int vectors,
                                   int before);

/// Over all determinants of spinors, whose matrix is made on the host; `paired`: half of it.
OperatorForecast operator_forecast(const SpinorProductTables& tables, const Backend& backend,
                                   int vectors, int before, bool paired);

/// Seconds of a solve for so many states with those elements in a stored matrix, about.
double seconds_of_solve(Elements& elements, int states, BackendKind backend);

/// True if it is for products without a matrix, or a stored one has no room: on the host too where
/// it is made there, `by_host`. The request then has the reason. Ranks may have other numbers of
/// threads: what the first one expects is what they all take.
bool is_for_direct(const OperatorForecast& forecast, WayRequest& request, bool by_host = false);

}  // namespace cisolve
