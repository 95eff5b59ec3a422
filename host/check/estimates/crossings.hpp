// The distance that the payload of collectives travels: which part stays in servers and racks, and which crosses zones.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// The smallest unit that two GPUs share: the first of these that applies.
enum class Distance : u8 { server, rack, zone, zones };
inline constexpr u32 kDistances = 4;

/// The payload of the communicators of one group of one job.
struct Crossings {
  u32 job = 0;  // number of the job in the configuration
  Group group = Group::all;
  u32 iterations = 1;                      // iterations of a training job; else 1
  std::array<double, kDistances> bytes{};  // [Distance] bytes of one iteration; exact up to 2^53 over all iterations
};

/// The crossings ordered by job, then by group.
std::vector<Crossings> crossings_of(const World& world);

/// A table of the crossings, for people; "" without jobs.
std::string crossings_text(const World& world);

}  // namespace heddle
