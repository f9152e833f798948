#include "app/checkpoint/checkpoint_file.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "app/checkpoint/start_vectors.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/hdf5/hdf5_dataset.hpp"
#include "io/hdf5/hdf5_file.hpp"
#include "io/hdf5/hdf5_input.hpp"

namespace cisolve {
namespace {

constexpr std::int64_t layout_version = 2;
constexpr int all_multiplicities = 0;
constexpr hsize_t sector_fields = sizeof(SectorState) / sizeof(std::int64_t);
static_assert(sizeof(SectorState) == 7 * sizeof(std::int64_t), "a row of the dataset 'sectors'");

void write_integer(const OutputFile& file, const char* name, std::int64_t value) {
  write_attribute(file, name, H5T_NATIVE_INT64, &value);
}
void write_number(const OutputFile& file, const char* name, double value) {
  write_attribute(file, name, H5T_NATIVE_DOUBLE, &value);
}

void write_attributes(const OutputFile& file, const SolverState& state, const Fingerprint& matrix,
                      const SolverConfig& solver) {
  write_attribute(file, "format", checkpoint_format);
  write_integer(file, "version", layout_version);
  write_attribute(file, "program", "cisolve " CISOLVE_VERSION);
  write_integer(file, "rows", matrix.rows);
  write_integer(file, "nonzeros", matrix.nonzeros);
  write_attribute(file, "row_lengths", H5T_NATIVE_UINT64, &matrix.row_lengths);
  write_number(file, "elements", matrix.elements);
  if (matrix.components > 1) write_integer(file, "components", matrix.components);
  write_attribute(file, "method", state.method.c_str());
  write_integer(file, "exact_images", state.exact_images ? 1 : 0);
  write_integer(file, "states", state.states);
  write_integer(file, "multiplicity", solver.multiplicity.value_or(all_multiplicities));
  write_integer(file, "iterations", state.iterations);
  write_integer(file, "operator_applications", state.operator_applications);
  write_integer(file, "probe_applications", state.probe_applications);
  write_number(file, "seconds", state.seconds);
  if (state.upper_bound) write_number(file, "upper_bound", *state.upper_bound);
  write_number(file, "tolerance", solver.tolerance.value_or(0.0));
  write_attribute(file, "seed", H5T_NATIVE_UINT64, &solver.seed);
}

void write_sectors(const OutputFile& file, const std::vector<SectorState>& sectors) {
  const hsize_t shape[] = {sectors.size(), sector_fields};
  const Handle space(H5Screate_simple(2, shape, nullptr), H5Sclose);
  const Handle id(H5Dcreate2(file.id, "sectors", H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT,
                             H5P_DEFAULT),
                  H5Dclose);
  file.require(id >= 0 &&
               H5Dwrite(id, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, sectors.data()) >= 0);
}

void write_numbers(const OutputFile& file, const char* name, const std::vector<double>& numbers) {
  if (!numbers.empty()) write_dataset(file, name, numbers);
}

/// The coefficients of earlier Ritz vectors by pairs, of one sector behind another.
void write_earlier(const OutputFile& file, const SolverState& state) {
  std::vector<double> numbers;
  for (const HostMatrix& c : state.earlier) {
    const auto rows = c.reshaped<Eigen::RowMajor>();
    numbers.insert(numbers.end(), rows.begin(), rows.end());
  }
  write_numbers(file, "earlier", numbers);
}

void write_pace(const OutputFile& file, const Pace& pace) {
  std::vector<double> numbers{pace.norm, static_cast<double>(pace.iterations), pace.gained};
  numbers.insert(numbers.end(), pace.gains.begin(), pace.gains.end());
  write_numbers(file, "pace", numbers);
}

/// A dataset vectors × rows, a vector in chunks of at most 8 MiB with Fletcher's checksum, which
/// HDF5 verifies when it reads.
Handle create_vectors(const OutputFile& file, const char* name, hsize_t vectors, hsize_t rows) {
  constexpr hsize_t largest_chunk = 1 << 20;
  const hsize_t shape[] = {vectors, rows};
  const hsize_t chunks = (rows + largest_chunk - 1) / largest_chunk;
  const hsize_t chunk[] = {1, (rows + chunks - 1) / chunks};
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(properties, 2, chunk);
  H5Pset_fletcher32(properties);
  const Handle space(H5Screate_simple(2, shape, nullptr), H5Sclose);
  Handle id(
      H5Dcreate2(file.id, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, properties, H5P_DEFAULT),
      H5Dclose);
  file.require(id >= 0);
  return id;
}

/// Row j of a dataset vectors × rows in the file, and the whole of a vector in memory.
struct VectorSpaces {
  Handle file, memory;
  VectorSpaces(hid_t dataset, hsize_t j, hsize_t rows)
      : file(H5Dget_space(dataset), H5Sclose),
        memory(H5Screate_simple(1, &rows, nullptr), H5Sclose) {
    const hsize_t start[] = {j, 0}, count[] = {1, rows};
    H5Sselect_hyperslab(file, H5S_SELECT_SET, start, nullptr, count, nullptr);
  }
};

void write_vector(const OutputFile& file, hid_t dataset, int j, const HostMatrix& x) {
  const VectorSpaces spaces(dataset, static_cast<hsize_t>(j), static_cast<hsize_t>(x.size()));
  file.require(
      H5Dwrite(dataset, H5T_NATIVE_DOUBLE, spaces.memory, spaces.file, H5P_DEFAULT, x.data()) >= 0);
}

/// Identity of a file's content: it differs once another file has taken the path.
struct FileVersion {
  explicit FileVersion(const std::filesystem::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return;
    device = status.st_dev;
    inode = status.st_ino;
    bytes = status.st_size;
    seconds = status.st_mtim.tv_sec;
    nanoseconds = status.st_mtim.tv_nsec;
  }
  bool operator==(const FileVersion&) const = default;

