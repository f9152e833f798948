#include "app/ways/way.hpp"

#include <algorithm>

#include "app/memory/memory.hpp"
#include "app/ways/stored/host_way.hpp"
#include "core/error.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

MemoryPlan WayRequest::plan(const MemoryNeed& need, const MemoryAvailable& in_place) const {
  return plan_memory(need, available_memory(backend, config.backend.memory_limit.count, in_place));
}

MemoryPlan WayRequest::plan_of(HeldMatrix& matrix, bool stored) const {
  const MemoryNeed need = matrix.memory(purpose.memory(stored), purpose.most_columns(stored));
  return plan(need, matrix.bytes_in_place());
}

void WayRequest::note(const std::string& sentence) {
  log.warn(sentence);
  notes.push_back(sentence);
}

std::string why_csr_stays(const SpmvConfig& config) {
  if (config.deterministic) {
    return "spmv.deterministic asks for the same bits on every run, and timings differ";
  }
  if (config.off_diagonal == Precision::float32) {
    return "off-diagonal elements are in single precision until the solver asks for double";
  }
  return "";
}

void require_room(const WayRequest& request, Elements& elements) {
  if (!elements.of_determinants()) return;
  const int ranks = request.ranks().size();
  // One triangle takes the least on the host. On a GPU rows are made and counted where they stay,
  // soon enough.
  const double share = request.on_gpu() ? 0.0 : 0.5;
  const Index own = elements.rows() / ranks;
  const auto nonzeros = static_cast<Offset>(share * elements.fewest_nonzeros() / ranks);
  MemoryNeed least =
      memory_as_csr(request.purpose.memory(true), request.format, request.backend,
                    request.config.spmv, CsrMatrix::bytes(own, std::max<Offset>(own, nonzeros)), 0);
  least.determinants = true;
  least.halvable = false;  // one triangle already
  const MemoryPlan planned = request.plan(least);
  try {
    require_fit(planned, elements.size_text() + " (a lower bound)", request.backend);
  } catch (const ResourceError& error) {
    throw ResourceError(error.what() + request.smaller(planned.available));
  }
  request.log.proceed(elements.size_text());
}

}  // namespace cisolve
