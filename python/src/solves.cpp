// Eigenstates, linear systems and products.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "binding.hpp"
#include "parts.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace binding;

namespace {

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

}  // namespace

void add_solves(nb::module_& m) {
  m.def("eigen", &eigen, "hamiltonian"_a, "keys"_a, "start"_a.none(), "callback"_a.none(),
        "project"_a = nb::none());
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
}