  dev_t device = 0;
  ino_t inode = 0;
  off_t bytes = 0;
  time_t seconds = 0;
  long nanoseconds = 0;
};

/// The vectors of a checkpoint, and their images. Reading ends with the first vector or the last,
/// and the file is closed then: while it is open there is a process that shares this one's memory.
class Vectors {
 public:
  Vectors(std::filesystem::path path, const FileVersion& version, std::uint64_t rows)
      : path_(std::move(path)), version_(version), rows_(rows) {}

  /// Number of vectors in the file, which has as many images.
  int count(const InputFile& file) const {
    const std::uint64_t vectors = open(file, "vectors").found.rows;
    if (open(file, "images").found.rows != vectors) file.fail("not as many images as vectors");
    return checked_dimension(static_cast<std::int64_t>(vectors), "vectors", file.name());
  }

  void read(int j, HostMatrix& x, HostMatrix& ax) {
    if (!file_) {
      file_.emplace(path_);
      if (FileVersion(path_) != version_) file_->fail("was replaced meanwhile");
    }
    const int vectors = count(*file_);
    read("vectors", j, x);
    read("images", j, ax);
    if (j == 0 || j + 1 == vectors) file_.reset();
  }

 private:
  Dataset open(const InputFile& file, const char* name) const {
    return file.table(name, NumberKind::real, rows_);
  }
  void read(const char* name, int j, HostMatrix& x) const {
    x.resize(static_cast<Eigen::Index>(rows_), 1);
    file_->read_row(open(*file_, name), static_cast<std::uint64_t>(j), x.data());
    if (!x.allFinite()) file_->fail("dataset '" + std::string(name) + "' holds NaN or infinity");
  }

