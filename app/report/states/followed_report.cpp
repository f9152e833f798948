#include "app/report/states/followed_report.hpp"

#include <spdlog/fmt/fmt.h>

namespace cisolve {

Json followed_json(const std::vector<Followed>& followed) {
  Json list = Json::array();
  for (std::size_t j = 0; j < followed.size(); ++j) {
    const auto& [state, overlap, found] = followed[j];
    list.push_back({{"vector", j + 1},
                    {"state", state ? Json(*state + 1) : Json(nullptr)},
                    {"overlap", overlap},
                    {"found", found}});
  }
  return list;
}

void print_followed(std::ostream& out, const std::vector<Followed>& followed) {
  out << "\nvector given  continued by  overlap  in all states\n";
  for (std::size_t j = 0; j < followed.size(); ++j) {
    const auto& [state, overlap, found] = followed[j];
    out << fmt::format("{:12}  {:>12}  {:7.4f}  {:13.4f}\n", j + 1,
                       state ? fmt::format("state {}", *state + 1) : "none", overlap, found);
  }
}

}  // namespace cisolve
