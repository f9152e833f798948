#include "formats/shared/cusparse.hpp"

namespace cisolve {

std::size_t cusparse_csr_bytes(const CsrMatrix& a, const FormatOptions&) {
  const std::size_t nonzeros = a.nonzeros(), offsets = std::size_t(a.rows) + 1;
  return (offsets + nonzeros) * (cusparse_needs_64_bits(a.nonzeros()) ? 8 : 4) + 8 * nonzeros;
}

}  // namespace cisolve
