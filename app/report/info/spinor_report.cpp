#include "app/report/info/spinor_report.hpp"

#include <spdlog/fmt/fmt.h>

#include <string>

#include "core/binomial.hpp"
#include "core/memory.hpp"
#include "core/types.hpp"
#include "hamiltonian/space/space_sizes.hpp"
#include "hamiltonian/spinor/kramers/kramers.hpp"

namespace cisolve {
Json spinors_json(const SpinorIntegrals& active, int spinors) {
  const int occupied = active.electrons, empty = active.spinors - active.electrons;
  const double rows = binomial(active.spinors, occupied);
  const double of_a_row =
      1.0 + binomial(occupied, 1) * binomial(empty, 1) + binomial(occupied, 2) * binomial(empty, 2);
  const double nonzeros = rows * of_a_row;
  constexpr double complex_bytes = 2 * sizeof(double);
  const auto csr = [&](double part) {
    return (part * rows + 1.0) * sizeof(Offset) + part * nonzeros * (sizeof(Index) + complex_bytes);
  };
  Json header = Json::object();
  for (const auto& [key, value] : active.other_keys) header[key] = value;
  Json made{{"spinors", spinors},
            {"active_spinors", active.spinors},
            {"electrons", active.electrons},
            {"core_energy", active.core_energy},
            {"full_ci",
             {{"determinants", rows},
              {"nonzeros", nonzeros},
              {"bytes", {{"vector", rows * complex_bytes}, {"csr", csr(1.0)}}}}},
            {"header", header}};
  if (active.electrons % 2 == 1 && are_kramers_pairs(active)) {
    made["kramers_pairs"] = {
        {"rows", rows / 2.0}, {"nonzeros", nonzeros / 2.0}, {"bytes", {{"csr", csr(0.5)}}}};
  }
  return made;
}

void print_spinors(std::ostream& out, const Json& spinors) {
  const auto print = [&](const std::string& key, const std::string& value) {
    out << fmt::format("{:15} {}\n", key, value);
  };
  for (const char* key : {"spinors", "active_spinors", "electrons", "core_energy"}) {
    print(key, spinors[key].dump());
  }
  for (const auto& [key, value] : spinors["header"].items()) {
    print("header " + key, value.get<std::string>());
  }
  const Json& full = spinors["full_ci"];
  const Json& bytes = full["bytes"];
  print("full CI", fmt::format("{} determinants, {} complex nonzeros",
                               count_text(full["determinants"].get<double>()),
                               count_text(full["nonzeros"].get<double>())));
  print("", fmt::format("a vector {}, the matrix in csr {}",
                        format_bytes(bytes["vector"].get<double>()),
                        format_bytes(bytes["csr"].get<double>())));
  if (spinors.contains("kramers_pairs")) {
    const Json& pairs = spinors["kramers_pairs"];
    print("Kramers pairs",
          fmt::format("eigenstates of a matrix of quaternions with {} rows; half of the complex "
                      "matrix, {} in csr, is stored for it",
                      count_text(pairs["rows"].get<double>()),
                      format_bytes(pairs["bytes"]["csr"].get<double>())));
  }
  out << '\n';
}

}  // namespace cisolve
