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

/// Why packets of RoCE, or CTSs, were not acknowledged in time, and what to try.
std::string roce_advice(u64 dropped) {
  if (dropped != 0)
    return std::to_string(dropped) + " packets were dropped: look at /event/drop, or raise roce.rto or roce.rto_tries";
  return "nothing was dropped: packets or their ACKs were longer on their way, in queues or behind pauses than "
         "roce.rto; raise it, or let less be under way (fewer senders, a smaller roce.window_packets, but not below "
         "roce.ack_every: then nobody acknowledges it before roce.rto)";
}

/// The same of TCP: each timeout in a row is twice the one before, from at least tcp.rto_min to tcp.rto_max.
std::string tcp_advice(u64 dropped) {
  if (dropped != 0)
    return std::to_string(dropped) +
           " packets were dropped: look at /event/drop, or raise tcp.retries, tcp.rto_min or tcp.rto_max, so that the "
           "connection tries for longer";
  return "nothing was dropped: segments or their ACKs were longer on their way, in queues, behind pauses or delayed by "
         "tcp.ack_delay, than all these timeouts; raise tcp.rto_min or tcp.rto_max, or let less be under way (fewer "
         "senders, a smaller tcp.window_segments)";
}

}  // namespace

FailedQp earlier(const FailedQp& a, const FailedQp& b) {
  return std::tie(b.when_ps, b.endpoint) < std::tie(a.when_ps, a.endpoint) ? b : a;
}

std::string explain_failed_qp(const FailedQp& qp, u64 dropped) {
  const bool of_cts = qp.number >= kReceivingEnd;
  const bool tcp = qp.transport == Transport::tcp;
  const std::string retries = std::to_string(qp.retries);
  return (of_cts ? "the CTSs of receiving queue pair "
          : tcp  ? "TCP queue pair "
                 : "queue pair ") +
         std::to_string(of_cts ? qp.number - kReceivingEnd : qp.number) + " of endpoint " +
         std::to_string(qp.endpoint) + " gave up at " + microseconds(qp.when_ps) +
         (tcp ? " at retransmission timeout " + std::to_string(qp.retries + 1) + " in a row (tcp.retries = " + retries +
                    "); "
              : " after " + retries + " retransmission timeouts; ") +
         (tcp ? tcp_advice(dropped) : roce_advice(dropped));
}

}  // namespace heddle
