#pragma once

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/config/config.hpp"
#include "core/text/text.hpp"
#include "hamiltonian/space/spaces.hpp"
#include "solvers/eigen/methods.hpp"

namespace cisolve {

/// The names that an enumeration has in run files and flags.
template <class E>
using Names = std::pair<E, const char*>;
template <class E>
inline constexpr std::nullptr_t enum_names{};
template <>
inline constexpr Names<Task> enum_names<Task>[] = {
    {Task::eigen, "eigen"}, {Task::linear, "linear"}, {Task::select, "select"}};
template <>
inline constexpr Names<OperatorKind> enum_names<OperatorKind>[] = {
    {OperatorKind::automatic, "auto"},
    {OperatorKind::stored, "stored"},
    {OperatorKind::direct, "direct"}};
template <>
inline constexpr Names<Engine> enum_names<Engine>[] = {{Engine::cisolve, "cisolve"},
                                                       {Engine::slepc, "slepc"}};
template <>
inline constexpr Names<SlepcMatrix> enum_names<SlepcMatrix>[] = {
    {SlepcMatrix::shell, "shell"}, {SlepcMatrix::assembled, "assembled"}};
template <>
inline constexpr Names<Units> enum_names<Units>[] = {
    {Units::automatic, "auto"},  {Units::hartree, "hartree"},      {Units::electronvolt, "ev"},
    {Units::wavenumber, "cm-1"}, {Units::megaelectronvolt, "mev"}, {Units::none, "none"}};
template <>
inline constexpr Names<OrbsymLabels> enum_names<OrbsymLabels>[] = {
    {OrbsymLabels::automatic, "auto"},
    {OrbsymLabels::molpro, "molpro"},
    {OrbsymLabels::pyscf, "pyscf"}};
template <>
inline constexpr Names<OrbitalKind> enum_names<OrbitalKind>[] = {{OrbitalKind::automatic, "auto"},
                                                                 {OrbitalKind::spatial, "spatial"},
                                                                 {OrbitalKind::spin, "spin"}};
template <>
inline constexpr Names<FirstOrbital> enum_names<FirstOrbital>[] = {
    {FirstOrbital::automatic, "auto"},
    {FirstOrbital::left, "left"},
    {FirstOrbital::right, "right"}};
template <>
inline constexpr Names<Kramers> enum_names<Kramers>[] = {
    {Kramers::automatic, "auto"}, {Kramers::off, "off"}, {Kramers::on, "on"}};
template <>
inline constexpr Names<SpinInversion> enum_names<SpinInversion>[] = {
    {SpinInversion::all, "all"}, {SpinInversion::even, "even"}, {SpinInversion::odd, "odd"}};
template <>
inline constexpr Names<NuclearParity> enum_names<NuclearParity>[] = {
    {NuclearParity::automatic, "auto"},
    {NuclearParity::positive, "positive"},
    {NuclearParity::negative, "negative"}};
template <>
inline constexpr auto& enum_names<EigenMethod> = eigen_method_names;
template <>
inline constexpr Names<Verify> enum_names<Verify>[] = {{Verify::off, "off"},
                                                       {Verify::quick, "quick"},
                                                       {Verify::standard, "standard"},
                                                       {Verify::thorough, "thorough"},
                                                       {Verify::standard, "default"}};
template <>
inline constexpr Names<StartFrom> enum_names<StartFrom>[] = {{StartFrom::automatic, "auto"},
                                                             {StartFrom::p_space, "p_space"},
                                                             {StartFrom::selection, "selection"}};
template <>
inline constexpr Names<StopBy> enum_names<StopBy>[] = {
    {StopBy::residual, "residual"}, {StopBy::energy, "energy"}, {StopBy::both, "both"}};
template <>
inline constexpr auto& enum_names<LinearMethod> = linear_method_names;
template <>
inline constexpr Names<Device> enum_names<Device>[] = {
    {Device::automatic, "auto"}, {Device::cpu, "cpu"}, {Device::cuda, "cuda"}};
template <>
inline constexpr Names<Boundary::By> enum_names<Boundary::By>[] = {
    {Boundary::By::automatic, "automatic"},
    {Boundary::By::count, "count"},
    {Boundary::By::column, "column"}};
template <>
inline constexpr Names<KernelSettings::Schedule> enum_names<KernelSettings::Schedule>[] = {
    {KernelSettings::Schedule::fixed, "static"},
    {KernelSettings::Schedule::dynamic, "dynamic"},
    {KernelSettings::Schedule::guided, "guided"}};
template <>
inline constexpr Names<Precision> enum_names<Precision>[] = {{Precision::float64, "float64"},
                                                             {Precision::float32, "float32"}};
template <>
inline constexpr Names<FormatOptions::HybWidth> enum_names<FormatOptions::HybWidth>[] = {
    {FormatOptions::HybWidth::one_third, "one_third"},
    {FormatOptions::HybWidth::histogram, "histogram"}};

template <class E>
const char* name_of(E value) {
  for (const auto& [candidate, name] : enum_names<E>) {
    if (candidate == value) return name;
  }
  return "";
}

/// Reading of a type of the configuration from a YAML value, its name and its JSON.
template <class T>
struct Value {
  static_assert(std::is_enum_v<T>);
  static std::string type() { return "name"; }
  static std::string allowed() {
    return joined(enum_names<T>, ", ", [](const auto& value) { return value.second; });
  }
  static std::optional<T> parse(const YAML::Node& node) {
    if (!node.IsScalar()) return std::nullopt;
    for (const auto& [value, name] : enum_names<T>) {
      if (to_lower(node.Scalar()) == name) return value;
    }
    return std::nullopt;
  }
  static Json json(T value) { return name_of(value); }
};

/// The whole text as a number, nothing before or after it.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  return value;
}

