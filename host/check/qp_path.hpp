// The very links over which a queue pair's packets go.
#pragma once

#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

enum class Way : u8 { data, answers };  // from Qp::src to Qp::dst; ACK, NAK, CNP and CTS back

/// Follows ECMP's hash or the explicit path, as the switches will. One for many queue pairs of a World.
class QpPaths {
 public:
  explicit QpPaths(const World& world);
  /// From NIC to NIC, in order; empty where the routes do not lead there. Good until the next call.
  const std::vector<LinkId>& links(const Qp& qp, Way way);

 private:
  u32 port_at(NodeId at, const Qp& qp, Way way) const;

  const World& world_;
  std::vector<u64> hash_state_;  // [switch - endpoints]
  std::vector<LinkId> links_;
};

}  // namespace heddle
