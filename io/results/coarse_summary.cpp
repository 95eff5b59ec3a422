#include "io/results/coarse_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "io/results/text_table.hpp"

namespace heddle {
namespace {

std::string percent(double part) { return fmt::format("{:.2f} %", 100 * part); }

void add_kind(TextTable& table, const char* name, std::span<const TimeEstimate> kind) {
  if (kind.empty()) return;
  double sum_ps = 0;
  std::vector<double> errors;
  for (const TimeEstimate& e : kind) {
    sum_ps += static_cast<double>(e.time_ps);
    errors.push_back(e.error());
  }
  std::sort(errors.begin(), errors.end());
  table.row({name, grouped(kind.size()), human_time(static_cast<TimePs>(sum_ps / static_cast<double>(kind.size()))),
             percent(errors[errors.size() / 2]), percent(errors.back())});
}

std::string out_of_tolerance(std::span<const TimeEstimate> estimates, u32 mtus_of_packet, double tolerance) {
  const auto beyond = std::ranges::count_if(estimates, [&](const TimeEstimate& e) { return e.error() > tolerance; });
  if (beyond == 0) return "";
  const std::string smaller = mtus_of_packet > 2
                                  ? fmt::format("acceleration.coarse = {} or mode = \"exact\"", mtus_of_packet / 2)
                                  : "acceleration.mode = \"exact\" or \"off\"";
  return fmt::format(
      "warning: {} of {} times may be off by more than {} (acceleration.tolerance); {} is slower and "
      "nearer the truth\n",
      grouped(static_cast<u64>(beyond)), grouped(estimates.size()), percent(tolerance), smaller);
}

}  // namespace

std::string coarse_summary(u32 mtus_of_packet, std::span<const TimeEstimate> estimates, double tolerance) {
  if (mtus_of_packet == 1) return "";
  TextTable table;
  table.row({"time of", "number", "mean", "may be off by, median", "at most"});
  add_kind(table, "collectives", estimates_of_kind(estimates, Timed::collective));
  add_kind(table, "messages", estimates_of_kind(estimates, Timed::message));
  add_kind(table, "iterations", estimates_of_kind(estimates, Timed::iteration));
  add_kind(table, "the run", estimates_of_kind(estimates, Timed::run));
  const std::string what = fmt::format(
      "\ncoarse packets of {} MTUs, and of {} in a second run; times are those that follow for packets of one\n",
      mtus_of_packet, 2 * mtus_of_packet);
  const std::string rest = fmt::format(
      "all else (packets, bytes, pauses, marks, queues, series, digest) is that of packets of {} MTUs; goodput and the "
      "use of links divide these bytes by such times\n",
      mtus_of_packet);
  if (estimates.empty()) return what + "  nothing was completed in both\n" + rest;
  return what + table.text() + rest + out_of_tolerance(estimates, mtus_of_packet, tolerance);
}

std::string coarse_label(u32 mtus_of_packet, std::span<const TimeEstimate> estimates) {
  if (mtus_of_packet == 1) return "";
  double most = 0;
  for (const TimeEstimate& e : estimates) most = std::max(most, e.error());
  return fmt::format("{} MTUs a packet, {}", mtus_of_packet,
                     estimates.empty() ? "no times" : "times +- " + percent(most) + " at most");
}

}  // namespace heddle
