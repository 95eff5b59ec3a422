// Jobs onto servers: pure functions of the fabric's racks, what is taken, and the seed.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

enum class Placement : u8 {
  contiguous = 0,  // in order
  random = 1,      // drawn; ranks in the order drawn, so neighbours of a ring are anywhere
  fragmented = 2,  // half the servers of every rack (rounded down), drawn; ranks in order of racks
  min_cut = 3,     // by what the servers send each other (min_cut.hpp)
};

/// The placement of a word of JobOptions.
Placement placement_of(std::string_view word);

/// What a job asks for.
struct PlacementRequest {
  Placement placement = Placement::contiguous;
  u32 servers = 0;       // 0: all that there are
  u32 first_server = 0;  // none before it
  u64 seed = 1;
  u32 job = 0;  // number of the job: another draw for each
};

/// Servers in rank order. `rack_of[server]` ascends in blocks or not; `taken[server]` is not used. Returns fewer than
/// asked for when there are not enough; the caller says so. Of min_cut: those in order, which it can do no worse than.
std::vector<u32> place_servers(const PlacementRequest& request, std::span<const u32> rack_of,
                               const std::vector<bool>& taken);

}  // namespace heddle
