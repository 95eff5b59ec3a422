#include "kernels/instantiate/instantiate.hpp"

#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "kernels/base/text.hpp"
#include "kernels/base/units.hpp"
#include "kernels/congestion/controls.hpp"
#include "kernels/state/packet.hpp"

namespace heddle {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

void check_latencies(const World& world) {
  const TimePs tick = world.clocks.tick_ps;
  if (tick <= 0) refuse("clocks: the tick must be at least 1 ps");
  if (tick >= kTickLimitPs) {
    refuse("clocks: the tick must be below 134 us (arrival keys hold 28 bits of picoseconds)");
  }
  for (const Link& link : world.fabric.links) {
    const TimePs least = min_latency_ps(world.fabric, link);
    if (least >= tick) continue;
    refuse("clocks: the tick of " + std::to_string(tick) + " ps exceeds the latency of the link from node " +
           std::to_string(link.src) + " to node " + std::to_string(link.dst) + " (" + std::to_string(least) +
           " ps); nodes could then not be simulated independently inside a tick; choose a smaller tick or epoch");
  }
  if (uses_nvlink(world.collectives) && world.collectives.settings.nvlink_latency_ps < tick) {
    refuse("collective: the NVLink latency is below the tick");
  }
  if (!world.programs.batches.empty() && world.programs.handover_ps < tick) {
    refuse("program: a batch is handed over in less than a tick");
  }
}

/// Number of classes up to the highest that a queue pair uses, or packets after a detour. Higher classes stay empty,
/// and every port would visit them.
u32 used_classes(const World& world) {
  u32 highest = std::max(1u, world.routing.detour_class);
  for (const Qp& qp : world.traffic.qps) highest = std::max<u32>(highest, qp.traffic_class);
  static_assert(kCollectiveClass == 1);  // so all-to-alls without tables need no check
  if (highest >= world.fabric.classes.size())
    refuse("classes: a queue pair is in a traffic class that the fabric does not have");
  return highest + 1;
}

/// Throws std::invalid_argument where the control refuses its settings.
ControlView control_view(const Congestion& congestion) {
  ControlView view;
  view.number = control_number(congestion);
  view.state_bytes = control_state_bytes(congestion);
  view.whole_nanoseconds = congestion.whole_nanoseconds;
  if (congestion.none()) return view;
  CongestionControls::visit(view.number, [&](auto tag) {
    const auto settings = prepared<typename decltype(tag)::Control>(congestion);
    view.sends_cnps = UsesCnps<decltype(settings)>;
    if constexpr (UsesCnps<decltype(settings)>) view.cnp_gap_ps = settings.cnp_gap_ps;
  });
  return view;
}

Settings settings_of(const World& world, const EngineOptions& options) {
  Settings s;
  s.seed = world.seed;
  s.epoch_ps = world.clocks.epoch_ps;
  s.slot_log2 = world.clocks.slot_log2_ps;
  s.classes = used_classes(world);
  s.pfc_classes = 0;
  s.strict_mask = 1;
  s.ecn_mask = s.limited_mask = 0;
  for (u32 c = 0; c < s.classes; ++c) {
    const TrafficClass& tc = world.fabric.classes[c];
    s.pfc_index[c] = tc.pfc ? s.pfc_classes : kNone;
    if (tc.pfc) s.pfc_class[s.pfc_classes++] = c;
    if (c == 0 || tc.strict) s.strict_mask |= 1u << c;
    if (tc.ecn) s.ecn_mask |= 1u << c;
    s.limit_bytes[c] = tc.limit_bytes;
    if (!tc.pfc) s.limit_alpha_q16[c] = tc.limit_alpha_q16;
    if (s.limit_alpha_q16[c] != 0) s.dynamic_limit_mask |= 1u << c;
    if (tc.limit_bytes != 0 || s.limit_alpha_q16[c] != 0) s.limited_mask |= 1u << c;
    s.quantum_bytes[c] = tc.weight * world.fabric.max_frame_bytes;
  }
  s.wire_gap_bytes = world.fabric.wire_gap_bytes;
  s.weighted_mask = ((1u << s.classes) - 1) & ~s.strict_mask;
  s.weighted_classes = static_cast<u32>(__builtin_popcount(s.weighted_mask));
  s.ecn_at_arrival = world.fabric.ecn_at_arrival;
  s.watchdog_ps = world.fabric.watchdog_ps;
  s.recorded_kinds = options.recorded_kinds;
  s.trace = options.trace;
  s.slow_nics = !world.traffic.slow_receivers.empty();
  s.any_batches = !world.programs.batches.empty();
  s.messages_wait = !world.traffic.waits.empty() || s.any_batches;
  s.nic_ports = world.fabric.nic_ports;
  s.ports_fail = !world.failures.ports_out.empty();
  s.links_fail = !world.failures.none() || world.routing.rows_change();
  const auto reported = [&](EventKind kind) {
    return options.trace || ((options.recorded_kinds >> static_cast<u32>(kind)) & 1) != 0;
  };
  s.report_departures = reported(EventKind::depart);
  s.report_cts_waits = reported(EventKind::cts_wait);
  s.report_windows = reported(EventKind::tcp_window);
  s.roce = world.roce;
  s.roce.window_packets = window_of(world.roce);
  s.tcp = world.tcp;
  s.any_tcp = has_tcp(world);
  s.congestion = control_view(world.congestion);
  s.source_port_per_qp = world.traffic.source_port_per_qp;
  return s;
}

/// Names a node and the section that describes its memory: "rtsw3 (buffer.rtsw)".
std::string memory_of_node(const Fabric& f, NodeId node) {
  const std::string name = node < f.names.size() ? f.names[node] : "node " + std::to_string(node);
  return name + " (" + tier_of(f, node).memory_section + ")";
}

/// Checks that an account fits 32 bits, with a spare bit for the sign.
void check_account(const Fabric& f, const Link& link) {
  constexpr u64 kMax = 0x7fffffff;
  const std::string most = std::to_string(kMax) + " B (2 GiB - 1), the most that an account can count";
  const IngressProfile& p = f.ingress[link.ingress];
  const u64 static_bytes = static_cast<u64>(p.xoff_bytes) + p.headroom_bytes;
  if (!p.dynamic && static_bytes > kMax) {
    refuse("buffer: at " + memory_of_node(f, link.dst) + " XOFF + headroom of an ingress are " +
           std::to_string(static_bytes) + " B, more than " + most + "; give less `bytes` or `xoff`");
  }
  if (!p.dynamic || link.pool == kNone) return;
  const Pool& pool = f.pools[link.pool];
  const u64 share_bytes = (p.alpha_q16 * pool.shared_bytes) >> 16;
  if (pool.limit_bytes <= kMax && share_bytes <= kMax) return;
  refuse("buffer: at " + memory_of_node(f, pool.node) + " a shared memory has " + std::to_string(pool.limit_bytes) +
         " B, and alpha times what it shares is " + std::to_string(share_bytes) + " B; each can be at most " + most +
         "; give less `bytes`, a smaller `alpha` or more `pools`");
}

void check_buffers(const Fabric& f) {
  for (const Link& link : f.links) {
    if (link.ingress != kNone) check_account(f, link);
  }
}

/// Entries of queued packets that fit in memory beside the state.
u64 pool_entries(const EngineOptions& options, u64 state_bytes) {
  const u64 machine = static_cast<u64>(sysconf(_SC_PHYS_PAGES)) * static_cast<u64>(sysconf(_SC_PAGESIZE));
  const u64 limit = options.memory_limit_bytes != 0 ? options.memory_limit_bytes : machine / 10 * 8;
  if (limit < state_bytes + kMinPoolBytes) {
    refuse("memory: the state takes " + rounded_bytes(state_bytes) + " before any packet is queued, and " +
           rounded_bytes(kMinPoolBytes) + " are the least for these, but the run may use " + rounded_bytes(limit) +
           "; give it more (heddle run --memory SIZE), or simulate less");
  }
  return std::min<u64>((limit - state_bytes) / (sizeof(Packet) + sizeof(TimePs)), 0xfffffff0u);
}

}  // namespace

