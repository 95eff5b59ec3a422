#include "io/results/compare_row.hpp"

#include <fmt/format.h>

namespace heddle {

void add_row(TextTable& table, const std::string& name, std::span<const RunSummary> runs,
             const std::function<Shown(const RunSummary&)>& get) {
  std::vector<std::string> cells = {name};
  double base = 0;
  for (const RunSummary& run : runs) {
    const Shown shown = get(run);
    const bool first = cells.size() == 1;
    if (first) base = shown.value;
    const bool ratio = !first && base > 0 && shown.value >= 0 && shown.text != "-";
    cells.push_back(ratio ? fmt::format("{} ({:.3f}x)", shown.text, shown.value / base) : shown.text);
  }
  table.row(cells);
}

Shown shown_time(TimePs time_ps) { return {human_time(time_ps), static_cast<double>(time_ps)}; }

Shown shown_rate(double bits_per_s) { return {human_rate(static_cast<u64>(bits_per_s)), bits_per_s}; }

}  // namespace heddle
