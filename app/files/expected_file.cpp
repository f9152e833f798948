#include "app/files/expected_file.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "app/files/expected_start.hpp"
#include "app/files/file_kind.hpp"
#include "app/input/generated_input.hpp"
#include "core/error.hpp"
#include "core/text/text.hpp"
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
  using enum FileKind;
  if (kind == empty || kind == unreadable) return;
  if (kind == matrix_market) {
    if (!ends_in({".mtx", ".mtx.gz"})) stop("its name should end in .mtx or .mtx.gz");
  } else if (kind == hdf5_matrix) {
    if (!ends_in({".h5", ".hdf5"})) stop("its name should end in .h5 or .hdf5");
  } else if (kind == npz_matrix) {
    if (!ends_in({".npz"})) stop("its name should end in .npz");
  } else if (kind == npy) {
    if (!ends_in({".npy"})) stop("of a matrix its name should end in .npy");
  } else if (kind == trexio) {
    if (!is_trexio_file(file)) stop("its name should end in .trexio, .h5 or .hdf5");
  } else if (kind == fcidump) {
    if (!named_as_matrix) return;
    refuse(file, kind, "a matrix, by its name",
           "it is read by any name that does not end in " + file.extension().string());
  } else if (kind == checkpoint || kind == selection || kind == states || kind == determinants) {
    stop(beside_input(kind, file));
  } else if (kind == molden) {
    stop("it has orbitals, and no integrals: `--orbitals " + file.string() + "` takes it");
  } else if (kind == compressed) {
    stop("unpack it first; gzip is read as it is");
  } else if (kind == text) {
    if (is_yaml_name(file)) stop("a run file, by its name: " + command("run", file));
  } else if (!named_as_matrix || (kind != json && kind != hdf5 && kind != zip && kind != binary)) {
    stop("");
  }
}

void require_run_file(const std::filesystem::path& file) {
  if (!is_regular(file)) return;
  const FileKind kind = kind_of_file(file);
  const auto stop = [&](const std::string& advice) {
    refuse(file, kind, "a run file, which is YAML", advice);
  };
  using enum FileKind;
  const auto is = [&](std::initializer_list<FileKind> kinds) {
    return std::ranges::find(kinds, kind) != kinds.end();
  };
  if (is({json, text, empty, unreadable})) return;
  if (is({fcidump, matrix_market, hdf5_matrix, npz_matrix, trexio})) stop(command("eigen", file));
  if (is({checkpoint, selection})) stop(beside_input(kind, file));
  if (kind == report) stop("its `config`, saved to a file, is one");
  if (kind == page) stop("what stands there under `To run it again`, saved to a file, is one");
  stop("");
}

}  // namespace cisolve
