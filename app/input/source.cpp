#include "app/input/source.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "app/config/config_value.hpp"
#include "app/config/irrep.hpp"
#include "app/input/generated_input.hpp"
#include "app/input/restricted_active_space.hpp"
#include "app/input/trexio_integrals.hpp"
#include "app/memory/memory.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/text.hpp"
#include "core/text_file.hpp"
#include "core/timer.hpp"
#include "formats/matrix/symmetrize.hpp"
#include "hamiltonian/integrals/fcidump.hpp"
#include "hamiltonian/integrals/fcidump_header.hpp"
#include "hamiltonian/integrals/restrict_orbitals.hpp"
#include "hamiltonian/matrix/ci_rows_cuda.hpp"
#include "hamiltonian/space/spaces.hpp"
#include "io/matrix_file.hpp"
#include "io/matrix_reading.hpp"
#include "io/trexio/trexio_input.hpp"

namespace cisolve {
namespace {

/// A matrix has no orbitals or electrons: whatever chooses among them would be ignored.
void refuse_determinant_keys(const InputConfig& config) {
  const InputConfig defaults;
  std::string key;
  if (config.electrons) key = "input.electrons";
  if (config.ms2) key = "input.ms2";
  if (config.irrep) key = "input.irrep";
  if (config.point_group) key = "input.point_group";
  if (config.orbsym != defaults.orbsym) key = "input.orbsym";
  if (config.orbital_kind != defaults.orbital_kind) key = "input.orbital_kind";
  if (config.space != defaults.space) key = "input.space";
  if (!config.ras1.empty()) key = "input.ras1";
  if (config.ras_holes) key = "input.ras_holes";
  if (!config.ras3.empty()) key = "input.ras3";
  if (config.ras_particles) key = "input.ras_particles";
  if (config.spin_inversion != defaults.spin_inversion) key = "input.spin_inversion";
  if (!config.frozen.empty()) key = "input.frozen";
  if (config.freeze != 0) key = "input.freeze";
  if (!config.active.empty()) key = "input.active";
  if (config.allow_missing_diagonal) key = "input.allow_missing_diagonal";
  if (!key.empty()) {
    throw InputError(key + " chooses determinants, and " + config.file.string() +
                     " is a matrix; it needs integrals (FCIDUMP, TREXIO)");
  }
}

/// Determinants, or functions of the parity that is wanted: of those |ab⟩ and |ba⟩ make one, and
/// |aa⟩ is even. Throws InputError where there is no parity.
std::int64_t rows_of(const InputConfig& config, const Integrals& integrals, const CiSpace& space) {
  if (config.spin_inversion == SpinInversion::all) return space.size();
  if (integrals.unrestricted) {
    throw InputError("input.spin_inversion: even and odd are of restricted orbitals; found " +
                     kind_of_orbitals(integrals));
  }
  if (space.alpha.strings != space.beta.strings) {
    throw InputError(
        "input.spin_inversion: even and odd are of as many alpha as beta electrons, M_s = 0");
  }
  std::int64_t own = 0;
  for (Index a = 0; a < space.alpha.size(); ++a) own += space.row(a, a) >= 0 ? 1 : 0;
  const std::int64_t rows =
      (space.size() + (config.spin_inversion == SpinInversion::even ? own : -own)) / 2;
  if (rows == 0) throw InputError("input.spin_inversion: all functions of the space are even");
  if (rows > std::numeric_limits<Index>::max()) {
    throw InputError("input.spin_inversion: " + std::to_string(rows) +
                     " functions; expected at most 2147483647 (an irrep or fewer active orbitals "
                     "make fewer)");
  }
  return rows;
}

/// The kind of orbitals is asked for where an FCIDUMP file is read, and nowhere else.
void refuse_orbital_kind(const InputConfig& config) {
  if (config.orbital_kind == OrbitalKind::automatic) return;
  throw InputError("input.orbital_kind is of FCIDUMP files, and " + config.file.string() +
                   " is none");
}

std::vector<int> from_zero(std::vector<int> orbitals) {
  for (int& orbital : orbitals) --orbital;
  return orbitals;
}

}  // namespace

HamiltonianSource::HamiltonianSource(Integrals integrals, const InputConfig& config,
                                     Storage storage, Log log)
    : config_(config), storage_(storage), log_(std::move(log)) {
  hold(std::move(integrals));
}

HamiltonianSource::HamiltonianSource(std::shared_ptr<const CsrMatrix> matrix,
                                     const InputConfig& config, Storage storage, Log log)
    : config_(config), storage_(storage), log_(std::move(log)), shared_(std::move(matrix)) {
  refuse_determinant_keys(config);
  if (config.symmetrize) {
    shared_ = std::make_shared<const CsrMatrix>(symmetrized(*shared_, name()));
  }
  if (storage == Storage::upper) {
    matrix_ = upper_triangle(*std::exchange(shared_, nullptr), name());
  } else {
    matrix_.rows = shared_->rows;
    matrix_.columns = shared_->columns;
  }
}

HamiltonianSource::HamiltonianSource(std::shared_ptr<const CallersProduct> product,
                                     const InputConfig& config, Log log)
    : config_(config), storage_(Storage::full), log_(std::move(log)), product_(std::move(product)) {
  if (config.symmetrize) throw InputError("input.symmetrize: of matrices, and a product is given");
  matrix_.rows = matrix_.columns = product_->rows;
}

HamiltonianSource::HamiltonianSource(const InputConfig& config, Storage storage, Log log)
    : config_(config), storage_(storage), log_(std::move(log)) {
  if (config.file.empty()) throw InputError("input.file is required: no Hamiltonian is named");
  if (is_generated(config.file)) {
    refuse_orbital_kind(config);
    generate(config);
    return;
  }
  if (is_trexio_file(config.file)) {
    refuse_orbital_kind(config);
    trexio_ = true;
    hold(read_trexio_integrals(config.file, config));
    require_hartree();
    return;
  }
  require_file(config.file);
  if (is_matrix_file(config.file)) {
    refuse_determinant_keys(config);
    read_matrix_file();
    return;
  }
  const TextFile file(config.file, [&](std::string_view beginning) {
    return longest_fcidump({config.file.string(), beginning});
  });
  const NamedText source{config.file.string(), file.text()};
  if (!opens_fcidump_header(source.text)) {
    const std::size_t begin = source.text.find_first_not_of(" \t\r\n");
    std::string_view line = source.text.substr(std::min(begin, source.text.size()));
    line = line.substr(0, line.find_first_of("\r\n"));
    throw InputError(source.name + ": found " + (line.empty() ? "nothing" : quoted(line)) +
                     ", expected an FCIDUMP file, which opens with &FCI, or a matrix file with the "
                     "extension .mtx, .mtx.gz, .h5, .hdf5, .npz or .npy, or TREXIO, .trexio");
  }
  hold(read_fcidump(source, {config.electrons, config.ms2, config.allow_missing_diagonal,
                             config.orbsym, config.orbital_kind}));
  require_hartree();
}

std::unique_ptr<HamiltonianSource> HamiltonianSource::of_irrep(int irrep, Storage storage,
                                                               Log log) const {
  std::unique_ptr<HamiltonianSource> made(new HamiltonianSource);
  made->config_ = config_;
  made->config_.irrep = std::to_string(irrep);
  made->storage_ = storage;
  made->log_ = std::move(log);
  made->integrals_ = integrals_;
  made->notes_ = notes_;
  made->trexio_ = trexio_;
  return made;
}

void HamiltonianSource::require_hartree() {
  if (units() == Units::hartree) return;
  const std::string in_hartree = kind() + " files are in Hartree by convention";
  if (units() == Units::none) {
    note({name() + ": the integrals are taken to be without a unit, as input.units says; " +
          in_hartree});
    return;
  }
  throw InputError("input.units: " + name() + ": " + in_hartree +
                   ", and nothing is converted: without input.units the report has excitation "
                   "energies in eV and cm^-1, too. Where the integrals of this file are in " +
                   unit_symbol(units()) +
                   ", input.units none gives energies in that unit, unnamed");
}

void HamiltonianSource::read_matrix_file() {
  if (!is_packed_file(config_.file)) {
    if (config_.symmetrize) {
      matrix_ = symmetrized(read_matrix(config_.file, Storage::full), name());
      if (storage_ == Storage::upper) matrix_ = upper_triangle(matrix_, name());
    } else {
      matrix_ = read_matrix(config_.file, storage_);
    }
    return;
  }
  packed_ = std::make_unique<PackedFile>(read_packed(config_.file));
  matrix_.rows = packed_->outline.rows;
  matrix_.columns = packed_->outline.columns;
  if (config_.symmetrize) matrix_ = symmetrized(decode(), name());
  if (storage_ == Storage::upper) {
    matrix_ = upper_triangle(packed_ ? decode() : matrix_, config_.file.string());
  }
}

void HamiltonianSource::generate(const InputConfig& config) {
  GeneratedInput made = make_generated_input(config.file.string());
  if (!made.integrals) {
    refuse_determinant_keys(config);
    matrix_ = config.symmetrize ? symmetrized(made.matrix, name()) : std::move(made.matrix);
    if (storage_ == Storage::upper) matrix_ = upper_triangle(matrix_, name());
    return;
  }
  if (config.electrons) made.integrals->electrons = *config.electrons;
  if (config.ms2) made.integrals->ms2 = *config.ms2;
  hold(std::move(*made.integrals));
}

void HamiltonianSource::hold(Integrals integrals) {
  if (config_.symmetrize) {
    throw InputError("input.symmetrize: of matrices alone, and " + name() + " has integrals");
  }
  if (config_.point_group) set_point_group(*config_.point_group, integrals);
  integrals_ = std::make_shared<Integrals>(std::move(integrals));
  note(integrals_->warnings);
  if (config_.freeze > 0) freeze();
}

void HamiltonianSource::freeze() {
  if (!config_.frozen.empty()) {
    throw InputError("input.freeze and input.frozen both say which orbitals are frozen");
  }
  if (config_.freeze > integrals_->orbitals) {
    throw InputError("input.freeze: " + std::to_string(config_.freeze) + " of " +
                     std::to_string(integrals_->orbitals) + " orbitals");
  }
  const auto energies = orbital_energies(*integrals_);
  const auto energy = [&](int p) { return 0.5 * (energies[alpha][p] + energies[beta][p]); };
  std::vector<int> order(static_cast<std::size_t>(integrals_->orbitals));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, energy);
  order.resize(static_cast<std::size_t>(config_.freeze));
  std::ranges::sort(order);
  std::string list;
  for (const int p : order) {
    config_.frozen.push_back(p + 1);
    list += fmt::format("{} {} ({:.4f})", list.empty() ? "" : ",", p + 1, energy(p));
  }
  const bool from_file = !integrals_->orbital_energies[alpha].empty();
  notes_.push_back(
      fmt::format("frozen: orbitals{}, by {}", list,
                  from_file ? "the file's orbital energies" : "the diagonal of the Fock operator"));
  log_.inform(notes_.back());
}

