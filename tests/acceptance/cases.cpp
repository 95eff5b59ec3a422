#include "tests/acceptance/cases.hpp"

#include <fmt/format.h>

namespace heddle::acceptance {

std::string one_flow(const std::string& topology, u32 src, u32 dst, u64 bytes) {
  return topology + fmt::format(R"(
[simulation]
epoch = "655360 ps"
[workload]
jitter_packets = 0
[[message]]
src = {}
dst = {}
bytes = {}
post = "{} ps"
)",
                                src, dst, bytes, kPostPs);
}

std::string simultaneous(u64 seed, i64 post_ps) {
  std::string toml =
      fmt::format("[simulation]\nseed = {}\n[topology]\nkind = 'star'\nhosts = {}\n[workload]\njitter_packets = 0\n",
                  seed, kTieHosts);
  for (u32 src = 0; src < kTieHosts; ++src) {
    if (src == kTieTarget) continue;
    toml += fmt::format("[[message]]\nsrc = {}\ndst = {}\nbytes = 4096\npost = '{} ps'\n", src, kTieTarget, post_ps);
  }
  return toml;
}

std::string htsim_model() {
  return R"(
[roce]
data_overhead = 64
reth = 0
ack_wire = 64
ack_every = 1
[workload]
jitter_packets = 0
)";
}

std::string htsim_leaf_spine() {
  return R"(
[topology]
kind = "ai_zone"
racks = 16
gpus_per_rack = 8
ctsws = 8
uplinks_per_rtsw = 8
[link]
host_propagation = "1 us"
rtsw_ctsw_propagation = "1 us"
[latency]
nic_transmit = 0
nic_receive = 0
rtsw_ingress = 0
rtsw_egress = 0
ctsw_ingress = 0
ctsw_egress = 0
)";
}

std::string htsim_message(u64 bytes) { return fmt::format("[[message]]\nsrc = 8\ndst = 0\nbytes = {}\n", bytes); }

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
  const std::string thresholds = buffer == "static" ? "bytes = '4 MB'\nxoff = '40 KB'\nxon = '20 KB'\n"
                                                    : "bytes = '16 MiB'\npools = 1\nalpha = 0.125\n";
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

std::string training_of_a_mixture() {
  return zone(2, 16) +
         "[[job]]\ngpus = 32\nqps_per_connection = 2\n[job.training]\nmodel = 'custom'\nlayers = 4\nhidden = 128\n"
         "ffn_hidden = 256\nattention_heads = 4\nkv_heads = 2\nvocabulary = 512\nexperts = 4\nexperts_per_token = 2\n"
         "sequence_length = 256\ntensor_parallel = 2\ncontext_parallel = 2\npipeline_parallel = 2\n"
         "expert_parallel = 2\nvirtual_stages = 2\nmicro_batches = 2\nforward = '20 us'\njitter = 0.2\n"
         "slow_ranks = [5]\niterations = 2\n";
}

std::string all_reduce(u32 gpus, u32 gpus_per_server, const std::string& size) {
  return fmt::format(R"(
[[job]]
gpus = {}
gpus_per_server = {}
algorithm = "ring"
protocol = "simple"
[[job.collective]]
kind = "all_reduce"
sizes = ["{}"]
)",
                     gpus, gpus_per_server, size);
}

}  // namespace heddle::acceptance
