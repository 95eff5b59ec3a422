// Root attributes: where the file comes from, how the run ended, and its sums.
#include <fmt/format.h>

#include <limits>

#include "io/results/goodput.hpp"
#include "io/results/layout.hpp"
#include "io/results/parts.hpp"
#include "io/results/title.hpp"
#include "kernels/outcome/totals.hpp"

namespace heddle {
namespace {

/// Stands for numbers that are not known.
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string hex(u64 value) { return fmt::format("{:016x}", value); }

}  // namespace

void write_root_attributes(ResultParts& parts, const ResultSettings& settings) {
  const hid_t root = parts.file.get();
  const h5::Place place = parts.place("/");
  const Provenance& p = settings.provenance;
  const World& world = *parts.world;
  const std::pair<const char*, std::string> texts[] = {
      {"format", std::string(layout::kFormat)},
      {"Conventions", std::string(layout::kConventions)},
      {"title", "packet-level simulation of " + title_of(*parts.world)},
      {"software", "heddle"},
      {"software_version", p.software_version},
      {"git_commit", p.git_commit},
      {"build", p.build},
      {"date", p.date},
      {"command_line", p.command_line},
      {"hosts", p.hosts},
      {"slurm_job_id", p.slurm_job_id},
      {"devices", p.devices},
      {"config_hash", hex(p.config_hash)},
      {"topology_hash", hex(p.topology_hash)},
      {"workload_hash", hex(p.workload_hash)}};
  for (const auto& [name, text] : texts) h5::write_attribute(root, name, std::string_view(text), place);
  h5::write_attribute(root, "format_version", layout::kFormatVersion, place);
  h5::write_attribute(root, "git_dirty", u32{p.git_dirty}, place);
  h5::write_attribute(root, "ranks", p.ranks, place);
  h5::write_attribute(root, "threads", p.threads, place);
  h5::write_attribute(root, "seed", world.seed, place);
  h5::write_attribute(root, "tick_ps", i64{world.clocks.tick_ps}, place);
  h5::write_attribute(root, "horizon_ps", i64{world.clocks.horizon_ps == kNever ? -1 : world.clocks.horizon_ps}, place);
  h5::write_attribute(root, "series_interval_ps", i64{settings.series_interval_ps}, place);
  h5::write_attribute(root, "end_ps", i64{-1}, place);
  const Totals nothing_yet;
  for_each_total(nothing_yet, [&](const char* name, u64 sum) { h5::write_attribute(root, name, sum, place); });
  h5::write_attribute(root, "received_bytes", u64{0}, place);
  h5::write_attribute(root, "goodput_bits_per_s", kNan, place);
  h5::write_attribute(root, "digest", "", place);
  h5::write_attribute(root, "explanation", "", place);
  h5::write_attribute(root, "status", layout::kPartial, place);
}

void make_room_for_last_texts(ResultParts& parts) {
  h5::overwrite_attribute(parts.file.get(), "status", layout::kPartial, parts.place("/"));
  h5::written(H5Fflush(parts.file.get(), H5F_SCOPE_GLOBAL), parts.place(), "write");
}

void overwrite_root_attributes(ResultParts& parts, const Outcome& outcome, std::string_view status) {
  const h5::Place place = parts.place("/");
  const h5::Handle root = h5::created(H5Gopen2(parts.file.get(), "/", H5P_DEFAULT), place, "open");
  const h5::Handle other = h5::created(H5Gopen2(parts.file.get(), "/perf", H5P_DEFAULT), place, "open");
  {
    const h5::HeldAttributes held(root.get(), "status", place);
    h5::overwrite_attribute(root.get(), "end_ps", i64{outcome.end_ps}, place);
    for_each_total(outcome.totals,
                   [&](const char* name, u64 sum) { h5::overwrite_attribute(root.get(), name, sum, place); });
    const Goodput goodput = goodput_of(*parts.world, outcome);
    const bool stalled = outcome.reason == EndReason::stalled;
    h5::overwrite_attribute(root.get(), "received_bytes", goodput.received_bytes(), place);
    h5::overwrite_attribute(root.get(), "goodput_bits_per_s",
                            goodput.bits_per_s(outcome.end_ps, stalled).value_or(kNan), place);
    h5::overwrite_attribute(root.get(), "digest", hex(outcome.digest), place);
    const std::string_view explanation = std::string_view(outcome.explanation).substr(0, layout::kExplanationBytes);
    h5::overwrite_attribute(root.get(), "explanation", explanation, place);
    held.flush_texts(other.get());
  }
  h5::written(H5Fflush(parts.file.get(), H5F_SCOPE_GLOBAL), place, "write");
  // The status is written last, once everything else is in the file.
  const h5::HeldAttributes held(root.get(), "status", place);
  h5::overwrite_attribute(root.get(), "status", status, place);
  held.flush_texts(other.get());
}

}  // namespace heddle
