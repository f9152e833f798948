// The library's public headers as a Python module, as they are; what Python users see is made of it
// in python/cisolve.
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "binding.hpp"
#include "selection.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace binding;

namespace {

cisolve::VectorBlock block_of(const In<double, 2>& array) {
  return {span_of(array), static_cast<int>(array.shape(1))};
}

/// Holds what is Python's for the library, which may let go of it in a thread without the GIL.
template <class T>
std::shared_ptr<T> kept(T value) {
  return {new T(std::move(value)), [](T* p) {
            const nb::gil_scoped_acquire gil;
            delete p;
          }};
}

/// Y := f(X) by a function of Python's of two arrays rows × k: a copy of X, which it may keep, and
/// a view of Y for the call alone. X and Y may be the same.
auto block_function(nb::object function) {
  return
      [function = kept(std::move(function))](const double* x, double* y, std::size_t rows, int k) {
        const nb::gil_scoped_acquire gil;
        const std::size_t columns = static_cast<std::size_t>(k);
        nb::ndarray<nb::numpy, const double> in(x, {rows, columns}, nb::handle());
        nb::ndarray<nb::numpy, double> out(y, {rows, columns}, nb::handle());
        (*function)(nb::cast(in, nb::rv_policy::copy), nb::cast(out, nb::rv_policy::reference));
      };
}

nb::dict eigen(const cisolve::Hamiltonian& hamiltonian, const Keys& keys,
               const std::optional<In<double, 2>>& start, nb::object callback, nb::object project) {
  Caller caller(std::move(callback));
  std::vector<std::string> warnings;
  cisolve::Eigenstates found;
  cisolve::EigenSettings settings;
  if (!project.is_none()) {
    settings.project = [f = block_function(std::move(project))](double* x, std::int64_t rows,
                                                                int k) {
      f(x, x, static_cast<std::size_t>(rows), k);
    };
  }
  {
    const nb::gil_scoped_release without_gil;
    cisolve::VectorBlock vectors;
    if (start) vectors = block_of(*start);
    found = cisolve::lowest_eigenstates(
        hamiltonian, settings,
        {machine_of(keys),
         [&](const cisolve::EigenIteration& iteration) {
           if (iteration.correcting) return caller.go_on();
           return caller.go_on([&] {
             nb::dict facts;
             facts["iteration"] = iteration.iteration;
             facts["basis"] = iteration.basis;
             facts["energies"] =
                 std::vector<double>(iteration.energies.begin(), iteration.energies.end());
             facts["residual_norms"] = std::vector<double>(iteration.residual_norms.begin(),
                                                           iteration.residual_norms.end());
             facts["converged"] = iteration.converged;
             facts["products"] = iteration.operator_applications + iteration.probe_applications;
             facts["seconds"] = iteration.seconds;
             return facts;
           });
         },
         listener_of(warnings), vectors});
  }
  caller.rethrow();
  return dict_of(std::move(found), caller, warnings);
}

nb::dict linear(const cisolve::Hamiltonian& hamiltonian, const In<double, 2>& b, const Keys& keys,
                const std::optional<In<double, 2>>& start, nb::object callback) {
  Caller caller(std::move(callback));
  std::vector<std::string> warnings;
  cisolve::LinearSolution found;
  {
    const nb::gil_scoped_release without_gil;
    found = cisolve::solve_system(
        hamiltonian, block_of(b), {},
        {machine_of(keys),
         [&](const cisolve::LinearIteration& iteration) {
           return caller.go_on([&] {
             nb::dict facts;
             facts["iteration"] = iteration.iteration;
             facts["relative_residual"] = iteration.relative_residual;
             facts["seconds"] = iteration.seconds;
             return facts;
           });
         },
         listener_of(warnings), start ? block_of(*start) : cisolve::VectorBlock()});
  }
  caller.rethrow();
  nb::dict made;
  made["x"] = array_of(std::move(found.x), {b.shape(0), b.shape(1)});
  made["residual_norms"] = found.residual_norms;
  made["relative_residuals"] = found.relative_residuals;
  add_facts(found, caller, warnings, made);
  return made;
}

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

/// Of Python's keyword arguments of the same names. Throws InputError on a value of another type.
cisolve::DeterminantSettings determinants_of(const nb::dict& given) {
  cisolve::DeterminantSettings settings;
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    try {
      set(settings, name, value);
    } catch (const std::bad_cast&) {
      throw cisolve::InputError(name + ": found " + nb::repr(value).c_str() +
                                ", a value of another type");
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

/// The class of an error, and how it is raised: nanobind's own would take its text as UTF-8.
template <class Error>
void add_error(nb::module_& m, const char* name, const char* doc, nb::handle base) {
  const std::string full = std::string("_cisolve.") + name;
  const nb::object kind =
      nb::steal(PyErr_NewExceptionWithDoc(full.c_str(), doc, base.ptr(), nullptr));
  if (!kind.is_valid()) nb::raise_python_error();
  m.attr(name) = kind;
  nb::register_exception_translator(
      [](const std::exception_ptr& error, void* raised) {
        try {
          std::rethrow_exception(error);
        } catch (const Error& e) {
          PyErr_SetObject(static_cast<PyObject*>(raised), nb::cast(std::string(e.what())).ptr());
        }
      },
      kind.ptr());
}

}  // namespace

NB_MODULE(_cisolve, m) {
  add_error<cisolve::InputError>(m, "InputError",
                                 "Wrong input: where it is, what was found and what was expected.",
                                 PyExc_ValueError);
  add_error<cisolve::ResourceError>(
      m, "ResourceError",
      "The machine lacks memory, a device or room on disk: what was needed and what there is.",
      nb::make_tuple(nb::handle(PyExc_MemoryError), nb::handle(PyExc_RuntimeError)));
  m.def("version", &cisolve::version);
  m.def("cuda_unavailable_reason", &cisolve::cuda_unavailable_reason,
        "Why no CUDA device can be used here, a sentence; empty if one can.");

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

  m.def("eigen", &eigen, "hamiltonian"_a, "keys"_a, "start"_a.none(), "callback"_a.none(),
        "project"_a = nb::none());
  add_selection(m);
  m.def("linear", &linear, "hamiltonian"_a, "b"_a, "keys"_a, "start"_a.none(), "callback"_a.none());

  nb::class_<cisolve::Product>(m, "Product")
      .def("__init__",
           [](cisolve::Product* self, const cisolve::Hamiltonian& hamiltonian, const Keys& keys,
              int columns) {
             const nb::gil_scoped_release without_gil;
             new (self) cisolve::Product(hamiltonian, machine_of(keys), columns);
           })
      .def_prop_ro("rows", &cisolve::Product::rows)
      .def_prop_ro("nonzeros", &cisolve::Product::nonzeros)
      .def_prop_ro("format", &cisolve::Product::format)
      .def_prop_ro("bytes", &cisolve::Product::bytes)
      .def_prop_ro("notes", &cisolve::Product::notes)
      .def_prop_ro("device", &cisolve::Product::device)
      .def(
          "apply_on_device",
          [](const cisolve::Product& self, std::uintptr_t x, std::uintptr_t y, int columns) {
            self.apply_on_device(reinterpret_cast<const double*>(x), reinterpret_cast<double*>(y),
                                 columns);
          },
          nb::call_guard<nb::gil_scoped_release>())
      .def("apply", [](const cisolve::Product& self, const In<double, 2>& x) {
        const std::size_t rows = static_cast<std::size_t>(self.rows()), k = x.shape(1);
        auto y = std::make_unique_for_overwrite<double[]>(rows * k);
        {
          const nb::gil_scoped_release without_gil;
          self.apply(span_of(x), {y.get(), rows * k}, static_cast<int>(k));
        }
        return array_of(std::move(y), {rows, k});
      });

  m.def("densities", [](const cisolve::Hamiltonian& hamiltonian, const In<double, 2>& vectors,
                        bool two, const Keys& keys) {
    cisolve::DensityMatrices found;
    {
      const nb::gil_scoped_release without_gil;
      found = cisolve::density_matrices(hamiltonian, block_of(vectors), two, machine_of(keys));
    }
    const auto k = static_cast<std::size_t>(found.states);
    const auto n = static_cast<std::size_t>(found.orbitals);
    return std::pair(array_of(std::move(found.one), {k, k, 2, n, n}),
                     two ? array_of(std::move(found.two), {k, 3, n, n, n, n}) : nb::none());
  });
  m.def("transition_densities",
        [](const cisolve::Hamiltonian& hamiltonian, const In<double, 1>& bra,
           const In<double, 1>& ket, const Keys& keys) {
          cisolve::DensityMatrices found;
          {
            const nb::gil_scoped_release without_gil;
            found = cisolve::transition_density_matrices(hamiltonian, span_of(bra), span_of(ket),
                                                         machine_of(keys));
          }
          const auto n = static_cast<std::size_t>(found.orbitals);
          return std::pair(array_of(std::move(found.one), {2, n, n}),
                           array_of(std::move(found.two), {3, n, n, n, n}));
        });
  // m⁶ numbers in one dimension.
  m.def("three_particle_density",
        [](const cisolve::Hamiltonian& hamiltonian, const In<double, 1>& vector, const Keys& keys) {
          std::vector<double> found;
          {
            const nb::gil_scoped_release without_gil;
            found = cisolve::three_particle_density(hamiltonian, span_of(vector), machine_of(keys));
          }
          const std::size_t n = found.size();
          return array_of(std::move(found), {n});
        });
  m.def("contracted_four_particle_density",
        [](const cisolve::Hamiltonian& hamiltonian, const In<double, 1>& vector,
           const In<double, 1>& integrals, const Keys& keys) {
          std::vector<double> found;
          {
            const nb::gil_scoped_release without_gil;
            found = cisolve::contracted_four_particle_density(hamiltonian, span_of(vector),
                                                              span_of(integrals), machine_of(keys));
          }
          const std::size_t n = found.size();
          return array_of(std::move(found), {n});
        });
  m.def("dipoles",
        [](const cisolve::Hamiltonian& hamiltonian, const In<double, 2>& vectors,
           const In<double, 3>& position, const In<double, 1>& nuclear, const Keys& keys) {
          const std::size_t k = vectors.shape(1);
          std::vector<double> moments;
          {
            const nb::gil_scoped_release without_gil;
            const auto r = span_of(position);
            moments = cisolve::dipole_moments(
                hamiltonian, block_of(vectors),
                {{r.begin(), r.end()}, {nuclear(0), nuclear(1), nuclear(2)}}, machine_of(keys));
          }
          return array_of(std::move(moments), {k, k, 3});
        });
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
