// Poisson arrivals: every host posts messages at random instants to random others, as HPCC's traffic_gen.
#include <fmt/format.h>

#include "host/base/error.hpp"
#include "host/scenario/workload/exponential.hpp"
#include "host/scenario/workload/generators.hpp"
#include "kernels/base/hash.hpp"
#include "kernels/base/units.hpp"

namespace heddle {
namespace {

/// The purpose of a draw; part of its hash.
enum Purpose : u64 { kGap = 1, kDestination = 2, kSize = 3 };

/// Mean time between two messages of a host so that their payload is `load` of what its NIC can send.
u64 mean_gap_ps(const GeneratorInput& in, EndpointId host) {
  const Link& link = in.world.fabric.links[in.world.fabric.nodes[host].first_link];
  const u32 speed = speed_of(link.ps_per_byte_q16);
  const u64 load_q32 = static_cast<u64>(in.options.load * 4294967296.0);
  const u64 bytes = in.sizes.empty() ? in.options.bytes : mean_bytes(in.sizes);
  // bytes * (speed / 2^16) / (load_q32 / 2^32)
  const unsigned __int128 of_port =
      (static_cast<unsigned __int128>(bytes) * speed << 16) / (load_q32 == 0 ? 1 : load_q32);
  const unsigned __int128 gap = of_port / in.world.fabric.nic_ports;
  if (load_q32 == 0 || gap == 0 || gap > static_cast<unsigned __int128>(kNever)) {
    throw ConfigError(
        fmt::format("generator[{}]: a load of {} with messages of {} B gives no usable mean gap; change "
                    "load or bytes",
                    in.index, in.options.load, bytes));
  }
  return static_cast<u64>(gap);
}

void generate_host(const GeneratorInput& in, u32 i) {
  const EndpointId src = in.first + i;
  const u64 mean_ps = mean_gap_ps(in, src);
  const TimePs end_ps = in.options.start_ps + in.options.duration_ps;
  TimePs at_ps = in.options.start_ps;
  for (u64 k = 0;; ++k) {
    const u64 draw = (static_cast<u64>(i) << 40) | k;
    const auto chance = [&](Purpose purpose) {
      return hash64(in.world.seed, Stream::workload, in.index, draw, purpose);
    };
    const u64 log_q32 = negative_log_q32(chance(kGap) | 1);
    const unsigned __int128 gap = static_cast<unsigned __int128>(mean_ps) * log_q32 >> 32;
    if (gap >= static_cast<unsigned __int128>(end_ps - at_ps)) return;
    at_ps += static_cast<TimePs>(gap);
    const u64 other = ((chance(kDestination) >> 32) * (in.hosts - 1)) >> 32;
    const u32 dst = static_cast<u32>(other < i ? other : other + 1);  // any host but itself, with equal probability
    const u64 bytes = in.sizes.empty() ? in.options.bytes : size_at(in.sizes, static_cast<u32>(chance(kSize) >> 32));
    in.traffic.add_message(src, in.first + dst, bytes, at_ps, in.traffic_class, {"generator", in.index});
  }
}

}  // namespace

void generate_poisson(const GeneratorInput& in) {
  for (u32 i = 0; i < in.hosts; ++i) generate_host(in, i);
}

}  // namespace heddle
