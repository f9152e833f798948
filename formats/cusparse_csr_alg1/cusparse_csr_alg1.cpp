#include "formats/cusparse.hpp"

namespace cisolve {

Format cusparse_csr_alg1_format() {
  return {"cusparse_csr_alg1", "the vendor library's CSR, SpMV algorithm 1", cusparse_csr_bytes,
          nullptr, make_cusparse_csr_alg1};
}

}  // namespace cisolve
