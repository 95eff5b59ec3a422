// Runs as text: one on a screen, several side by side.
#pragma once

#include <span>
#include <string>

namespace heddle {

/// The run in one screen: provenance, how it ended, messages, collectives, links per tier, losses, speed.
/// Also of a .part. Throws InputError.
std::string describe_run(const std::string& path);

/// The what-if table: what differs in configuration, what differs in outcome; ratios are to the first run.
/// Throws InputError: fewer than two paths, or a file that cannot be read.
std::string compare_runs(std::span<const std::string> paths);

}  // namespace heddle