void check_limits(const World& world) {
  const Fabric& f = world.fabric;
  check_buffers(f);
  check_failures(world);
  if (f.nic_ports == 0 || f.nic_ports > kMaxNicPorts) refuse("topology: a NIC has 1 to 8 ports");
  if (u64{f.endpoints} * f.nic_ports > kMaxAddresses)
    refuse("topology: more than 1,048,576 ports of endpoints (the packet descriptor holds 20 bits)");
  if (f.nic_ports > 1 && world.routing.paths_are_given())
    refuse("routing: explicit paths name no port of a NIC, so NICs with several ports cannot follow them");
  if (f.classes.size() < 2 || f.classes.size() > kMaxClasses)
    refuse("classes: between 2 and 4 traffic classes are possible");
  for (const Node& node : f.nodes) {
    if (node.ports > kMaxPorts)
      refuse("topology: a switch has more than 4,096 ports (the packet descriptor holds 12 bits)");
  }
  for (u32 e = 0; e < f.endpoints; ++e) {
    if (f.nodes[e].ports == f.nic_ports) continue;
    refuse("topology: endpoint " + std::to_string(e) + " has " + std::to_string(f.nodes[e].ports) +
           " ports, but NICs have " + std::to_string(f.nic_ports));
  }
  const u32 largest = world.roce.mtu_bytes + world.roce.data_overhead_wire_bytes + world.roce.reth_bytes;
  const u32 gap_bytes = world.fabric.wire_gap_bytes;
  if (largest - gap_bytes > kMaxFrameBytes)
    refuse("roce: frames above 131,071 B do not fit the packet descriptor; lower the MTU");
  for (u32 w : {world.roce.ack_wire_bytes, world.roce.cnp_wire_bytes, world.roce.cts_wire_bytes,
                world.roce.data_overhead_wire_bytes}) {
    if (w < gap_bytes) refuse("roce: wire sizes include the gap between frames, so they cannot be below it");
  }
  if (world.roce.window_packets > kPsnWindowPackets)
    refuse("roce.window_packets: " + std::to_string(world.roce.window_packets) +
           " packets cannot be distinguished by PSNs of 24 bits; give at most 8,388,607");
  if (world.roce.selective() && *problem_of_reordering(world.roce) != 0) refuse(problem_of_reordering(world.roce));
  if (has_tcp(world)) {
    if (*problem_of_tcp(world.tcp) != 0) refuse(problem_of_tcp(world.tcp));
    if (world.tcp.overhead_wire_bytes <= gap_bytes || world.tcp.segment_bytes == 0)
      refuse("tcp: segments have payload, and wire sizes include the gap between frames");
    if (world.tcp.segment_bytes + world.tcp.overhead_wire_bytes - gap_bytes > kMaxFrameBytes)
      refuse("tcp: frames above 131,071 B do not fit the packet descriptor; lower tcp.segment");
    if (world.tcp.retries >= kFailed) refuse("tcp.retries: at most 254 can be counted; give fewer");
  }
  if (world.roce.rto_tries >= kFailed) refuse("roce.rto_tries: at most 254 can be counted; give fewer");
  (void)control_view(world.congestion);
  for (const Message& m : world.traffic.messages) {
    if (framing_of(world, world.traffic.qps[m.qp].traffic_class).packets(m.bytes) <= kMaxMessagePackets) continue;
    refuse("messages: one of " + std::to_string(m.bytes) +
           " B has more than 4,294,967,295 packets, which a queue pair cannot count; split it");
  }
  check_latencies(world);
}

