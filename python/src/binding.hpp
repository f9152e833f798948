// Common parts of the module: text, arrays, settings, callers, and results as dictionaries.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cisolve/cisolve.hpp"

/// Text as Python has it: bytes that are no UTF-8, as file names and what messages quote of files
/// may have them, are escapes in what Python is told, and come as the lone surrogates of
/// os.fsdecode.
template <>
struct nanobind::detail::type_caster<std::string> {
  NB_TYPE_CASTER(std::string, const_name("str"))

  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    if (!PyUnicode_Check(source.ptr())) return false;
    const object bytes = steal(PyUnicode_AsEncodedString(source.ptr(), "utf-8", "surrogateescape"));
    char* data = nullptr;
    Py_ssize_t size = 0;
    if (!bytes.is_valid() || PyBytes_AsStringAndSize(bytes.ptr(), &data, &size) != 0) {
      PyErr_Clear();
      return false;
    }
    value.assign(data, static_cast<std::size_t>(size));
    return true;
  }
  static handle from_cpp(const std::string& text, rv_policy, cleanup_list*) noexcept {
    return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()),
                                "backslashreplace");
  }
};

namespace binding {

namespace nb = nanobind;

/// Arrays of the caller's, row by row, in host memory.
template <class T, int dimensions>
using In = nb::ndarray<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;
/// Keys of the configuration and their values as text.
using Keys = std::vector<std::pair<std::string, std::string>>;

template <class Array>
auto span_of(const Array& array) {
  return std::span(array.data(), array.size());
}

inline cisolve::VectorBlock block_of(const In<double, 2>& array) {
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
inline auto block_function(nb::object function) {
  return
      [function = kept(std::move(function))](const double* x, double* y, std::size_t rows, int k) {
        const nb::gil_scoped_acquire gil;
        const std::size_t columns = static_cast<std::size_t>(k);
        nb::ndarray<nb::numpy, const double> in(x, {rows, columns}, nb::handle());
        nb::ndarray<nb::numpy, double> out(y, {rows, columns}, nb::handle());
        (*function)(nb::cast(in, nb::rv_policy::copy), nb::cast(out, nb::rv_policy::reference));
      };
}

/// A NumPy array that owns what was in the vector.
template <class T>
nb::object array_of(std::vector<T> values, const std::vector<std::size_t>& shape) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* data = kept->data();
  nb::capsule owner(kept.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  kept.release();
  return nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), owner));
}

/// Array of numbers that are used in place. Their memory is not zeroed before, unlike a vector's,
/// which for a large product would take longer than the product.
inline nb::object array_of(std::unique_ptr<double[]> values,
                           const std::vector<std::size_t>& shape) {
  double* const data = values.get();
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  values.release();
  return nb::cast(nb::ndarray<nb::numpy, double>(data, shape.size(), shape.data(), owner));
}

inline cisolve::Machine machine_of(const Keys& keys) {
  cisolve::Machine machine;
  for (const auto& [key, value] : keys) machine.more.push_back({"", key, value});
  return machine;
}

/// Called by a solve now and then, without the GIL: lets Python handle signals, and asks the user's
/// function. Ctrl-C and what the function raises end the solve; the latter comes out behind it.
class Caller {
 public:
  explicit Caller(nb::object function) : function_(std::move(function)) {}

  /// False from when Ctrl-C was pressed.
  bool go_on() {
    const nb::gil_scoped_acquire gil;
    if (interrupted_) return false;
    if (PyErr_CheckSignals() == 0) return true;
    PyErr_Clear();
    interrupted_ = true;
    return false;
  }
  template <class Iteration>
  bool go_on(const Iteration& facts) {
    const nb::gil_scoped_acquire gil;
    if (!go_on()) return false;
    if (function_.is_none()) return true;
    try {
      const nb::object answer = function_(facts());
      if (answer.is_none()) return true;
      const int truth = PyObject_IsTrue(answer.ptr());
      if (truth < 0) nb::raise_python_error();
      return truth != 0;
    } catch (...) {
      raised_ = std::current_exception();
      return false;
    }
  }
  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }
  bool interrupted() const { return interrupted_; }

 private:
  nb::object function_;
  std::exception_ptr raised_;
  bool interrupted_ = false;
};

inline cisolve::Listener listener_of(std::vector<std::string>& warnings) {
  cisolve::Listener listener;
  listener.warning = [&warnings](const std::string& text) { warnings.push_back(text); };
  return listener;
}

inline nb::dict dict_of(const cisolve::Eigenstate& state) {
  nb::dict made;
  made["energy"] = state.energy;
  made["residual_norm"] = state.residual_norm;
  made["converged"] = state.converged;
  made["irrep"] = state.irrep;
  made["irrep_name"] = state.irrep_name;
  made["s_squared"] = state.s_squared;
  made["multiplicity"] = state.multiplicity;
  made["rank_weights"] = state.rank_weights;
  made["natural_occupations"] = state.natural_occupations;
  if (const auto& nucleons = state.nucleons) {
    made["twice_j"] = nucleons->twice_j;
    made["j_squared"] = nucleons->j_squared;
    made["parity"] = nucleons->parity;
    nb::dict occupations;
    for (const auto& [orbit, number] : nucleons->orbit_occupations) {
      occupations[orbit.c_str()] = number;
    }
    made["orbit_occupations"] = occupations;
  }
  nb::list leading;
  for (const auto& row : state.leading) {
    leading.append(nb::make_tuple(row.row, row.coefficient, row.occupation, row.excitation));
  }
  made["leading"] = leading;
  return made;
}

/// Adds the fields of every result to `made`.
template <class Result>
void add_facts(const Result& found, const Caller& caller, const std::vector<std::string>& warnings,
               nb::dict& made) {
  made["status"] = caller.interrupted() ? "interrupted" : cisolve::to_string(found.status);
  made["iterations"] = found.iterations;
  made["products"] = found.operator_applications;
  made["seconds"] = found.seconds;
  made["notes"] = found.notes;
  made["warnings"] = warnings;
  made["report"] = nb::cpp_function([report = found.report] { return report.text(); });
}

/// Dictionary of eigenstates, whose vectors are taken.
inline nb::dict dict_of(cisolve::Eigenstates found, const Caller& caller,
                        const std::vector<std::string>& warnings) {
  const std::size_t states = found.states.size(), rows = static_cast<std::size_t>(found.rows);
  nb::dict made;
  made["verified"] = found.verified;
  made["excluded_gap"] = found.excluded_gap;
  nb::list list;
  for (const auto& state : found.states) list.append(dict_of(state));
  made["states"] = list;
  const auto components = static_cast<std::size_t>(found.components);
  made["vectors"] = array_of(std::move(found.vectors), {components * rows, states});
  made["components"] = found.components;
  made["search_products"] = found.probe_applications;
  add_facts(found, caller, warnings, made);
  return made;
}

}  // namespace binding
