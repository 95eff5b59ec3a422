// What a run found, on one screen.
#pragma once

#include <string>

#include "host/config/config.hpp"
#include "io/results/provenance.hpp"
#include "kernels/outcome/outcome.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// "Unfinished: 12 messages of 40; 3 collectives of 10": what a run that ended early has left undone. "" when nothing.
std::string unfinished_text(const World& world, const Outcome& outcome);

/// nccl-tests' table, one row per collective: size, count, type, algorithm, time, algbw, busbw. "" without
/// collectives.
std::string collective_table(const World& world, const Outcome& outcome);
/// Iterations of training jobs, and what their groups did; empty when nothing was trained.
std::string training_summary(const World& world, const Outcome& outcome);

/// What to do when no iteration of a training job came to its end before the horizon; else "".
std::string unfinished_steps(const Config& config, const World& world, const Outcome& outcome);

/// Completion times of explicit messages: count, p50, p95, p99, max, payload received, goodput. "" without messages.
std::string message_summary(const World& world, const Outcome& outcome);

/// The busiest link, the one paused longest, the largest queue, by name, and where more of them stand.
std::string link_highlights(const World& world, const Outcome& outcome, const std::string& result_path);

/// Packet hops, pauses, marks, CNPs, drops and retransmissions.
std::string totals_summary(const Totals& totals);

/// How it ended, digest, simulated and wall time, rate.
std::string end_summary(const Outcome& outcome, const std::string& status, const Perf& perf);

}  // namespace heddle
