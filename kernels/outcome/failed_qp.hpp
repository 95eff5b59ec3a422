// Queue pairs that give up.
#pragma once

#include <string>

#include "kernels/base/types.hpp"
#include "kernels/world/tcp.hpp"

namespace heddle {

/// A receiving queue pair, whose CTSs nobody acknowledged, is named by its number plus this.
inline constexpr u32 kReceivingEnd = 1u << 16;

/// One that ran out of retransmission timeouts. `number` at its endpoint: a sending queue pair's, or kReceivingEnd + a
/// receiving one's. `retries`: timeouts in a row after which it still retransmitted.
struct FailedQp {
  TimePs when_ps = kNever;
  u32 endpoint = kNone, number = kNone;
  u32 retries = 0;
  Transport transport = Transport::roce;
};

/// The one that gave up first; of two at one instant, that of the lower endpoint.
FailedQp earlier(const FailedQp& a, const FailedQp& b);

/// A run ends at this epoch start after its first failure, so that every part of it can know in time.
inline constexpr u32 kFailureEpochs = 8;
constexpr TimePs failure_end_ps(TimePs failed_ps, TimePs epoch_ps) {
  return (failed_ps / epoch_ps + kFailureEpochs) * epoch_ps;
}
/// At least so long is it from a failure to the end.
constexpr TimePs failure_notice_ps(TimePs epoch_ps) { return (kFailureEpochs - 1) * epoch_ps; }

/// `dropped`: packets, in the whole run. Without any it was the timeout that was too short, not the network.
std::string explain_failed_qp(const FailedQp& qp, u64 dropped);

}  // namespace heddle
