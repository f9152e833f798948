#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "app/choice/format_network.hpp"
#include "app/choice/format_search.hpp"
#include "formats/format.hpp"
#include "spmv/forwarding_operator.hpp"

namespace cisolve {

/// An operator that begins on csr and goes over to a faster format while it is used, as
/// FormatSearch decides; its products are the same up to rounding. Kernels are those of the format
/// in use: one that `use` has set is not carried over to the next format.
class AdaptiveOperator final : public ForwardingOperator {
 public:
  explicit AdaptiveOperator(FormatSearch search)
      : search_(std::make_unique<FormatSearch>(std::move(search))) {}

  /// The operator of the format in use; its products go past the search.
  LinearOperator& in_use() const { return search_->in_use(); }
  FormatChoice choice() const { return search_->choice(); }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    search_->multiply(alpha, x, beta, y);
  }

 private:
  LinearOperator& inner() const override { return in_use(); }

  std::unique_ptr<FormatSearch> search_;
};

/// The formats of the network but csr, as candidates for products with blocks of `columns` vectors;
/// those that cannot be taken on that backend, or of a matrix that is not symmetric, say why. Takes
/// the features and the bytes of a few formats: a few passes over the columns of the matrix.
std::vector<FormatCandidate> rank_formats(const FormatNetwork& network, const CsrMatrix& a,
                                          const FormatOptions& options, int columns,
                                          BackendKind backend, bool symmetric);

/// Parts from which the operator of a matrix is made.
struct AdaptiveMatrix {
  std::shared_ptr<const CsrMatrix> a;  ///< held whole; kept while another format may be tried
  Backend& backend;
  FormatOptions options;         ///< off-diagonal elements in double
  const FormatNetwork& network;  ///< must live as long as the operator
  bool symmetric = false;        ///< known to be so
};

/// The matrix in csr, or in the format that `search.known` shows to take the fewest seconds for
/// conversion and the products expected. Throws as make_operator does for csr.
std::unique_ptr<AdaptiveOperator> make_adaptive_operator(const AdaptiveMatrix& matrix,
                                                         SearchOptions search);

}  // namespace cisolve
