#include "host/scenario/workload/arrivals.hpp"

#include <fmt/format.h>

#include "host/base/error.hpp"
#include "host/scenario/workload/exponential.hpp"
#include "kernels/base/units.hpp"

namespace heddle {
namespace {

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

}  // namespace

PoissonArrivals::PoissonArrivals(const GeneratorInput& input, u32 number, EndpointId endpoint)
    : in_(input),
      number_(number),
      mean_ps_(mean_gap_ps(input, endpoint)),
      end_ps_(input.options.start_ps + input.options.duration_ps),
      at_ps_(input.options.start_ps) {}

bool PoissonArrivals::next() {
  ++arrivals_;
  const u64 log_q32 = negative_log_q32(chance(in_, draw(), GeneratorDraw::gap) | 1);
  const unsigned __int128 gap = static_cast<unsigned __int128>(mean_ps_) * log_q32 >> 32;
  if (gap >= static_cast<unsigned __int128>(end_ps_ - at_ps_)) return false;
  at_ps_ += static_cast<TimePs>(gap);
  return true;
}

}  // namespace heddle
