#pragma once

#include <deque>
#include <filesystem>

#include "app/config/config.hpp"
#include "formats/array_sink.hpp"
#include "io/atomic_file.hpp"

namespace cisolve {

/// A folder that holds a matrix in one format for other programs: every array as NAME.npy, and
/// format.json, which says what they are. The files appear at `commit`, one by one and format.json
/// last: where that is, all are. Without `commit` neither files nor a folder made for them stay.
class FormatFolder final : public ArraySink {
 public:
  /// Throws InputError unless the folder is empty, or absent and can be made.
  explicit FormatFolder(std::filesystem::path folder);
  ~FormatFolder() override;

  void array(const std::string& name, ArrayView values,
             const std::vector<std::int64_t>& shape = {}) override;
  void scalar(const std::string& name, std::int64_t value) override;
  /// `description` goes to format.json, before the scalars and arrays. Throws ResourceError.
  void commit(Json description);

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path add_file(const std::string& name);

  std::filesystem::path folder_;
  bool made_ = false;  ///< by us, and to be taken away again
  std::deque<AtomicFile> files_;
  Json scalars_ = Json::object(), arrays_ = Json::object();
};

}  // namespace cisolve
