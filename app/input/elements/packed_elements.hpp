#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/input/elements/elements.hpp"

namespace cisolve {

/// A matrix as a file holds it, packed.
class PackedElements final : public Elements {
 public:
  PackedElements(std::unique_ptr<PackedFile> file, std::string name, Log log);

  std::string name() const override { return name_; }
  Index rows() override { return rows_; }
  Index columns() override { return columns_; }
  const CsrMatrix& outline() override { return file_->outline; }
  double fewest_nonzeros() override { return static_cast<double>(nonzeros_); }
  std::string size_text() const override;
  std::size_t loaded_bytes() const override;
  /// The decoded matrix; the log says that it was decoded. Throws ResourceError where the host has
  /// no room for that.
  std::shared_ptr<const CsrMatrix> take() override;
  std::unique_ptr<PackedFile> take_packed() override { return std::move(file_); }
  const PackedFile* packed() const override { return file_.get(); }
  /// Notes for the user, one sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::unique_ptr<PackedFile> file_;  ///< null once it is taken
  std::string name_;
  Log log_;
  Index rows_, columns_;
  Offset nonzeros_;
  std::vector<std::string> notes_;
};

}  // namespace cisolve