Units HamiltonianSource::units() const {
  if (config_.units != Units::automatic) return config_.units;
  return of_determinants() && !is_generated(config_.file) ? Units::hartree : Units::none;
}

void HamiltonianSource::note(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) {
    log_.warn(sentence);
    notes_.push_back(sentence);
  }
}

std::optional<int> HamiltonianSource::irrep() const {
  if (!config_.irrep) return {};
  return irrep_number(*config_.irrep, *integrals_);
}

const Integrals& HamiltonianSource::restrict() {
  if (!active_integrals_) {
    active_integrals_ = std::make_unique<Integrals>(
        restrict_orbitals(*integrals_, from_zero(config_.frozen), from_zero(config_.active)));
  }
  return *active_integrals_;
}

std::optional<RestrictedActiveSpace> HamiltonianSource::ras() {
  if (!asks_for_ras(config_)) return {};
  electron_numbers(restrict());  // so that there are not more orbitals than bits
  return restricted_active_space(config_, frozen_and_active().second);
}

Index HamiltonianSource::rows() {
  if (of_determinants() && !space_) {
    CiSpaceOptions options{config_.space.rank, irrep()};
    if (config_.spin_inversion != SpinInversion::all) options.most *= 2;
    options.ras = ras();
    space_ = std::make_unique<CiSpace>(make_ci_space(restrict(), options));
    std::vector<std::string> sentences = space_->notes;
    if (options.ras) {
      sentences.push_back(ras_text(config_, frozen_and_active().second) +
                          (space_->alpha.full ? "; it excludes nothing: full CI" : ""));
    }
    for (const std::string& sentence : sentences) log_.inform(sentence);
    notes_.insert(notes_.end(), sentences.begin(), sentences.end());
    matrix_.rows = matrix_.columns =
        static_cast<Index>(rows_of(config_, *active_integrals_, *space_));
    matrix_.storage = storage_;
  }
  return matrix_.rows;
}

