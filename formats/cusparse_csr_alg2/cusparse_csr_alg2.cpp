#include "formats/cusparse.hpp"

namespace cisolve {

Format cusparse_csr_alg2_format() {
  return {"cusparse_csr_alg2", "the vendor library's CSR, SpMV algorithm 2", cusparse_csr_bytes,
          nullptr, make_cusparse_csr_alg2};
}

}  // namespace cisolve
