#include "kernels/outcome/failed_qp.hpp"

#include <tuple>

namespace heddle {
namespace {

/// "48555.007857 us": exact, without trailing zeros.
std::string microseconds(TimePs t) {
  std::string fraction = std::to_string(1'000'000 + t % 1'000'000).substr(1);
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return std::to_string(t / 1'000'000) + (fraction.empty() ? "" : "." + fraction) + " us";
}

}  // namespace

FailedQp earlier(const FailedQp& a, const FailedQp& b) {
  return std::tie(b.when_ps, b.endpoint) < std::tie(a.when_ps, a.endpoint) ? b : a;
}

std::string explain_failed_qp(const FailedQp& qp, u32 rto_tries, u64 dropped) {
  const std::string why =
      dropped != 0
          ? std::to_string(dropped) + " packets were dropped: look at /event/drop, or raise roce.rto or roce.rto_tries"
          : "nothing was dropped: packets or their ACKs were longer on their way, in queues or behind pauses than "
            "roce.rto; raise it, or let less be under way (fewer senders, a smaller roce.window_packets, but not below "
            "roce.ack_every: then nobody acknowledges it before roce.rto)";
  const bool of_cts = qp.number >= kReceivingEnd;
  return (of_cts ? "the CTSs of receiving queue pair " : "queue pair ") +
         std::to_string(of_cts ? qp.number - kReceivingEnd : qp.number) + " of endpoint " +
         std::to_string(qp.endpoint) + " gave up at " + microseconds(qp.when_ps) + " after " +
         std::to_string(rto_tries) + " retransmission timeouts; " + why;
}

}  // namespace heddle
