#include "host/check/warnings/tcp.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/quantity_text.hpp"
#include "host/check/warnings/spraying.hpp"
#include "host/scenario/topology/transports.hpp"
#include "kernels/world/fabric_of.hpp"
#include "kernels/world/fabric_parameters.hpp"

namespace heddle {
namespace {

/// TCP takes a segment for lost when three of those after it have come.
void warn_about_spraying(const World& world, std::vector<std::string>& warnings) {
  if (world.tcp.loss_detection == TcpLossDetection::rack) return;
  const SprayingSwitch spraying = first_spraying_switch(world, fabrics_with(world, Transport::tcp));
  if (!spraying) return;
  warnings.push_back(fmt::format(
      "routing policy {} ({} and others) with class.{}.transport = \"tcp\": segments of one connection take different "
      "ways and come out of order, and TCP takes a segment for lost when {} after it have come, so it retransmits "
      "and halves its window though nothing is lost; set tcp.loss_detection = \"rack\", as Linux has it, which "
      "waits and retransmits less, or choose a policy that keeps flows together, such as ecmp",
      spraying.policy, world.fabric.names[spraying.at], kClassNames[classes_in_use(world, Transport::tcp).front()],
      kTcpDuplicates));
}

/// Whether a switch of these fabrics marks.
bool any_marks(const Fabric& fabric, const std::vector<bool>& fabrics) {
  return std::ranges::any_of(fabric.links, [&](const Link& link) {
    return link.ecn != kNone && link.src >= fabric.endpoints &&
           fabrics[fabric_of_tier(fabric, fabric.nodes[link.src].tier)];
  });
}

/// DCTCP keeps queues short by marks; without them it is New Reno.
void warn_about_dctcp(const World& world, std::vector<std::string>& warnings) {
  if (world.tcp.control != TcpControl::dctcp) return;
  const bool port = any_marks(world.fabric, fabrics_with(world, Transport::tcp));
  for (const u32 c : classes_in_use(world, Transport::tcp)) {
    if (port && world.fabric.classes[c].ecn) continue;
    warnings.push_back(fmt::format(
        "tcp.control is \"dctcp\", but {}: no segment of class {} will be marked, so windows shrink by losses alone, "
        "as "
        "with new_reno; set {}, or tcp.control = \"new_reno\"",
        port ? fmt::format("class.{}.ecn is false", kClassNames[c]) : "no switch on its way marks", kClassNames[c],
        port ? fmt::format("class.{}.ecn = true", kClassNames[c])
             : fmt::format("class.{}.ecn, and ecn.enabled and ecn.tiers (of leaves, spines and cores tier.NAME.ecn)",
                           kClassNames[c])));
  }
}

/// A class that nothing uses is mostly a [[message]] whose class was forgotten.
void warn_about_no_data(const World& world, std::vector<std::string>& warnings) {
  const std::vector<bool> used = classes_with_data(world);
  for (u32 c = 1; c < std::min(used.size(), kClassNames.size()); ++c) {
    if (used[c] || !is_tcp(world, c)) continue;
    const std::string_view name = kClassNames[c];
    warnings.push_back(
        fmt::format("class.{}.transport = \"tcp\", but class {} carries no data, so nothing of TCP is simulated: a "
                    "[[message]] or [[generator]] goes by it with class = \"{}\" (the default is \"lossless\"); give "
                    "that, or remove the transport",
                    name, name, name));
  }
}

/// A window with fewer segments than an ACK needs is acknowledged by the timer of delayed ACKs, or by the end of its
/// message.
void warn_about_delayed_acks(const World& world, std::vector<std::string>& warnings) {
  const TcpSettings& tcp = world.tcp;
  const bool always = tcp.ack_every_segments > tcp.window_segments;
  if (!always && tcp.ack_every_segments <= tcp.initial_window_segments) return;
  const u32 window = always ? tcp.window_segments : tcp.initial_window_segments;
  warnings.push_back(fmt::format(
      "tcp.ack_every_segments of {} is more than {} ({}): {} is sent before an ACK is due, and the sender waits for "
      "tcp.ack_delay ({}) before it sends more, unless the message ends; set tcp.ack_every_segments to {} at most",
      tcp.ack_every_segments, always ? "tcp.window_segments" : "tcp.initial_window_segments", window,
      always ? "every window" : "the first window of a connection, and that after idleness or a timeout,",
      time_text(tcp.ack_delay_ps), window));
}

/// Replays of simulators without Ethernet's framing have less.
void warn_about_overhead(const World& world, std::vector<std::string>& warnings) {
  const u32 gap = world.fabric.wire_gap_bytes, least = 20 + 20 + 14 + 4 + gap;  // IPv4, TCP, header, FCS, and the gap
  const u32 bytes = world.tcp.overhead_wire_bytes;
  if (bytes >= least) return;
  warnings.push_back(fmt::format(
      "tcp.overhead of {} B is less than Ethernet needs: IPv4 20 + TCP 20 + Ethernet 14 + FCS 4 + preamble and gap {} "
      "= {} B. Segments and ACKs take less of a link than they can; give {} B (with time stamps), unless this replays "
      "links without Ethernet's framing, such as ns-3's point-to-point links",
      bytes, gap, least, least + 12));
}

}  // namespace

std::vector<std::string> warnings_of_tcp(const World& world) {
  std::vector<std::string> warnings;
  warn_about_no_data(world, warnings);
  if (!carries_data(world, Transport::tcp)) return warnings;
  warn_about_spraying(world, warnings);
  warn_about_dctcp(world, warnings);
  warn_about_delayed_acks(world, warnings);
  warn_about_overhead(world, warnings);
  return warnings;
}

}  // namespace heddle
