#include "tests/fuzz/fuzz_targets.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "app/checkpoint/checkpoint_file.hpp"
#include "app/config/config.hpp"
#include "app/input/trexio_integrals.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "formats/packed/decode.hpp"
#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "hamiltonian/spinor/spinor_fcidump.hpp"
#include "io/determinants/determinant_file.hpp"
#include "io/hdf5/packed_file.hpp"
#include "io/matrix_file.hpp"
#include "io/molden/molden.hpp"
#include "io/vector_file.hpp"

namespace cisolve::fuzz {
namespace {

using Bytes = std::span<const std::uint8_t>;

/// A file of the bytes, in memory where the system has such a folder. HDF5 wants a real path.
class TemporaryFile {
 public:
  explicit TemporaryFile(Bytes bytes) {
    const char* folder = std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : "/tmp";
    name_ = std::string(folder) + "/cisolve-fuzz-XXXXXX";
    const int descriptor = ::mkstemp(name_.data());
    const bool written =
        descriptor >= 0 && ::write(descriptor, bytes.data(), bytes.size()) == std::ssize(bytes);
    if (descriptor >= 0) ::close(descriptor);
    if (written) return;
    ::unlink(name_.c_str());
    throw std::runtime_error("no file in " + std::string(folder));
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { ::unlink(name_.c_str()); }
  std::filesystem::path path() const { return name_; }

 private:
  std::string name_;
};

/// Reads the bytes as a file; whether it is good.
template <class Read>
bool read_file(Bytes bytes, Read read) {
  const TemporaryFile file(bytes);
  try {
    read(file.path());
  } catch (const InputError&) {
    return false;
  }
  return true;
}

bool fcidump(Bytes bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  try {
    read_fcidump(NamedText{"fuzz", text}, {});
  } catch (const InputError&) {
    return false;
  }
  return true;
}

/// Integrals over 128 spinors take 4.3 GB, whatever their number in the file: few are enough here.
bool spinor_fcidump(Bytes bytes) {
  const NamedText source{"fuzz", {reinterpret_cast<const char*>(bytes.data()), bytes.size()}};
  try {
    const bool real = integral_values(source) == IntegralValues::fourfold;
    const FcidumpHeader header =
        parse_fcidump_header(source, OrbsymLabels::automatic, OrbitalKind::automatic,
                             real ? IntegralValues::fourfold : IntegralValues::complex);
    if (header.norb > 32) return false;
    read_spinor_fcidump(source);
  } catch (const InputError&) {
    return false;
  }
  return true;
}

bool matrix_market(Bytes bytes) {
  return read_file(bytes, [](const auto& path) { read_matrix_market(path); });
}

bool npz(Bytes bytes) {
  return read_file(bytes, [](const auto& path) { read_npz(path); });
}

bool npy(Bytes bytes) {
  return read_file(bytes, [](const auto& path) { read_vectors(path); });
}

bool yaml(Bytes bytes) {
  return read_file(bytes, [](const auto& path) { read_config(path); });
}

bool hdf5_csr(Bytes bytes) {
  return read_file(bytes, [](const auto& path) { read_hdf5(path); });
}

bool hdf5_packed(Bytes bytes) {
  return read_file(bytes, [](const auto& path) { to_csr(read_packed(path).matrix); });
}

bool molden(Bytes bytes) {
  return read_file(bytes, [](const auto& path) { read_molden(path); });
}

/// Lists over six orbitals.
bool determinants(Bytes bytes) {
  return read_file(bytes, [](const auto& path) { read_determinants(path, {6}); });
}

bool strings(Bytes bytes) {
  return read_file(bytes, [](const auto& path) { read_strings(path.string(), {6}); });
}

#ifdef CISOLVE_TREXIO
bool trexio(Bytes bytes) {
  return read_file(bytes, [](const auto& path) { read_trexio_integrals(path, {}); });
}
#endif

/// Checkpoint for the matrix of tests/fuzz/corpus/fcidump/h4's full CI.
bool checkpoint(Bytes bytes) {
  Fingerprint matrix;
  matrix.rows = 36;
  matrix.nonzeros = 524;
  matrix.row_lengths = 11094507809145328777U;
  matrix.elements = -3.839062098494077;
  matrix.magnitude = 1e3;
  return read_file(bytes, [&](const auto& path) {
    const SolverState state = RestartFile(path, std::nullopt).state(matrix);
    HostMatrix x, ax;
    for (int j = 0; j < std::min(state.vectors, 4); ++j) state.read(j, x, ax);
  });
}

const Target all[] = {{"fcidump", fcidump},
                      {"spinor_fcidump", spinor_fcidump},
                      {"matrix_market", matrix_market},
                      {"npz", npz},
                      {"npy", npy},
                      {"yaml", yaml},
                      {"hdf5_csr", hdf5_csr},
                      {"hdf5_packed", hdf5_packed},
                      {"molden", molden},
                      {"determinants", determinants},
                      {"strings", strings},
                      {"hdf5_determinants", determinants},
#ifdef CISOLVE_TREXIO
                      {"trexio", trexio},
#endif
                      {"checkpoint", checkpoint}};

}  // namespace

std::span<const Target> targets() {
  return all;
}

const Target& target(const std::string& name) {
  const auto found = std::ranges::find(all, name, &Target::name);
  if (found == std::end(all)) throw std::runtime_error("no such format: " + name);
  return *found;
}

}  // namespace cisolve::fuzz
