#include "app/solve/outcome/followed.hpp"

#include <algorithm>

namespace cisolve {

std::vector<Followed> follow(const HostMatrix& given, const HostMatrix& states) {
  HostMatrix overlaps = (given.transpose() * states).cwiseAbs();
  std::vector<Followed> all(static_cast<std::size_t>(given.cols()));
  for (Eigen::Index j = 0; j < given.cols(); ++j) {
    const double norm = given.col(j).norm();
    if (norm > 0.0) overlaps.row(j) /= norm;
    all[j].found = overlaps.row(j).squaredNorm();
  }
  constexpr double taken = -1.0;
  for (Eigen::Index pairs = std::min(given.cols(), states.cols()); pairs > 0; --pairs) {
    Eigen::Index j = 0, i = 0;
    const double largest = overlaps.maxCoeff(&j, &i);
    if (!(largest >= least_overlap)) break;
    all[j].state = static_cast<int>(i);
    all[j].overlap = largest;
    overlaps.row(j).setConstant(taken);
    overlaps.col(i).setConstant(taken);
  }
  return all;
}

}  // namespace cisolve
