#include "host/check/warnings/loss_text.hpp"

#include <fmt/format.h>

#include <string_view>

#include "host/base/quantity_text.hpp"
#include "host/scenario/topology/transports.hpp"

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
  return fmt::format(
      "losses     tcp ({}): a lost segment is retransmitted, a round trip after {} later ones arrive\n"
      "           one of the last {} segments, and what is lost twice, wait for the RTO ({} at first, then at least "
      "{}; "
      "at most {} in a row)\n",
      control_name(tcp.control), kTcpDuplicates, kTcpDuplicates, time_text(tcp.rto_initial_ps),
      time_text(tcp.rto_min_ps), tcp.retries);
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

}  // namespace

std::string loss_text(const World& world) {
  return (carries_tcp_only(world) ? "" : roce_text(world.roce)) +
         (carries_data(world, Transport::tcp) ? tcp_text(world.tcp) : "");
}

std::string warning_of_losses(const World& world) {
  const RoceSettings& roce = world.roce;
  const bool low = roce.selective() && roce.rto_low_ps != 0;
  if (world.failures.none() || carries_tcp_only(world) || low || roce.rto_ps < kLongTimerPs) return "";
  return fmt::format(
      "failures lose packets, and what no NAK reports (the last packets of a message, a CTS, all that is sent while a "
      "link is down) waits for roce.rto, {}, as NCCL sets it: it decides how long the run takes. NICs with adaptive "
      "retransmission are faster: compare with roce.timers = \"short\" (4 ms), and with roce.recovery = "
      "\"selective_repeat\"",
      time_text(roce.rto_ps));
}

}  // namespace heddle
