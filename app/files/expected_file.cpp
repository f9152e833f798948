#include "app/files/expected_file.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "app/files/file_kind.hpp"
#include "app/input/generated_input.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "io/matrix_file.hpp"
#include "io/trexio/trexio_input.hpp"

namespace cisolve {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, FileKind found,
                         const std::string& expected, const std::string& advice) {
  throw InputError(file.string() + ": is " + words_for(found) + ", expected " + expected +
                   (advice.empty() ? "" : "; " + advice));
}

bool is_regular(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored);
}

bool is_yaml_name(const std::filesystem::path& file) {
  const std::string extension = to_lower(file.extension().string());
  return extension == ".yaml" || extension == ".yml";
}

std::string command(const std::string& name, const std::filesystem::path& file) {
  return "`cisolve " + name + " " + file.string() + "` takes it";
}

}  // namespace

void require_hamiltonian(const std::filesystem::path& file) {
  if (is_generated(file) || !is_regular(file)) return;
  const FileKind kind = kind_of_file(file);
  const auto stop = [&](const std::string& advice) {
    refuse(file, kind,
           "an FCIDUMP file, which opens with &FCI, or a matrix file with the extension .mtx, "
           ".mtx.gz, .h5, .hdf5, .npz or .npy, or a TREXIO file, .trexio",
           advice);
  };
  const auto ends_in = [&](std::initializer_list<const char*> extensions) {
    const std::string name = to_lower(file.filename().string());
    return std::ranges::any_of(extensions, [&](const char* end) { return name.ends_with(end); });
  };
  const bool named_as_matrix = is_matrix_file(file);
  switch (kind) {
    case FileKind::matrix_market:
      if (!ends_in({".mtx", ".mtx.gz"})) stop("its name should end in .mtx or .mtx.gz");
      return;
    case FileKind::hdf5_matrix:
      if (!ends_in({".h5", ".hdf5"})) stop("its name should end in .h5 or .hdf5");
      return;
    case FileKind::npz_matrix:
      if (!ends_in({".npz"})) stop("its name should end in .npz");
      return;
    case FileKind::npy:
      if (!ends_in({".npy"})) stop("of a matrix its name should end in .npy");
      return;
    case FileKind::trexio:
      if (!is_trexio_file(file)) stop("its name should end in .trexio, .h5 or .hdf5");
      return;
    case FileKind::fcidump:
      if (!named_as_matrix) return;
      refuse(file, kind, "a matrix, by its name",
             "it is read by any name that does not end in " + file.extension().string());
    case FileKind::checkpoint:
      return stop("`cisolve eigen INPUT --restart " + file.string() + "` goes on from it");
    case FileKind::states:
      return stop(ends_in({".npz"})
                      ? "`cisolve eigen INPUT --restart " + file.string() + "` begins with them"
                      : "");
    case FileKind::molden:
      return stop("it has orbitals, and no integrals: `--orbitals " + file.string() + "` takes it");
    case FileKind::compressed:
      return stop("unpack it first; gzip is read as it is");
    case FileKind::text:
      if (is_yaml_name(file)) stop("a run file, by its name: " + command("run", file));
      return;
    case FileKind::report:
    case FileKind::densities:
    case FileKind::png:
    case FileKind::svg:
    case FileKind::page:
    case FileKind::bench_table:
    case FileKind::format_cache:
      return stop("");
    case FileKind::json:
    case FileKind::hdf5:
    case FileKind::zip:
    case FileKind::binary:
      if (!named_as_matrix) stop("");
      return;
    case FileKind::empty:
    case FileKind::unreadable:
      return;
  }
}

void require_run_file(const std::filesystem::path& file) {
  if (!is_regular(file)) return;
  const FileKind kind = kind_of_file(file);
  const auto stop = [&](const std::string& advice) {
    refuse(file, kind, "a run file, which is YAML", advice);
  };
  switch (kind) {
    case FileKind::fcidump:
    case FileKind::matrix_market:
    case FileKind::hdf5_matrix:
    case FileKind::npz_matrix:
    case FileKind::trexio:
      return stop(command("eigen", file));
    case FileKind::checkpoint:
      return stop("`cisolve eigen INPUT --restart " + file.string() + "` goes on from it");
    case FileKind::report:
      return stop("its `config`, saved to a file, is one");
    case FileKind::page:
      return stop("what stands there under `To run it again`, saved to a file, is one");
    case FileKind::npy:
    case FileKind::states:
    case FileKind::densities:
    case FileKind::png:
    case FileKind::svg:
    case FileKind::bench_table:
    case FileKind::molden:
    case FileKind::format_cache:
    case FileKind::hdf5:
    case FileKind::zip:
    case FileKind::compressed:
    case FileKind::binary:
      return stop("");
    case FileKind::json:
    case FileKind::text:
    case FileKind::empty:
    case FileKind::unreadable:
      return;
  }
}

}  // namespace cisolve
