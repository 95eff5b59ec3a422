// How a GPU backend launches its kernels: what may suit one machine better than another. None of it changes a result.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "kernels/base/types.hpp"

namespace heddle {

/// Launch bounds of the kernels: the compiler gives a thread all the registers that so many leave it.
inline constexpr u32 kMostSwitchThreads = 384, kMostRoomyThreads = 256, kMostEndpointThreads = 128;

/// Read when a backend is made (launch_parameters_of_environment()).
struct LaunchParameters {
  u32 small_threads = 0;      // of a block that takes one or several small switches; 0: by how many blocks there are
  u32 big_threads = 256;      // of a block that takes one big switch
  u32 endpoint_threads = 32;  // of a block of endpoints
  u32 endpoint_lanes = 0;     // of each warp that take an endpoint; 0: by how many there are
  u32 team_ports = 34;        // ports of the small switches that share a block; a switch with more is big
  u32 graph_ticks = 32;       // ticks between two looks of the host at the clock

  bool operator==(const LaunchParameters&) const = default;
};

/// One of them, as it is named and bounded.
struct LaunchParameter {
  const char* name;
  decltype(&LaunchParameters::team_ports) value;
  u32 least, most, multiple_of;
  const char* why;  // these bounds
};

inline constexpr std::array<LaunchParameter, 6> kLaunchParameters = {{
    {"small_threads", &LaunchParameters::small_threads, 0, kMostSwitchThreads, 32,
     "whole warps, within launch bounds; 0: by how many blocks there are"},
    {"big_threads", &LaunchParameters::big_threads, 32, kMostSwitchThreads, 32, "whole warps, within launch bounds"},
    {"endpoint_threads", &LaunchParameters::endpoint_threads, 32, kMostEndpointThreads, 32,
     "whole warps, within launch bounds"},
    {"endpoint_lanes", &LaunchParameters::endpoint_lanes, 0, 32, 1,
     "lanes of a warp; 0: by how many endpoints there are"},
    {"team_ports", &LaunchParameters::team_ports, 1, 1024, 1, "more than a block ever has lanes for"},
    {"graph_ticks", &LaunchParameters::graph_ticks, 1, 1024, 1, "a longer graph only takes longer to build"},
}};

/// The environment variable that is read.
inline constexpr const char* kLaunchVariable = "HEDDLE_GPU_LAUNCH";

/// "small_threads=64,team_ports=68": those named, the others as they are by default; "": all of these. Throws
/// std::invalid_argument, naming `where` it stands, for any other text.
LaunchParameters launch_parameters(std::string_view text, const std::string& where);
/// All of them, as launch_parameters() takes them.
std::string text_of(const LaunchParameters& parameters);
LaunchParameters launch_parameters_of_environment();

/// Too few blocks for a multiprocessor to have several of them.
bool few_blocks(u32 blocks, u32 multiprocessors);
/// Where every multiprocessor has several blocks, those of fewer warps leave more of it to others.
u32 small_threads_for(u32 blocks, u32 multiprocessors);
/// Endpoints of a warp go different ways and wait for each other, so as few of them share one as the warps of
/// `multiprocessors` allow.
u32 endpoint_lanes_for(u32 endpoints, u32 multiprocessors);

}  // namespace heddle
