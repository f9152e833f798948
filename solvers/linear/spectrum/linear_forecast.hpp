#pragma once

#include <cstdint>
#include <vector>

#include "solvers/linear/linear_problem.hpp"

namespace cisolve {

/// Forecast of each method from x = 0, ascending by method. If the options' method is block_jacobi,
/// whose spectrum is that of B⁻¹S, it is of that alone, else of all others. Empty if fewer than
/// three steps tell too little.
///
/// The residual of a method is p(D⁻¹S) D⁻¹b for a polynomial p with p(0) = 1 of a degree that grows
/// by one with each product, so its norm is an integral of p² over the spectrum, which Gauss
/// quadrature with the Lanczos nodes has exactly up to degree m − 1 (G. H. Golub, G. Meurant,
/// Matrices, Moments and Quadrature, 2010). So each method simply solves the diagonal system of the
/// m nodes, with b of the square roots of their weights, beside which the nodes of random numbers
/// have parts as small as rounding makes them. A Krylov method ends there after m steps, and not on
/// the matrix: past degree m − 1 its residual falls by the mean factor of the second half of those
/// steps, or, as that half may be a plateau on the way to the lowest eigenvalue, at the rate that
/// the spectrum without it has (O. Axelsson, Iterative Solution Methods, 1994, chapter 13).
/// Stationary and Chebyshev's methods have no such limit:
///   jacobi, jor   max |1 − ωλ| an iteration
///   chebyshev, srj  about (√κ − 1) / (√κ + 1),  κ = λmax / λmin.
/// None of that holds if the steps have not come to the low end of the spectrum, as on a grid's
/// Laplacian; methods then solve the system of `model_levels`. All its levels differ and b has part
/// in them all, where symmetry would let some fall together and b be without others: a Krylov
/// method is expected to need 0.7 of what it takes there, between all and half of it. Only where S
/// is definite; minres and bicgstab also where it is not. None beyond the options' max_iterations
/// or 5000.
std::vector<LinearForecast> forecast_linear(const JacobiSpectrum& spectrum, std::int64_t rows,
                                            const LinearOptions& options);

/// cg, minres, bicgstab: no forecast of them is no sign that they do not converge, unless the steps
/// were all that there are.
bool is_krylov(LinearMethod method);

/// The method with the fewest products, the earlier in linear_method_names of equal ones; none
/// where no forecast converges.
std::optional<LinearMethod> cheapest(const std::vector<LinearForecast>& forecasts);

}  // namespace cisolve
