#include "formats/shared/cusparse.hpp"

namespace cisolve {

Format cusparse_csr_alg2_format() {
  return {.name = "cusparse_csr_alg2",
          .description = "the vendor library's CSR, SpMV algorithm 2",
          .bytes = cusparse_csr_bytes,
          .cuda = make_cusparse_csr_alg2,
          .deterministic = false};
}

}  // namespace cisolve
