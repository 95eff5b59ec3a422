// The very links over which a queue pair's packets go.
#pragma once

#include <vector>

#include "kernels/state/model.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

enum class Way : u8 { data, answers };  // from Qp::src to Qp::dst; ACKs, NAKs, CNPs and CTSs of them, back

/// A link over which packets of a queue pair go.
struct Hop {
  LinkId link;
  double share;  // of the packets: 1, unless a policy divides them
};

/// Asks the policies of the switches. One that divides flows (PolicyInfo::divides_flows) is taken to use all equal next
/// hops alike. One for many queue pairs of a World.
class QpPaths {
 public:
  explicit QpPaths(const World& world);
  /// From NIC to NIC, in the order of the way; empty where the routes do not lead there. Good until the next call.
  const std::vector<Hop>& hops(const Qp& qp, Way way);

 private:
  /// A switch, the port by which packets come there (one of them, where a policy has divided them), and their share.
  struct Reached {
    NodeId at;
    u32 port;
    double share;
  };
  bool leave(const Reached& from, const Qp& qp, Way way);
  bool leave_by(const Reached& from, u32 port, double share);
  u32 path_port(NodeId at, const Qp& qp, Way way) const;
  u32 chosen_port(const Reached& at, const Qp& qp, Way way);

  const World& world_;
  Model model_;
  Tally not_counted_;
  std::vector<Hop> hops_;
  std::vector<Reached> here_, next_;  // one hop after the other
};

}  // namespace heddle