void instantiate_routes(const World& world, Model& model) {
  model.view.settings = settings_of(world, {});
  number_world(world.fabric, {}, model);
  instantiate_routing(world, model);
}

void instantiate(const World& world, const EngineOptions& options, Model& model) {
  check_limits(world);
  model.view.settings = settings_of(world, options);
  for (const Job& job : world.collectives.jobs) {
    if (job.all_pairs) model.use = Use::sparse;
  }
  number_world(world.fabric, options, model);
  instantiate_fabric(world, options, model);
  instantiate_routing(world, model);
  instantiate_failures(world, model);
  instantiate_transport(world, model);
  instantiate_collectives(world, model);
  instantiate_programs(world, model);
  instantiate_boundary(model);

  View& v = model.view;
  for (u32 e = 0; v.collective.jobs != 0 && e < v.endpoints; ++e)
    v.endpoint.nic[e].work_due_ps = v.collective.gpu[e].first_due_ps();
  auto& a = model.arrays;
  a.add<TimePs>(v, v.next_ps, "next instant", StateKind::derived, v.nodes);
  const u32 woken = v.nodes + model.ghost_nodes;
  for (u32 p = 0; p < 2; ++p) {
    TimePs* wake = a.add<TimePs>(v, v.wake_ps[p], "wake", StateKind::derived, woken);
    std::fill(wake, wake + woken, kNever);
  }
  a.add<Failure>(v, v.failure, "failure", StateKind::derived, 1);
  a.add<BrokenPhase>(v, v.broken_phase, "broken phase", StateKind::derived, 1);

  v.pool.capacity = pool_entries(options, a.bytes() + model.used_bytes);
  a.add<Packet>(v, v.pool.packet, "packets", StateKind::queued, v.pool.capacity);
  a.add<TimePs>(v, v.pool.time_ps, "packet times", StateKind::queued, v.pool.capacity);
  u64* top = a.add<u64>(v, v.pool.top, "pool top", StateKind::derived, 1);
  *top = 16;  // entry 0 is the target of writes after the pool is exhausted
  a.add<u64>(v, v.pool.charged, "pool charged", StateKind::derived, 1);
  const u64 stacks = static_cast<u64>(kRingClasses) * kFreeStackEntries;
  a.add<u32>(v, v.pool.free_base, "free list", StateKind::free_list, stacks);
  a.add<u32>(v, v.pool.retired_base, "free list, retired", StateKind::free_list, stacks);
  a.add<i32>(v, v.pool.free_count, "free list counts", StateKind::free_list, kRingClasses);
  a.add<i32>(v, v.pool.retired_count, "free list counts, retired", StateKind::free_list, kRingClasses);
  a.add<u32>(v, v.pool.exhausted, "pool exhausted", StateKind::derived, 1);
}

}  // namespace heddle
