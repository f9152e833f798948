#include "tests/fuzz/fuzz_targets.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "app/checkpoint_file.hpp"
#include "app/config.hpp"
#include "core/error.hpp"
#include "formats/packed/decode.hpp"
#include "hamiltonian/fcidump.hpp"
#include "io/matrix_file.hpp"
#include "io/packed_file.hpp"
#include "io/vector_file.hpp"

namespace cisolve::fuzz {
namespace {

using Bytes = std::span<const std::uint8_t>;

/// Reads the bytes as a file in memory.
template <class Read>
void read_file(Bytes bytes, Read read) {
  struct Descriptor {
    int number = ::memfd_create("fuzz", 0);
    ~Descriptor() { ::close(number); }
  } file;
  if (::write(file.number, bytes.data(), bytes.size()) != std::ssize(bytes)) {
    throw std::runtime_error("no file in memory");
  }
  try {
    read(std::filesystem::path("/proc/self/fd/" + std::to_string(file.number)));
  } catch (const InputError&) {
  }
}

void fcidump(Bytes bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  try {
    read_fcidump(NamedText{"fuzz", text}, {});
  } catch (const InputError&) {
  }
}

void matrix_market(Bytes bytes) {
  read_file(bytes, [](const auto& path) { read_matrix_market(path); });
}

void npz(Bytes bytes) {
  read_file(bytes, [](const auto& path) { read_npz(path); });
}

void npy(Bytes bytes) {
  read_file(bytes, [](const auto& path) { read_npy_vectors(path); });
}

void yaml(Bytes bytes) {
  read_file(bytes, [](const auto& path) { read_config(path); });
}

void hdf5_csr(Bytes bytes) {
  read_file(bytes, [](const auto& path) { read_hdf5(path); });
}

void hdf5_packed(Bytes bytes) {
  read_file(bytes, [](const auto& path) { to_csr(read_packed(path).matrix); });
}

/// Of the matrix of tests/fuzz/corpus/fcidump/h4's full CI.
void checkpoint(Bytes bytes) {
  Fingerprint matrix;
  matrix.rows = 36;
  matrix.nonzeros = 524;
  matrix.row_lengths = 11094507809145328777U;
  matrix.elements = -3.839062098494077;
  matrix.magnitude = 1e3;
  read_file(bytes, [&](const auto& path) {
    const SolverState state = RestartFile(path, std::nullopt).state(matrix);
    HostMatrix x, ax;
    for (int j = 0; j < std::min(state.vectors, 4); ++j) state.read(j, x, ax);
  });
}

const Target all[] = {{"fcidump", fcidump},
                      {"matrix_market", matrix_market},
                      {"npz", npz},
                      {"npy", npy},
                      {"yaml", yaml},
                      {"hdf5_csr", hdf5_csr},
                      {"hdf5_packed", hdf5_packed},
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
