#include "app/input/elements/packed_elements.hpp"

#include <utility>

#include "core/error.hpp"
#include "core/memory.hpp"

namespace cisolve {

PackedElements::PackedElements(std::unique_ptr<PackedFile> file, std::string name, Log log)
    : file_(std::move(file)),
      name_(std::move(name)),
      log_(std::move(log)),
      rows_(file_->outline.rows),
      columns_(file_->outline.columns),
      nonzeros_(file_->outline.nonzeros()) {}

std::string PackedElements::size_text() const {
  return std::to_string(rows_) + " rows, " + std::to_string(nonzeros_) + " nonzeros";
}

std::size_t PackedElements::loaded_bytes() const {
  return file_ ? file_->matrix.bytes() : CsrMatrix::bytes(rows_, nonzeros_);
}

std::shared_ptr<const CsrMatrix> PackedElements::take() {
  const std::size_t needed = CsrMatrix::bytes(rows_, nonzeros_), packed = loaded_bytes();
  const std::size_t available = available_host_memory();
  if (needed > available) {
    throw ResourceError(name_ + ": the matrix is packed, " + format_bytes(packed) +
                        ", and is needed in CSR: " + format_bytes(needed) + " beside that, " +
                        format_bytes(available) + " available");
  }
  auto a = std::make_shared<const CsrMatrix>(to_csr(std::exchange(file_, nullptr)->matrix));
  notes_.push_back("decoded to CSR: the file holds the matrix packed, " + format_bytes(packed) +
                   " for " + format_bytes(needed));
  log_.inform(name_ + ": " + notes_.back());
  return a;
}

}  // namespace cisolve
