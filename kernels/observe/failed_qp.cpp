#include "kernels/observe/failed_qp.hpp"

#include <tuple>

namespace heddle {

FailedQp earlier(const FailedQp& a, const FailedQp& b) {
  return std::tie(b.when_ps, b.endpoint) < std::tie(a.when_ps, a.endpoint) ? b : a;
}

std::string explain_failed_qp(const FailedQp& qp, u32 rto_tries) {
  return "queue pair " + std::to_string(qp.number) + " of endpoint " + std::to_string(qp.endpoint) + " gave up at " +
         std::to_string(qp.when_ps) + " ps after " + std::to_string(rto_tries) +
         " retransmission timeouts; look at /event/drop, or raise roce.rto or roce.rto_tries";
}

}  // namespace heddle
