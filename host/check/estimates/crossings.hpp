// How far the payload of collectives travels: which part stays in servers and racks, and which crosses zones.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// What two GPUs have in common: the first of these that holds.
enum class Distance : u8 { server, rack, zone, zones };
inline constexpr u32 kDistances = 4;

/// Payload of one job's communicators of one group.
struct Crossings {
  u32 job = 0;  // of the configuration
  Group group = Group::all;
  u32 iterations = 1;                      // of a training job; else 1
  std::array<double, kDistances> bytes{};  // [Distance] of one iteration; of all of them exact up to 2^53
};

/// By job, then by group.
std::vector<Crossings> crossings_of(const World& world);

/// A table of them, for people; "" without jobs.
std::string crossings_text(const World& world);

}  // namespace heddle
