#include "tests/acceptance/cases.hpp"

#include <fmt/format.h>

namespace heddle::acceptance {

std::string incast_fabric(u64 seed) {
  return fmt::format(R"(
[simulation]
seed = {}
epoch = "655360 ps"
[topology]
kind = "ai_zone"
racks = 17
gpus_per_rack = 1
ctsws = 18
uplinks_per_rtsw = 18
[buffer.ctsw]
bytes = "1 MB"  # per port: shallow, so that 512 MiB do not simply disappear in 18 chassis
[routing]
policy = "e_ecmp"
)",
                     seed);
}

std::string greedy_incast(u64 seed) {
  return incast_fabric(seed) + R"(
[workload]
qps_per_pair = 4
[[generator]]
kind = "incast"
fan_in = 16
bytes = "8 MiB"
messages = 4
)";
}

std::string admitted_gather(u64 seed) {
  return incast_fabric(seed) + R"(
[[job]]
gpus = 17
gpus_per_server = 1
qps_per_connection = 4
p2p_slice = "128 KiB"
p2p_channels = 2
slots = 8
[[job.collective]]
kind = "gather"
sizes = ["544 MiB"]  # 32 MiB of each of 17 ranks, the root's own included
)";
}

std::string dcqcn_at_40g(const std::string& preset, const std::string& horizon) {
  return fmt::format(R"(
[simulation]
horizon = "{}"
[topology]
kind = "star"
hosts = 9
[link]
host_rate = "40 Gb/s"
[ecn]
kmin = "{} B"
kmax = "{} B"
pmax = 0.01
scale_with_rate = false
[roce]
mtu = 1024
[dcqcn]
enabled = true
preset = "{}"
[[generator]]
kind = "incast"
fan_in = 8
bytes = "100 MB"
)",
                     horizon, kDcqcnKminBytes, kDcqcnKmaxBytes, preset);
}

std::string headroom_incast(u64 seed, const std::string& buffer, u64 headroom_bytes) {
  const std::string thresholds =
      buffer == "static" ? "bytes = '4 MB'\nxoff = '40 KB'\nxon = '20 KB'\n" : "bytes = '16 MiB'\npools = 1\nalpha = 0.125\n";
  return fmt::format(R"(
[simulation]
seed = {}
[topology]
kind = "star"
hosts = 17
[pfc]
allow_unsafe_headroom = true
[buffer.rtsw]
kind = "{}"
headroom = {}
{}
[[generator]]
kind = "incast"
fan_in = 16
bytes = "1 MiB"
)",
                     seed, buffer, headroom_bytes, thresholds);
}

std::string zone(u32 racks, u32 gpus_per_rack) {
  return fmt::format(R"(
[simulation]
epoch = "655360 ps"
[topology]
kind = "ai_zone"
racks = {}
gpus_per_rack = {}
ctsws = 18
uplinks_per_rtsw = 18
)",
                     racks, gpus_per_rack);
}

std::string all_reduce(u32 gpus, u32 gpus_per_server, const std::string& size) {
  return fmt::format(R"(
[[job]]
gpus = {}
gpus_per_server = {}
[[job.collective]]
kind = "all_reduce"
sizes = ["{}"]
)",
                     gpus, gpus_per_server, size);
}

}  // namespace heddle::acceptance