  std::filesystem::path path_;
  FileVersion version_;
  std::uint64_t rows_;
  std::optional<InputFile> file_;
};

void require_checkpoint(const InputFile& file) {
  const std::string format = file.string_attribute("format");
  if (format == "eigenstates") {  // of --vectors NAME.h5 and .trexio
    file.fail("holds eigenstates and is no checkpoint; start vectors are .npz or .npy");
  }
  if (format != checkpoint_format) {
    file.fail("no checkpoint: format '" + format + "', expected '" + checkpoint_format + "'");
  }
  if (const std::int64_t version = file.integer_attribute("version"); version != layout_version) {
    file.fail("checkpoint of layout version " + std::to_string(version) + ", expected " +
              std::to_string(layout_version));
  }
}

Fingerprint read_fingerprint(const InputFile& file) {
  Fingerprint f;
  f.rows = file.integer_attribute("rows");
  f.nonzeros = file.integer_attribute("nonzeros");
  f.row_lengths = file.unsigned_attribute("row_lengths");
  f.elements = file.number_attribute("elements");
  if (!file.has_attribute("components")) return f;
  const std::int64_t components = file.integer_attribute("components");
  if (components != 2 && components != 4) {
    file.fail("attribute 'components' is " + std::to_string(components));
  }
  f.components = static_cast<int>(components);
  return f;
}

/// A basis of other spins must not slip in. Files without the attribute are of all multiplicities.
void require_multiplicity(const InputFile& file, std::optional<int> wanted) {
  const std::int64_t found = file.has_attribute("multiplicity")
                                 ? file.integer_attribute("multiplicity")
                                 : all_multiplicities;
  const auto text = [](std::int64_t multiplicity) {
    return multiplicity == all_multiplicities ? "all multiplicities"
                                              : "multiplicity " + std::to_string(multiplicity);
  };
  const int expected = wanted.value_or(all_multiplicities);
  if (found != expected) {
    file.fail("checkpoint of states of " + text(found) + ", expected " + text(expected));
  }
}

std::vector<SectorState> read_sectors(const InputFile& file) {
  const Dataset table = file.table("sectors", NumberKind::integer, sector_fields);
  std::vector<SectorState> sectors(table.found.rows);
  if (sectors.empty()) file.fail("dataset 'sectors' is empty");
  file.read_table(table, &sectors.front().rows);
  return sectors;
}

/// Over K of d components in the real form.
std::vector<HostMatrix> read_earlier(const InputFile& file, const std::vector<SectorState>& sectors,
                                     int d) {
  if (!file.has_object("earlier")) return {};
  const Array<double> numbers = file.read<double>(file.dataset("earlier", NumberKind::real));
  std::vector<HostMatrix> earlier;
  std::size_t first = 0;
  for (const SectorState& sector : sectors) {
    const auto left = static_cast<std::int64_t>(numbers.size() - first);
    if (sector.pairs < 0 || sector.earlier < 0 || sector.earlier > sector.pairs ||
        (sector.earlier > 0 && sector.pairs > left / (d * d) / sector.earlier)) {
      file.fail("dataset 'earlier' does not fit dataset 'sectors'");
    }
    earlier.emplace_back(
        Eigen::Map<const HostMatrix>(numbers.data() + first, d * sector.pairs, d * sector.earlier));
    if (!earlier.back().allFinite()) file.fail("dataset 'earlier' holds NaN or infinity");
    first += static_cast<std::size_t>(d * d * sector.pairs * sector.earlier);
  }
  return earlier;
}

std::optional<Pace> read_pace(const InputFile& file) {
  if (!file.has_object("pace")) return {};
  constexpr std::size_t before_gains = 3;
  const Array<double> numbers = file.read<double>(file.dataset("pace", NumberKind::real));
  const bool valid = numbers.size() > before_gains &&
                     std::ranges::all_of(numbers, [](double x) { return x >= 0.0 && x <= 1e300; });
  if (!valid || numbers[1] > std::numeric_limits<int>::max() / 2) {
    file.fail("dataset 'pace' holds other than norm, iterations, gained and gains");
  }
  return Pace{numbers[0],
              static_cast<int>(numbers[1]),
              numbers[2],
              {numbers.begin() + before_gains, numbers.end()}};
}

/// `version`: of the file, from before it was opened.
SolverState read_state(const InputFile& file, const std::filesystem::path& path,
                       const FileVersion& version, const Fingerprint& matrix) {
  SolverState state;
  const auto count = [&](const char* name, std::int64_t least) {
    const std::int64_t value = file.integer_attribute(name);
    if (value < least)
      file.fail("attribute '" + std::string(name) + "' is " + std::to_string(value));
    return value;
  };
  state.method = file.string_attribute("method");
  state.exact_images = count("exact_images", 0) != 0;
  state.states = static_cast<int>(count("states", 1));
  state.iterations = static_cast<int>(count("iterations", 0));
  state.operator_applications = count("operator_applications", 0);
  state.probe_applications = count("probe_applications", 0);
  state.seconds = file.number_attribute("seconds");
  if (file.has_attribute("upper_bound")) {
    state.upper_bound = file.number_attribute("upper_bound");
    if (!std::isfinite(*state.upper_bound)) file.fail("attribute 'upper_bound' is not finite");
  }
  state.sectors = read_sectors(file);
  state.earlier = read_earlier(file, state.sectors, matrix.components);
  state.pace = read_pace(file);
  const auto vectors =
      std::make_shared<Vectors>(path, version, static_cast<std::uint64_t>(matrix.rows));
  state.vectors = vectors->count(file);
  state.read = [vectors](int j, HostMatrix& x, HostMatrix& ax) { vectors->read(j, x, ax); };
  return state;
}

}  // namespace

void write_checkpoint(const SolverState& state, const Fingerprint& matrix,
                      const SolverConfig& solver, const std::filesystem::path& path) {
  AtomicFile target(path);
  {
    const OutputFile file = create_hdf5(target.temporary(), path.string());
    write_attributes(file, state, matrix, solver);
    write_sectors(file, state.sectors);
    write_earlier(file, state);
    if (state.pace) write_pace(file, *state.pace);
    const auto vectors = static_cast<hsize_t>(state.vectors),
               rows = static_cast<hsize_t>(matrix.rows);
    const Handle x_set = create_vectors(file, "vectors", vectors, rows);
    const Handle ax_set = create_vectors(file, "images", vectors, rows);
    HostMatrix x, ax;
    for (int j = 0; j < state.vectors; ++j) {
      state.read(j, x, ax);
      write_vector(file, x_set, j, x);
      write_vector(file, ax_set, j, ax);
    }
    file.require(H5Fflush(file.id, H5F_SCOPE_GLOBAL) >= 0);  // closing can no longer fail
  }
  target.commit();
}

RestartFile::RestartFile(const std::filesystem::path& path, std::optional<int> multiplicity)
    : path_(path) {
  if (is_start_vectors(path)) {
    shape_ = check_start_vectors(path);
    return;
  }
  const FileVersion version(path);
  const InputFile file(path);
  require_checkpoint(file);
  require_multiplicity(file, multiplicity);
  matrix_ = read_fingerprint(file);
  state_ = read_state(file, path, version, matrix_);
}

void RestartFile::require_rows(std::int64_t rows, int components) {
  const std::int64_t numbers = rows * components;
  components_ = components;
  if (is_start_vectors(path_)) {
    require_vectors(path_, shape_, rows);
    matrix_.rows = numbers;
  }
  if (matrix_.rows == numbers) return;
  throw InputError(path_.string() + ": checkpoint of another matrix; rows: found " +
                   std::to_string(matrix_.rows) + ", expected " + std::to_string(numbers));
}

SolverState RestartFile::state(const Fingerprint& matrix) const {
  if (is_start_vectors(path_)) {
    return state_of_vectors(std::make_shared<const HostMatrix>(
        read_start_vectors(path_, matrix_.rows / components_, components_)));
  }
  if (const std::string other = difference(matrix_, matrix); !other.empty()) {
    throw InputError(path_.string() + ": checkpoint of another matrix; " + other);
  }
  SolverState state = state_;
  // Blocks of a matrix that is stored and of one that is not come in another order, or are others.
  if ((matrix_.nonzeros < 0) != (matrix.nonzeros < 0)) state.sectors.clear();
  return state;
}

}  // namespace cisolve
