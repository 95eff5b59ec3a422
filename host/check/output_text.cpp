#include "host/check/output_text.hpp"

#include <fmt/format.h>

#include "host/base/quantity_text.hpp"
#include "host/config/options.hpp"
#include "io/results/file_size.hpp"

namespace heddle {
namespace {

std::string gpu_time_text(const FileSize& size) {
  if (size.gpu_time_bytes == 0) return "";
  return fmt::format(" (with {} of gpu_time)", bytes_text(static_cast<double>(size.gpu_time_bytes)));
}

}  // namespace

std::string output_text(const World& world, const OutputOptions& output, TimePs simulated_ps, bool may_be_longer) {
  const FileSize size = file_size_of(world, output.link_series, output.gpu_time);
  const double tables = static_cast<double>(size.fixed_bytes + size.end_bytes + size.gpu_time_bytes);
  const double row = static_cast<double>(size.series_row_bytes);
  const std::string of_tables =
      fmt::format("{} of topology, messages, collectives and links{}", bytes_text(tables), gpu_time_text(size));
  if (output.series_interval_ps == 0)
    return fmt::format("output     up to {} and its events, before compression; no series\n", of_tables);
  const std::string each =
      fmt::format("{} for every {} in which something changes{}", bytes_text(row), time_text(output.series_interval_ps),
                  output.link_series ? ", with link_series" : "");
  if (simulated_ps <= 0)
    return fmt::format("output     {} and its events, and of series {}, for as long as it lasts\n", of_tables, each);
  const TimePs whole_rows = simulated_ps / output.series_interval_ps + 1;
  const double rows = static_cast<double>(whole_rows);
  return fmt::format("output     up to {} and its events, before compression: {}, {} of series ({}){}\n",
                     bytes_text(tables + rows * row), of_tables, bytes_text(rows * row), each,
                     may_be_longer ? "; more where the run takes longer than is said above" : "");
}

}  // namespace heddle
