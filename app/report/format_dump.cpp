#include "app/report/format_dump.hpp"

#include <fstream>
#include <system_error>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "io/npy.hpp"

namespace cisolve {
namespace {

namespace fs = std::filesystem;

/// NumPy's name of an element type: "<i4", "<f8" …
template <class T>
std::string npy_type() {
  const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
  return std::string("<") + kind + std::to_string(sizeof(T));
}

}  // namespace

FormatFolder::FormatFolder(fs::path folder) : folder_(std::move(folder)) {
  if (!folder_.has_filename()) folder_ = folder_.parent_path();  // "name/"
  std::error_code error;
  if (!fs::is_directory(folder_, error)) {
    if (fs::exists(folder_, error)) {
      throw InputError(folder_.string() + ": is no folder, expected an empty one or a new name");
    }
    const AtomicFile probe(folder_);  // throws where it cannot be made
    return;
  }
  const AtomicFile probe(folder_ / "format.json");  // throws where nothing can be written
  if (!fs::is_empty(folder_, error)) {
    throw InputError(folder_.string() +
                     ": the folder is not empty, expected an empty or a new one");
  }
}

FormatFolder::~FormatFolder() {
  files_.clear();
  std::error_code ignored;
  if (made_) fs::remove(folder_, ignored);
}

fs::path FormatFolder::add_file(const std::string& name) {
  std::error_code error;
  made_ = fs::create_directory(folder_, error) || made_;
  if (error) throw ResourceError(folder_.string() + ": cannot be made: " + error.message());
  return files_.emplace_back(folder_ / name).temporary();
}

void FormatFolder::array(const std::string& name, ArrayView values,
                         const std::vector<std::int64_t>& shape) {
  std::visit(
      [&](auto elements) {
        NpyHeader header{npy_type<typename decltype(elements)::value_type>(), shape};
        if (shape.empty()) header.shape = {static_cast<std::int64_t>(elements.size())};
        const std::string file = name + ".npy";
        write_npy(header, std::as_bytes(elements), add_file(file), (folder_ / file).string());
        arrays_[name] = {{"type", header.type}, {"shape", header.shape}};
      },
      values);
}

void FormatFolder::scalar(const std::string& name, std::int64_t value) {
  scalars_[name] = value;
}

void FormatFolder::commit(Json description) {
  description["scalars"] = scalars_;
  description["arrays"] = arrays_;
  const std::string name = "format.json";
  const fs::path path = add_file(name);
  std::ofstream file(path);
  file << description.dump(2) << '\n';
  file.close();
  if (!file) {
    throw ResourceError((folder_ / name).string() + ": cannot be written" + obstacle_to(path));
  }
  for (AtomicFile& each : files_) each.commit();
  made_ = false;
}

}  // namespace cisolve
