#include "host/check/estimates/tcp_timeouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "host/base/quantity_text.hpp"
#include "host/scenario/topology/transports.hpp"

namespace heddle {
namespace {

/// The first of the timers, in order of harm, that is shorter than a round trip.
struct ShortTimer {
  const char* key = nullptr;
  TimePs value_ps = 0;
};

ShortTimer first_shorter(const TcpSettings& tcp, TimePs trip_ps) {
  if (tcp.rto_initial_ps < trip_ps) return {"rto_initial", tcp.rto_initial_ps};
  if (tcp.rto_max_ps < trip_ps) return {"rto_max", tcp.rto_max_ps};
  if (tcp.rto_min_ps < trip_ps) return {"rto_min", tcp.rto_min_ps};
  return {};
}

/// The timer of a connection that fires first: before a round trip is measured rto_initial, then at least rto_min and
/// 1 ms, and rto_max where it is less than both.
ShortTimer first_to_fire(const TcpSettings& tcp) {
  const TimePs later_ps = std::max(tcp.rto_min_ps, kTcpGranularityPs);
  if (tcp.rto_max_ps <= std::min(tcp.rto_initial_ps, later_ps)) return {"tcp.rto_max", tcp.rto_max_ps};
  if (tcp.rto_initial_ps < later_ps) return {"tcp.rto_initial", tcp.rto_initial_ps};
  return {"tcp.rto_min", later_ps};
}

}  // namespace

const char* shortest_timer(const World& world) {
  const ShortTimer tcp = first_to_fire(world.tcp);
  if (carries_tcp_only(world)) return tcp.key;
  const TimePs roce_ps = world.roce.rto_ps == 0 ? kNever : world.roce.rto_ps;
  return carries_data(world, Transport::tcp) && tcp.value_ps < roce_ps ? tcp.key : "roce.rto";
}

std::string tcp_timeout_warning(const World& world, const LinkLoads& loads) {
  const RoundTrip& trip = loads.longest_tcp_round_trip;
  if (trip.qp == kNone) return "";
  const ShortTimer timer = first_shorter(world.tcp, trip.time_ps);
  if (timer.key == nullptr) return "";
  const Qp& qp = world.traffic.qps[trip.qp];
  const bool harmless = std::string_view(timer.key) == "rto_min";
  return fmt::format(
      "tcp.{} of {} is shorter than the way from {} to {} and back ({} with all queues empty): {}; give some times "
      "that",
      timer.key, time_text(timer.value_ps), world.fabric.names[qp.src], world.fabric.names[qp.dst],
      time_text(trip.time_ps),
      harmless ? "it decides nothing, as a timeout is 1 ms longer than measured round trips"
               : "segments are retransmitted, and windows cut to one segment, before an ACK can come");
}

}  // namespace heddle
