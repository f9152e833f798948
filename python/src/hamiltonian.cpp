// Hamiltonians and their determinants.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "binding.hpp"
#include "parts.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace binding;

namespace {

template <class Value>
Value named(const std::string& what, const std::string& name,
            const std::vector<std::pair<const char*, Value>>& names) {
  std::string known;
  for (const auto& [text, value] : names) {
    if (name == text) return value;
    known += std::string(known.empty() ? "" : ", ") + text;
  }
  throw cisolve::InputError(what + ": found '" + name + "', expected one of " + known);
}

template <class T>
void take(nb::handle value, T& member) {
  member = nb::cast<T>(value);
}
template <class T>
void take(nb::handle value, std::optional<T>& member) {
  member = nb::cast<T>(value);
}

/// A list of determinants: files by their names, or an array of strings × words for each spin.
void set_listed(cisolve::DeterminantSettings& settings, const std::string& name, nb::handle value) {
  const bool product = name == "strings";
  if (nb::isinstance<nb::str>(value)) {
    const auto file = nb::cast<std::string>(value);
    if (product) {
      settings.strings = file;
    } else {
      settings.determinants = file;
    }
    return;
  }
  const auto [alpha, beta] = nb::cast<std::pair<In<std::uint64_t, 2>, In<std::uint64_t, 2>>>(value);
  if (settings.listed) {
    throw cisolve::InputError("determinants and strings both list determinants");
  }
  const auto a = span_of(alpha), b = span_of(beta);
  settings.listed = std::make_shared<const cisolve::DeterminantArrays>(cisolve::DeterminantArrays{
      {a.begin(), a.end()}, {b.begin(), b.end()}, static_cast<int>(alpha.shape(1)), product});
}

void set(cisolve::DeterminantSettings& settings, const std::string& name, nb::handle value) {
  using cisolve::Space, cisolve::SpinInversion;
  if (name == "electrons") return take(value, settings.electrons);
  if (name == "protons") return take(value, settings.protons);
  if (name == "neutrons") return take(value, settings.neutrons);
  if (name == "twice_m") return take(value, settings.twice_m);
  if (name == "ms2") return take(value, settings.ms2);
  if (name == "irrep") return take(nb::str(value), settings.irrep);
  if (name == "point_group") return take(value, settings.point_group);
  if (name == "frozen") return take(value, settings.frozen);
  if (name == "active") return take(value, settings.active);
  if (name == "ras1") return take(value, settings.ras1);
  if (name == "ras3") return take(value, settings.ras3);
  if (name == "ras_holes") return take(value, settings.ras_holes);
  if (name == "ras_particles") return take(value, settings.ras_particles);
  if (name == "freeze") return take(value, settings.freeze);
  if (name == "determinants" || name == "strings") return set_listed(settings, name, value);
  if (name == "spin_inversion") {
    settings.spin_inversion = named<SpinInversion>(
        name, nb::cast<std::string>(value),
        {{"all", SpinInversion::all}, {"even", SpinInversion::even}, {"odd", SpinInversion::odd}});
  } else if (name == "parity") {
    using cisolve::NuclearParity;
    settings.parity = named<NuclearParity>(
        name, nb::cast<std::string>(value),
        {{"positive", NuclearParity::positive}, {"negative", NuclearParity::negative}});
  } else if (name == "space") {
    settings.space = nb::isinstance<nb::int_>(value)
                         ? Space{nb::cast<int>(value)}
                         : named<Space>(name, nb::cast<std::string>(value),
                                        {{"fci", Space::fci},
                                         {"cis", Space::cis},
                                         {"cisd", Space::cisd},
                                         {"cisdt", Space::cisdt},
                                         {"cisdtq", Space::cisdtq}});
  } else {
    throw cisolve::InputError("no setting is called '" + name + "'");
  }
}

/// Values that a setting takes, in words.
std::string expected_of(const std::string& name) {
  const auto among = [&](std::initializer_list<const char*> names) {
    return std::ranges::find(names, name) != names.end();
  };
  if (among({"frozen", "active", "ras1", "ras3"})) return "a list of orbitals, counted from 1";
  if (among({"irrep", "point_group", "spin_inversion", "parity", "space"})) return "a word";
  return "an integer";
}

/// Settings from Python's keyword arguments of the same names. Throws InputError on a value of
/// another type.
cisolve::DeterminantSettings determinants_of(const nb::dict& given) {
  cisolve::DeterminantSettings settings;
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    try {
      set(settings, name, value);
    } catch (const std::bad_cast&) {
      throw cisolve::InputError(name + ": found " + nb::repr(value).c_str() + ", expected " +
                                expected_of(name));
    }
  }
  return settings;
}

