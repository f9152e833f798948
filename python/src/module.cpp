// The library's public headers as a Python module, as they are; what Python users see is made of it
// in python/cisolve.
#include <exception>
#include <string>

#include "binding.hpp"
#include "parts.hpp"

namespace nb = nanobind;

namespace {

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

  add_hamiltonian(m);
  add_solves(m);
  add_selection(m);
  add_densities(m);
}
