#include "io/matrix_file.hpp"

#include <utility>

#include "core/error.hpp"
#include "core/text/text.hpp"
#include "core/text/text_file.hpp"
#include "io/hdf5/packed_file.hpp"
#include "io/matrix_market_text.hpp"

namespace cisolve {
namespace {

enum class Kind { matrix_market, hdf5, npz, npy, unknown };

Kind kind_of(const std::filesystem::path& path) {
  const std::string name = to_lower(path.filename().string());
  if (name.ends_with(".mtx") || name.ends_with(".mtx.gz")) return Kind::matrix_market;
  if (name.ends_with(".h5") || name.ends_with(".hdf5")) return Kind::hdf5;
  if (name.ends_with(".npz")) return Kind::npz;
  if (name.ends_with(".npy")) return Kind::npy;
  return Kind::unknown;
}

[[noreturn]] void refuse_kind(const std::filesystem::path& path) {
  throw InputError(path.string() +
                   ": not a known kind of matrix file, expected a name that ends in .mtx, "
                   ".mtx.gz, .h5, .hdf5 or .npz, or of a dense matrix to read .npy");
}

CsrMatrix read_kind(const std::filesystem::path& path, Storage storage) {
  switch (kind_of(path)) {
    case Kind::matrix_market:
      return is_matrix_market_array(first_bytes(path, 200)) ? read_matrix_market_array(path)
                                                            : read_matrix_market(path, storage);
    case Kind::hdf5:
      return is_packed_file(path) ? to_csr(read_packed(path).matrix) : read_hdf5(path);
    case Kind::npz:
      return read_npz(path);
    case Kind::npy:
      return read_dense_npy(path);
    case Kind::unknown:
      break;
  }
  refuse_kind(path);
}

}  // namespace

bool is_matrix_file(const std::filesystem::path& path) {
  return kind_of(path) != Kind::unknown;
}

bool is_matrix_output(const std::filesystem::path& path) {
  return is_matrix_file(path) && kind_of(path) != Kind::npy;
}

CsrMatrix read_matrix(const std::filesystem::path& path, Storage storage) {
  CsrMatrix a = read_kind(path, storage);
  return a.storage == storage ? std::move(a) : upper_triangle(a, path.string());
}

void write_matrix(const CsrMatrix& a, const std::filesystem::path& path) {
  switch (kind_of(path)) {
    case Kind::matrix_market:
      return write_matrix_market(a, path);
    case Kind::hdf5:
      return write_hdf5(a, path);
    case Kind::npz:
      return write_npz(a, path);
    case Kind::npy:
    case Kind::unknown:
      break;
  }
  refuse_kind(path);
}

}  // namespace cisolve
