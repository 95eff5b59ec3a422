#include "host/check/warnings/loss_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "host/base/quantity_text.hpp"
#include "host/check/warnings/spraying.hpp"
#include "host/scenario/topology/transports.hpp"
#include "kernels/world/fabric_of.hpp"

namespace heddle {
namespace {

/// A timer above this dominates the time of a run with losses.
constexpr TimePs kLongTimerPs = 100'000'000'000;

std::string timer_text(const RoceSettings& roce) {
  if (roce.rto_ps == 0) return "never retransmitted, as roce.rto is 0";
  return fmt::format("retransmitted after roce.rto ({}; at most {} in a row)", time_text(roce.rto_ps), roce.rto_tries);
}

std::string_view control_name(TcpControl control) {
  switch (control) {
    case TcpControl::dctcp:
      return "dctcp";
    case TcpControl::cubic:
      return "cubic";
    case TcpControl::new_reno:
      return "new_reno";
  }
  return "";
}

std::string tcp_text(const TcpSettings& tcp) {
  const bool rack = tcp.loss_detection == TcpLossDetection::rack;
  const std::string when = fmt::format("a round trip after {} later ones arrive{}", kTcpDuplicates,
                                       rack ? ", or, once segments have come out of order, when it is late by a "
                                              "part of the least round trip (RACK)"
                                            : "");
  return fmt::format(
      "losses     tcp ({}): a lost segment is retransmitted, {}\n"
      "           {}, and what is lost twice, wait for the RTO ({} at first, then at least {}; at most {} in a row)\n",
      control_name(tcp.control), when,
      rack ? "the last segment" : fmt::format("one of the last {} segments", kTcpDuplicates),
      time_text(tcp.rto_initial_ps), time_text(tcp.rto_min_ps), tcp.retries);
}

std::string roce_text(const RoceSettings& roce) {
  if (!roce.selective()) {
    return fmt::format(
        "losses     go_back_n: a lost packet is retransmitted, with all packets after it, a round trip after the next "
        "one of its queue pair arrives\n"
        "           the last packets of a message, a lost NAK or CTS, and what is lost twice are {}\n",
        timer_text(roce));
  }
  const std::string low =
      roce.rto_low_ps == 0
          ? timer_text(roce)
          : fmt::format("retransmitted after roce.rto_low ({}), or two round trips if these take longer",
                        time_text(roce.rto_low_ps));
  return fmt::format(
      "losses     selective_repeat: a lost packet alone is retransmitted, a round trip after one arrives that is {} "
      "packets later\n"
      "           one of the last {} packets, a lost CTS, and what is lost twice are {}\n",
      roce.reorder_distance_packets, roce.reorder_distance_packets, low);
}

/// Whether a failure can lose packets of RoCE: a rate alone loses none.
bool loses_roce(const World& world) {
  const Fabric& fabric = world.fabric;
  const std::vector<bool> of_roce = fabrics_with(world, Transport::roce);
  for (LinkId l = 0; l < fabric.links.size(); ++l) {
    const NodeId src = fabric.links[l].src;
    const u32 number =
        src < fabric.endpoints ? fabric_of_endpoint(fabric, src) : fabric_of_tier(fabric, fabric.nodes[src].tier);
    if (!of_roce[number]) continue;
    const auto loses = [](const LinkChange& change) { return !change.state.up() || change.state.loss_q64 != 0; };
    if (std::ranges::any_of(world.failures.of(l), loses)) return true;
  }
  return false;
}

}  // namespace

std::string loss_text(const World& world) {
  return (carries_tcp_only(world) ? "" : roce_text(world.roce)) +
         (carries_data(world, Transport::tcp) ? tcp_text(world.tcp) : "");
}

std::string warning_of_losses(const World& world) {
  const RoceSettings& roce = world.roce;
  const bool low = roce.selective() && roce.rto_low_ps != 0;
  if (low || roce.rto_ps < kLongTimerPs || !loses_roce(world)) return "";
  return fmt::format(
      "failures lose packets, and what no NAK reports (the last packets of a message, a CTS, all that is sent while a "
      "link is down) waits for roce.rto, {}, as NCCL sets it: it decides how long the run takes. NICs with adaptive "
      "retransmission are faster: compare with roce.timers = \"short\" (4 ms), and with roce.recovery = "
      "\"selective_repeat\"",
      time_text(roce.rto_ps));
}

}  // namespace heddle
