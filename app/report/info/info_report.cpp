#include "app/report/info/info_report.hpp"

#include <vector>

#include "app/config/config_value.hpp"
#include "app/config/irrep.hpp"
#include "app/memory/space_bytes.hpp"
#include "formats/format.hpp"
#include "formats/hybrid/hybrid.hpp"
#include "formats/matrix/features.hpp"
#include "hamiltonian/space/space_sizes.hpp"
#include "hamiltonian/space/spaces.hpp"

namespace cisolve {
namespace {

/// Orbitals by irrep: {"A1": 7, "B1": 4}, or by number where the irreps have no names.
Json irreps_json(const Integrals& integrals, Spin spin) {
  std::vector<int> counts(8, 0);
  for (const int irrep : integrals.orbital_irreps[spin]) ++counts[irrep];
  Json json = Json::object();
  for (int irrep = 0; irrep < 8; ++irrep) {
    if (counts[irrep] > 0) json[irrep_name(irrep, integrals)] = counts[irrep];
  }
  return json;
}

void add_orbitals(const Integrals& integrals, Spin spin, const std::string& suffix, Json& json) {
  json["orbital_irreps" + suffix] = integrals.orbital_irreps[spin];
  json["orbitals_of_irrep" + suffix] = irreps_json(integrals, spin);
  json["orbital_energies" + suffix] = integrals.orbital_energies[spin];
}

}  // namespace

Json fcidump_json(const Integrals& integrals) {
  Json header = Json::object();
  for (const auto& [key, value] : integrals.other_keys) header[key] = value;
  Json json{{"orbitals", integrals.orbitals},
            {"electrons", integrals.electrons},
            {"ms2", integrals.ms2},
            {"core_energy", integrals.core_energy},
            {"unrestricted", integrals.unrestricted},
            {"general", integrals.general}};
  if (integrals.general) json["ms2"] = nullptr;
  add_orbitals(integrals, alpha, "", json);
  if (integrals.unrestricted && !integrals.general) add_orbitals(integrals, beta, "_beta", json);
  json["header"] = header;
  return json;
}

Json spaces_json(const Integrals& active, Space asked,
                 const std::optional<RestrictedActiveSpace>& ras) {
  Json list = Json::array();
  for (const SpaceSize& size : space_sizes(active, asked, ras)) {
    const SpaceBytes made = bytes_of(size);
    const Json bytes{{"vector", made.vector},
                     {"csr", made.csr},
                     {"packed", made.packed},
                     {"direct", or_null(made.direct)}};
    list.push_back({{"space", size.restricted ? "ras" : space_name(size.space)},
                    {"irrep", or_null(size.irrep)},
                    {"irrep_name", size.irrep ? Json(irrep_name(*size.irrep, active)) : Json()},
                    {"determinants", size.determinants},
                    {"nonzeros", size.nonzeros},
                    {"bytes", bytes}});
  }
  return list;
}

Json rows_json(const CsrMatrix& outline) {
  const RowStatistics rows = row_statistics(outline);
  Json json{{"rows", outline.rows},
            {"columns", outline.columns},
            {"nonzeros", outline.nonzeros()},
            {"row_minimum", rows.minimum},
            {"row_mean", rows.mean},
            {"row_maximum", rows.maximum},
            {"longest_row", rows.longest_row + 1}};
  const double elements = static_cast<double>(outline.rows) * outline.columns;
  const double nonzeros = static_cast<double>(outline.nonzeros());
  // A region without columns has neither.
  json["density"] = elements > 0.0 ? Json(nonzeros / elements) : Json();
  json["sparsity"] = elements > 0.0 ? Json((elements - nonzeros) / elements) : Json();
  return json;
}

void add_regions(const CsrMatrix& a, const Boundary& requested, Json& report) {
  const Regions regions = part_regions(a, requested);
  report["boundary"] = {{"by", name_of(regions.boundary.by)},
                        {"value", regions.boundary.value},
                        {"chosen", requested.by == Boundary::By::automatic},
                        {"width", regions.width}};
  report["regions"] = {{"reference", rows_json(regions.reference)},
                       {"expansion", rows_json(regions.expansion)}};
}

void add_packed(const PackedFile& file, Json& report) {
  const PackedMatrix& m = file.matrix;
  const Offset nonzeros = file.outline.nonzeros();
  const std::size_t csr = CsrMatrix::bytes(m.rows, nonzeros);
  report["matrix"]["symmetric"] = file.symmetric;
  report["packed"] = {{"packing", name_of(m.packing)},
                      {"layout", m.description(nonzeros)},
                      {"bytes", m.bytes()},
                      {"coded_groups", m.coded_groups()},
                      {"plain_groups", m.plain_groups()},
                      {"dictionary", m.dictionary.size()},
                      {"expansion", m.expansion()},
                      {"padding", m.padding(nonzeros)}};
  report["formats"] = Json::array(
      {{{"format", "csr"}, {"bytes", csr}}, {{"format", "packed"}, {"bytes", m.bytes()}}});
  report["reason"] =
      "features, other formats, a boundary by column and where the matrix is not symmetric are "
      "left out: the file holds it packed, and they need it in CSR (cisolve convert)";
}

Json features_json(const CsrMatrix& a) {
  const FeatureVector values = to_vector(features(a));
  Json json;
  for (std::size_t f = 0; f < feature_count; ++f) json[feature_names[f]] = values[f];
  return json;
}

Json formats_json(const CsrMatrix& a, bool symmetric, const FormatOptions& options) {
  Json list = Json::array();
  for (const Format& format : formats()) {
    if ((format.symmetric && !symmetric) || a.components > format.components) continue;
    list.push_back({{"format", format.name}, {"bytes", format.bytes(a, options)}});
  }
  return list;
}

}  // namespace cisolve
