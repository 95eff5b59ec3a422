#include "host/check/warnings/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/quantity_text.hpp"
#include "host/check/warnings/controller.hpp"
#include "host/check/warnings/loss_text.hpp"
#include "host/check/warnings/outages.hpp"
#include "host/check/warnings/spraying.hpp"
#include "host/check/warnings/tcp.hpp"
#include "host/check/warnings/unused_links.hpp"
#include "host/scenario/topology/buffer_options.hpp"
#include "host/scenario/topology/buffers.hpp"
#include "host/scenario/topology/clocks.hpp"
#include "host/scenario/topology/headroom.hpp"
#include "host/scenario/topology/link_types.hpp"
#include "host/scenario/topology/transports.hpp"
#include "kernels/base/units.hpp"
#include "kernels/world/fabric_parameters.hpp"

namespace heddle {
namespace {

void warn_about_slot(const World& world, std::vector<std::string>& warnings) {
  TimePs fastest_ps = kNever;
  LinkId fastest = kNone;
  for (LinkId l = 0; l < world.fabric.links.size(); ++l) {
    const Link& link = world.fabric.links[l];
    if (link.ingress == kNone) continue;
    const TimePs packet_ps = ser_ps(world.fabric.max_frame_bytes + world.fabric.wire_gap_bytes, link.ps_per_byte_q16);
    if (packet_ps < fastest_ps) fastest_ps = packet_ps, fastest = l;
  }
  const TimePs slot_ps = TimePs{1} << world.clocks.slot_log2_ps;
  if (fastest == kNone || slot_ps <= fastest_ps) return;
  warnings.push_back(
      fmt::format("simulation.slot of {} is longer than a full packet on {} ({}): pauses come later than "
                  "hardware would send them; halve the slot and compare",
                  time_text(slot_ps), link_name(world.fabric, fastest), time_text(fastest_ps)));
}

void warn_about_headroom(const World& world, std::vector<std::string>& warnings) {
  const std::vector<LinkId> unsafe = links_with_unsafe_headroom(world);
  if (unsafe.empty()) return;
  const LinkId l = unsafe.front();
  warnings.push_back(fmt::format(
      "{} links have less headroom than can arrive after a pause, e.g. {}: {} B of {} B; "
      "pfc.allow_unsafe_headroom lets them run, and overruns are counted",
      unsafe.size(), link_name(world.fabric, l), world.fabric.ingress[world.fabric.links[l].ingress].headroom_bytes,
      headroom_bytes(l, world.fabric, world.clocks)));
}

/// Replicas synchronise in their data-parallel collectives only.
void warn_about_uneven_replicas(const World& world, std::vector<std::string>& warnings) {
  const ProgramPlan& plan = world.programs;
  const bool given = std::ranges::any_of(plan.ops, stands_for_communication);
  const bool uneven = std::ranges::any_of(plan.tasks, [](const Task& task) { return task.jitter_q16 != 0; }) ||
                      std::ranges::any_of(plan.runs, [](const ProgramRun& run) { return run.slower_q16 != 0; });
  if (!given || !uneven) return;
  warnings.push_back(
      "job.training.jitter or slow_ranks with gather and reduce: replicas do not wait for each other where their "
      "collectives are not simulated, so a GPU that is late holds back its own replica only; the whole job would wait "
      "for it");
}

/// A static buffer belongs to one port. The default of an RTSW, and of any imported switch, is the memory of a whole
/// chip, which its ports share.
void warn_about_static_default(const World& world, std::vector<std::string>& warnings) {
  const Fabric& f = world.fabric;
  const BufferOptions defaults = rtsw_buffer_defaults();
  const u64 lossless = static_cast<u64>(std::ranges::count_if(f.classes, [](const TrafficClass& c) { return c.pfc; }));
  if (lossless == 0) return;
  for (const Link& link : f.links) {
    if (link.dst < f.endpoints || link.ingress == kNone || link.pool != kNone) continue;
    const IngressProfile& p = f.ingress[link.ingress];
    if (u64{p.xoff_bytes} + p.headroom_bytes != defaults.bytes / lossless) continue;
    const u32 ports = f.nodes[link.dst].ports;
    const std::string section = tier_of(f, link.dst).memory_section;
    warnings.push_back(
        fmt::format("{0}.kind = \"static\" gives every port {0}.bytes of its own: {1} each of {2}'s {3} ports, {4} in "
                    "all. That is the default for a whole switch with shared memory; set {0}.bytes to what one port "
                    "has ({5} if the ports are to share {6} equally)",
                    section, bytes_text(defaults.bytes), f.names[link.dst], ports, bytes_text(defaults.bytes * ports),
                    bytes_text(defaults.bytes / ports), bytes_text(defaults.bytes)));
    return;
  }
}

/// A pause only takes effect if it lasts from the decision to pause until fewer bytes arrive.
void warn_about_watchdog(const World& world, std::vector<std::string>& warnings) {
  const Fabric& f = world.fabric;
  if (f.watchdog_ps == 0) return;
  TimePs longest_ps = 0;
  LinkId longest = kNone;
  for (LinkId l = 0; l < f.links.size(); ++l) {
    const Link& link = f.links[l];
    const TimePs pause_ps = f.links[link.reverse].phi_ps + link.lambda_ps;
    if (link.ingress == kNone || link.src < f.endpoints || pause_ps <= longest_ps) continue;
    longest_ps = pause_ps;
    longest = l;
  }
  if (longest == kNone || f.watchdog_ps >= longest_ps) return;
  warnings.push_back(
      fmt::format("pfc.watchdog of {} is shorter than any pause that takes effect: on {} it takes {} until a "
                  "PAUSE is there and what was sent before has come, and a queue that is paused for longer than "
                  "the watchdog is emptied, so ordinary pauses will drop packets; hardware waits 100 ms and more. "
                  "Lengthen it, or set 0 for none",
                  time_text(f.watchdog_ps), link_name(f, longest), time_text(longest_ps)));
}

/// A class that is neither paused nor limited never loses packets and fills no buffer: that is seldom intended.
void warn_about_unlimited_queues(const World& world, std::vector<std::string>& warnings) {
  const std::vector<bool> used = classes_with_data(world);
  for (u32 c = 1; c < std::min(used.size(), kClassNames.size()); ++c) {
    const TrafficClass& tc = world.fabric.classes[c];
    if (!used[c] || tc.pfc || tc.limit_bytes != 0 || tc.limit_alpha_q16 != 0) continue;
    const std::string name(kClassNames[c]);
    warnings.push_back(
        fmt::format("class.{}: without PFC and without a limit its queues grow without bound and nothing is ever "
                    "dropped, whatever the buffers; set class.{}.limit to the bytes of an egress queue",
                    name, name));
  }
}

/// CNPs answer marks: without them a control that uses CNPs never cuts a rate.
void warn_about_marks(const World& world, std::string_view control, std::vector<std::string>& warnings) {
  const Fabric& f = world.fabric;
  const bool port = std::any_of(f.links.begin(), f.links.end(), [](const Link& l) { return l.ecn != kNone; });
  const std::vector<u32> used = classes_in_use(world, Transport::roce);
  const bool traffic = std::ranges::any_of(used, [&](u32 c) { return f.classes[c].ecn; });
  if (used.empty() || (port && traffic)) return;
  warnings.push_back(fmt::format(
      "roce.congestion_control is \"{}\", but {}: no packet will be marked, so no rate is ever cut; set {}, or take "
      "no congestion control",
      control, port ? "no class with traffic has ecn" : "no switch marks",
      port ? "class.*.ecn" : "ecn.enabled and ecn.tiers (of leaves, spines and cores tier.NAME.ecn)"));
}

/// A loss is detected by the packets that arrive after it.
void warn_about_reordering(const World& world, std::vector<std::string>& warnings) {
  const RoceSettings& roce = world.roce;
  if (!roce.selective() || window_of(roce) > roce.reorder_distance_packets) return;
  warnings.push_back(fmt::format(
      "roce.window_packets of {} is not more than roce.reorder_distance_packets ({}): no packet comes so far ahead of "
      "a missing one that a NAK requests it, so every loss waits for {} ({}); shorten the distance or widen the window",
      roce.window_packets, roce.reorder_distance_packets, roce.rto_low_ps == 0 ? "roce.rto" : "roce.rto_low",
      time_text(roce.rto_low_ps == 0 ? roce.rto_ps : roce.rto_low_ps)));
}

/// A go-back-N NIC discards packets that arrive out of order: most are retransmitted, without any loss.
void warn_about_overtaking(const World& world, std::vector<std::string>& warnings) {
  if (world.roce.selective()) return;
  std::vector<bool> fabrics = fabrics_with(world, Transport::tcp);
  const std::vector<bool> roce = fabrics_with(world, Transport::roce);
  for (size_t i = 0; i < fabrics.size(); ++i) fabrics[i] = roce[i] || !fabrics[i];  // all but those of TCP alone
  const SprayingSwitch spraying = first_spraying_switch(world, fabrics);
  if (!spraying) return;
  warnings.push_back(fmt::format(
      "routing policy {} ({} and others): packets of one flow take different ways and overtake each other, but "
      "roce.recovery = \"go_back_n\" discards what comes ahead and sends it again; set roce.recovery = "
      "\"selective_repeat\"",
      spraying.policy, world.fabric.names[spraying.at]));
}

/// NICs that choose ports by packet reorder what they send.
void warn_about_ports_by_packet(const World& world, std::vector<std::string>& warnings) {
  if (world.fabric.nic_ports == 1 || world.roce.selective() || world.roce.port_choice == PortChoice::per_qp) return;
  warnings.push_back(
      "roce.port_choice = \"per_packet\": packets of a queue pair take different ports and overtake each other, but "
      "roce.recovery = \"go_back_n\" discards what comes ahead and sends it again; set roce.recovery = "
      "\"selective_repeat\"");
}

/// A NIC whose queue pairs are fewer than its ports leaves some of these idle.
void warn_about_idle_ports(const World& world, std::vector<std::string>& warnings) {
  const Fabric& f = world.fabric;
  if (f.nic_ports == 1 || world.roce.port_choice == PortChoice::per_packet) return;
  std::vector<u32> qps(f.endpoints, 0);
  for (const Qp& qp : world.traffic.qps) ++qps[qp.src];
  u64 senders = 0, idle = 0;
  EndpointId example = kNone;
  for (EndpointId e = 0; e < f.endpoints; ++e) {
    senders += qps[e] != 0;
    if (qps[e] == 0 || qps[e] >= f.nic_ports) continue;
    if (idle++ == 0) example = e;
  }
  if (idle == 0) return;
  warnings.push_back(fmt::format(
      "{} of {} NICs that send have fewer queue pairs than ports, e.g. {} ({} for {}), and a queue pair "
      "uses one port at a time: the other ports carry nothing; give more queue pairs (workload.qps_per_pair; "
      "job.qps_per_connection with job.qp_scaling = \"split\"), or set roce.port_choice = \"per_packet\"",
      idle, senders, f.names[example], qps[example], f.nic_ports));
}

/// A window that is full before an ACK is due waits for the timeout, every time.
void warn_about_window(const World& world, std::vector<std::string>& warnings) {
  const u32 window = window_of(world.roce);
  if (window >= world.roce.ack_every) return;
  warnings.push_back(fmt::format(
      "a queue pair may have {} packets outstanding ({}), but receivers acknowledge every {} only (roce.ack_every): of "
      "longer messages every window waits for roce.rto ({}), and a queue pair may fail; set roce.ack_every to {} at "
      "most",
      window, world.roce.selective() ? "roce.window_packets, roce.reorder_window_packets" : "roce.window_packets",
      world.roce.ack_every, time_text(world.roce.rto_ps), window));
}

/// A horizon before any packet can arrive is a mistake in the unit.
void warn_about_horizon(const World& world, std::vector<std::string>& warnings) {
  const TimePs horizon_ps = world.clocks.horizon_ps;
  TimePs first_ps = kNever;
  for (const Message& m : world.traffic.messages) first_ps = std::min(first_ps, m.post_ps);
  for (const Collective& c : world.collectives.collectives) first_ps = std::min(first_ps, c.start_ps);
  if (first_ps == kNever || horizon_ps >= kNever) return;
  const TickBound bound = tick_bound(world);
  if (horizon_ps <= first_ps) {
    warnings.push_back(
        fmt::format("simulation.horizon of {} ends the run before its first message or collective, at {}: "
                    "nothing will happen; lengthen it",
                    time_text(horizon_ps), time_text(first_ps)));
  } else if (horizon_ps - first_ps < bound.bound_ps) {
    warnings.push_back(
        fmt::format("simulation.horizon of {} ends the run {} after its first message or collective, before any packet "
                    "can arrive ({}): no result will say anything; lengthen it",
                    time_text(horizon_ps), time_text(horizon_ps - first_ps), describe(bound, world)));
  }
}

/// Settings of RoCE, where not all data go by TCP.
void warn_about_roce(const World& world, std::vector<std::string>& warnings) {
  if (carries_tcp_only(world)) return;
  const auto warn_about_control = [&]<class Settings>(const Settings&) {
    if constexpr (UsesCnps<Settings>) warn_about_marks(world, Settings::kInfo.name, warnings);
  };
  std::visit(warn_about_control, world.congestion.control);
  warn_about_overtaking(world, warnings);
  warn_about_ports_by_packet(world, warnings);
  warn_about_idle_ports(world, warnings);
  warn_about_reordering(world, warnings);
  warn_about_window(world, warnings);
}

}  // namespace

std::vector<std::string> warnings_of(const World& world) {
  std::vector<std::string> warnings;
  warn_about_slot(world, warnings);
  for (std::string& warning : warnings_of_controller(world)) warnings.push_back(std::move(warning));
  warn_about_uneven_replicas(world, warnings);
  warn_about_headroom(world, warnings);
  warn_about_static_default(world, warnings);
  warn_about_watchdog(world, warnings);
  warn_about_unlimited_queues(world, warnings);
  warn_about_roce(world, warnings);
  for (std::string& warning : warnings_of_tcp(world)) warnings.push_back(std::move(warning));
  warn_about_horizon(world, warnings);
  if (std::string warning = warning_of_unused_links(world); !warning.empty()) warnings.push_back(std::move(warning));
  if (std::string warning = warning_of_losses(world); !warning.empty()) warnings.push_back(std::move(warning));
  for (std::string& warning : warnings_of_outages(world)) warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace heddle
