// The provenance of a run: where, when and by which build it was made.
#pragma once

#include <string>

#include "io/results/provenance.hpp"
#include "kernels/engine/engine.hpp"

namespace heddle {

struct Config;

/// Fills all that a result file says about its origin, hashes of configuration, topology and workload included, and its
/// inputs: the resolved configuration and hashes of the files that it names.
Provenance provenance_of(const Config& config, const World& world, const EngineOptions& engine,
                         const std::string& command_line);

/// "heddle 0.1.0 (commit 0123abc, release, GNU 12.2.0, cpu)"
std::string version_text();

}  // namespace heddle