/// The arrays stay where they are.
cisolve::Hamiltonian from_csr(std::int64_t rows, std::int64_t columns,
                              const In<std::int64_t, 1>& offsets,
                              const In<std::int32_t, 1>& indices, const In<double, 1>& values,
                              int components) {
  return cisolve::Hamiltonian::from_csr(
      {rows, columns, span_of(offsets), span_of(indices), span_of(values),
       kept(std::make_tuple(offsets, indices, values)), components});
}

/// `diagonal`: empty where it is not known.
cisolve::Hamiltonian from_function(std::int64_t rows, const In<double, 1>& diagonal,
                                   nb::object multiply, int components) {
  const std::int64_t numbers = components * rows;
  const auto multiply_block = [f = block_function(std::move(multiply)), numbers](const double* x,
                                                                                 double* y, int k) {
    f(x, y, static_cast<std::size_t>(numbers), k);
  };
  if (diagonal.size() == 0) {
    return cisolve::Hamiltonian::from_product_alone(rows, multiply_block, components);
  }
  const std::span<const double> values = span_of(diagonal);
  return cisolve::Hamiltonian::from_product({values.begin(), values.end()}, multiply_block,
                                            components);
}

}  // namespace

void add_hamiltonian(nb::module_& m) {
  nb::class_<cisolve::Hamiltonian>(m, "Hamiltonian")
      .def_static("read",
                  [](const std::string& file, const nb::dict& settings) {
                    return cisolve::Hamiltonian::read(file, determinants_of(settings));
                  })
      .def_static("from_integrals",
                  [](const In<double, 2>& h1, const In<double, 1>& eri, int electrons, int ms2,
                     double core_energy, const std::vector<int>& irreps, const nb::dict& settings) {
                    cisolve::IntegralArrays arrays;
                    arrays.orbitals = static_cast<int>(h1.shape(0));
                    arrays.h1 = span_of(h1);
                    arrays.eri = span_of(eri);
                    arrays.electrons = electrons;
                    arrays.ms2 = ms2;
                    arrays.core_energy = core_energy;
                    arrays.irreps = irreps;
                    return cisolve::Hamiltonian::from_integrals(arrays, determinants_of(settings));
                  })
      .def_static(
          "from_spinors",
          [](const In<double, 3>& h1, const In<double, 1>& eri, int electrons, double core_energy,
             const nb::dict& settings) {
            return cisolve::Hamiltonian::from_spinors(
                {static_cast<int>(h1.shape(0)), span_of(h1), span_of(eri), electrons, core_energy},
                determinants_of(settings));
          })
      .def_static("from_csr", &from_csr)
      .def_static("from_product", &from_function)
      .def("__add__",
           [](const cisolve::Hamiltonian& a, const cisolve::Hamiltonian& b) { return a + b; })
      .def("rows", &cisolve::Hamiltonian::rows, nb::call_guard<nb::gil_scoped_release>())
      .def("components", &cisolve::Hamiltonian::components,
           nb::call_guard<nb::gil_scoped_release>());

  m.def("determinants", [](const cisolve::Hamiltonian& hamiltonian) {
    cisolve::DeterminantMasks found = cisolve::determinant_masks(hamiltonian);
    const auto words = static_cast<std::size_t>(found.words), rows = found.alpha.size() / words;
    // Strings of one word, as most are, are numbers.
    const auto shape = words == 1 ? std::vector{rows} : std::vector{rows, words};
    nb::dict made;
    made["norb"] = found.orbitals;
    made["nelec"] = found.electrons;
    made["alpha"] = array_of(std::move(found.alpha), shape);
    made["beta"] = array_of(std::move(found.beta), shape);
    made["strings"] = found.strings;
    made["ecore"] = found.core_energy;
    return made;
  });
}
