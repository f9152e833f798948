#include "spmv/rank_operator.hpp"

#include <algorithm>
#include <utility>

#include "core/dense/host_matrix.hpp"
#include "spmv/forwarding_operator.hpp"

namespace cisolve {
namespace {

class RankOperator final : public ForwardingOperator {
 public:
  RankOperator(std::unique_ptr<LinearOperator> own_rows, const std::vector<double>& diagonal,
               Backend& backend, RowPartition parts)
      : backend_(backend),
        own_rows_(std::move(own_rows)),
        parts_(std::move(parts)),
        own_(parts_.count(backend.communicator().rank())),
        diagonal_(backend, own_, 1),
        info_(of_all(own_rows_->info())) {
    backend.upload(HostMatrix(Eigen::Map<const HostVector>(diagonal.data(), own_)),
                   diagonal_.view());
  }

  Index rows() const override { return own_; }
  Index columns() const override { return own_; }
  void apply(double alpha, ConstView x, double beta, View y) const override {
    if (whole_.columns() < x.columns) {
      whole_ = {};
      whole_ = MultiVector(backend_, parts_.rows(), x.columns);
    }
    const View whole = whole_.narrowed(x.columns);
    backend_.gather(x, parts_, whole);
    if (own_ > 0) own_rows_->apply(alpha, whole, beta, y);
  }
  void diagonal(View d) const override { backend_.copy(diagonal_.view(), d); }
  OperatorInfo info() const override { return info_; }

 private:
  LinearOperator& inner() const override { return *own_rows_; }

  OperatorInfo of_all(OperatorInfo info) const {
    Communicator& ranks = backend_.communicator();
    info.nonzeros = ranks.total(info.nonzeros);
    info.padding = ranks.total(info.padding);
    info.bytes = static_cast<std::size_t>(ranks.total(static_cast<std::int64_t>(info.bytes)));
    info.build_seconds = ranks.of_first(info.build_seconds);
    return info;
  }

  Backend& backend_;
  std::unique_ptr<LinearOperator> own_rows_;
  RowPartition parts_;
  Index own_;
  MultiVector diagonal_;
  OperatorInfo info_;
  mutable MultiVector whole_;  ///< X of all ranks; as wide as the widest block so far
};

}  // namespace

std::unique_ptr<LinearOperator> make_rank_operator(std::unique_ptr<LinearOperator> own_rows,
                                                   const std::vector<double>& diagonal,
                                                   Backend& backend, RowPartition parts) {
  return std::make_unique<RankOperator>(std::move(own_rows), diagonal, backend, std::move(parts));
}

}  // namespace cisolve