DeterminantLabels HamiltonianSource::labels() const {
  return {integrals_->orbitals, from_zero(config_.frozen), from_zero(config_.active),
          integrals_->general};
}

std::pair<std::vector<int>, std::vector<int>> HamiltonianSource::frozen_and_active() const {
  const std::vector<int> frozen = from_zero(config_.frozen);
  return {frozen, active_orbitals(integrals_->orbitals, frozen, from_zero(config_.active))};
}

const CsrMatrix& HamiltonianSource::held() const {
  if (shared_) return *shared_;
  return packed_ ? packed_->outline : matrix_;
}

const CsrMatrix& HamiltonianSource::outline() {
  rows();
  require_determinants();
  if (of_determinants() && matrix_.row_offsets.empty()) {
    builder_ = std::make_unique<CiMatrixBuilder>(*active_integrals_, *space_, storage_);
    matrix_.row_offsets = count_rows();
  }
  return held();
}

Array<Offset> HamiltonianSource::count_rows() const {
  constexpr double interval = 1.0;      // of what is said, seconds
  constexpr double enough_rows = 0.01;  // of all, to tell what they come to
  constexpr double sure = 0.7;          // of that
  const std::int64_t rows = space_->size();
  const auto bytes = [&](double entries) {
    return CsrMatrix::bytes(static_cast<Index>(rows), static_cast<Offset>(entries));
  };
  const auto text = [](std::size_t size) { return format_bytes(static_cast<double>(size)); };
  const Timer timer;
  double said = 0.0;
  return builder_->count({[&](const CountedRows& counted) {
    const double share = static_cast<double>(counted.rows) / static_cast<double>(rows);
    const auto entries = static_cast<double>(counted.entries), all = entries / share;
    const std::size_t least = bytes(share < enough_rows ? entries : std::max(entries, sure * all));
    const std::string so_far =
        fmt::format("{:.2g} nonzeros in {:.1f} % of the rows, about {:.2g} in all", entries,
                    100.0 * share, all);
    if (least > most_bytes_) {
      const std::size_t counted_bytes = bytes(entries);
      const bool already = counted_bytes > most_bytes_;
      throw ResourceError(
          fmt::format("not enough host memory: {} determinants, {}, which take {} {}: more than {}",
                      rows, so_far, already ? "at least" : "about",
                      text(already ? counted_bytes : bytes(all)), text(most_bytes_)));
    }
    if (timer.seconds() < said + interval) return;
    said = timer.seconds();
    log_.proceed("counting    " + so_far);
  }});
}

