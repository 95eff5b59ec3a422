#include "io/results/balance.hpp"

#include <algorithm>
#include <numeric>

#include "io/results/percentile.hpp"

namespace heddle {

LinkBalance balance_of(std::vector<double> loads) {
  LinkBalance balance;
  std::sort(loads.begin(), loads.end());
  for (std::size_t i = 0; i < kUsePercentiles.size(); ++i)
    balance.loads[i] = percentile(loads, kUsePercentiles[i].second);
  const double sum = std::accumulate(loads.begin(), loads.end(), 0.0);
  if (sum <= 0) return balance;
  const auto links = static_cast<double>(loads.size());
  const double squares = std::inner_product(loads.begin(), loads.end(), loads.begin(), 0.0);
  balance.busiest_over_mean = loads.back() * links / sum;
  balance.jain_index = sum * sum / (links * squares);
  return balance;
}

void BalanceInTime::add(std::span<const double> loads) {
  if (loads.empty()) return;
  busiest_ += *std::max_element(loads.begin(), loads.end());
  means_ += std::accumulate(loads.begin(), loads.end(), 0.0) / static_cast<double>(loads.size());
}

}  // namespace heddle
