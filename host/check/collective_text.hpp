// The predictions of NCCL's tuner for the collectives of jobs, and the algorithms they take.
#pragma once

#include <span>
#include <string>

#include "host/config/config.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// The servers that the collectives run on, and what channels copy. "" without jobs.
std::string host_text(const Config& config);

/// For each job and kind that has several algorithms or protocols: latency and bandwidth of each by the tuner's model,
/// the choice for every size, and other choices that the model expects to take about as long. "" without collectives.
/// `jobs` are the configuration's.
std::string collective_text(const World& world, std::span<const JobOptions> jobs);

/// Names both choices where `auto` has taken an algorithm and protocol that its model puts within 5 % of another one,
/// and how to ask for the other. "" without near ties.
std::string near_ties_text(const World& world, std::span<const JobOptions> jobs);

}  // namespace heddle