Array<Offset> HamiltonianSource::count_rows(Index first, Index last) {
  rows();
  require_determinants();
  builder_ = std::make_unique<CiMatrixBuilder>(*active_integrals_, *space_, Storage::full);
  return builder_->count({}, first, last);
}

CsrMatrix HamiltonianSource::take_rows(Index first, Array<Offset> row_offsets) {
  return std::exchange(builder_, nullptr)->fill(std::move(row_offsets), first);
}

void HamiltonianSource::hold_upper_triangle() {
  storage_ = matrix_.storage = Storage::upper;
  matrix_.row_offsets.clear();
  builder_.reset();
}

/// A matrix is stored over determinants.
void HamiltonianSource::require_determinants() const {
  if (config_.spin_inversion == SpinInversion::all) return;
  throw InputError(
      "input.spin_inversion: of eigenstates by products without a matrix alone, and a matrix is "
      "asked for");
}

std::unique_ptr<RowSource> HamiltonianSource::rows_on_device(Backend& backend) {
  rows();
  require_determinants();
  auto made = make_ci_rows_cuda(*active_integrals_, *space_, backend, row_block_entries);
  if (backend.communicator().alone()) matrix_.row_offsets = made->row_offsets();
  return made;
}

std::string HamiltonianSource::size_text() const {
  std::string text = std::to_string(matrix_.rows) + (of_determinants() ? " determinants" : " rows");
  if (of_determinants() && matrix_.row_offsets.empty()) return text + ", nonzeros not counted yet";
  text += ", " + std::to_string(held().nonzeros()) + " nonzeros";
  if (storage_ == Storage::upper) text += " of the upper triangle";
  if (!builder_) return text;
  return text + ", excitation tables of " +
         format_bytes(static_cast<double>(builder_->table_bytes())) + " in place";
}

