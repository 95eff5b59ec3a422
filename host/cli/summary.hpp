// The summary of a run's results, on one screen.
#pragma once

#include <string>

#include "io/results/provenance.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

struct Config;
struct Outcome;
struct Totals;

/// "Unfinished: 12 messages of 40; 3 collectives of 10": what a run that ended early has left undone. "" when nothing.
std::string unfinished_text(const World& world, const Outcome& outcome);

/// nccl-tests' table, one row per collective: size, count, type, algorithm, time, algbw, busbw. "" without
/// collectives.
std::string collective_table(const World& world, const Outcome& outcome);
/// Iterations of training jobs, and the collectives of their groups; empty without a training job.
std::string training_summary(const World& world, const Outcome& outcome);

/// Advice when no iteration of a training job was completed before the horizon; else "".
std::string unfinished_steps(const Config& config, const World& world, const Outcome& outcome);

/// Completion times of explicit messages: count, p50, p95, p99, max, payload received, goodput. "" without messages.
std::string message_summary(const World& world, const Outcome& outcome);

/// The busiest link, the link paused longest and the largest queue, by name, and where to find more of them.
std::string link_highlights(const World& world, const Outcome& outcome, const std::string& result_path);

/// Packet hops, pauses, marks, CNPs, drops and retransmissions.
std::string totals_summary(const World& world, const Totals& totals);

/// End reason, digest, simulated and wall time, rate.
std::string end_summary(const Outcome& outcome, const std::string& status, const Perf& perf);

}  // namespace heddle
