#include "formats/shared/cusparse.hpp"

namespace cisolve {

Format cusparse_csr_alg1_format() {
  return {.name = "cusparse_csr_alg1",
          .description = "the vendor library's CSR, SpMV algorithm 1",
          .bytes = cusparse_csr_bytes,
          .cuda = make_cusparse_csr_alg1,
          .deterministic = false};
}

}  // namespace cisolve
