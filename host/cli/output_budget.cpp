#include "host/cli/output_budget.hpp"
#include "host/config/options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/error.hpp"
#include "host/base/quantity_text.hpp"
#include "io/results/file_size.hpp"
#include "io/units.hpp"

namespace heddle {
namespace {

/// At intervals shorter than the serialisation of a few packets a series shows nothing new.
constexpr TimePs kMinSeriesIntervalPs = 100'000;

std::string budget_text(const OutputOptions& output) {
  return "output.max_bytes = " + format_quantity(static_cast<i64>(output.max_bytes), Quantity::bytes);
}

void check_interval(const OutputOptions& output) {
  if (output.series_interval_ps == 0 || output.series_interval_ps >= kMinSeriesIntervalPs) return;
  throw ConfigError(
      fmt::format("output.series_interval: {} is less than {}: a row per link type that often would take longer "
                  "than the simulation; take more, or 0 for no series",
                  format_quantity(output.series_interval_ps, Quantity::time_ps),
                  format_quantity(kMinSeriesIntervalPs, Quantity::time_ps)));
}

}  // namespace

std::vector<std::string> warnings_of_output(const OutputOptions& output, const World& world) {
  const auto& tasks = world.programs.tasks;
  std::vector<std::string> warnings;
  if (output.gpu_time && std::none_of(tasks.begin(), tasks.end(), [](const Task& t) { return t.trains; }))
    warnings.emplace_back("output.gpu_time: no job trains or replays a trace, so there are no times of GPUs to record");
  if (output.tcp_windows && !has_tcp(world))
    warnings.emplace_back("output.tcp_windows: nothing goes by TCP, so there are no windows to record");
  return warnings;
}

void check_output_budget(const OutputOptions& output, const World& world) {
  check_interval(output);
  const FileSize size = file_size_of(world, output.link_series, output.gpu_time);
  const u64 certain_bytes = size.fixed_bytes + size.end_bytes;
  if (certain_bytes > output.max_bytes) {
    throw ConfigError(
        fmt::format("output: topology, messages, collectives and the last rows can take {}, which is more than {}; "
                    "raise output.max_bytes{}",
                    bytes_text(certain_bytes), budget_text(output),
                    output.link_series ? ", or switch output.link_series off" : ""));
  }
  if (size.gpu_time_bytes > output.max_bytes - certain_bytes) {
    throw ConfigError(fmt::format(
        "output.gpu_time: the times of GPUs can take {} before compression, for which {} has no room beside the "
        "{} of the other tables; raise output.max_bytes, run fewer iterations, or switch output.gpu_time off",
        bytes_text(size.gpu_time_bytes), budget_text(output), bytes_text(certain_bytes)));
  }
  if (output.series_interval_ps == 0 || world.clocks.horizon_ps >= kNever) return;
  const u64 rows = static_cast<u64>(world.clocks.horizon_ps / output.series_interval_ps) + 1;
  if (rows <= (output.max_bytes - certain_bytes) / size.series_row_bytes) return;
  throw ConfigError(
      fmt::format("output: {} rows of {} in /series can be more than {} has room for; lengthen "
                  "output.series_interval{}, shorten the horizon, or raise output.max_bytes",
                  rows, bytes_text(size.series_row_bytes), budget_text(output),
                  output.link_series ? ", switch output.link_series off" : ""));
}

}  // namespace heddle
