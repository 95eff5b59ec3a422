#include "tests/validation/ack_queueing.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "kernels/base/units.hpp"
#include "kernels/engine.hpp"

namespace heddle::validation {
namespace {

/// A data packet at an egress: when it came to the node and when it started to leave.
struct Stay {
  TimePs arrived_ps = 0, departed_ps = 0;
};

bool is_data(const Event& e) { return ((e.value >> 24) & 15) == static_cast<u64>(PacketKind::data); }

class QueuedAcks {
 public:
  QueuedAcks(const World& world, std::vector<Event> departures) : world_(world), stays_(world.fabric.links.size()) {
    std::erase_if(departures, [](const Event& e) { return !is_data(e); });
    // Departures of one packet in order of time are its hops.
    std::sort(departures.begin(), departures.end(),
              [](const Event& a, const Event& b) { return std::tie(a.value, a.time_ps) < std::tie(b.value, b.time_ps); });
    const u32 wire_bytes = world.roce.mtu_bytes + world.roce.data_overhead_wire_bytes;
    TimePs arrived_ps = 0;
    for (size_t i = 0; i < departures.size(); ++i) {
      const Event& e = departures[i];
      const LinkId link = world.fabric.nodes[e.node].first_link + e.port;
      if (i == 0 || departures[i - 1].value != e.value) arrived_ps = e.time_ps;  // made by the NIC at its start
      stays_[link].push_back({arrived_ps, e.time_ps});
      arrived_ps = e.time_ps + crossing_ps(link, wire_bytes);
    }
    for (auto& stays : stays_) {
      std::sort(stays.begin(), stays.end(), [](const Stay& a, const Stay& b) { return a.departed_ps < b.departed_ps; });
    }
  }

  /// When an ACK that the receiver of `qp` makes at t reaches the sender.
  TimePs delivered_ps(const Qp& qp, TimePs t) const {
    const u32 ack_bytes = world_.roce.ack_wire_bytes;
    t = through(world_.fabric.nodes[qp.dst].first_link, t) +
        crossing_ps(world_.fabric.nodes[qp.dst].first_link, ack_bytes);
    const Routing& routing = world_.routing;
    for (u32 h = routing.path_first[qp.control_path]; h < routing.path_first[qp.control_path + 1]; ++h) {
      const LinkId link = world_.fabric.nodes[routing.hops[h].node].first_link + routing.hops[h].port;
      t = through(link, t) + crossing_ps(link, ack_bytes);
    }
    return t;
  }

 private:
  TimePs crossing_ps(LinkId link, u32 wire_bytes) const {
    const Link& l = world_.fabric.links[link];
    return ser_ps(wire_bytes, l.ps_per_byte_q16) + l.lambda_ps;
  }

  /// When an ACK that comes to `link`'s queue at t starts to leave: after the last data packet that came before it.
  TimePs through(LinkId link, TimePs t) const {
    const std::vector<Stay>& stays = stays_[link];
    const auto after = std::upper_bound(stays.begin(), stays.end(), t,
                                        [](TimePs at, const Stay& stay) { return at < stay.arrived_ps; });
    if (after == stays.begin()) return t;
    const u32 wire_bytes = world_.roce.mtu_bytes + world_.roce.data_overhead_wire_bytes;
    const TimePs end_ps = std::prev(after)->departed_ps + ser_ps(wire_bytes, world_.fabric.links[link].ps_per_byte_q16);
    return std::max(t, end_ps);
  }

  const World& world_;
  std::vector<std::vector<Stay>> stays_;  // by egress link, in order of departure, which FIFO makes that of arrival
};

}  // namespace

Replay replay_with_queued_acks(const PeerCase& run, const Sampling& sampling) {
  const World world = world_of(run, sampling);
  EngineOptions options;
  options.trace = true;  // departures are events only then
  options.recorded_kinds = 1u << static_cast<u32>(EventKind::depart);
  Outcome outcome = run_to_end(run, world, options);
  const QueuedAcks acks(world, std::move(outcome.events));
  Replay result;
  result.totals = outcome.totals;
  for (size_t m = 0; m < world.traffic.messages.size(); ++m) {
    const Qp& qp = world.traffic.qps[world.traffic.messages[m].qp];
    result.fct_ps[{qp.src, qp.dst}] =
        acks.delivered_ps(qp, outcome.messages[m].received_ps) - world.traffic.messages[m].post_ps;
  }
  return result;
}

}  // namespace heddle::validation
