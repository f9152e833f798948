#include "formats/jad/jad.hpp"
#include "formats/shared/bands.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

class JadOperator final : public StoredOperator {
 public:
  JadOperator(const CsrMatrix& a, Backend& backend)
      : StoredOperator(a, backend, "jad"), m_(to_jad(a)) {
    built(m_.bytes(), 0, std::to_string(m_.diagonals()) + " diagonals");
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    const Offset* offsets = m_.diagonal_offsets.data();
    multiply_bands<tall_band>(*this, m_.rows, m_.row_order.data(), alpha, x, beta, y,
                              [=, this](auto k, auto height, Band band, const double* from,
                                        std::int64_t stride, double* sum) {
                                const auto place = [=](Index d) { return offsets[d] + band.first; };
                                const auto add = [&](auto count, Index begin, Index end) {
                                  add_columns<k.value>(count, begin, end, place, m_.values.data(),
                                                       m_.column_indices.data(), from, stride, sum);
                                };
                                // Diagonals that reach all of a full band, in loops of constant
                                // length; then those that end within the band.
                                Index d = 0;
                                if (band.count == height.value) {
                                  d = m_.row_length(band.first + band.count - 1);
                                  add(height, 0, d);
                                }
                                for (const Index end = m_.row_length(band.first); d < end; ++d) {
                                  const Offset reached = offsets[d + 1] - offsets[d] - band.first;
                                  add(static_cast<Index>(std::min<Offset>(reached, band.count)), d,
                                      d + 1);
                                }
                              });
  }
  std::span<const KernelSettings> kernels() const override { return cpu_kernels; }
  KernelSettings effective_kernel(const KernelSettings& wanted, int) const override {
    return effective_cpu_kernel(*this, wanted, band_rows<tall_band>(m_.rows));
  }

 private:
  JadMatrix m_;
};

}  // namespace

std::unique_ptr<LinearOperator> make_jad_cpu(std::shared_ptr<const CsrMatrix> a, Backend& backend,
                                             const FormatOptions&) {
  return std::make_unique<JadOperator>(*a, backend);
}

}  // namespace cisolve
