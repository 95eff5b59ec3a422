// How a GPU backend launches its kernels. The best values differ between machines; none of them changes a result.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "kernels/base/types.hpp"

namespace heddle {

/// Launch bounds of the kernels: the compiler gives a thread as many registers as this block size allows.
inline constexpr u32 kMaxSwitchThreads = 384, kMaxRoomyThreads = 256, kMaxEndpointThreads = 128;

/// The backend reads them when it is made (launch_parameters_of_environment()).
struct LaunchParameters {
  u32 small_threads = 0;      // of a block that takes one or several small switches; 0: chosen by the number of blocks
  u32 big_threads = 256;      // of a block that takes one big switch
  u32 endpoint_threads = 32;  // of a block of endpoints
  u32 endpoint_lanes = 0;     // lanes of each warp that take an endpoint; 0: chosen by the number of endpoints
  u32 team_ports = 34;        // ports of the small switches that share a block; a switch with more is big
  u32 graph_ticks = 32;       // ticks between two reads of the clock by the host
  u32 by_ports = 0;           // 1: plain switches run by ports (kernels/ports), where the run allows it; 0: never
  u32 phases = 1;             // 1: plain switches serve ports in phases (fabric/phased_service.hpp); 0: never

  bool operator==(const LaunchParameters&) const = default;
};

/// The name and bounds of one launch parameter.
struct LaunchParameter {
  const char* name;
  decltype(&LaunchParameters::team_ports) value;
  u32 least, most, multiple_of;
  const char* why;  // the reason for these bounds
};

inline constexpr std::array<LaunchParameter, 8> kLaunchParameters = {{
    {"small_threads", &LaunchParameters::small_threads, 0, kMaxSwitchThreads, 32,
     "whole warps, within launch bounds; 0: by how many blocks there are"},
    {"big_threads", &LaunchParameters::big_threads, 32, kMaxSwitchThreads, 32, "whole warps, within launch bounds"},
    {"endpoint_threads", &LaunchParameters::endpoint_threads, 32, kMaxEndpointThreads, 32,
     "whole warps, within launch bounds"},
    {"endpoint_lanes", &LaunchParameters::endpoint_lanes, 0, 32, 1,
     "lanes of a warp; 0: by how many endpoints there are"},
    {"team_ports", &LaunchParameters::team_ports, 1, 1024, 1, "more than a block ever has lanes for"},
    {"graph_ticks", &LaunchParameters::graph_ticks, 1, 1024, 1, "a longer graph only takes longer to build"},
    {"by_ports", &LaunchParameters::by_ports, 0, 1, 1, "0: no, 1: where the run allows it"},
    {"phases", &LaunchParameters::phases, 0, 1, 1, "0: no, 1: where a port can be served so"},
}};

/// The environment variable that holds launch parameters.
inline constexpr const char* kLaunchVariable = "HEDDLE_GPU_LAUNCH";

/// Reads text such as "small_threads=64,team_ports=68"; parameters that the text does not name keep their defaults.
/// Throws std::invalid_argument, naming the source `where`, for any other text.
LaunchParameters launch_parameters(std::string_view text, const std::string& where);
/// The text of all parameters, in the syntax of launch_parameters().
std::string text_of(const LaunchParameters& parameters);
LaunchParameters launch_parameters_of_environment();

/// Whether there are too few blocks for a multiprocessor to have several of them.
bool few_blocks(u32 blocks, u32 multiprocessors);
/// Threads per block of small switches: fewer where every multiprocessor has several blocks, which share it.
u32 small_threads_for(u32 blocks, u32 multiprocessors);
/// Endpoints of a warp diverge and wait for each other, so as few of them share a warp as the warps of
/// `multiprocessors` allow.
u32 endpoint_lanes_for(u32 endpoints, u32 multiprocessors);

}  // namespace heddle
