#include "app/model/open_model.hpp"

#include <algorithm>
#include <utility>

#include "app/config/config_value.hpp"
#include "app/input/generated_input.hpp"
#include "app/input/trexio_integrals.hpp"
#include "app/model/matrix_model.hpp"
#include "app/model/molecular_model.hpp"
#include "app/model/nuclear_model.hpp"
#include "app/model/packed_model.hpp"
#include "app/model/product_model.hpp"
#include "app/model/spinor_model.hpp"
#include "app/model/spinor_orbitals.hpp"
#include "core/error.hpp"
#include "core/text/text.hpp"
#include "core/text/text_file.hpp"
#include "formats/matrix/symmetrize.hpp"
#include "formats/packed/decode.hpp"
#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "hamiltonian/integrals/fcidump/fcidump_file.hpp"
#include "hamiltonian/nuclear/snt_file.hpp"
#include "hamiltonian/spinor/spinor_fcidump.hpp"
#include "io/matrix_file.hpp"
#include "io/matrix_reading.hpp"
#include "io/trexio/trexio_input.hpp"

namespace cisolve {
namespace {

/// A key that chooses among orbitals or electrons; empty: there is none.
std::string electron_key(const InputConfig& config) {
  const InputConfig defaults;
  std::string key;
  if (config.electrons) key = "input.electrons";
  if (config.ms2) key = "input.ms2";
  if (config.irrep) key = "input.irrep";
  if (config.point_group) key = "input.point_group";
  if (config.orbsym != defaults.orbsym) key = "input.orbsym";
  if (config.orbital_kind != defaults.orbital_kind) key = "input.orbital_kind";
  if (config.space != defaults.space) key = "input.space";
  if (!config.determinants.empty()) key = "input.determinants";
  if (!config.strings.empty()) key = "input.strings";
  if (config.kramers != defaults.kramers) key = "input.kramers";
  if (config.first_orbital != defaults.first_orbital) key = "input.first_orbital";
  if (config.listed) key = config.listed->product ? "input.strings" : "input.determinants";
  if (!config.ras1.empty()) key = "input.ras1";
  if (config.ras_holes) key = "input.ras_holes";
  if (!config.ras3.empty()) key = "input.ras3";
  if (config.ras_particles) key = "input.ras_particles";
  if (config.spin_inversion != defaults.spin_inversion) key = "input.spin_inversion";
  if (!config.frozen.empty()) key = "input.frozen";
  if (config.freeze != 0) key = "input.freeze";
  if (!config.active.empty()) key = "input.active";
  if (config.allow_missing_diagonal) key = "input.allow_missing_diagonal";
  return key;
}

/// A matrix has no orbitals or particles: whatever chooses among them would be ignored.
void refuse_determinant_keys(const InputConfig& config) {
  const std::string nucleons = nucleon_key(config);
  const std::string key = nucleons.empty() ? electron_key(config) : nucleons;
  if (!key.empty()) {
    throw InputError(key + " chooses determinants, and " + config.file.string() +
                     " is a matrix; it needs " +
                     (nucleons.empty() ? "integrals (FCIDUMP, TREXIO)" : "an interaction (.snt)"));
  }
}

/// The kind of orbitals is asked for where an FCIDUMP file is read, and nowhere else.
void refuse_orbital_kind(const InputConfig& config) {
  if (config.orbital_kind == OrbitalKind::automatic) return;
  throw InputError("input.orbital_kind is of FCIDUMP files, and " + config.file.string() +
                   " is none");
}

/// Kramers pairs are asked for of complex integrals.
void refuse_kramers_pairs(const InputConfig& config) {
  if (config.kramers != Kramers::on) return;
  throw InputError("input.kramers: on is of complex integrals over spinors, and those of " +
                   config.file.string() + " are real");
}

/// Units as configured, else those that such an input has.
Units units_of(const InputConfig& config, Units by_convention) {
  return config.units == Units::automatic ? by_convention : config.units;
}

std::unique_ptr<Model> of_integrals(Integrals integrals, const InputConfig& config,
                                    std::string kind, Units units, Storage storage, Log log) {
  refuse_kramers_pairs(config);
  return std::make_unique<MolecularModel>(Determinants(std::move(integrals), config, log),
                                          std::move(kind), units_of(config, units), storage, log);
}

/// Units of a file's integrals, which is in Hartree. A warning says where they are to have none;
/// throws InputError where they are to have another one.
Units units_of_file(const InputConfig& config, const std::string& kind,
                    std::vector<std::string>& warnings) {
  const Units units = units_of(config, Units::hartree);
  const std::string in_hartree = kind + " files are in Hartree by convention";
  if (units != Units::hartree && units != Units::none) {
    throw InputError("input.units: " + config.file.string() + ": " + in_hartree +
                     ", and nothing is converted: without input.units the report has excitation "
                     "energies in eV and cm^-1, too. Where the integrals of this file are in " +
                     unit_symbol(units) +
                     ", input.units none gives energies in that unit, unnamed");
  }
  if (units == Units::none) {
    warnings.push_back(config.file.string() +
                       ": the integrals are taken to be without a unit, as input.units says; " +
                       in_hartree);
  }
  return units;
}

std::unique_ptr<Model> of_file(Integrals integrals, const InputConfig& config,
                               const std::string& kind, Storage storage, Log log) {
  refuse_kramers_pairs(config);
  const Units units = units_of_file(config, kind, integrals.warnings);
  Determinants determinants(std::move(integrals), config, log);
  return std::make_unique<MolecularModel>(std::move(determinants), kind, units, storage, log);
}

/// A matrix that is held whole so far.
std::unique_ptr<Model> of_matrix(std::shared_ptr<const CsrMatrix> a, const InputConfig& config,
                                 Storage storage, std::vector<std::string> notes = {}) {
  const std::string name = config.file.string();
  if (config.symmetrize) a = std::make_shared<const CsrMatrix>(symmetrized(*a, name));
  if (storage == Storage::upper && a->storage == Storage::full) {
    a = std::make_shared<const CsrMatrix>(upper_triangle(*a, name));
  }
  return std::make_unique<MatrixModel>(std::move(a), name, units_of(config, Units::none),
                                       std::move(notes));
}

std::unique_ptr<Model> of_matrix_file(const InputConfig& config, Storage storage, Log log) {
  if (!is_packed_file(config.file)) {
    const Storage read_as = config.symmetrize ? Storage::full : storage;
    return of_matrix(std::make_shared<const CsrMatrix>(read_matrix(config.file, read_as)), config,
                     storage);
  }
  auto packed = std::make_unique<PackedModel>(
      std::make_unique<PackedFile>(read_packed(config.file)), config.file.string(),
      units_of(config, Units::none), std::move(log));
  if (!config.symmetrize && storage == Storage::full) return packed;
  auto decoded = packed->elements()->take();
  return of_matrix(std::move(decoded), config, storage, packed->notes());
}

std::unique_ptr<Model> of_generator(const InputConfig& config, Storage storage, Log log) {
  GeneratedInput made = make_generated_input(config.file.string());
  if (!made.integrals) {
    refuse_determinant_keys(config);
    return of_matrix(std::make_shared<const CsrMatrix>(std::move(made.matrix)), config, storage);
  }
  if (config.electrons) made.integrals->electrons = *config.electrons;
  if (config.ms2) made.integrals->ms2 = *config.ms2;
  return of_integrals(std::move(*made.integrals), config, "FCIDUMP", Units::none, storage,
                      std::move(log));
}

/// An interaction of nucleons, which is in MeV unless it is said to have no unit.
std::unique_ptr<Model> of_nucleons(const InputConfig& config, Storage storage, const Log& log) {
  const std::string file = config.file.string();
  if (const std::string key = electron_key(config); !key.empty()) {
    throw InputError(key + ": of electrons, and " + file + " has an interaction of nucleons");
  }
  const Units units = units_of(config, Units::megaelectronvolt);
  if (units != Units::megaelectronvolt && units != Units::none) {
    throw InputError("input.units: " + file +
                     ": interaction files are in MeV by convention, and "
                     "nothing is converted; expected mev or none");
  }
  const TextFile text(config.file);
  return std::make_unique<NuclearModel>(read_snt(file, text.text()), config, units, storage, log);
}

std::unique_ptr<Model> of_spinors(SpinorIntegrals integrals, const InputConfig& config, Units units,
                                  Storage storage, const Log& log) {
  const InputConfig over = over_spinors(config, integrals);
  return std::make_unique<SpinorModel>(std::move(integrals), over, units, storage, log);
}

std::unique_ptr<Model> of_fcidump(const InputConfig& config, Storage storage, Log log) {
  const FcidumpFile file(config.file);
  const NamedText& source = file.source();
  if (!opens_fcidump_header(source.text)) {
    const std::size_t begin = source.text.find_first_not_of(" \t\r\n");
    std::string_view line = source.text.substr(std::min(begin, source.text.size()));
    line = line.substr(0, line.find_first_of("\r\n"));
    throw InputError(
        source.name + ": found " + (line.empty() ? "nothing" : quoted(line)) +
        ", expected an FCIDUMP file, which opens with &FCI, or a matrix file with the "
        "extension .mtx, .mtx.gz, .h5, .hdf5, .npz or .npy, TREXIO, .trexio, or nucleons, "
        ".snt");
  }
  const FcidumpOptions options{config.electrons, config.ms2, config.allow_missing_diagonal,
                               config.orbsym, config.orbital_kind};
  if (integral_values(source) != IntegralValues::real) {
    SpinorIntegrals integrals = read_spinor_fcidump(source, options);
    const Units units = units_of_file(config, "FCIDUMP", integrals.warnings);
    return of_spinors(std::move(integrals), config, units, storage, log);
  }
  return of_file(read_fcidump(source, options), config, "FCIDUMP", storage, std::move(log));
}

}  // namespace

void refuse_matrix_over_pairs(const InputConfig& config, const std::string& user) {
  if (config.kramers != Kramers::on) return;
  throw InputError("input.kramers: on is of eigenstates alone; " + user +
                   " takes the matrix over determinants");
}

std::unique_ptr<Model> open_model(Integrals integrals, const InputConfig& config, Storage storage,
                                  Log log) {
  return of_integrals(std::move(integrals), config, "FCIDUMP", Units::hartree, storage,
                      std::move(log));
}

std::unique_ptr<Model> open_model(SpinorIntegrals integrals, const InputConfig& config,
                                  Storage storage, Log log) {
  refuse_orbital_kind(config);
  return of_spinors(std::move(integrals), config, units_of(config, Units::hartree), storage, log);
}

std::unique_ptr<Model> open_model(std::shared_ptr<const CsrMatrix> matrix,
                                  const InputConfig& config, Storage storage) {
  refuse_determinant_keys(config);
  return of_matrix(std::move(matrix), config, storage);
}

std::unique_ptr<Model> open_model(std::shared_ptr<const CallersProduct> product,
                                  const InputConfig& config) {
  if (config.symmetrize) throw InputError("input.symmetrize: of matrices, and a product is given");
  return std::make_unique<ProductModel>(std::move(product), config.file.string(),
                                        units_of(config, Units::none));
}

std::unique_ptr<Model> open_model(const InputConfig& config, Storage storage, Log log) {
  if (config.file.empty()) throw InputError("input.file is required: no Hamiltonian is named");
  if (is_generated(config.file)) {
    refuse_orbital_kind(config);
    return of_generator(config, storage, std::move(log));
  }
  if (is_trexio_file(config.file)) {
    refuse_orbital_kind(config);
    return of_file(read_trexio_integrals(config.file, config), config, "TREXIO", storage,
                   std::move(log));
  }
  require_file(config.file);
  const std::string name = to_lower(config.file.string());
  if (name.ends_with(".snt") || name.ends_with(".snt.gz")) {
    refuse_orbital_kind(config);
    return of_nucleons(config, storage, log);
  }
  if (is_matrix_file(config.file)) {
    refuse_determinant_keys(config);
    return of_matrix_file(config, storage, std::move(log));
  }
  return of_fcidump(config, storage, std::move(log));
}

}  // namespace cisolve
