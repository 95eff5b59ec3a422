// Runs as text: one on a screen, several side by side.
#pragma once

#include <span>
#include <string>

namespace heddle {

/// Returns the run in one screen: provenance, how it ended, messages, collectives, links per tier, losses, speed.
/// Accepts a .part. Throws InputError.
std::string describe_run(const std::string& path);

/// Returns the what-if table: differences in configuration and in outcome; ratios are to the first run. Throws
/// InputError for fewer than two paths, or a file that cannot be read.
std::string compare_runs(std::span<const std::string> paths);

}  // namespace heddle
