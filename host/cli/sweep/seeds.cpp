#include "host/cli/sweep/seeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace heddle {
namespace {

/// The number of rows with each status; only the status when all are the same.
std::string status_of(const std::vector<const SweepRow*>& rows) {
  std::vector<std::pair<std::string, std::size_t>> counts;  // in order of first occurrence
  for (const SweepRow* row : rows) {
    const std::string status = row->as_configured ? row->status : kOtherConfiguration;
    const auto same = [&](const auto& count) { return count.first == status; };
    const auto found = std::find_if(counts.begin(), counts.end(), same);
    if (found == counts.end()) {
      counts.emplace_back(status, 1);
    } else {
      ++found->second;
    }
  }
  if (counts.size() == 1) return counts.front().first;
  std::string text;
  for (const auto& [status, count] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, status);
  return text;
}

}  // namespace

std::vector<SeedGroup> groups_over(const std::vector<SweepRow>& rows, std::size_t seed) {
  std::vector<SeedGroup> groups;
  std::map<std::vector<std::string>, std::size_t> places;
  for (const SweepRow& row : rows) {
    std::vector<std::string> values = row.run.values;
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(seed));
    const auto [place, first] = places.emplace(values, groups.size());
    if (first) groups.push_back({std::move(values), {}, {}, 0});
    groups[place->second].rows.push_back(&row);
    if (row.counts) ++groups[place->second].counted;
  }
  for (SeedGroup& group : groups) group.status = status_of(group.rows);
  return groups;
}

MeanInterval mean_of(const SeedGroup& group, std::vector<std::optional<SweepCell>> SweepRow::*cells,
                     std::size_t column) {
  std::vector<double> values;
  for (const SweepRow* row : group.rows) {
    if (!row->counts) continue;
    if (const auto& cell = (row->*cells)[column]; cell && cell->finished) values.push_back(cell->value);
  }
  return mean_interval(values);
}

}  // namespace heddle
