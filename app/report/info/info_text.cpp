#include "app/report/info/info_report.hpp"
#include "app/report/info/reference_report.hpp"
#include "app/report/info/settings_report.hpp"
#include "app/report/info/spinor_report.hpp"
#include "app/report/report.hpp"
#include "core/memory.hpp"
#include "formats/matrix/features.hpp"
#include "hamiltonian/space/space_sizes.hpp"

// The report of `cisolve info` as text.

namespace cisolve {
namespace {

void print_value(std::ostream& out, const std::string& key, const Json& value) {
  if (value.is_object() || value.is_array()) return;
  out << fmt::format("{:15} {}\n", key,
                     value.is_string() ? value.get<std::string>() : value.dump());
}

void print_orbitals(std::ostream& out, const Json& fcidump, const std::string& suffix,
                    const std::string& spin) {
  if (const Json& counts = fcidump["orbitals_of_irrep" + suffix]; !counts.empty()) {
    std::string list;
    for (const auto& [irrep, count] : counts.items()) {
      list += fmt::format("{}{}: {}", list.empty() ? "" : ", ", irrep, count.get<int>());
    }
    out << fmt::format("{:15} {}\n", "irreps" + spin, list);
  }
  const Json& energies = fcidump["orbital_energies" + suffix];
  if (energies.empty()) return;
  constexpr std::size_t in_a_line = 8;
  out << "orbital energies" << spin << " / Hartree, in the file's order";
  for (std::size_t p = 0; p < energies.size(); ++p) {
    out << (p % in_a_line == 0 ? "\n" : "") << fmt::format("{:11.5f}", energies[p].get<double>());
  }
  out << '\n';
}

void print_fcidump(std::ostream& out, const Json& fcidump) {
  for (const auto& [key, value] : fcidump.items()) print_value(out, key, value);
  for (const auto& [key, value] : fcidump["header"].items()) {
    print_value(out, "header " + key, value);
  }
  const bool unrestricted = fcidump["unrestricted"].get<bool>() && !fcidump["general"].get<bool>();
  print_orbitals(out, fcidump, "", unrestricted ? " alpha" : "");
  if (unrestricted) print_orbitals(out, fcidump, "_beta", " beta");
}

/// Determinants by irrep and space, and what full CI would take.
void print_spaces(std::ostream& out, const Json& list) {
  const auto each = [&](const Json& irrep, const auto& f) {
    for (const Json& size : list) {
      if (size["irrep"] == irrep) f(size);
    }
  };
  out << fmt::format("\n{:15}", "determinants");
  each(nullptr, [&](const Json& size) {
    out << fmt::format(" {:>15}", size["space"].template get<std::string>());
  });
  out << '\n';
  for (const Json& first : list) {
    if (first["space"] != list[0]["space"]) break;
    const Json& irrep = first["irrep"];
    out << fmt::format("{:15}", irrep.is_null()
                                    ? "all irreps"
                                    : "--irrep " + first["irrep_name"].get<std::string>());
    each(irrep, [&](const Json& size) {
      out << fmt::format(" {:>15}", count_text(size["determinants"].template get<double>()));
    });
    out << '\n';
  }
  out << fmt::format("\n{:15} {:>15} {:>15} {:>15} {:>15}\n", "full CI takes", "a vector",
                     "stored, csr", "stored, packed", "direct");
  for (const Json& first : list) {
    if (first["space"] != list[0]["space"]) break;
    const Json& bytes = first["bytes"];
    out << fmt::format(
        "{:15} {:>15} {:>15} {:>15} {:>15}\n",
        first["irrep"].is_null() ? "all irreps"
                                 : "--irrep " + first["irrep_name"].get<std::string>(),
        format_bytes(bytes["vector"].get<double>()), format_bytes(bytes["csr"].get<double>()),
        format_bytes(bytes["packed"].get<double>()), format_bytes(bytes["direct"].get<double>()));
  }
  out << "stored: the matrix, estimated, without the vectors of a solve. direct: no matrix "
         "(--operator direct),\nthe vectors of a solve for one state; half of that is enough, with "
         "more iterations.\n\n";
}

std::string share(const Json& value) {
  return value.is_null() ? "-" : fmt::format("{:.4g}", value.get<double>());
}

void print_rows(std::ostream& out, const std::string& name, const Json& region) {
  out << fmt::format("{:16} {:>14} {:>9} {:>11.2f} {:>9} {:>11} {:>10} {:>10}\n", name,
                     region["nonzeros"].get<Offset>(), region["row_minimum"].get<Offset>(),
                     region["row_mean"].get<double>(), region["row_maximum"].get<Offset>(),
                     region["longest_row"].get<Offset>(), share(region["density"]),
                     share(region["sparsity"]));
}

void print_matrix(std::ostream& out, const Json& report) {
  const Json& matrix = report["matrix"];
  for (const char* key : {"rows", "columns", "nonzeros", "elements", "symmetric", "asymmetry"}) {
    if (matrix.contains(key)) print_value(out, key, matrix[key]);
  }
  if (report.contains("boundary")) {
    const Json& boundary = report["boundary"];
    out << fmt::format("{:15} {} by {}{}; the ELLPACK part is {} wide\n", "boundary",
                       boundary["value"].get<Index>(), boundary["by"].get<std::string>(),
                       boundary["chosen"].get<bool>() ? ", chosen from the row lengths" : "",
                       boundary["width"].get<Index>());
  }
  out << fmt::format("\n{:16} {:>14} {:>9} {:>11} {:>9} {:>11} {:>10} {:>10}\n", "", "nonzeros",
                     "row: min", "mean", "max", "longest row", "density", "sparsity");
  print_rows(out, "matrix", matrix);
  if (report.contains("regions")) {
    print_rows(out, "reference region", report["regions"]["reference"]);
    print_rows(out, "expansion space", report["regions"]["expansion"]);
  }
  out << '\n';
}

FeatureVector values_of(const Json& features) {
  FeatureVector values{};
  for (std::size_t f = 0; f < feature_count; ++f) values[f] = features[feature_names[f]];
  return values;
}

void print_features(std::ostream& out, const Json& features) {
  const FeatureVector values = values_of(features);
  const FeatureVector logs = logarithms(values);
  out << fmt::format("{:16} {:>14} {:>9}\n", "feature", "value", "log10");
  for (std::size_t f = 0; f < feature_count; ++f) {
    out << fmt::format("{:16} {:>14.10g} {:>9.4f}\n", feature_names[f], values[f], logs[f]);
  }
  out << '\n';
}

void print_ranking(std::ostream& out, const Json& ranking) {
  out << fmt::format("predicted for {}, one vector, in products of csr ({})\n",
                     ranking["backend"].get<std::string>(),
                     ranking["trained_on"].get<std::string>());
  out << fmt::format("{:16} {:>9} {:>11}\n", "format", "product", "conversion");
  for (const Json& one : ranking["formats"]) {
    out << fmt::format("{:16} {:>9.3f} {:>11.2f}  {}\n", one["format"].get<std::string>(),
                       one["ratio"].get<double>(), one["conversion"].get<double>(),
                       one.value("reason", ""));
  }
  out << '\n';
}

}  // namespace

void print_info(std::ostream& out, const Json& report) {
  for (const auto& [key, value] : report.items()) {
    if (key != "reason") print_value(out, key, value);
  }
  if (report.contains("fcidump")) print_fcidump(out, report["fcidump"]);
  if (report.contains("spinors")) print_spinors(out, report["spinors"]);
  if (report.contains("reference")) print_reference(out, report["reference"]);
  if (report.contains("spaces")) print_spaces(out, report["spaces"]);
  if (report.contains("matrix")) print_matrix(out, report);
  if (report.contains("packed")) {
    out << fmt::format("{:15} {}\n\n", "packed", report["packed"]["layout"].get<std::string>());
  }
  if (report.contains("features")) print_features(out, report["features"]);
  if (report.contains("format_ranking")) print_ranking(out, report["format_ranking"]);
  for (const Json& format : report.value("formats", Json::array())) {
    out << fmt::format("in {:18} {}\n", format["format"].get<std::string>(),
                       format_bytes(format["bytes"].get<double>()));
  }
  if (report.contains("formats")) out << '\n';
  if (report.contains("settings")) print_settings(out, report["settings"]);
  if (report.contains("picture")) {
    const Json& picture = report["picture"];
    out << fmt::format("{:15} {}, {} x {} pixels\n", "picture", picture["file"].get<std::string>(),
                       picture["width"].get<int>(), picture["height"].get<int>());
  }
  if (report.contains("dump")) {
    out << fmt::format("{:15} {}, as .npy files in {}\n", "arrays",
                       report["dump"]["format"].get<std::string>(),
                       report["dump"]["folder"].get<std::string>());
  }
  if (report.contains("reason")) print_value(out, "note", report["reason"]);
}

}  // namespace cisolve
