#include "tests/validation/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace heddle::validation {
namespace {

double percent(double ours, double theirs) { return 100 * (ours / theirs - 1); }

double at_rank(const std::vector<double>& sorted, double share) {
  const double rank = share * static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<size_t>(rank + 0.5)];
}

}  // namespace

World world_of(const PeerCase& run, const ReplaySettings& settings) {
  return peer_world(run, peer_flows(run), settings);
}

Outcome run_to_end(const PeerCase& run, const World& world, const EngineOptions& options) {
  Engine engine(world, options);
  while (engine.advance(kNever)) {
  }
  Outcome outcome = engine.outcome();
  u64 lost = 0;
  for (const u64 drops : outcome.totals.drops) lost += drops;
  if (outcome.reason == EndReason::complete && lost == 0) return outcome;
  throw std::runtime_error(
      fmt::format("{} of {}: {} packets lost; {}. The peer completed without loss: the model set up "
                  "in peer_model.cpp is not its model",
                  run.name, name_of(run.peer), lost, outcome.explanation));
}

Replay replay(const PeerCase& run, const ReplaySettings& settings) {
  const World world = world_of(run, settings);
  EngineOptions options;
  options.recorded_kinds = 1u << static_cast<u32>(EventKind::pause);
  Outcome outcome = run_to_end(run, world, options);
  Replay result;
  result.totals = outcome.totals;
  result.pauses = std::move(outcome.events);
  for (size_t m = 0; m < world.traffic.messages.size(); ++m) {
    const Qp& qp = world.traffic.qps[world.traffic.messages[m].qp];
    result.fct_ps[{qp.src, qp.dst}] =
        outcome.messages[m].acked_ps - posted_ps(world.traffic.messages[m], outcome.messages[m]);
  }
  return result;
}

Comparison compare(const Replay& ours, const PeerFlows& theirs) {
  Comparison c;
  std::vector<double> differences;
  for (const auto& [key, flow] : theirs) {
    const double us = static_cast<double>(ours.fct_ps.at(key)) * 1e-6,
                 peer_us = static_cast<double>(flow.fct_ps) * 1e-6;
    c.makespan_us = std::max(c.makespan_us, us);
    c.peer_makespan_us = std::max(c.peer_makespan_us, peer_us);
    c.mean_us += us / static_cast<double>(theirs.size());
    c.peer_mean_us += peer_us / static_cast<double>(theirs.size());
    differences.push_back(percent(us, peer_us));
  }
  std::sort(differences.begin(), differences.end());
  c.makespan_percent = percent(c.makespan_us, c.peer_makespan_us);
  c.mean_percent = percent(c.mean_us, c.peer_mean_us);
  c.flow_min = differences.front();
  c.flow_p5 = at_rank(differences, 0.05);
  c.flow_median = at_rank(differences, 0.5);
  c.flow_p95 = at_rank(differences, 0.95);
  c.flow_max = differences.back();
  return c;
}

std::string table_head() {
  return "| case | peer | makespan (us): ours, theirs, difference | mean (us): ours, theirs, difference | flows: "
         "least, "
         "p5, median, p95, most (%) | pauses: ours, theirs | marks: ours, theirs |\n|---|---|---|---|---|---|---|\n";
}

std::string table_row(const std::string& label, const PeerCase& run, const Replay& ours, const Comparison& c) {
  return fmt::format(
      "| `{}` | {} | {:.3f}, {:.3f}, {:+.2f} % | {:.3f}, {:.3f}, {:+.2f} % | {:+.2f}, {:+.2f}, {:+.2f}, {:+.2f}, "
      "{:+.2f} | {}, {} | {}, {} |\n",
      label, name_of(run.peer), c.makespan_us, c.peer_makespan_us, c.makespan_percent, c.mean_us, c.peer_mean_us,
      c.mean_percent, c.flow_min, c.flow_p5, c.flow_median, c.flow_p95, c.flow_max, ours.totals.pauses, run.pauses,
      ours.totals.marks, run.marks);
}

}  // namespace heddle::validation