template <class Number>
struct NumberValue {
  static std::string type() { return std::is_integral_v<Number> ? "integer" : "number"; }
  static std::string allowed() { return ""; }
  static std::optional<Number> parse(const YAML::Node& node) {
    if (!node.IsScalar()) return std::nullopt;
    return parse_number<Number>(node.Scalar());
  }
  static Json json(Number value) { return value; }
};
template <>
struct Value<int> : NumberValue<int> {};
template <>
struct Value<std::uint64_t> : NumberValue<std::uint64_t> {};
template <>
struct Value<double> : NumberValue<double> {};

template <>
struct Value<bool> {
  static std::string type() { return "true or false"; }
  static std::string allowed() { return ""; }
  static std::optional<bool> parse(const YAML::Node& node) {
    bool value = false;
    if (!node.IsScalar() || !YAML::convert<bool>::decode(node, value)) return std::nullopt;
    return value;
  }
  static Json json(bool value) { return value; }
};

/// A space by its name or by a rank of excitation.
template <>
struct Value<Space> {
  static std::string type() { return "name or integer"; }
  static std::string allowed() {
    std::string list;
    for (const auto& [space, name] : named_spaces) list += std::string(name) + ", ";
    return list + "or a rank of excitation from 0";
  }
  static std::optional<Space> parse(const YAML::Node& node) {
    if (!node.IsScalar()) return std::nullopt;
    for (const auto& [space, name] : named_spaces) {
      if (to_lower(node.Scalar()) == name) return space;
    }
    const std::optional<int> rank = parse_number<int>(node.Scalar());
    return rank && *rank >= 0 ? std::optional(Space{rank}) : std::nullopt;
  }
  static Json json(Space space) { return space_name(space); }
};

/// Bytes: a number, with a unit of powers of ten or without.
template <>
struct Value<Bytes> {
  static std::string type() { return "bytes"; }
  static std::string allowed() { return "0 or more, as 2000000000 or 2 GB (kB, MB, GB, TB)"; }
  static std::optional<Bytes> parse(const YAML::Node& node);
  static Json json(Bytes value) { return value.count; }
};

template <class Text>
struct TextValue {
  static std::string allowed() { return ""; }
  static std::optional<Text> parse(const YAML::Node& node) {
    return node.IsScalar() ? std::optional<Text>(node.Scalar()) : std::nullopt;
  }
  static Json json(const std::string& value) { return value; }
};
template <>
struct Value<std::string> : TextValue<std::string> {
  static std::string type() { return "text"; }
};
template <>
struct Value<Name> : TextValue<Name> {
  static std::string type() { return "name"; }
};
template <>
struct Value<std::filesystem::path> : TextValue<std::filesystem::path> {
  static std::string type() { return "file"; }
};

/// Orbital numbers: a sequence, or text with commas and ranges: "1-3,5".
template <>
struct Value<std::vector<int>> {
  static std::string type() { return "orbital numbers"; }
  static std::string allowed() { return "from 1, as [1, 2, 5] or \"1-2,5\""; }
  static std::optional<std::vector<int>> parse(const YAML::Node& node);
  static Json json(const std::vector<int>& value) { return value; }
};

/// A value that may be absent: null, or left empty.
template <class T>
struct Value<std::optional<T>> {
  static std::string type() { return Value<T>::type(); }
  static std::string allowed() { return Value<T>::allowed(); }
  static std::optional<std::optional<T>> parse(const YAML::Node& node) {
    if (node.IsNull() || (node.IsScalar() && node.Scalar().empty())) {
      return std::optional<std::optional<T>>(std::in_place);
    }
    auto value = Value<T>::parse(node);
    if (!value) return std::nullopt;
    return std::optional<std::optional<T>>(std::in_place, std::move(value));
  }
  static Json json(const std::optional<T>& value) {
    return value ? Value<T>::json(*value) : Json(nullptr);
  }
};

}  // namespace cisolve
