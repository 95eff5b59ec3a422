// Placement of jobs on servers: pure functions of the fabric's racks, the servers taken, and the seed.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

enum class Placement : u8 {
  contiguous = 0,  // in order of servers
  random = 1,      // drawn; ranks in the order drawn, so neighbours of a ring are anywhere
  fragmented = 2,  // half the servers of every rack (rounded down), drawn; ranks in order of racks
  min_cut = 3,     // by the traffic between the servers (min_cut.hpp)
};

/// The placement that JobOptions calls `word`.
Placement placement_of(std::string_view word);

/// The placement requested by a job.
struct PlacementRequest {
  Placement placement = Placement::contiguous;
  u32 servers = 0;       // 0: all servers
  u32 first_server = 0;  // the lowest server to use
  u64 seed = 1;
  u32 job = 0;  // number of the job, so that each has another draw
};

/// Servers in rank order. `rack_of[server]` ascends in blocks or not; `taken[server]` is not used. Returns fewer than
/// requested when there are not enough, which the caller reports. For min_cut: in order, its baseline.
std::vector<u32> place_servers(const PlacementRequest& request, std::span<const u32> rack_of,
                               const std::vector<bool>& taken);

}  // namespace heddle