std::size_t HamiltonianSource::loaded_bytes() const {
  if (of_determinants()) return 0;
  if (packed_) return packed_->matrix.bytes();
  return CsrMatrix::bytes(matrix_.rows, held().nonzeros());
}

CsrMatrix HamiltonianSource::decode() {
  const auto text = [](std::size_t bytes) { return format_bytes(static_cast<double>(bytes)); };
  const std::size_t needed = CsrMatrix::bytes(matrix_.rows, packed_->outline.nonzeros());
  const std::size_t packed = packed_->matrix.bytes(), available = available_host_memory();
  if (needed > available) {
    throw ResourceError(config_.file.string() + ": the matrix is packed, " + text(packed) +
                        ", and is needed in CSR: " + text(needed) + " beside that, " +
                        text(available) + " available");
  }
  CsrMatrix a = to_csr(std::exchange(packed_, nullptr)->matrix);
  notes_.push_back("decoded to CSR: the file holds the matrix packed, " + text(packed) + " for " +
                   text(needed));
  log_.inform(name() + ": " + notes_.back());
  return a;
}

std::shared_ptr<const CsrMatrix> HamiltonianSource::take_shared() {
  return shared_ ? shared_ : std::make_shared<const CsrMatrix>(take());
}

CsrMatrix HamiltonianSource::take() {
  if (shared_) return *shared_;
  outline();
  if (packed_) return decode();
  if (!of_determinants()) return std::move(matrix_);
  if (!builder_) {  // the rows were counted on a device
    builder_ = std::make_unique<CiMatrixBuilder>(*active_integrals_, *space_, storage_);
  }
  return std::exchange(builder_, nullptr)->fill(std::move(matrix_.row_offsets));
}

CsrMatrix HamiltonianSource::take_announced() {
  if (of_determinants()) {
    const Index n = rows();
    require_host(CsrMatrix::bytes(n, n), size_text());  // the nonzeros are at least as many
    limit_matrix(available_host_memory());
    const Offset nonzeros = outline().nonzeros();
    announce_host(CsrMatrix::bytes(n, nonzeros), size_text(), log_);
  }
  return take();
}

}  // namespace cisolve
