#include "app/files/file_kind.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/bench/bench_report.hpp"
#include "app/checkpoint/checkpoint_file.hpp"
#include "app/page/document.hpp"
#include "app/select/selection_file.hpp"
#include "core/error.hpp"
#include "core/text/text.hpp"
#include "core/text/text_file.hpp"
#include "hamiltonian/integrals/fcidump/fcidump_header.hpp"
#include "io/determinants/determinant_file.hpp"
#include "io/hdf5/hdf5_input.hpp"
#include "io/matrix_file.hpp"

namespace cisolve {
namespace {

using Object = nlohmann::json;

bool has_keys(const Object& json, std::initializer_list<const char*> keys) {
  return json.is_object() &&
         std::ranges::all_of(keys, [&](const char* key) { return json.contains(key); });
}

/// Reports are recognised by keys that every version has written: of eigen and linear, of eigen
/// over several irreps or multiplicities, of info, bench, formats.
bool is_report(const Object& json) {
  if (json.is_array()) {
    return !json.empty() && has_keys(json.front(), {"format", "backend", "available", "reason"});
  }
  return has_keys(json, {"status", "iterations", "matrix", "config", "version"}) ||
         has_keys(json, {"status", "irreps", "config", "version"}) ||
         has_keys(json, {"status", "multiplicities", "config", "version"}) ||
         has_keys(json, {"status", "parts", "config", "version"}) ||
         has_keys(json, {"file", "kind", "notes", "version"}) ||
         has_keys(json, {"rows", "best", "copy_bandwidths"});
}

FileKind kind_of_json(const std::filesystem::path& path) {
  const TextFile file(path);
  const Object json = Object::parse(file.text(), nullptr, false);
  if (json.is_discarded()) return FileKind::text;
  if (is_report(json)) return FileKind::report;
  return has_keys(json, {"format_cache", "entries"}) ? FileKind::format_cache : FileKind::json;
}

FileKind kind_of_hdf5(const std::filesystem::path& path) {
  try {
    const InputFile file(path);
    const std::string format = file.string_attribute("format");
    if (format == checkpoint_format) return FileKind::checkpoint;
    if (format == selection_format) return FileKind::selection;
    if (format == states_format) return FileKind::states;
    if (format == densities_format) return FileKind::densities;
    if (format == determinants_format) return FileKind::determinants;
    if (file.has_object("metadata")) return FileKind::trexio;
    return format == "csr" || format == "packed" ? FileKind::hdf5_matrix : FileKind::hdf5;
  } catch (const InputError&) {  // damaged
    return FileKind::hdf5;
  }
}

/// The first member of the archive, whose name begins 30 bytes into its header.
FileKind kind_of_zip(std::string_view start) {
  const std::string_view first = start.substr(std::min<std::size_t>(30, start.size()));
  if (first.starts_with("indices.npy")) return FileKind::npz_matrix;
  if (first.starts_with("rdm1.npy")) return FileKind::densities;
  if (first.starts_with("alpha.npy")) return FileKind::determinants;
  return first.starts_with("ci.npy") ? FileKind::states : FileKind::zip;
}

/// True for every compression but gzip, which is inflated.
bool is_compressed(std::string_view start) {
  using namespace std::string_view_literals;
  return start.starts_with("\xfd\x37zXZ\0"sv) || start.starts_with("BZh") ||
         start.starts_with("\x28\xb5\x2f\xfd");
}

FileKind kind_of_text(const std::filesystem::path& path, std::string_view start) {
  if (start.find('\0') != start.npos) return FileKind::binary;
  if (to_lower(start.substr(0, 14)) == "%%matrixmarket") return FileKind::matrix_market;
  if (opens_fcidump_header(start)) return FileKind::fcidump;
  if (start.starts_with(bench_csv_header)) return FileKind::bench_table;
  if (start.starts_with(determinants_heading)) return FileKind::determinants;
  const std::size_t first = std::min(start.find_first_not_of(" \t\r\n"), start.size());
  const std::string_view text = start.substr(first);
  if (to_lower(text.substr(0, 15)) == "[molden format]") return FileKind::molden;
  if (text.starts_with('{') || text.starts_with('[')) return kind_of_json(path);
  if (text.starts_with("<!DOCTYPE html>") && text.find(page_generator) != text.npos) {
    return FileKind::page;
  }
  if (text.starts_with("<svg")) return FileKind::svg;
  return text.starts_with("<?xml") && text.find("<svg") != text.npos ? FileKind::svg
                                                                     : FileKind::text;
}

}  // namespace

FileKind kind_of_file(const std::filesystem::path& path) {
  constexpr std::size_t enough = 4096;
  try {
    const std::string bytes = first_bytes(path, enough);
    const std::string_view start = bytes;
    if (start.empty()) return FileKind::empty;
    if (start.starts_with("\x89HDF\r\n\x1a\n")) return kind_of_hdf5(path);
    if (start.starts_with("\x93NUMPY")) return FileKind::npy;
    if (start.starts_with("\x89PNG\r\n\x1a\n")) return FileKind::png;
    if (start.starts_with("PK\x03\x04")) return kind_of_zip(start);
    if (is_compressed(start)) return FileKind::compressed;
    return kind_of_text(path, start);
  } catch (const std::exception&) {
    return FileKind::unreadable;
  }
}

FileKind kind_of_matrix(const std::filesystem::path& name) {
  if (!is_matrix_output(name)) {
    throw InputError(name.string() +
                     ": expected a name that ends in .mtx, .mtx.gz, .h5, .hdf5 or .npz");
  }
  const std::string extension = to_lower(name.extension().string());
  if (extension == ".npz") return FileKind::npz_matrix;
  return extension == ".h5" || extension == ".hdf5" ? FileKind::hdf5_matrix
                                                    : FileKind::matrix_market;
}

std::string words_for(FileKind kind) {
  using enum FileKind;
  constexpr std::pair<FileKind, const char*> words[] = {
      {report, "a report of cisolve"},
      {checkpoint, "a checkpoint"},
      {selection, "a selection of determinants"},
      {npy, "a NumPy array"},
      {matrix_market, "a Matrix Market file"},
      {hdf5_matrix, "an HDF5 matrix"},
      {npz_matrix, "an .npz matrix"},
      {trexio, "a TREXIO file"},
      {states, "a file of eigenstates"},
      {densities, "a file of densities"},
      {determinants, "a list of determinants"},
      {png, "a PNG picture"},
      {svg, "an SVG picture"},
      {page, "a page of cisolve"},
      {bench_table, "a table of cisolve bench"},
      {fcidump, "an FCIDUMP file"},
      {molden, "a Molden file"},
      {format_cache, "a cache of formats"},
      {json, "JSON of another kind"},
      {hdf5, "HDF5 of another kind, or damaged"},
      {zip, "a zip archive of another kind"},
      {compressed, "compressed by xz, bzip2 or Zstandard"},
      {text, "text of another kind"},
      {binary, "binary data of another kind"},
      {empty, "empty"},
      {unreadable, "not readable"}};
  for (const auto& [known, text_of] : words) {
    if (known == kind) return text_of;
  }
  return "";
}

}  // namespace cisolve
